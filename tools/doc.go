// Package tools is the module of what contributors run and users never need:
// it keeps heavy dependencies, such as a search engine, out of karat's own
// go.mod.
package tools
