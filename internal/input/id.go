package input

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxIDLength is the length of the longest case id, in characters.
const maxIDLength = 128

// ValidateID reports what keeps a text from being a case id: 1 to 128 letters
// of any script, digits, '.', '_', '-', not starting with '.' or '-'. Marks
// that belong to a letter (a combining accent, a vowel sign) count as letters.
// Such an id is also a file name, and never a path.
func ValidateID(id string) error {
	allowed := func(found string) error {
		return fmt.Errorf("%s %s; an id is 1 to %d letters, digits, '.', '_' and '-', not starting with '.' or '-'",
			quote(id), found, maxIDLength)
	}
	if id == "" {
		return allowed("is empty")
	}
	if !utf8.ValidString(id) {
		return allowed("is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(id); n > maxIDLength {
		return allowed(fmt.Sprintf("has %d characters", n))
	}
	if id[0] == '.' || id[0] == '-' {
		return allowed("starts with " + quote(id[:1]))
	}
	if plainID(id) {
		return nil
	}
	letter := false // whether a mark may follow
	for _, r := range id {
		switch {
		case unicode.IsLetter(r), letter && unicode.IsMark(r):
			letter = true
		case unicode.IsDigit(r), r == '.', r == '_', r == '-':
			letter = false
		default:
			return allowed("holds " + quote(string(r)))
		}
	}
	return nil
}

// plainID reports whether an id has ASCII letters, digits, '.', '_' and '-' alone,
// as nearly all have.
func plainID(id string) bool {
	for i := range len(id) {
		if id[i] != '.' && (id[i] == '@' || !plainName(id[i:i+1])) {
			return false
		}
	}
	return true
}

var foldCase = cases.Fold()

// foldID is equal for ids that a file system may take for one: those that
// differ in case, or in how an accented letter is encoded.
func foldID(id string) string {
	ascii := true
	for i := range len(id) {
		ascii = ascii && id[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(id)
	}
	return norm.NFC.String(foldCase.String(norm.NFC.String(id)))
}
