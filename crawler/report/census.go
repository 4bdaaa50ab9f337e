package report

import (
	"cmp"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A Status is how many pages have a status.
type Status struct {
	Status int `json:"status"`
	Pages  int `json:"pages"`
}

// A Host is what there is on one host: scheme, name and port.
type Host struct {
	Host       string `json:"host"`
	Pages      int    `json:"pages"` // all below that were fetched
	OK         int    `json:"ok"`    // 2xx, or 304
	Redirects  int    `json:"redirects"`
	Broken     int    `json:"broken"` // 4xx and 5xx
	Failed     int    `json:"failed"` // no answer
	Disallowed int    `json:"disallowed"`
	Later      int    `json:"later"` // robots.txt could not be read, or the host allowed no request yet
	Bytes      int64  `json:"bytes"`
	Millis     int64  `json:"ms"` // that an answer took, on average
}

// A Depth is what there is so many links away from a start URL or sitemap entry.
type Depth struct {
	Depth     int `json:"depth"`
	Pages     int `json:"pages"`
	OK        int `json:"ok"`
	Redirects int `json:"redirects"`
	Broken    int `json:"broken"`
	Rejected  int `json:"rejected"`
}

// maxDepth is the depth under which all that is deeper is counted.
const maxDepth = 50

// A Page is a page in a list of them.
type Page struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Bytes  int    `json:"bytes"`
	Millis int64  `json:"ms"`

	// Truncated is the limit that cut the body short, max-body or ratio. Empty: none.
	Truncated string `json:"truncated,omitempty"`

	// CutBy are the limits that cut something off the page, that of the body among them.
	CutBy []string `json:"cut_by,omitempty"`
	// LinksLeft is how many of its links lead to URLs beyond a limit.
	LinksLeft int `json:"links_left,omitempty"`
}

func pageOf(p *output.Page) Page {
	return Page{
		URL: p.URL, Title: clip(p.Title), Status: p.Status, Bytes: p.Bytes, Millis: p.Millis,
		Truncated: clip(p.Truncated), CutBy: limitsOf(p), LinksLeft: p.LinksLeft,
	}
}

// limitsOf are the limits that cut something off a page. Another program may have written
// the line.
func limitsOf(p *output.Page) []string {
	var limits []string
	for _, limit := range p.Limits() {
		if limits = append(limits, clip(limit)); len(limits) == maxLimits {
			break
		}
	}
	return limits
}

// maxLimits is how many limits of a page are listed. There are eight.
const maxLimits = 10

// mayMissLinks tells whether a page has links that are not known.
func mayMissLinks(p *output.Page) bool {
	return slices.ContainsFunc(p.Limits(), func(limit string) bool { return !strings.HasPrefix(limit, "field-") })
}

// census counts what was fetched.
type census struct {
	rows     int
	pages    int
	bytes    int64
	links    int // that pages have
	partly   int // pages that were not read to their end, or not all links of which were taken up
	rejected int
	statuses map[int]int
	types    names
	hosts    map[string]*Host
	depths   map[int]*Depth
	slowest  firsts[Page]
	largest  firsts[Page]
	cut      firsts[Page] // that a limit cut something off
	cutBy    names        // the same by limit

	clock
}

func newCensus(rows int) *census {
	byURL := func(a, b Page) int { return cmp.Compare(a.URL, b.URL) }
	bySize := func(a, b Page) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), byURL(a, b)) }
	return &census{
		rows: rows, statuses: make(map[int]int), types: make(names),
		hosts: make(map[string]*Host), depths: make(map[int]*Depth),
		slowest: newFirsts(rows, func(a, b Page) int { return cmp.Or(cmp.Compare(b.Millis, a.Millis), byURL(a, b)) }),
		largest: newFirsts(rows, bySize), cut: newFirsts(rows, bySize), cutBy: make(names),
		clock: newClock(),
	}
}

func (c *census) page(p *output.Page) {
	c.pages++
	c.bytes += int64(p.Bytes)
	if p.Withheld == "" {
		c.links += p.Links
	}
	c.statuses[p.Status]++
	if mayMissLinks(p) {
		c.partly++
	}
	if fine(p.Status) {
		c.types.add(mediaType(p.ContentType))
	}
	h, d := c.host(p.URL), c.depth(p.Depth)
	h.Pages++
	d.Pages++
	h.Bytes += int64(p.Bytes)
	h.Millis += p.Millis
	switch {
	case fine(p.Status):
		h.OK++
		d.OK++
	case redirected(p.Status):
		h.Redirects++
		d.Redirects++
	case broken(p.Status):
		h.Broken++
		d.Broken++
	}
	row := pageOf(p)
	c.slowest.add(row)
	c.largest.add(row)
	if len(row.CutBy) > 0 {
		c.cut.add(row)
		for _, limit := range row.CutBy {
			c.cutBy.add(limit)
		}
	}
	c.clock.page(p)
}

func (c *census) rejection(r *output.Rejection) {
	c.rejected++
	c.depth(r.Depth).Rejected++
	switch r.Reason {
	case output.Disallowed:
		c.host(r.URL).Disallowed++
	case output.Later:
		c.host(r.URL).Later++
	case output.Failed:
		c.host(r.URL).Failed++
	}
}

func (c *census) host(url string) *Host {
	name := originOf(url)
	h := c.hosts[name]
	if h == nil {
		h = &Host{Host: strings.Clone(name)}
		c.hosts[h.Host] = h
	}
	return h
}

func (c *census) depth(depth int) *Depth {
	depth = min(max(depth, 0), maxDepth)
	d := c.depths[depth]
	if d == nil {
		d = &Depth{Depth: depth}
		c.depths[depth] = d
	}
	return d
}

func (c *census) statusList() []Status {
	list := []Status{}
	for _, status := range slices.Sorted(maps.Keys(c.statuses)) {
		list = append(list, Status{status, c.statuses[status]})
	}
	return list
}

func (c *census) depthList() []Depth {
	list := []Depth{}
	for _, depth := range slices.Sorted(maps.Keys(c.depths)) {
		list = append(list, *c.depths[depth])
	}
	return list
}

func (c *census) hostList() List[Host] {
	hosts := newFirsts(c.rows, func(a, b Host) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Disallowed, a.Disallowed), cmp.Compare(a.Host, b.Host))
	})
	for _, h := range c.hosts {
		row := *h
		row.Millis /= int64(max(row.Pages, 1))
		hosts.add(row)
	}
	return hosts.list()
}

// mediaType is the part of a Content-Type header that tells the kind of content.
func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(header), ";")
		kind = strings.TrimSpace(kind)
	}
	if kind == "" {
		return "(none)"
	}
	return clip(kind)
}

// isHTML tells whether a page is one that a sitemap would be expected to list.
func isHTML(p *output.Page) bool {
	kind := mediaType(p.ContentType)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// maxText is how much of a text that a site wrote is kept, in bytes.
const maxText = 1000

// clip shortens a text that a site wrote.
func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return shown.Clip(text, maxText) + "…"
}
