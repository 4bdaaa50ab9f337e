package ci

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/report"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A place is where a finding can be corrected.
type place struct {
	File string `json:"file,omitempty"` // a file of the folder; empty: the crawl had no folder
	URL  string `json:"url"`
	Line int    `json:"line,omitempty"` // from 1; 0: not known
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
	cache  map[string]*document // the last files that were read
}

// A document is a file of the folder.
type document struct {
	text  []byte
	page  string         // the URL that its references were resolved against
	lines map[string]int // the first line of each reference; nil: not read yet
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
		return []place{s.at(f.Related, func(d *document) int { return lineWith(d.text, textOf(f.URL)...) })}
	case rule.Topic == "sitemaps" && f.Related != "":
		p := s.at(f.Related, func(d *document) int { return lineWith(d.text, textOf(f.URL)...) })
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
	list := []place{s.at(f.URL, func(d *document) int { return cmp.Or(lineOf(d.text, f.URL, elementOf(rule, f)), headOf(d.text)) })}
	if rule.ID == "hreflang-no-return" {
		if other := s.at(f.Related, func(d *document) int { return headOf(d.text) }); other.File != "" { // it needs the link
			list = append(list, other)
		}
	}
	return list
}

// linkTo returns the place in a page that refers to a URL.
func (s *sources) linkTo(u, page string) place {
	return s.at(page, func(d *document) int { return d.lineOfReference(page, u) })
}

// reason returns why the folder does not serve a file that exists; empty: it does.
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

// at returns a place in the file of a URL. Find returns the line; nil: it is not needed. CI systems
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
	d, known := s.cache[inside]
	if !known {
		text, err := s.folder.read(inside)
		if err != nil {
			return p
		}
		if s.cache == nil || len(s.cache) >= maxCached {
			s.cache = make(map[string]*document)
		}
		d = &document{text: text}
		s.cache[inside] = d
	}
	p.Line = find(d)
	return p
}

// lineOfReference returns the first line that refers to a URL, or else where a page has its head.
// A fragment counts only if the URL has one. A page may have thousands of findings, so its
// references are read once.
func (d *document) lineOfReference(page, target string) int {
	if d.lines == nil || d.page != page {
		d.page, d.lines = page, make(map[string]int)
		eachElement(d.text, page, func(line int, t html.Token, resolve func(string) string) bool {
			for _, ref := range references(t) {
				full := resolve(ref)
				bare, _, _ := strings.Cut(full, "#")
				written, _, _ := strings.Cut(strings.TrimSpace(ref), "#") // of an invalid URL
				for _, u := range []string{full, bare, written} {
					if d.lines[u] == 0 {
						d.lines[u] = line
					}
				}
			}
			return true
		})
	}
	if line := d.lines[canonical(target)]; line > 0 {
		return line
	}
	return cmp.Or(lineOfPath(d.text, target), headOf(d.text))
}

// lineOfSitemapFault returns the line where the reading of a sitemap ends early; 0: it does not.
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

// A matcher reports whether a finding is about an element of a page. Resolve makes a reference of
// the page absolute.
type matcher func(t html.Token, resolve func(ref string) string) bool

// headOf returns the line of the head of a page, or 1 if it has none.
func headOf(text []byte) int { return cmp.Or(lineOf(text, "", isElement("head")), 1) }

// isElement matches elements by their name.
func isElement(name string) matcher {
	return func(t html.Token, _ func(string) string) bool { return t.Data == name }
}

// lineOf returns the line of the first element that matches; 0: none does.
func lineOf(text []byte, page string, matches matcher) int {
	found := 0
	if matches != nil {
		eachElement(text, page, func(line int, t html.Token, resolve func(string) string) bool {
			if matches(t, resolve) {
				found = line
			}
			return found == 0
		})
	}
	return found
}

// eachElement calls f for each element of a page, until f returns false. Resolve makes a reference
// absolute.
func eachElement(text []byte, page string, f func(line int, t html.Token, resolve func(ref string) string) bool) {
	base, err := url.Parse(page)
	if err != nil {
		return
	}
	resolve := func(ref string) string {
		u, err := base.Parse(strings.TrimSpace(ref))
		if err != nil {
			return ""
		}
		return canonical(u.String())
	}
	z, line := html.NewTokenizer(bytes.NewReader(text)), 1
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		at := line
		line += bytes.Count(z.Raw(), []byte("\n"))
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		if !f(at, t, resolve) {
			return
		}
		if t.Data == "base" {
			if u, err := base.Parse(attribute(t, "href")); err == nil {
				base = u
			}
		}
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// canonical returns a URL as the crawl writes it. It keeps the fragment.
func canonical(u string) string {
	bare, fragment, has := strings.Cut(u, "#")
	if c, err := crawler.Canonical(bare); err == nil {
		bare = c
	}
	if has {
		return bare + "#" + fragment
	}
	return bare
}

// refersTo matches elements that link to a URL or use it. A fragment counts only if the URL has
// one.
func refersTo(target string) matcher {
	target = canonical(target)
	return func(t html.Token, resolve func(string) string) bool {
		return slices.ContainsFunc(references(t), func(ref string) bool {
			got := resolve(ref)
			if !strings.Contains(target, "#") {
				got, _, _ = strings.Cut(got, "#")
			}
			return got == target
		})
	}
}

// references returns the references in the attributes of an element.
func references(t html.Token) []string {
	var list []string
	for _, a := range t.Attr {
		switch a.Key {
		case "href", "src", "data", "poster", "action", "xlink:href":
			list = append(list, a.Val)
		case "srcset", "imagesrcset":
			for candidate := range strings.SplitSeq(a.Val, ",") {
				if words := strings.Fields(candidate); len(words) > 0 {
					list = append(list, words[0])
				}
			}
		case "content": // of a refresh
			if _, target, ok := strings.Cut(strings.ToLower(a.Val), "url="); ok && t.Data == "meta" {
				list = append(list, strings.Trim(a.Val[len(a.Val)-len(target):], `'" `))
			}
		}
	}
	return list
}

// elementOf matches the element of a page that a rule is about; nil: there is none.
func elementOf(rule report.Rule, f report.Finding) matcher {
	link := func(rel string) matcher {
		to := refersTo(f.Related)
		return func(t html.Token, resolve func(string) string) bool {
			return t.Data == "link" && slices.Contains(strings.Fields(strings.ToLower(attribute(t, "rel"))), rel) && (f.Related == "" || to(t, resolve))
		}
	}
	kind, _, _ := strings.Cut(rule.ID, "-")
	switch {
	case rule.ID == compare.PageNoindex, rule.ID == "start-noindex":
		return func(t html.Token, _ func(string) string) bool {
			return t.Data == "meta" && slices.ContainsFunc(strings.Split(strings.ToLower(attribute(t, "content")), ","), func(rule string) bool {
				rule = strings.TrimSpace(rule)
				return rule == "noindex" || rule == "none"
			})
		}
	case rule.Topic == "canonical":
		return link("canonical")
	case rule.Topic == "hreflang":
		return link("alternate")
	case kind == "description":
		return func(t html.Token, _ func(string) string) bool {
			return t.Data == "meta" && strings.EqualFold(attribute(t, "name"), "description")
		}
	case kind == "title" || kind == "h1":
		return isElement(kind)
	case f.Related != "":
		return refersTo(f.Related)
	}
	return nil
}

// lineOfPath returns the line that has the last part of a URL's path, as stylesheets and
// scripts write it; 0: none has it.
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
// one; 0: none has it.
func lineWith(text []byte, words ...string) int {
	for _, word := range words {
		for from := 0; word != "" && from < len(text); {
			at := bytes.Index(text[from:], []byte(word))
			if at < 0 {
				break
			}
			at += from
			if from = at + len(word); from == len(text) || !strings.ContainsRune(pathRunes, rune(text[from])) {
				return 1 + bytes.Count(text[:at], []byte("\n"))
			}
		}
	}
	return 0
}

// pathRunes are characters that continue a path.
const pathRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%/?&="
