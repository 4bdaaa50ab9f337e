package output

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// Links are the links of a page: one line of links.jsonl. A page without links has no line,
// except after a 304: then the line has the links of the previous crawl, possibly none.
type Links struct {
	URL       string `json:"url"`
	To        []Link `json:"to"`                  // each URL once, in the order of the page; includes links that are not followed
	Resources []Link `json:"resources,omitempty"` // what a page or stylesheet uses, such as images: each URL once, with Kind; only if assets or links out of the crawl are checked
}

// Link is a link of a page. In JSON it is only its URL, or an object if Kind is set: that is how
// a crawl lists links in full.
type Link struct {
	URL  string `json:"url"`            // absolute, without fragment
	Text string `json:"text,omitempty"` // of the first link to the URL, or alt of an image: at most 200 bytes, white space collapsed
	Rel  string `json:"rel,omitempty"`  // its rel attribute, at most 200 bytes
	Kind string `json:"kind"`           // its element: a, area, frame (iframe too), link or meta, or the kind of resource; empty if not recorded
}

// MarshalJSON implements [json.Marshaler].
func (l Links) MarshalJSON() ([]byte, error) { return l.AppendJSON(nil), nil }

// AppendJSON appends the line of links.jsonl to dst, without the line end. It is several times as
// fast as [json.Marshal].
func (l *Links) AppendJSON(dst []byte) []byte {
	size := len(l.URL) + len(`{"url":"","to":[]}`)
	for i := range l.To {
		to := &l.To[i]
		size += len(to.URL) + len(to.Text) + len(to.Rel) + len(`{"url":"","text":"","rel":"","kind":"frame"},`)
	}
	dst = jsonlines.AppendString(append(slices.Grow(dst, size), `{"url":`...), l.URL)
	dst = appendLinks(append(dst, `,"to":`...), l.To)
	if len(l.Resources) > 0 {
		dst = appendLinks(append(dst, `,"resources":`...), l.Resources)
	}
	return append(dst, '}')
}

func appendLinks(dst []byte, links []Link) []byte {
	dst = append(dst, '[')
	for i := range links {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = links[i].appendJSON(dst)
	}
	return append(dst, ']')
}

func (l *Link) appendJSON(dst []byte) []byte {
	if l.Kind == "" {
		return jsonlines.AppendString(dst, l.URL)
	}
	dst = jsonlines.AppendString(append(dst, `{"url":`...), l.URL)
	if l.Text != "" {
		dst = jsonlines.AppendString(append(dst, `,"text":`...), l.Text)
	}
	if l.Rel != "" {
		dst = jsonlines.AppendString(append(dst, `,"rel":`...), l.Rel)
	}
	dst = jsonlines.AppendString(append(dst, `,"kind":`...), l.Kind)
	return append(dst, '}')
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Link) UnmarshalJSON(text []byte) error {
	*l = Link{}
	if bytes.HasPrefix(text, []byte{'"'}) {
		return json.Unmarshal(text, &l.URL)
	}
	type object Link // has no methods
	return json.Unmarshal(text, (*object)(l))
}
