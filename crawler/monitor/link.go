package monitor

import "github.com/politecrawl/politecrawl/crawler/internal/escape"

// maxAddress is the longest URL that is a link, in bytes.
const maxAddress = 2000

// An address is a URL to be shown, and where it leads: empty where a browser is not
// to be sent there.
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
