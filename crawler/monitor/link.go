package monitor

import "github.com/politecrawl/politecrawl/crawler/internal/escape"

// maxAddress is the maximum length of a link, in bytes.
const maxAddress = 2000

// An address is a URL on the page. Href is empty if it must not be a link.
type address struct {
	Text string `json:"text"`
	Href string `json:"href,omitempty"`
}

func addressOf(raw string) address {
	a := address{Text: escape.Text(raw)}
	if escape.IsWebLink(raw, maxAddress) {
		a.Href = raw
	}
	return a
}
