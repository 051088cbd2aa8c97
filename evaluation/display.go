package evaluation

// Display is one case laid out for a reader: what a domain package makes of a
// case and its fixture on demand, in words that every renderer knows how to
// show. It is never part of a report.
type Display struct {
	// Title is the case's id, Subtitle what it asks.
	Title, Subtitle string
	Sections        []Section
}

// Section is a headed part of a display.
type Section struct {
	Title string
	Items []Item
}

// Mark says how an item is to be seen.
type Mark string

const (
	Plain Mark = ""
	// Good marks what was expected and is there.
	Good Mark = "good"
	// Bad marks what should not be there, or is missing.
	Bad Mark = "bad"
	// Faint marks what matters less.
	Faint Mark = "faint"
)

// Item is one entry of a section.
type Item struct {
	Mark Mark
	// Label is a short name: a candidate's rank and label, a tool's name.
	Label string
	// Detail adds a few words: a score, a duration, a reason.
	Detail string
	// Text is a longer text, shown below, with its hits highlighted.
	Text string
	// Spans are byte ranges of Text, ascending and apart.
	Spans []Span
}

// Span is a byte range of a text.
type Span struct {
	Start, End int
	Mark       Mark
}
