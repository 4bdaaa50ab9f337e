// Package plan defines the types of a crawl plan: which URLs a crawl would fetch, which it would
// skip and why, and how long it would take.
//
// A plan needs only robots.txt files and sitemaps, and at most the headers of the start URLs, so it costs a
// site few requests. It answers
// three questions:
//
//   - Which rules disallow pages? See [Plan.Disallowed].
//   - Which origin takes the longest, and how long is its delay? See [Plan.Slowest] and
//     [Origin.Delay].
//   - Will a limit end the crawl? See [Plan.CrawlEnd] and [Plan.PagesBeyondLimit].
//
// The Planner of package crawler makes plans. The command "politecrawl plan" prints them.
package plan

import (
	"net/netip"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Plan describes a future crawl, as far as robots.txt and sitemaps show. It contains no pages
// that can only be found by links, so a crawl that follows links may fetch more. Scripts rely on
// the field names of its JSON.
type Plan struct {
	// End says how the planning ended, with values of package crawler: EndFinished,
	// EndInterrupted, EndFailed, or EndDeferred if some hosts cannot be requested yet.
	End       End       `json:"end"`
	StartedAt time.Time `json:"started_at"`
	Duration  Millis    `json:"duration_ms"`

	URLs             int                   `json:"urls"`               // start URLs and sitemap entries, each counted once
	Pages            int                   `json:"pages"`              // URLs that the crawl would fetch, within its limits
	Rejected         map[output.Reason]int `json:"rejected"`           // skipped URLs by reason, without PagesBeyondLimit
	PagesBeyondLimit int                   `json:"pages_beyond_limit"` // pages that the crawl would not fetch because of CrawlEnd
	Requests         int                   `json:"requests"`           // for pages, robots.txt and sitemaps
	Robots           int                   `json:"robots"`             // requests for robots.txt
	Sitemaps         int                   `json:"sitemaps"`           // sitemap files read
	Entries          int                   `json:"entries"`            // entries of these files, including repeated ones

	// CrawlEnd is how the crawl would end: EndFinished, EndMaxPages, EndMaxTime or
	// EndDeferred. CrawlDuration is how long it would take. Bottleneck is what limits its
	// speed. Slowest is the slowest origin.
	CrawlEnd      End        `json:"crawl_end"`
	CrawlDuration Millis     `json:"crawl_duration_ms"`
	Bottleneck    Bottleneck `json:"bottleneck"`
	Slowest       string     `json:"slowest,omitempty"`

	// BlockedStartURLs are the start URLs at blocked addresses.
	BlockedStartURLs []BlockedStart `json:"blocked_start_urls,omitempty"`

	// FrontierBytes is the estimated size of the frontier on disk. MemoryBytes is the
	// estimated peak of memory.
	FrontierBytes int64 `json:"frontier_bytes"`
	MemoryBytes   int64 `json:"memory_bytes"`

	Origins    []*Origin  `json:"origins"`    // origins of the crawl, the one with the most pages first
	Others     []*Origin  `json:"others"`     // origins without pages to fetch
	Disallowed []*Rule    `json:"disallowed"` // disallowed URLs by rule, the rule with the most URLs first
	Files      []*Sitemap `json:"files"`      // sitemap files, in the order of reading
}

// End is why a crawl or its planning ended.
type End string

// The ends. Package crawler has them as EndFinished and so on.
const (
	Finished    End = "finished"
	MaxPages    End = "max-pages"
	MaxBytes    End = "max-bytes"
	MaxTime     End = "max-time"
	Deferred    End = "deferred"
	Interrupted End = "interrupted"
	Stopped     End = "stopped"
	Failed      End = "failed"
)

// Bottleneck is what limits the speed of a crawl.
type Bottleneck string

// The bottlenecks. Scripts rely on their spelling.
const (
	BottleneckHost        Bottleneck = "host"        // the delay and the responses of one host
	BottleneckConcurrency Bottleneck = "concurrency" // the number of URLs at a time
	BottleneckPerIP       Bottleneck = "per-ip"      // the requests in flight on one address
)

// BlockedStart is a start URL with a host at a non-public address that AllowAddr does not list, or
// with a robots.txt that redirects to one.
type BlockedStart struct {
	URL    string     `json:"url"`
	Addr   netip.Addr `json:"addr,omitzero"` // address of its host; zero if the blocked address is that of a redirect target of its robots.txt
	Reason string     `json:"reason"`
}

// Origin describes the crawl of one origin: scheme, host and port.
type Origin struct {
	Origin string `json:"origin"` // empty means all origins that are not listed

	Robots       string    `json:"robots"` // outcome of robots.txt: rules, allow-all or unreachable; empty if not requested
	RobotsURL    string    `json:"robots_url,omitempty"`
	RobotsStatus int       `json:"robots_status,omitempty"`
	RobotsError  string    `json:"robots_error,omitempty"`
	RetryAt      time.Time `json:"retry_at,omitzero"` // earliest retry of an unreachable robots.txt; zero if its address is not allowed, see RobotsError
	Group        string    `json:"group,omitempty"`   // the group with the rules for the crawl; empty if none

	URLs     int                   `json:"urls"`
	Pages    int                   `json:"pages"` // URLs to fetch, within max-host-pages
	Rejected map[output.Reason]int `json:"rejected,omitempty"`

	Sitemaps       int `json:"sitemaps"`        // sitemap files that its robots.txt lists, directly or through an index
	SitemapsUnread int `json:"sitemaps_unread"` // sitemap files not read because of max-sitemaps

	Requests   int      `json:"requests"`
	Delay      Millis   `json:"delay_ms"` // between requests, if the host is not slow
	CrawlDelay Millis   `json:"crawl_delay_ms,omitempty"`
	Response   Millis   `json:"response_ms"` // average time to the first byte of a response
	Duration   Millis   `json:"duration_ms"` // estimated time for all requests with this delay
	VisitTimes []string `json:"visit_times,omitempty"`
	OpensAt    string   `json:"opens_at,omitempty"` // outside Visit-time: the time when it next begins, as RFC 3339; empty if requests are allowed now
}

// Rule is a line of a robots.txt that disallows URLs.
type Rule struct {
	Origin    string   `json:"origin"`
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
	Origin   string `json:"origin"` // its robots.txt lists it, directly or through an index
	Status   int    `json:"status"`
	Pages    int    `json:"pages"`
	Sitemaps int    `json:"sitemaps"`
	Unread   string `json:"unread,omitempty"` // reason why it was not read, or not completely; empty if it was read
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
