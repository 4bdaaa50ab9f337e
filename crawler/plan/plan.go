// Package plan holds the result of planning a crawl: what the crawl would fetch, what it
// would skip and why, and how long it would take.
//
// A plan needs only robots.txt files and sitemaps, so it costs a site a few requests. It
// answers three questions. Which rules keep pages away: see [Plan.Disallowed]. Which host
// takes the longest, and because of which delay: see [Plan.Slowest] and [Host.Delay]. Will a
// limit end the crawl early: see [Plan.CrawlEnd] and [Plan.PagesBeyondLimit]. Planner in
// package crawler makes plans, and politecrawl plan prints them.
package plan

import (
	"net/netip"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Plan is what a crawl would do, as far as robots.txt and sitemaps tell. It is the least that
// the crawl does: links are not followed, so pages to which only links lead are not in it,
// unless with OnlySitemaps there are none. The field names of its JSON are a contract.
type Plan struct {
	// End says how the planning ended: EndFinished; EndDeferred, when hosts or sitemaps
	// remain that cannot be requested yet; EndInterrupted; EndFailed.
	End       End       `json:"end"`
	StartedAt time.Time `json:"started_at"`
	Duration  Millis    `json:"duration_ms"`

	URLs             int                   `json:"urls"`               // start URLs and entries of sitemaps, each counted once
	Pages            int                   `json:"pages"`              // that a crawl would fetch of them, within its limits
	Rejected         map[output.Reason]int `json:"rejected"`           // the others by reason, except PagesBeyondLimit
	PagesBeyondLimit int                   `json:"pages_beyond_limit"` // pages that it would not fetch because of CrawlEnd
	Requests         int                   `json:"requests"`           // for pages, robots.txt and sitemaps
	Robots           int                   `json:"robots"`             // of them for robots.txt
	Sitemaps         int                   `json:"sitemaps"`           // files read
	Entries          int                   `json:"entries"`            // that they list, repeated ones too

	// CrawlEnd is how the crawl would end: EndFinished, EndMaxPages, EndMaxTime, or
	// EndDeferred. CrawlDuration is the time until then at the polite rate. Bottleneck says
	// what limits the speed: BottleneckHost (Slowest), BottleneckWorkers or BottleneckPerIP.
	CrawlEnd      End        `json:"crawl_end"`
	CrawlDuration Millis     `json:"crawl_duration_ms"`
	Bottleneck    Bottleneck `json:"bottleneck"`
	Slowest       string     `json:"slowest,omitempty"`

	// Refused are the start URLs at addresses that AllowAddr does not allow.
	Refused []RefusedStart `json:"refused,omitempty"`

	// FrontierBytes is what the frontier would take on disk, and MemoryBytes what
	// the crawl would in memory, at the most. Package internal/forecast says how
	// that was measured.
	FrontierBytes int64 `json:"frontier_bytes"`
	MemoryBytes   int64 `json:"memory_bytes"`

	Hosts      []*Host    `json:"hosts"`      // those of the crawl, the one with the most pages first
	Others     []*Host    `json:"others"`     // that only listed URLs, or files of the crawl, are on
	Disallowed []*Rule    `json:"disallowed"` // by rule, the one that keeps the most URLs away first
	Files      []*Sitemap `json:"files"`      // sitemap files, in the order in which they were finished
}

// End says why a crawl ended, or the planning of one. Its values are the ends of package
// crawler, such as EndFinished.
type End string

// Bottleneck says what limits the speed of a crawl.
type Bottleneck string

// The bottlenecks. Scripts rely on their spelling.
const (
	BottleneckHost    Bottleneck = "host"    // the delay and the responses of one host
	BottleneckWorkers Bottleneck = "workers" // the number of workers
	BottleneckPerIP   Bottleneck = "per-ip"  // the requests in flight on one address
)

// RefusedStart is a start URL whose host has an address that AllowAddr does not allow, or
// whose robots.txt redirects to such an address.
type RefusedStart struct {
	URL    string     `json:"url"`
	Addr   netip.Addr `json:"addr,omitzero"` // of its host; none: it is the redirect's
	Reason string     `json:"reason"`
}

// Host is what a crawl would do on one host: scheme, name and port.
type Host struct {
	Host string `json:"host"` // empty: all others for which there was no room

	Outcome   string    `json:"robots"` // rules, allow-all or unreachable; empty: it was not requested
	RobotsURL string    `json:"robots_url,omitempty"`
	Status    int       `json:"robots_status,omitempty"`
	Error     string    `json:"robots_error,omitempty"`
	RetryAt   time.Time `json:"retry_at,omitzero"` // unreachable: earliest retry; zero: its address is not allowed, see Error
	Group     string    `json:"group,omitempty"`   // whose rules apply; empty: none

	URLs     int                   `json:"urls"`
	Pages    int                   `json:"pages"` // to be fetched, within max-host-pages
	Rejected map[output.Reason]int `json:"rejected,omitempty"`

	Sitemaps       int `json:"sitemaps"`        // files that its robots.txt lists, itself or by an index
	SitemapsUnread int `json:"sitemaps_unread"` // of them not read because of max-sitemaps

	Requests   int      `json:"requests"`
	Delay      Millis   `json:"delay_ms"` // between requests, unless the host is slow
	CrawlDelay Millis   `json:"crawl_delay_ms,omitempty"`
	Response   Millis   `json:"response_ms"` // average time to the first byte of a response
	Duration   Millis   `json:"duration_ms"` // of all requests at this rate
	VisitTimes []string `json:"visit_times,omitempty"`
	OpensAt    string   `json:"opens_at,omitempty"` // closed now, by its Visit-time: RFC 3339
}

// Rule is a line of a robots.txt that keeps URLs away.
type Rule struct {
	Host      string   `json:"host"`
	RobotsURL string   `json:"robots_url"`
	Group     string   `json:"group"`
	Rule      string   `json:"rule"`
	Line      int      `json:"line"`
	URLs      int      `json:"urls"`
	Examples  []string `json:"examples"`
}

// Sitemap is a sitemap file.
type Sitemap struct {
	URL      string `json:"url"`
	Host     string `json:"host"` // whose robots.txt lists it
	Status   int    `json:"status"`
	Pages    int    `json:"pages"`
	Sitemaps int    `json:"sitemaps"`
	Unread   string `json:"unread,omitempty"` // why it was not read completely
}

// Millis is a duration that JSON writes as an integer number of milliseconds.
type Millis time.Duration

// MarshalJSON implements json.Marshaler.
func (m Millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(m).Milliseconds(), 10), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Millis) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	*m = Millis(n) * Millis(time.Millisecond)
	return err
}

// String formats the duration as [time.Duration.String] does.
func (m Millis) String() string { return time.Duration(m).String() }
