package report

import (
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// linksLine is a line of links.jsonl, without the texts of links.
type linksLine struct {
	URL string    `json:"url"`
	To  []linkURL `json:"to"`
}

// linkURL is the URL of a link.
type linkURL string

// UnmarshalJSON implements json.Unmarshaler.
func (l *linkURL) UnmarshalJSON(text []byte) error {
	var link output.Link
	err := link.UnmarshalJSON(text)
	*l = linkURL(link.URL)
	return err
}

// ReadJSON reads a line as [output.Links] writes it. A report reads every link, and encoding/json
// takes several times as long. It reports false for any other text, and if a string has escapes.
func (l *linksLine) ReadJSON(text []byte) bool {
	rest := lineReader(text)
	line := linksLine{URL: rest.after(`{"url":"`)}
	if !rest.skip(`,"to":[`) {
		return false
	}
	for !rest.skip("]}\n") {
		if len(line.To) > 0 && !rest.skip(",") {
			return false
		}
		if !strings.HasPrefix(string(rest), "{") {
			line.To = append(line.To, linkURL(rest.after(`"`)))
			continue
		}
		line.To = append(line.To, linkURL(rest.after(`{"url":"`)))
		for _, key := range [...]string{`,"text":"`, `,"rel":"`} {
			if strings.HasPrefix(string(rest), key) {
				rest.after(key)
			}
		}
		if rest.after(`,"kind":"`); !rest.skip("}") {
			return false
		}
	}
	if rest != "" {
		return false
	}
	*l = line
	return true
}

// A lineReader is what is left of a line. After a mismatch, nothing is left.
type lineReader string

// skip skips a text, and reports whether it was there.
func (r *lineReader) skip(text string) bool {
	rest, ok := strings.CutPrefix(string(*r), text)
	if ok {
		*r = lineReader(rest)
	}
	return ok
}

// after returns the string that follows a text with its opening quote, and skips both.
func (r *lineReader) after(text string) string {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	for i := 0; found && i < len(rest) && rest[i] >= ' ' && rest[i] != '\\'; i++ {
		if rest[i] == '"' {
			*r = lineReader(rest[i+1:])
			return rest[:i]
		}
	}
	return ""
}
