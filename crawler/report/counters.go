package report

import (
	"cmp"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A Status counts the pages with an HTTP status.
type Status struct {
	Status int `json:"status"`
	Pages  int `json:"pages"`
}

// PageCounts are numbers of fetched pages.
type PageCounts struct {
	Pages     int `json:"pages"` // the sum of the other fields
	OK        int `json:"ok"`    // 2xx, or 304
	Redirects int `json:"redirects"`
	Broken    int `json:"broken"` // 4xx, 5xx, and what else is no success
}

func (p *PageCounts) count(status int) {
	p.Pages++
	switch {
	case succeeded(status):
		p.OK++
	case redirected(status):
		p.Redirects++
	case broken(status):
		p.Broken++
	}
}

// An Origin counts the URLs of one origin: scheme, host and port.
type Origin struct {
	Origin string `json:"origin"`
	PageCounts
	Failed     int   `json:"failed"` // URLs without a response
	Disallowed int   `json:"disallowed"`
	Deferred   int   `json:"deferred"` // URLs skipped for the reasons robots-unreachable and deferred
	Bytes      int64 `json:"bytes"`
	DurationMS int64 `json:"duration_ms"` // average duration of a response
}

// A Depth counts the URLs at a given number of links from a start URL or sitemap entry.
type Depth struct {
	Depth int `json:"depth"`
	PageCounts
	Rejected int `json:"rejected"`
}

// maxDepth also counts deeper URLs.
const maxDepth = 50

// A Page is a row of a list of pages.
type Page struct {
	URL        string `json:"url"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Bytes      int    `json:"bytes"`
	DurationMS int64  `json:"duration_ms"`

	Truncated     string   `json:"truncated,omitempty"`      // the limit that truncated the body: max-body or ratio
	LimitsReached []string `json:"limits_reached,omitempty"` // the limits that left out a part of the body, the links or the fields
	LinksSkipped  int      `json:"links_skipped,omitempty"`  // links that were skipped because the page has too many
}

// maxLimits limits Page.LimitsReached, which another program may have written.
const maxLimits = 10

func pageOf(p *output.Page) Page {
	row := Page{
		URL: p.URL, Title: clip(p.Title), Status: p.Status, Bytes: p.Bytes, DurationMS: p.DurationMS,
		Truncated: clip(p.Truncated), LinksSkipped: p.LinksSkipped,
	}
	limits := p.LimitsReached
	for _, limit := range limits[:min(len(limits), maxLimits)] {
		row.LimitsReached = append(row.LimitsReached, clip(limit))
	}
	return row
}

// counters count fetched and rejected URLs.
type counters struct {
	rows         int
	pages        int
	bytes        int64
	missingLinks int         // pages with unknown links
	statuses     map[int]int // negative for a 304 to a request without conditions
	unread       int         // unchanged pages (304) without the content of an earlier crawl
	types        names
	headers      map[string]string // media types by Content-Type
	origins      map[string]*Origin
	depths       map[int]*Depth
	truncated    *topRows[Page] // truncated by a limit
	limits       names          // these pages by limit

	timing
}

func newCounters(rows int) *counters {
	bySize := func(a, b Page) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.URL, b.URL)) }
	return &counters{
		rows: rows, statuses: make(map[int]int), types: make(names), headers: make(map[string]string),
		origins: make(map[string]*Origin), depths: make(map[int]*Depth),
		truncated: newTopRows(rows, bySize), limits: make(names),
		timing: timing{durations: make(map[int64]int), timeline: []Interval{}},
	}
}

func (c *counters) page(p *output.Page) {
	c.pages++
	c.bytes += int64(p.BytesRead())
	status := statusOf(p)
	if status == http.StatusNotModified {
		c.unread++
	}
	sent := status
	if p.Unchanged {
		sent = p.Status
	}
	c.statuses[sent]++
	c.durations[p.DurationMS]++
	c.fetched(p)
	if incompleteContent(p) {
		c.missingLinks++
	}
	if succeeded(status) {
		c.types.add(c.mediaType(p.ContentType))
	}
	o := c.origin(p.URL)
	o.count(status)
	o.Bytes += int64(p.BytesRead())
	o.DurationMS += p.DurationMS
	c.depth(p.Depth).count(status)
	if len(p.LimitsReached) > 0 {
		row := pageOf(p)
		c.truncated.add(row)
		for _, limit := range row.LimitsReached {
			c.limits.add(limit)
		}
	}
}

// incompleteContent reports whether a limit left out text or links of a page.
func incompleteContent(p *output.Page) bool {
	return slices.ContainsFunc(p.LimitsReached, func(limit string) bool { return !strings.HasPrefix(limit, "field-") })
}

func (c *counters) rejection(r *output.Rejection) {
	c.depth(r.Depth).Rejected++
	switch r.Reason {
	case output.Disallowed:
		c.origin(r.URL).Disallowed++
	case output.RobotsUnreachable, output.Deferred:
		c.origin(r.URL).Deferred++
	case output.Failed:
		c.origin(r.URL).Failed++
	}
}

func (c *counters) origin(url string) *Origin {
	name := originOf(url)
	if c.origins[name] == nil {
		name = strings.Clone(name) // it is part of a URL
		c.origins[name] = &Origin{Origin: name}
	}
	return c.origins[name]
}

func (c *counters) depth(depth int) *Depth {
	depth = min(max(depth, 0), maxDepth)
	if c.depths[depth] == nil {
		c.depths[depth] = &Depth{Depth: depth}
	}
	return c.depths[depth]
}

func (c *counters) statusList() []Status {
	pages := make(map[int]int)
	for status, n := range c.statuses {
		pages[max(status, -status)] += n
	}
	list := []Status{}
	for _, status := range slices.Sorted(maps.Keys(pages)) {
		list = append(list, Status{status, pages[status]})
	}
	return list
}

func (c *counters) depthList() []Depth {
	list := []Depth{}
	for _, depth := range slices.Sorted(maps.Keys(c.depths)) {
		list = append(list, *c.depths[depth])
	}
	return list
}

func (c *counters) originList() List[Origin] {
	var list []Origin
	for _, o := range c.origins {
		row := *o
		row.DurationMS /= int64(max(row.Pages, 1))
		list = append(list, row)
	}
	return listOf(c.rows, list, func(a, b Origin) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Disallowed, a.Disallowed), cmp.Compare(a.Origin, b.Origin))
	})
}

// mediaType is the media type of a Content-Type header.
func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(header), ";")
		kind = strings.TrimSpace(kind)
	}
	return clip(cmp.Or(kind, "(none)"))
}

// mediaType is the media type of a Content-Type header. It remembers the first headers: most pages
// have one of a few.
func (c *counters) mediaType(header string) string {
	kind, known := c.headers[header]
	if !known {
		if kind = mediaType(header); len(c.headers) < maxNames {
			c.headers[strings.Clone(header)] = kind
		}
	}
	return kind
}

// isHTML reports whether a page is HTML, which sitemaps are expected to list.
func (c *counters) isHTML(p *output.Page) bool {
	kind := c.mediaType(p.ContentType)
	return p.Encoding != "" || kind == "text/html" || kind == "application/xhtml+xml"
}

// maxText limits a text from a site, in bytes.
const maxText = 1000

// clip shortens a text from a site.
func clip(text string) string { return shorten(text, maxText) }

// originOf returns scheme, host and port of a URL in canonical form.
func originOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return url[:len(url)-len(rest)+end]
	}
	return url
}
