package input

import (
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest is a short fingerprint of a decoded struct: the first 16 hex digits of
// the SHA-256 of its [Canonical] form. It is the same however the struct was
// spelt in a file, and changes with every field but those that are left out.
func Digest(v any, omit ...string) string {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	*b = appendCanonical((*b)[:0], v, omit)
	sum := sha256.Sum256(*b)
	return hex.EncodeToString(sum[:8])
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Canonical is the one form of a decoded struct: JSON without white space, the
// fields by their json names in byte order, map keys too, numbers in their
// shortest form. Zero values are left out, so that a field which is added to the
// struct one day changes no digest of a case that does not state it; a pointer
// to a zero value is stated, and stands. Types with a MarshalText stand as that
// text. The fields named in omit, of the outermost struct, are left out.
func Canonical(v any, omit ...string) []byte { return appendCanonical(nil, v, omit) }

func appendCanonical(b []byte, v any, omit []string) []byte {
	x := reflect.ValueOf(v)
	for x.Kind() == reflect.Pointer && !x.IsNil() {
		x = x.Elem()
	}
	return canonical(b, x, omit)
}

func canonical(b []byte, v reflect.Value, omit []string) []byte {
	if !v.IsValid() {
		return append(b, "null"...)
	}
	if text, ok := marshalText(v); ok {
		return canonicalString(b, text)
	}
	return canonicalParts(b, v, omit)
}

// canonicalParts is canonical for a value that has no MarshalText.
func canonicalParts(b []byte, v reflect.Value, omit []string) []byte {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return canonical(b, v.Elem(), nil)
	case reflect.Struct:
		return canonicalStruct(b, v, omit)
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(canonicalString(b, k.String()), ':')
			b = canonical(b, v.MapIndex(k), nil)
		}
		return append(b, '}')
	case reflect.Slice, reflect.Array:
		one := canonicalParts
		if hasMarshalText(v.Type().Elem()) {
			one = canonical
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = one(b, v.Index(i), nil)
		}
		return append(b, ']')
	case reflect.String:
		return canonicalString(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(b, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		if x := v.Float(); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return strconv.AppendInt(b, int64(x), 10) // 1.0 is 1
		}
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
	}
	panic("input: no canonical form of " + v.Type().String())
}

func canonicalStruct(b []byte, v reflect.Value, omit []string) []byte {
	p := planOf(v.Type())
	b = append(b, '{')
	start := len(b)
	for _, n := range p.sorted {
		f := &p.fields[n]
		x, ok := fieldOf(v, f.index)
		if !ok || isEmpty(x) || slices.Contains(omit, f.name) {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(b, f.label...)
		if f.texts {
			b = canonical(b, x, nil)
		} else {
			b = canonicalParts(b, x, nil)
		}
	}
	return append(b, '}')
}

// isEmpty reports whether a value is the zero one, or a list or map with nothing in
// it.
func isEmpty(v reflect.Value) bool {
	k := v.Kind()
	return v.IsZero() || (k == reflect.Slice || k == reflect.Map) && v.Len() == 0
}

// fieldOf is a field; ok is false where an embedded pointer on the way is nil.
func fieldOf(v reflect.Value, index []int) (x reflect.Value, ok bool) {
	if len(index) == 1 {
		return v.Field(index[0]), true
	}
	x, err := v.FieldByIndexErr(index)
	return x, err == nil
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	marshalers    sync.Map // reflect.Type → whether it has a MarshalText
)

func hasMarshalText(t reflect.Type) bool {
	if t.NumMethod() == 0 {
		return false
	}
	if has, ok := marshalers.Load(t); ok {
		return has.(bool)
	}
	has := t.Implements(textMarshaler)
	marshalers.Store(t, has)
	return has
}

func marshalText(v reflect.Value) (string, bool) {
	if !hasMarshalText(v.Type()) || !v.CanInterface() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "", false
	}
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok {
		return "", false
	}
	text, err := m.MarshalText()
	return string(text), err == nil
}

func canonicalString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // invalid UTF-8 cannot come out of a file
	return b
}
