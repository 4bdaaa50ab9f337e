package monitor

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// The rows of the lists on the page. Texts that a site wrote are sanitized by package shown.

// A pageRow is a page that was fetched.
type pageRow struct {
	Number     int       `json:"n"` // among all pages, from 1
	FetchedAt  time.Time `json:"fetched_at"`
	URL        address   `json:"url"`
	Status     int       `json:"status"`
	Title      string    `json:"title,omitempty"`
	Bytes      int       `json:"bytes"`
	DurationMS int64     `json:"duration_ms"`
	Note       string    `json:"note,omitempty"`
}

func pageRowOf(p *output.Page, number int) pageRow {
	row := pageRow{Number: number, FetchedAt: p.FetchedAt, URL: addressOf(p.URL), Status: p.Status, Title: escape.Text(p.Title), Bytes: p.Bytes, DurationMS: p.DurationMS}
	switch {
	case p.Location != "":
		row.Note = "redirects to " + escape.Text(p.Location)
	case p.Withheld != "":
		row.Note = "title and content withheld: " + escape.Text(p.Withheld)
	case p.Unchanged:
		row.Note = "unchanged"
	case p.DuplicateOf != "":
		row.Note = "duplicate of " + escape.Text(p.DuplicateOf)
	}
	return row
}

// A rejectionRow is a skipped URL.
type rejectionRow struct {
	Number int       `json:"n"` // among all skipped URLs, from 1
	At     time.Time `json:"at"`
	URL    address   `json:"url"`
	Reason string    `json:"reason"`
	Rule   string    `json:"rule,omitempty"`
	Line   int       `json:"line,omitempty"`
	Detail string    `json:"detail,omitempty"`
}

func rejectionRowOf(r *output.Rejection, number int, now time.Time) rejectionRow {
	return rejectionRow{
		Number: number, At: now, URL: addressOf(r.URL), Reason: escape.Text(string(r.Reason)),
		Rule: escape.Text(r.Rule), Line: r.Line, Detail: escape.Text(r.Detail),
	}
}

// An errorRow is an error of the crawl: a failed request or an error status.
type errorRow struct {
	Number  int       `json:"n"` // among all errors, from 1
	At      time.Time `json:"at"`
	URL     address   `json:"url"`
	Message string    `json:"message"`
}

// A robotsRow is the robots.txt of a host.
type robotsRow struct {
	FetchedAt   time.Time   `json:"fetched_at"`
	Host        address     `json:"host"`
	Outcome     string      `json:"outcome"`
	Status      int         `json:"status,omitempty"`
	Error       string      `json:"error,omitempty"`
	Group       string      `json:"group,omitempty"` // the group that applies to this crawl
	Rules       int         `json:"rules"`           // of this group
	CrawlDelay  plan.Millis `json:"crawl_delay_ms,omitempty"`
	NextFetchAt time.Time   `json:"next_fetch_at,omitzero"`
}

// A hostRow is a host with its delay and its queue.
type hostRow struct {
	Host           address     `json:"host"`
	Done           int         `json:"done"`
	Waiting        int         `json:"waiting"`
	InFlight       int         `json:"in_flight"`
	Delay          plan.Millis `json:"delay_ms"`            // between two requests
	Due            plan.Millis `json:"due_in_ms,omitempty"` // time to the next request
	Blocked        bool        `json:"blocked,omitempty"`   // the host sent Retry-After
	Robots         string      `json:"robots,omitempty"`
	Status         int         `json:"status,omitempty"` // of the last response
	LastResponseAt time.Time   `json:"last_response_at,omitzero"`
}

// A count is a number of something.
type count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// overview is the numbers.
type overview struct {
	State     string      `json:"state"`
	End       string      `json:"end,omitempty"`
	Duration  plan.Millis `json:"duration_ms"` // since the start of the crawl
	Pages     int         `json:"pages"`
	Bytes     int64       `json:"bytes"`
	Known     int         `json:"known"`     // URLs
	Remaining int         `json:"remaining"` // URLs still to be fetched
	Scheduled int         `json:"scheduled"`
	InFlight  int         `json:"in_flight"`
	Hosts     int         `json:"hosts"`
	Waiting   int         `json:"waiting"` // hosts with an unreachable robots.txt
	Rejected  int         `json:"rejected"`
	Errors    int         `json:"errors"`
	Robots    int         `json:"robots"` // fetches of a robots.txt
	Sitemaps  int         `json:"sitemaps"`
	Entries   int         `json:"entries"`
	Checks    int         `json:"checks"`              // URLs that were only checked
	Broken    int         `json:"broken"`              // of these, broken ones
	Rate      float64     `json:"rate"`                // pages per second
	ETA       plan.Millis `json:"eta_ms,omitempty"`    // time until the end at this rate
	Due       plan.Millis `json:"due_in_ms,omitempty"` // time to the next request, while none is in flight
	Reasons   []count     `json:"reasons"`             // of skipped URLs
	Statuses  []count     `json:"statuses"`
	Chart     []float64   `json:"chart"` // pages in each of the last seconds
}
