package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A chunk is the text directly under one heading of a document.
type chunk struct {
	ID         string   // document id and the chunk's place in it: "…/vpn.md#03"
	DocumentID string   // path under the knowledge folder
	ScenarioID string   // first folder of the path
	Source     string   // second folder of the path
	Breadcrumb []string // headings from the title down
	Text       string   // without the heading itself
}

// label is what a reader of a result list sees: the title, and the chunk's own
// heading where it has one.
func (c chunk) label() string {
	title := c.Breadcrumb[0]
	if len(c.Breadcrumb) == 1 {
		return title
	}
	return title + " › " + c.Breadcrumb[len(c.Breadcrumb)-1]
}

// indexed is what the search sees: the headings give a short section the words
// that its text takes for granted.
func (c chunk) indexed() string {
	return strings.Join(c.Breadcrumb, "\n") + "\n" + c.Text
}

// readKnowledge splits every Markdown document of the layout
// <scenario>/<source>/<name>.md, in path order.
func readKnowledge(fsys fs.FS) ([]chunk, error) {
	var chunks []chunk
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".md" {
			return err
		}
		if strings.Count(name, "/") == 0 {
			return nil // a README of the folder, not knowledge
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		split, err := splitByHeading(name, string(text))
		if err != nil {
			return err
		}
		chunks = append(chunks, split...)
		return nil
	})
	return chunks, err
}

// splitByHeading cuts a document at its headings of level one to three. A
// heading without text of its own gives no chunk; lines in a code fence are
// never headings.
func splitByHeading(documentID, text string) ([]chunk, error) {
	parts := strings.Split(documentID, "/")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%s: a document stands at <scenario>/<source>/<name>.md", documentID)
	}

	var (
		chunks []chunk
		crumb  []string
		body   []string
		fenced bool
	)
	flush := func() error {
		text := strings.TrimSpace(strings.Join(body, "\n"))
		body = nil
		if text == "" {
			return nil
		}
		if len(crumb) == 0 {
			return fmt.Errorf("%s: text before the title", documentID)
		}
		chunks = append(chunks, chunk{
			ID:         fmt.Sprintf("%s#%02d", documentID, len(chunks)+1),
			DocumentID: documentID,
			ScenarioID: parts[0],
			Source:     parts[1],
			Breadcrumb: append([]string(nil), crumb...),
			Text:       text,
		})
		return nil
	}

	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level, heading := headingOf(line)
		if fenced || level == 0 {
			body = append(body, line)
			continue
		}
		if level > len(crumb)+1 {
			return nil, fmt.Errorf("%s:%d: heading of level %d under level %d", documentID, i+1, level, len(crumb))
		}
		if err := flush(); err != nil {
			return nil, err
		}
		crumb = append(crumb[:level-1], heading)
	}
	return chunks, flush()
}

// headingOf tells the level of a heading line, 1 to 3, and its text; level 0 is
// any other line.
func headingOf(line string) (level int, heading string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level < 1 || level > 3 || !strings.HasPrefix(rest, " ") {
		return 0, ""
	}
	return level, strings.TrimSpace(rest)
}
