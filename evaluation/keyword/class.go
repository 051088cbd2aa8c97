package keyword

import (
	"unicode"
	"unicode/utf8"
)

// class is what the rules of normalising and of word edges need to know of a
// character.
type class uint8

const (
	other    class = iota // symbols, and the outside of a text
	letter                // a letter of a script written with spaces, Hangul aside
	mark                  // a combining mark of such a script
	unspaced              // a letter or mark of a script written without spaces
	hangul                // spaced like Latin, yet never a barrier
	digit
	space
	punct   // , ; : ! ? ( ) [ ]
	percent // % ‰ °
	hyphen  // - _
)

// wordy tells whether a hyphen beside this class may join two words.
func (c class) wordy() bool {
	return c == letter || c == mark || c == unspaced || c == hangul || c == digit
}

// blocks tells whether a letter at the edge of a keyword may not touch this
// class, humps aside.
func (c class) blocks() bool { return c == letter || c == mark }

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
			t[b] = letter
		case '0' <= b && b <= '9':
			t[b] = digit
		case b == ' ', '\t' <= b && b <= '\r':
			t[b] = space
		}
	}
	for _, b := range ",;:!?()[]" {
		t[b] = punct
	}
	t['%'] = percent
	t['-'], t['_'] = hyphen, hyphen
	return t
}()

// classOf is the class of one character of a normalised text; of -1, which
// stands for the outside of the text, it is other.
func classOf(r rune) class {
	switch {
	case r < 0:
		return other
	case r < utf8.RuneSelf:
		return asciiClass[r]
	case 0x4E00 <= r && r <= 0x9FFF, 0x3040 <= r && r <= 0x3096, 0x30A1 <= r && r <= 0x30FA:
		return unspaced
	case 0xAC00 <= r && r <= 0xD7A3:
		return hangul
	case r == '‰', r == '°':
		return percent
	case r == 'ー', r == '〆', r == '〇':
		// Common to several scripts by Unicode's tables, written as Kana and Han.
		return unspaced
	case r == 0x3099 || r == 0x309A: // a sound mark that found nothing to join
		return mark
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r), unicode.IsMark(r):
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			return unspaced
		case unicode.Is(unicode.Hangul, r):
			return hangul
		case unicode.IsMark(r):
			return mark
		}
		return letter
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// kind is what normalising does with one character of the original text.
type kind uint8

const (
	slow       kind = iota // x/text decides
	plain                  // stays, and never joins what stands before it
	lower                  // as plain, but has a lower-case form of its own
	narrow                 // full-width ASCII
	white                  // white space
	dash                   // any dash
	underscore             // any low line
	comma                  // the ASCII comma, which may be a thousands separator
	listComma              // a comma that is never inside a number
	quote                  // any double quotation mark
	apostrophe             // any single quotation mark
	ellipsis               // … is three full stops
	drop                   // invisible
)

// narrowBy is the distance from a full-width form to its ASCII character.
const narrowBy = 0xFF01 - '!'

var asciiKind = func() (t [256]kind) {
	for b := range utf8.RuneSelf {
		t[b] = plain
		if asciiClass[b] == space {
			t[b] = white
		}
	}
	t['-'], t['_'], t[','] = dash, underscore, comma
	return t
}()

// The blocks that ordinary Chinese text takes its punctuation from are looked
// up; everything else is worked out.
var (
	generalPunctuation = page(0x2000)
	cjkPunctuation     = page(0x3000)
	fullWidth          = page(0xFF00)
)

func page(first rune) (t [256]kind) {
	for i := range t {
		t[i] = workOutKind(first + rune(i))
	}
	return t
}

// kindOf is the kind of a character outside ASCII. That it agrees with x/text
// for every character is held by a test.
func kindOf(r rune) kind {
	switch r >> 8 {
	case 0x20:
		return generalPunctuation[r&0xFF]
	case 0x30:
		return cjkPunctuation[r&0xFF]
	case 0xFF:
		return fullWidth[r&0xFF]
	}
	return workOutKind(r)
}

func workOutKind(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return asciiKind[r]
	case 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3:
		return plain
	case invisible(r):
		return drop
	case unicode.IsSpace(r):
		return white
	case isDash(r):
		return dash
	}
	switch r {
	case '…':
		return ellipsis
	case '，', 0xFE10, 0xFE50:
		return listComma
	case '＿', 0xFE33, 0xFE34, 0xFE4D, 0xFE4E, 0xFE4F:
		return underscore
	case '“', '”', '„', '‟', '«', '»', '〝', '〞', '〟', '＂',
		'「', '」', '『', '』', '｢', '｣', 0xFE41, 0xFE42, 0xFE43, 0xFE44:
		return quote
	case '‘', '’', '‚', '‛', '‹', '›', '＇', 'ʼ':
		return apostrophe
	case 'ß', 'ẞ', 'İ': // folded to two characters
		return slow
	}
	switch {
	case 0xFF01 <= r && r <= 0xFF5E:
		return narrow
	case !stable(r):
		return slow
	case fold(r) != r:
		return lower
	}
	return plain
}

// stable lists blocks of which NFKC changes nothing and which never join what
// stands before them: a way past x/text for text in common use, not a full
// list.
func stable(r rune) bool {
	switch {
	case r < 0x2000:
		switch {
		case r <= 0x00BF:
			switch r {
			case 0xA8, 0xAA, 0xAF, 0xB2, 0xB3, 0xB4, 0xB5, 0xB8, 0xB9, 0xBA, 0xBC, 0xBD, 0xBE:
				return false
			}
			return r >= 0xA1
		case r <= 0x017E: // Latin-1 and Latin Extended-A
			return r != 0x0132 && r != 0x0133 && r != 0x013F && r != 0x0140 && r != 0x0149
		case 0x0391 <= r && r <= 0x03CE: // Greek
			return r != 0x03A2
		case 0x0400 <= r && r <= 0x0482, 0x048A <= r && r <= 0x052F: // Cyrillic
			return true
		}
		return false
	case r < 0x2100: // general punctuation
		return 0x2020 <= r && r <= 0x2023 || r == 0x2027 || 0x2030 <= r && r <= 0x2032 || r == 0x203B
	case r < 0x3000:
		return 0x2190 <= r && r <= 0x21FF || 0x2500 <= r && r <= 0x27BF // arrows; box drawing to dingbats
	case r < 0x3100: // CJK punctuation and Kana
		return r <= 0x3029 || 0x3031 <= r && r <= 0x3035 || 0x3041 <= r && r <= 0x3096 ||
			r == 0x309D || r == 0x309E || 0x30A1 <= r && r <= 0x30FE
	}
	return 0x1F300 <= r && r <= 0x1F64F || 0x1F680 <= r && r <= 0x1F6FF || 0x1F900 <= r && r <= 0x1F9FF
}

// invisible tells of characters that a reader does not see and that are
// dropped before anything else: zero-width, soft hyphen, joiners, bidi marks,
// variation selectors, tags, BOM, fillers.
func invisible(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		0x180B <= r && r <= 0x180F,
		0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F,
		r == 0x3164, 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		0xFFF9 <= r && r <= 0xFFFB, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return false
}

func isDash(r rune) bool {
	switch r {
	case '−', '⁓', '⁻', '₋':
		return true
	}
	return unicode.Is(unicode.Pd, r)
}

// fold is the caseless form of one character.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if r == 'ı' || r == 0x0345 {
		// Not the i that its upper case would fold to; and a mark stays a mark.
		return r
	}
	return unicode.ToLower(unicode.ToUpper(r))
}
