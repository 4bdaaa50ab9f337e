package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
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

	// hasPages is false for a report.json: the fields below are empty then.
	hasPages bool
	pages    map[string]page
	checks   map[string]check
	listed   map[string]string // URL → a sitemap that lists it
	unmoved  map[string]string // listed URL → the same before move
	robots   map[string]*robotstxt.File
	token    string // the product token of the crawl

	onlySitemaps bool // links were not followed
	shared       bool // other pages may be in the directories of other workers

	skipped  map[string]skip
	sitemaps map[string]sitemapFile
}

// A page is a fetched URL.
type page struct {
	status    int
	read      bool   // its content is known
	cut       bool   // a limit or a fault left out a part of the content
	unchanged bool   // since the previous crawl
	noindex   string // the directive; empty if none
	withheld  bool   // the crawl recorded no content because of a directive
	foundOn   string // where the URL was found first; empty for a start URL

	targets
	unmoved targets // before move

	contentType, directives string

	title, h1, description string
	words, links           int
	hash                   string
	hreflang               []string
}

// The targets of a page are absolute.
type targets struct {
	location  string // target of a redirect, without fragment; empty if none
	canonical string // empty if none
}

// A check is a URL that was only checked.
type check struct {
	responded bool
	ok        bool
	location  string // target of a redirect, absolute, without fragment
	foundOn   string
}

// A sitemapFile is a sitemap that was requested or skipped.
type sitemapFile struct {
	read    bool // completely, or it does not exist
	foundOn string
}

// from returns foundOn as findings have it.
func (p page) from() []string {
	if p.foundOn == "" {
		return nil
	}
	return []string{p.foundOn}
}

func (p page) ok() bool { return p.status/100 == 2 || p.notModified() }

// notModified reports whether the response was a 304, which has no body.
func (p page) notModified() bool { return p.status == http.StatusNotModified && p.unchanged }

// A skip is a URL that was not fetched.
type skip struct {
	reason  output.Reason
	detail  string
	rule    string
	line    int
	foundOn string
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
	c := &Crawl{path: path, report: &r, skipped: make(map[string]skip), sitemaps: sitemapsOf(&r)}
	for _, group := range r.Rejected.Reasons {
		for _, u := range group.URLs.Rows {
			c.skipped[u.URL] = skip{reason: group.Reason, foundOn: u.FoundOn}
		}
	}
	return c, nil
}

// Pages returns the number of pages that the crawl fetched.
func (c *Crawl) Pages() int { return c.report.Summary.Pages }

// sitemapsOf returns the sitemaps of a report.
func sitemapsOf(r *report.Report) map[string]sitemapFile {
	files := make(map[string]sitemapFile)
	for _, f := range r.Sitemaps.Files.Rows {
		read := f.Detail == "" && (f.Status/100 == 2 || redirection.Is(f.Status) || f.Status == http.StatusNotFound || f.Status == http.StatusGone)
		files[f.URL] = sitemapFile{read, f.FoundOn}
	}
	return files
}

// New reads the directory of a crawl whose report is known.
func New(dir string, r *report.Report) (*Crawl, error) {
	c := &Crawl{
		path: dir, report: r, hasPages: true, sitemaps: sitemapsOf(r), checks: make(map[string]check),
		pages: make(map[string]page), skipped: make(map[string]skip), listed: make(map[string]string), robots: make(map[string]*robotstxt.File),
	}
	var state struct {
		Config struct {
			OnlySitemaps bool   `json:"only-sitemaps"`
			Frontier     string `json:"frontier"`
		} `json:"config"`
	}
	err := results.LoadState(dir, &state)
	if err != nil {
		return nil, err
	}
	c.onlySitemaps, c.shared = state.Config.OnlySitemaps, state.Config.Frontier != ""
	if c.token, err = robotstxt.ProductToken(r.Summary.UserAgent); err != nil {
		c.token = "*" // a crawl would not start
	}
	return c, errors.Join(
		each(dir, func(p *output.Page) { c.pages[p.URL] = pageOf(p) }),
		each(dir, func(r *output.Rejection) { c.skipped[r.URL] = skip{r.Reason, r.Detail, r.Rule, r.Line, r.FoundOn} }),
		each(dir, func(k *output.Check) {
			c.checks[k.URL] = check{k.Result != output.CheckUnverified || k.Status != 0, k.Result == output.CheckOK, withoutFragment(k.Location), k.FoundOn}
		}),
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
	got := page{
		status: p.Status, unchanged: p.Unchanged, targets: targets{withoutFragment(p.Location), p.Canonical}, foundOn: p.FoundOn,
		noindex: p.Withheld, withheld: p.Withheld != "", contentType: p.ContentType,
		// an earlier version wrote nothing of the content of a page that is unchanged
		read:  p.Status != http.StatusNotModified || p.Hash != "" || p.Withheld != "",
		cut:   p.Truncated != "" || p.Malformed != "" || len(p.LimitsReached) > 0 || p.LinksSkipped > 0,
		title: p.Title, h1: p.H1, description: p.Description, words: p.Words, links: p.Links,
	}
	if p.Truncated == "" { // else the size of the part depends on the network
		got.hash = p.Hash
	}
	for _, h := range p.Hreflang {
		got.hreflang = append(got.hreflang, h.URL)
	}
	var directives []string
	for _, d := range p.Directives {
		directives = append(directives, d.Rule)
		if d.Rule == string(robotstag.NoIndex) || d.Rule == string(robotstag.None) {
			got.noindex = d.Rule
		}
	}
	slices.Sort(directives)
	got.directives = strings.Join(slices.Compact(directives), ", ")
	return got
}

func withoutFragment(u string) string {
	u, _, _ = strings.Cut(u, "#")
	return u
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

// origin returns the origin of all start URLs, or "" if there are several.
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
	moved.unmoved = make(map[string]string)
	moved.pages = moveKeys(c.pages, at, func(p *page) {
		p.unmoved = p.targets
		p.location, p.canonical, p.foundOn = at(p.location), at(p.canonical), at(p.foundOn)
		p.hreflang = slices.Clone(p.hreflang)
		for i, u := range p.hreflang {
			p.hreflang[i] = at(u)
		}
	})
	moved.checks = moveKeys(c.checks, at, func(k *check) { k.location, k.foundOn = at(k.location), at(k.foundOn) })
	moved.skipped = moveKeys(c.skipped, at, func(s *skip) { s.foundOn = at(s.foundOn) })
	moved.sitemaps = moveKeys(c.sitemaps, at, func(f *sitemapFile) { f.foundOn = at(f.foundOn) })
	moved.robots = moveKeys(c.robots, at, func(**robotstxt.File) {})
	moved.listed = moveKeys(c.listed, at, func(sitemap *string) { *sitemap = at(*sitemap) })
	for u := range c.listed {
		moved.unmoved[at(u)] = u
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

// moveKeys returns a map with other keys. Change changes a value.
func moveKeys[T any](from map[string]T, at func(u string) string, change func(*T)) map[string]T {
	moved := make(map[string]T, len(from))
	for u, value := range from {
		change(&value)
		moved[at(u)] = value
	}
	return moved
}
