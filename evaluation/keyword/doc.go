// Package keyword finds out whether a text covers the keywords that somebody
// expects in it. Evidence, root causes, forbidden words and markers are all
// looked for by this one matcher.
//
// A plain search for a substring passes bad answers silently: 70 stands in 170,
// OOM in room. So a keyword stands as a word or number of its own, and in
// exchange the ways in which one thing is written are made one.
//
// # Normalising
//
// Keyword and text are normalised alike, in this order:
//
//   - invisible characters go (zero-width, soft hyphen, bidi marks, variation
//     selectors, BOM);
//   - NFKC; a full-width comma is a comma that is never inside a number;
//   - any white space is one space, and none at the ends; every dash is a
//     hyphen; typographic quotation marks are plain ones;
//   - a hyphen or low line between two letters, or a letter and a digit, is a
//     space: order-service is order_service;
//   - thousands separators of well-formed numbers go: 1,000 is 1000;
//   - a space goes where it touches a letter of a script written without spaces
//     (Han, Kana, Thai, Lao, Khmer, Myanmar), beside , ; : ! ? ( ) [ ], between a
//     letter and a digit, and between a digit and % ‰ °; it stays beside a
//     hyphen, before a combining mark, and between two numbers of a list;
//   - case is folded.
//
// # Word mode
//
// Letters of the scripts without spaces, and of Hangul, never block a match.
//
// A keyword that starts (or ends) with another letter starts (ends) at a word
// edge: no letter beside it, a digit beside it, or a camelCase hump (OOM|Killed,
// My|SQL). A space of the keyword also stands for a hump of the text (out of
// memory in OutOfMemoryError), and a space of the text for a hump of the keyword.
//
// A last word of four letters or more also matches with its English endings: s
// (not after s, not after http and other protocols of which s makes another,
// no upper-case S after an acronym), es after s, x, z, ch, sh and o, d or ed,
// ing, y to ies and ied, and a final consonant doubled before ed and ing. An
// acronym takes a lower-case s; one of two letters only where the text writes
// it in capitals too (VMs; DN is not in dns).
//
// A keyword that starts (ends) with a digit touches no other digit there, nor
// a full stop with a digit behind it.
//
// Other symbols ask for nothing: C++ is in 使用C++17编译. A hyphen or low line at
// the end of a keyword is looked for in the original text, so that _total finds
// requests_total and not the grand total.
//
// # Limits
//
// Word mode does not know
//
//   - synonyms, inserted words, another order of words;
//   - that 5.7 is meant by 5.7.38;
//   - traditional against simplified characters, and Chinese numerals (七天);
//   - that 502,503,504 is a list: it reads as one number; 502, 503 does not;
//   - that a hump may part one word: Java is in JavaScript, OS in iOS;
//   - that a number may be part of a name: 99 is in P99;
//   - words of Han and Kana: 因数 is in 原因数据.
//
// "any" lists ways to say one thing, "substring" looks inside words and
// numbers, "regex" says exactly what is meant.
//
// # Negation
//
// A hit is negated where a negator stands before it in its clause; see
// [Negators] and [Clause]. That is told with the hit, and where the keyword
// says so ([Keyword].UnlessNegated) a negated hit does not count. Negators
// behind the hit, and double negation, are not understood.
//
// # Coverage
//
// [Set.Cover] looks for many keywords in one pass over each of several texts,
// and says of each keyword which alternative stands where, or what came near.
// A [Text] may be used again for another text, so that a loop over many texts
// allocates nothing for them.
package keyword
