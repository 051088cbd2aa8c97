package suitefiles

import (
	"fmt"
	"strings"
	"sync"

	"github.com/karat-eval/karat/internal/input"
)

// Unknown keeps the names of an object's members that its reader does not know:
// they belong to the application, and one of them may be a slip. Keeping them
// costs next to nothing; what they may mean is worked out where a member turns
// out to be missing.
type Unknown struct {
	names [maxUnknown][]byte
	n     int
}

// maxUnknown is how many names are kept.
const maxUnknown = 16

// Add keeps a name, as a part of what is read.
func (u *Unknown) Add(name []byte) {
	if u.n < len(u.names) {
		u.names[u.n] = name
		u.n++
	}
}

// Reset forgets the names, and the text that they are parts of.
func (u *Unknown) Reset() {
	clear(u.names[:u.n])
	u.n = 0
}

// Members are those that the reader of an object knows. Any number of goroutines
// may use them.
type Members struct {
	// What says in messages whose members they are: the fixture, candidate 1.
	What string
	// Known are the names, the first of each member.
	Known []string
	// Others are names that other applications have for a known one, which no
	// distance between words finds: content for text.
	Others map[string]string

	lock  sync.RWMutex
	hints map[string]Hint // by names; what files of one application lack is the same in each
}

// Hint is a member that a name which is not known may mean.
type Hint struct {
	// Known is the member's name.
	Known string
	// Text says it: the fixture has "candidate"; did you mean "candidates"?
	Text string
	// Sure: the two differ in case and separators alone.
	Sure bool
}

// Hints are what the names may mean, in their order; nil where none is near a
// known one.
func (m *Members) Hints(u *Unknown) []Hint {
	var hints []Hint
	for _, name := range u.names[:u.n] {
		if h := m.hint(name); h.Known != "" {
			hints = append(hints, h)
		}
	}
	return hints
}

// maxHints is how many names are remembered with what they may mean.
const maxHints = 1000

func (m *Members) hint(name []byte) Hint {
	m.lock.RLock()
	h, ok := m.hints[string(name)]
	m.lock.RUnlock()
	if ok {
		return h
	}
	text := string(name)
	if h.Known = m.Others[text]; h.Known == "" {
		h.Known = input.Nearest(text, m.Known)
	}
	if h.Known != "" {
		h.Text = fmt.Sprintf("%s has %q; did you mean %q?", m.What, text, h.Known)
		h.Sure = input.SameName(text, h.Known)
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if len(m.hints) < maxHints && len(text) <= 100 {
		if m.hints == nil {
			m.hints = map[string]Hint{}
		}
		m.hints[text] = h
	}
	return h
}

// WithHint is a reason with a hint behind it.
func WithHint(reason string, h Hint) string {
	if strings.HasSuffix(reason, "?") {
		return reason + " " + h.Text
	}
	return reason + "; " + h.Text
}
