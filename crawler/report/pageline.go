package report

import (
	"bytes"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// pageLine is a line of pages.jsonl. It ignores maps that no report needs, since they take longest
// to decode.
type pageLine struct {
	output.Page

	Fields  ignored `json:"fields"`
	Headers ignored `json:"headers"`
}

// ignored is a value that is not decoded.
type ignored struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// ReadJSON reads a line as [output.Page] has it, without what no report needs. It reports false for
// any other text, for lines with a value that few pages have, and if a string has escapes. A report
// reads every page twice, and a decoder takes several times as long.
func (l *pageLine) ReadJSON(text []byte) bool {
	escape := bytes.IndexByte(text, '\\')
	if !noControl(text) {
		return false
	}
	rest := lineReader(text)
	p := output.Page{URL: rest.copied(`{"url":"`), Status: rest.number(`,"status":`), Title: rest.copied(`,"title":"`)}
	p.Depth, p.FoundOn, p.Source = rest.number(`,"depth":`), rest.copied(`,"found_on":"`), rest.copied(`,"source":"`)
	p.Location = rest.optional(`,"location":"`)
	p.ContentType = rest.copied(`,"content_type":"`)
	p.Bytes, p.Links = rest.number(`,"bytes":`), rest.number(`,"links":`)
	p.Canonical = rest.optional(`,"canonical":"`)
	if p.FetchedAt.UnmarshalText([]byte(rest.after(`,"fetched_at":"`))) != nil {
		return false
	}
	p.DurationMS, p.Attempt = int64(rest.number(`,"duration_ms":`)), rest.number(`,"attempt":`)
	p.Hash = rest.optional(`,"hash":"`)
	p.Unchanged = rest.skip(`,"unchanged":true`)
	p.H1, p.Description, p.Lang = rest.optional(`,"h1":"`), rest.optional(`,"description":"`), rest.optional(`,"lang":"`)
	if rest.has(`,"words":`) {
		p.Words = rest.number(`,"words":`)
	}
	for next := `,"hreflang":[`; rest.skip(next + `{"lang":"`); next = "," {
		version := output.Hreflang{Lang: rest.copied(""), URL: rest.copied(`,"url":"`)}
		if p.Hreflang = append(p.Hreflang, version); !rest.skip("}") {
			return false
		}
	}
	if len(p.Hreflang) > 0 && !rest.skip("]") || escape >= 0 && escape < len(text)-len(rest) {
		return false
	}
	rest.skipHeaders()
	p.Encoding = rest.optional(`,"encoding":"`)
	if rest.has(`,"images_without_alt":`) {
		p.ImagesWithoutAlt = rest.number(`,"images_without_alt":`)
	}
	if rest != "}\n" {
		return false
	}
	*l = pageLine{Page: p}
	return true
}

// readPages calls f for each page that counts.
func (m *maker) readPages(f func(*workerDir, *output.Page)) error {
	return eachLatest(m.merger, results.Pages.Name(),
		func(l *pageLine) key { return keyOf(l.URL) },
		func(s *workerDir, l *pageLine) { f(s, &l.Page) })
}
