package report

import (
	"bytes"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// linksLine is a line of links.jsonl, without the texts of links.
type linksLine struct {
	URL string    `json:"url"`
	To  []linkURL `json:"to"`
}

// linkURL is the URL of a link.
type linkURL string

// UnmarshalJSON implements json.Unmarshaler. It finds the URL at the beginning of the text, where
// a crawl writes it: a report reads every link, and encoding/json takes several times as long.
func (l *linkURL) UnmarshalJSON(text []byte) error {
	rest := bytes.TrimPrefix(text, []byte(`{"url":`))
	if end := bytes.IndexByte(rest[1:], '"'); end > 0 && rest[0] == '"' {
		if url := rest[1 : end+1]; bytes.IndexByte(url, '\\') < 0 && utf8.Valid(url) {
			*l = linkURL(url)
			return nil
		}
	}
	var link output.Link
	err := link.UnmarshalJSON(text)
	*l = linkURL(link.URL)
	return err
}
