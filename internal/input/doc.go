// Package input reads what karat is given, and trusts none of it.
//
// Two kinds of file are read in two ways, because they fail in two ways:
//
//   - Files that people write (case sets, gates, project files) are small and
//     wrong in small ways. They become one tree of [Value] nodes whatever
//     their format (JSON, YAML, JSONL), and one decoder turns the tree into Go
//     structs ([Parse], [Scope.Decode], [DecodeCases]). Every problem of a file is
//     reported together, each with its line.
//   - Files that machines write (fixtures, traces) are large. They are handed
//     on as raw bytes, each exactly once, from a folder or from a bundle
//     ([Fixtures.Each]); decoding them belongs to the packages that know their
//     shape.
//
// A [Folder] confines reading: nothing outside of it is ever opened, whatever
// a name, an id or a symbolic link says.
//
// # Spelling that does not matter
//
// JSON, YAML and JSONL of the same content decode to the same structs. Field
// names have aliases. A value that is no list stands for a list of one where a
// list is expected. A null, and a YAML key without a value, means "not stated".
// A number or a YAML scalar keeps its source text where a string is expected:
// the id 09 is "09", never 9. A byte order mark and CRLF are accepted.
//
// Because only the decoded struct is free of all this, digests are taken from
// it ([Digest]), not from the tree.
package input
