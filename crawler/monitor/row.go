package monitor

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The rows of the lists that viewers see. What a site wrote in them is as shown
// returns it.

// A pageRow is a page that was fetched.
type pageRow struct {
	Number int       `json:"n"` // of all pages, from 1
	At     time.Time `json:"at"`
	URL    address   `json:"url"`
	Status int       `json:"status"`
	Title  string    `json:"title,omitempty"`
	Bytes  int       `json:"bytes"`
	Millis int64     `json:"duration_ms"`
	Note   string    `json:"note,omitempty"`
}

func pageRowOf(p *output.Page, number int) pageRow {
	row := pageRow{Number: number, At: p.FetchedAt, URL: addressOf(p.URL), Status: p.Status, Title: escape.Text(p.Title), Bytes: p.Bytes, Millis: p.DurationMS}
	switch {
	case p.Location != "":
		row.Note = "leads to " + escape.Text(p.Location)
	case p.Withheld != "":
		row.Note = "asks not to be shown: " + escape.Text(p.Withheld)
	case p.Unchanged:
		row.Note = "unchanged"
	case p.DuplicateOf != "":
		row.Note = "the same as " + escape.Text(p.DuplicateOf)
	}
	return row
}

// A rejectionRow is a URL that was left alone.
type rejectionRow struct {
	Number int       `json:"n"` // of all rejections, from 1
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

// A faultRow is something that went wrong.
type faultRow struct {
	Number int       `json:"n"` // of all faults, from 1
	At     time.Time `json:"at"`
	URL    address   `json:"url"`
	What   string    `json:"what"`
}

// A robotsRow is the robots.txt of a host.
type robotsRow struct {
	At      time.Time `json:"at"` // when it was asked for
	Host    address   `json:"host"`
	Outcome string    `json:"outcome"`
	Status  int       `json:"status,omitempty"`
	Error   string    `json:"error,omitempty"`
	Group   string    `json:"group,omitempty"` // that speaks to this crawl
	Rules   int       `json:"rules"`           // in it
	Delay   float64   `json:"delay,omitempty"` // Crawl-delay, in seconds
	Until   time.Time `json:"until,omitzero"`  // when it is asked for again
}

// A hostRow is a host with its clock and its queue.
type hostRow struct {
	Host    address   `json:"host"`
	Done    int       `json:"done"`
	Waiting int       `json:"waiting"`
	Flying  int       `json:"flying"`
	Delay   float64   `json:"delay"`             // between two requests, in seconds
	Due     float64   `json:"due,omitempty"`     // in so many seconds
	Blocked bool      `json:"blocked,omitempty"` // until then by more than its delay
	Robots  string    `json:"robots,omitempty"`
	Status  int       `json:"status,omitempty"` // of its last answer
	At      time.Time `json:"at,omitzero"`      // of that
}

// A count is a number of something.
type count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// overview is the numbers.
type overview struct {
	State    string    `json:"state"`
	End      string    `json:"end,omitempty"`
	Seconds  float64   `json:"seconds"` // since it began
	Pages    int       `json:"pages"`
	Bytes    int64     `json:"bytes"`
	Known    int       `json:"known"` // URLs
	Left     int       `json:"left"`  // of them
	Pending  int       `json:"pending"`
	Later    int       `json:"scheduled"`
	Flying   int       `json:"flying"`
	Hosts    int       `json:"hosts"`
	Waiting  int       `json:"waiting"` // hosts whose robots.txt cannot be reached
	Rejected int       `json:"rejected"`
	Faults   int       `json:"faults"`
	Robots   int       `json:"robots"` // fetches of one
	Sitemaps int       `json:"sitemaps"`
	Entries  int       `json:"entries"`
	Rate     float64   `json:"rate"`          // pages a second
	ETA      float64   `json:"eta,omitempty"` // seconds to go at this rate
	Due      float64   `json:"due,omitempty"` // seconds to the next request, while none is in flight
	Reasons  []count   `json:"reasons"`       // of rejections
	Statuses []count   `json:"statuses"`
	Chart    []float64 `json:"chart"` // pages in each of the last seconds
}

// ending is the last that viewers hear.
type ending struct {
	End   string `json:"end,omitempty"` // empty: not known
	Pages int    `json:"pages"`
	Left  int    `json:"left"`
}
