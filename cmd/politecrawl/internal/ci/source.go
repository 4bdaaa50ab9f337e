package ci

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/report"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A place is where a finding can be corrected.
type place struct {
	File string `json:"file,omitempty"` // a file of the folder; empty if the crawl had no folder
	URL  string `json:"url"`
	Line int    `json:"line,omitempty"` // from 1; 0 if not known
}

// name returns the file, or the URL if there is no file.
func (p place) name() string {
	if p.File != "" {
		return p.File
	}
	return p.URL
}

func (p place) String() string {
	if p.Line == 0 {
		return p.name()
	}
	return fmt.Sprintf("%s:%d", p.name(), p.Line)
}

// A sources finds the places of findings. Folder is nil if the crawl was of a server.
type sources struct {
	folder *folder
	cache  map[string]*document // the last files that were read, by their URLs
}

// A document is a file of the folder.
type document struct {
	extract.Document // empty unless the file is a page

	text  []byte
	lines map[string]int // the first line that refers to each URL, and to each invalid reference
}

// places returns where a finding can be corrected: the line of robots.txt, the sitemap, the pages
// with the link, or the page itself.
func (s *sources) places(rule report.Rule, f report.Finding) []place {
	switch {
	case rule.ID == incompleteRule.ID:
		return []place{{URL: f.URL}}
	case f.Line > 0:
		return []place{s.robots(rule, f)}
	case rule.ID == compare.PageVanished || rule.ID == compare.PageBroken:
		p := s.at(f.URL, nil)
		if len(f.FoundOn) > 0 && p.File == "" {
			if from := s.linkTo(f.URL, f.FoundOn[0]); from.File != "" {
				p = from
			}
		}
		return []place{p}
	case rule.ID == "sitemap-unreadable" || rule.ID == "sitemap-incomplete":
		if fault := s.at(f.URL, (*document).lineOfSitemapFault); fault.Line > 0 {
			return []place{fault}
		}
		return []place{s.listed(f)}
	case rule.Topic == "sitemaps" && f.Related != "":
		p := s.listed(f)
		if u, err := url.Parse(f.Related); err == nil && p.File == "" { // robots.txt should list it
			if robots := s.at(originOf(u)+"/"+robotsFile, nil); robots.File != "" {
				p = robots
			}
		}
		return []place{p}
	case len(f.FoundOn) > 0:
		var list []place
		for _, page := range f.FoundOn {
			list = append(list, s.linkTo(f.URL, page))
		}
		return list
	}
	list := []place{s.at(f.URL, func(d *document) int { return d.lineOf(rule, f) })}
	if rule.ID == "hreflang-no-return" {
		if other := s.at(f.Related, (*document).head); other.File != "" { // it needs the link
			list = append(list, other)
		}
	}
	return list
}

// listed returns the place in a sitemap or robots.txt, which is f.Related, that lists a URL.
func (s *sources) listed(f report.Finding) place {
	return s.at(f.Related, func(d *document) int { return lineWith(d.text, textOf(f.URL)...) })
}

// linkTo returns the place in a page that refers to a URL.
func (s *sources) linkTo(u, page string) place {
	return s.at(page, func(d *document) int { return d.lineOfReference(u) })
}

// reason returns why the folder does not serve a file that exists, or "" if it does.
func (s *sources) reason(u string) string {
	if s.folder == nil {
		return ""
	}
	if why := s.folder.unserved(u); why != "" {
		return ": " + why
	}
	return ""
}

// robots returns the line of the robots.txt that decides on a finding.
func (s *sources) robots(rule report.Rule, f report.Finding) place {
	disallowed := f.URL
	if rule.Topic == "canonical" || rule.Topic == "hreflang" { // the target, which may be on another host
		disallowed = f.Related
	}
	u, err := url.Parse(disallowed)
	if err != nil {
		return place{URL: disallowed}
	}
	p := s.at(originOf(u)+"/"+robotsFile, nil)
	p.Line = f.Line
	return p
}

// at returns a place in the file of a URL. Find returns the line, and is nil if none is needed. CI systems
// cannot show a file that is missing, so the place has none.
func (s *sources) at(u string, find func(*document) int) place {
	p := place{URL: u}
	if s.folder == nil {
		return p
	}
	if file, ok := s.folder.robotsFile(u); ok {
		p.File = file
		return p
	}
	inside, name, ok := s.folder.fileOf(u)
	if !ok || !s.folder.has(inside) {
		return p
	}
	p.File = name
	if find == nil {
		return p
	}
	d, known := s.cache[u]
	if !known {
		text, err := s.folder.read(inside)
		if err != nil {
			return p
		}
		if s.cache == nil || len(s.cache) >= maxCached {
			s.cache = make(map[string]*document)
		}
		d = newDocument(extract.Page{URL: u, Header: http.Header{"Content-Type": {mediaType(inside)}}, Body: text})
		s.cache[u] = d
	}
	p.Line = find(d)
	return p
}

// newDocument reads a page or a stylesheet. Other files have no references.
func newDocument(page extract.Page) *document {
	d := &document{text: page.Body, lines: make(map[string]int)}
	on := &extract.Handlers{
		Lines:    true,
		Link:     func(l extract.Link) { d.refer(l.URL, l.Ref, l.Line) },
		Resource: func(r extract.Resource) { d.refer(r.URL, r.Ref, r.Line) },
		Restart:  func() { clear(d.lines) },
	}
	if strings.HasPrefix(page.Header.Get("Content-Type"), "text/css") {
		extract.ReadStylesheet(page, on.Resource)
	} else if extract.IsPage(page.Header, page.Body) {
		d.Document = *extract.Read(page, on)
	}
	return d
}

// refer adds a reference.
func (d *document) refer(u, ref string, line int) {
	written, _, _ := strings.Cut(ref, "#")
	for _, key := range []string{cmp.Or(u, written), u + "#" + extract.Fragment(ref)} {
		if key != "" && d.lines[key] == 0 {
			d.lines[key] = line
		}
	}
}

// lineOfReference returns the first line of a page that refers to a URL, or else where it has its head. A
// fragment counts only if the URL has one.
func (d *document) lineOfReference(target string) int {
	return cmp.Or(d.lines[target], lineOfPath(d.text, target), d.head())
}

// head returns the line of the head of a page, or 1 if it has none.
func (d *document) head() int { return max(d.Lines.Head, 1) }

// lineOf returns the line of the element of a page that a finding is about, or else where it has its head.
func (d *document) lineOf(rule report.Rule, f report.Finding) int {
	line := d.lines[f.Related]
	kind, _, _ := strings.Cut(rule.ID, "-")
	switch {
	case rule.ID == compare.PageNoindex, rule.ID == "start-noindex":
		if i := slices.IndexFunc(d.Meta, func(m extract.Meta) bool { return noindex.MatchString(m.Content) }); i >= 0 {
			line = d.Lines.Meta[i]
		}
	case kind == "hreflang":
		if i := slices.IndexFunc(d.Hreflang, func(h extract.Hreflang) bool { return h.URL == f.Related }); i >= 0 {
			line = d.Lines.Hreflang[i]
		}
	case kind == "canonical":
		line = d.Lines.Canonical
	case kind == "description":
		line = d.Lines.Description
	case kind == "title":
		line = d.Lines.Title
	case kind == "h1":
		line = d.Lines.H1
	}
	return cmp.Or(line, d.head())
}

// noindex matches robots directives with noindex.
var noindex = regexp.MustCompile(`(?i)(^|,)\s*(noindex|none)\s*(,|$)`)

// lineOfSitemapFault returns the line where the reading of a sitemap ends early, or 0 if it does not.
func (d *document) lineOfSitemapFault() int {
	for _, err := range sitemap.Read(bytes.NewReader(d.text), nil) {
		if f, ok := errors.AsType[*sitemap.Finding](err); ok {
			return max(f.Line, 1)
		}
	}
	return 0
}

// maxCached is the number of files that are kept in memory.
const maxCached = 8

// lineOfPath returns the line that has the last part of a URL's path, for a reference whose URL the crawl
// changed, such as by removing tracking parameters. It returns 0 if none has it.
func lineOfPath(text []byte, u string) int {
	parsed, err := url.Parse(u)
	if err != nil || path.Base(parsed.Path) == "/" || path.Base(parsed.Path) == "." {
		return 0
	}
	return lineWith(text, path.Base(parsed.Path), path.Base(parsed.EscapedPath()))
}

// textOf returns the spellings of a URL in a sitemap.
func textOf(u string) []string {
	spellings := []string{u, html.EscapeString(u)}
	if parsed, err := url.Parse(u); err == nil && parsed.RawQuery == "" {
		spellings = append(spellings, originOf(parsed)+parsed.Path)
	}
	return spellings
}

// lineWith returns the first line that has one of the words, not as the beginning of a longer
// path, or 0 if none has.
func lineWith(text []byte, words ...string) int {
	for _, word := range words {
		if word == "" || !utf8.ValidString(word) { // a regular expression has only UTF-8
			continue
		}
		ends := regexp.MustCompile(regexp.QuoteMeta(word) + `([^-\w.~%/?&=]|$)`)
		if at := ends.FindIndex(text); at != nil {
			return 1 + bytes.Count(text[:at[0]], []byte("\n"))
		}
	}
	return 0
}
