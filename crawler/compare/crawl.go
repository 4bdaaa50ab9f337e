package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// ErrVersion says that a report.json has a different version from the one this package reads.
var ErrVersion = errors.New("another version of report.json")

// A Crawl is one side of a comparison.
type Crawl struct {
	path   string
	report *report.Report

	// The rest is known only of the directory of a crawl, not of a report.json.
	hasPages bool
	pages    map[string]page
	skipped  map[string]skip
	listed   map[string]string // URL → a sitemap that lists it
	unmoved  map[string]string // listed URL → the same before move
	robots   map[string]*robotstxt.File
	token    string // the product token of the crawl
}

// A page is a fetched URL.
type page struct {
	status    int
	unchanged bool   // since the previous crawl (304)
	location  string // target of a redirect, absolute, without fragment
	noindex   string // the directive; empty: none
	canonical string // absolute; empty: none
	unmoved   string // canonical, before move
	foundOn   string // where the URL was found first; empty: it is a start URL
}

// from returns foundOn as findings have it.
func (p page) from() []string {
	if p.foundOn == "" {
		return nil
	}
	return []string{p.foundOn}
}

func (p page) ok() bool { return p.status/100 == 2 || p.unchanged }

// A skip is a URL that was not fetched.
type skip struct {
	reason output.Reason
	detail string
	rule   string
	line   int
}

// Open reads the directory of a crawl, or a report.json. For a report.json, only the findings are
// known. The error matches [output.ErrNoCrawl] or [ErrVersion], or is that of reading a file.
func Open(path string) (*Crawl, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return openReport(path)
	}
	r, err := report.Generate(context.Background(), []string{path}, nil)
	if err != nil {
		return nil, err
	}
	return New(path, r)
}

// openReport reads a report.json.
func openReport(path string) (*Crawl, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r report.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%q is not a report.json: %w", path, err)
	}
	if r.Version != report.Version {
		return nil, fmt.Errorf("%w: %q has version %d, and version %d is needed; write it again with politecrawl report", ErrVersion, path, r.Version, report.Version)
	}
	return &Crawl{path: path, report: &r}, nil
}

// New reads the directory of a crawl whose report is known.
func New(dir string, r *report.Report) (*Crawl, error) {
	c := &Crawl{
		path: dir, report: r, hasPages: true,
		pages: make(map[string]page), skipped: make(map[string]skip), listed: make(map[string]string), robots: make(map[string]*robotstxt.File),
	}
	var err error
	if c.token, err = robotstxt.ProductToken(r.Summary.UserAgent); err != nil {
		c.token = "*" // a crawl would not start
	}
	return c, errors.Join(
		each(dir, func(p *output.Page) { c.pages[p.URL] = pageOf(p) }),
		each(dir, func(r *output.Rejection) { c.skipped[r.URL] = skip{r.Reason, r.Detail, r.Rule, r.Line} }),
		each(dir, func(e *output.Entry) {
			if was, ok := c.listed[e.URL]; !ok || e.Sitemap < was {
				c.listed[e.URL] = e.Sitemap
			}
		}),
		c.readRobots(),
	)
}

// each calls f for each readable line of a file, which may be missing. The report names damaged
// lines.
func each[T any](dir string, f func(*T)) error {
	for line, err := range output.Read[T](dir) {
		switch {
		case err == nil:
			f(line)
		case !errors.Is(err, fs.ErrNotExist):
			return jsonlines.Readable(err)
		}
	}
	return nil
}

// pageOf returns what is compared of a page.
func pageOf(p *output.Page) page {
	location, _, _ := strings.Cut(p.Location, "#")
	got := page{status: p.Status, unchanged: p.Unchanged && p.Status == http.StatusNotModified, location: location, canonical: p.Canonical, noindex: p.Withheld, foundOn: p.FoundOn}
	for _, d := range p.Directives {
		if d.Rule == string(robotstag.NoIndex) || d.Rule == string(robotstag.None) {
			got.noindex = d.Rule
		}
	}
	return got
}

// readRobots reads the latest robots.txt of each origin. An origin without one allows all URLs;
// one whose robots.txt was unreachable is left out.
func (c *Crawl) readRobots() error {
	for _, o := range c.report.Robots.Origins.Rows {
		var body []byte
		switch o.Outcome {
		case "rules":
			var err error
			if body, err = os.ReadFile(output.RobotsPath(c.path, o.Origin)); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return err
			}
		case "allow-all":
		default:
			continue
		}
		c.robots[o.Origin] = robotstxt.Parse(body, &robotstxt.Options{MaxCrawlDelay: 24 * time.Hour})
	}
	return nil
}

// origin returns the origin of all start URLs; empty: there are several.
func (c *Crawl) origin() string {
	only := ""
	for _, u := range c.report.Summary.URLs.Rows {
		switch o := string(weburl.OriginOf(u)); only {
		case "", o:
			only = o
		default:
			return ""
		}
	}
	return only
}

// mover returns a function that moves the URLs of one origin to another.
func mover(from, to string) func(u string) string {
	return func(u string) string {
		if rest, ok := strings.CutPrefix(u, from); ok && (rest == "" || strings.ContainsRune("/?#", rune(rest[0]))) {
			return to + rest
		}
		return u
	}
}

// move gives the URLs of a crawl another origin. It keeps the names of canonical and listed URLs,
// since a test server may name those of the real site.
func (c *Crawl) move(at func(u string) string) *Crawl {
	moved := *c
	moved.pages, moved.skipped, moved.robots = make(map[string]page), make(map[string]skip), make(map[string]*robotstxt.File)
	moved.listed, moved.unmoved = make(map[string]string), make(map[string]string)
	for u, p := range c.pages {
		p.unmoved = p.canonical
		p.location, p.canonical, p.foundOn = at(p.location), at(p.canonical), at(p.foundOn)
		moved.pages[at(u)] = p
	}
	for u, s := range c.skipped {
		moved.skipped[at(u)] = s
	}
	for u, sitemap := range c.listed {
		moved.listed[at(u)], moved.unmoved[at(u)] = at(sitemap), u
	}
	for origin, file := range c.robots {
		moved.robots[at(origin)] = file
	}
	r := *c.report
	r.Findings = nil
	for _, of := range c.report.Findings {
		rows := make([]report.Finding, len(of.Rows))
		for i, f := range of.Rows {
			f.URL, f.Related = at(f.URL), at(f.Related)
			f.FoundOn = nil
			for _, u := range of.Rows[i].FoundOn {
				f.FoundOn = append(f.FoundOn, at(u))
			}
			rows[i] = f
		}
		of.Rows = rows
		r.Findings = append(r.Findings, of)
	}
	moved.report = &r
	return &moved
}
