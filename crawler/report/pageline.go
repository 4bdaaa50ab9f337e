package report

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
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
	p.ContentType = rest.after(`,"content_type":"`)
	p.Bytes, p.Links = rest.number(`,"bytes":`), rest.number(`,"links":`)
	p.Canonical = rest.optional(`,"canonical":"`)
	if p.FetchedAt.UnmarshalText([]byte(rest.after(`,"fetched_at":"`))) != nil {
		return false
	}
	p.DurationMS, p.Attempt = int64(rest.number(`,"duration_ms":`)), rest.number(`,"attempt":`)
	p.Hash = rest.optional(`,"hash":"`)
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
	if rest != "}\n" {
		return false
	}
	*l = pageLine{Page: p}
	return true
}

// has reports whether a text follows.
func (r *lineReader) has(text string) bool { return strings.HasPrefix(string(*r), text) }

// copied is like after, for a string that is kept longer than the line.
func (r *lineReader) copied(text string) string { return strings.Clone(r.after(text)) }

// optional is like copied, for a string that may be missing. Only an empty one is.
func (r *lineReader) optional(text string) string {
	if !r.has(text) {
		return ""
	}
	return r.copied(text)
}

// number returns the number that follows a text, and skips both.
func (r *lineReader) number(text string) int {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	digits := strings.TrimLeft(rest, "0123456789")
	digits = rest[:len(rest)-len(digits)]
	n, err := strconv.Atoi(digits)
	if !found || err != nil || digits[0] == '0' && len(digits) > 1 {
		return 0
	}
	*r = lineReader(rest[len(digits):])
	return n
}

// skipHeaders skips the headers, if they follow. Their values often have escaped quotes.
func (r *lineReader) skipHeaders() {
	if !r.skip(`,"headers":{`) {
		return
	}
	for first := true; !r.skip("}"); first = false {
		if *r == "" || !first && !r.skip(",") {
			*r = ""
			return
		}
		r.skipString(`"`)
		r.skipString(`:"`)
	}
}

// skipString skips a text with an opening quote, and the string that follows.
func (r *lineReader) skipString(text string) {
	rest, found := strings.CutPrefix(string(*r), text)
	*r = ""
	for found {
		at := strings.IndexAny(rest, `"\`)
		if at < 0 || at+1 == len(rest) {
			return
		}
		if rest[at] == '"' {
			*r = lineReader(rest[at+1:])
			return
		}
		if next := rest[at+1]; next != '"' && next != '\\' { // another escape
			return
		}
		rest = rest[at+2:]
	}
}

// readPages calls f for each page that counts.
func (m *maker) readPages(f func(*workerDir, *output.Page)) error {
	return read(m.dirs, crawldir.PagesFile,
		func(s *workerDir, l *pageLine) bool { return m.merger.page(s, &l.Page) },
		func(s *workerDir, l *pageLine) { f(s, &l.Page) })
}
