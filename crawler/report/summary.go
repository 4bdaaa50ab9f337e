package report

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Summary is the crawl in numbers.
type Summary struct {
	URLs      List[string] `json:"urls"` // the start URLs
	UserAgent string       `json:"user_agent"`
	State     State        `json:"state"`
	End       string       `json:"end,omitempty"`   // how it ended, in the words of the crawl's summary
	Left      int          `json:"left,omitempty"`  // URLs that still had to be fetched
	Round     int          `json:"round,omitempty"` // how many crawls of these URLs came before

	// Began and Ended are the times of the first request and of the end of the last,
	// pauses included.
	Began   time.Time `json:"began,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Seconds float64   `json:"seconds"`

	Hosts      int   `json:"hosts"` // with pages, or with URLs that were to be fetched
	Pages      int   `json:"pages"`
	OK         int   `json:"ok"`
	Bytes      int64 `json:"bytes"`
	Rejected   int   `json:"rejected"`
	Disallowed int   `json:"disallowed"`
	Broken     int   `json:"broken"`
}

// State is how far a crawl has come.
type State string

// The states.
const (
	Finished State = "finished" // no URL is left
	Stopped  State = "stopped"  // URLs are left
	Running  State = "running"
	Unknown  State = "unknown"
)

func (m *maker) summary(r *Report) Summary {
	c := m.census
	urls := m.segments.urls()
	s := Summary{
		URLs:      List[string]{Total: len(urls), Rows: urls[:min(m.rows, len(urls))]},
		UserAgent: m.segments.userAgent(), Round: m.segments.round(),
		Began: c.began.UTC(), Ended: c.ended.UTC(), Seconds: c.ended.Sub(c.began).Seconds(),
		Hosts: len(c.hosts), Pages: c.pages, Bytes: c.bytes,
		Rejected: c.rejected, Disallowed: m.rejections.total(output.Disallowed), Broken: r.Broken.Total,
	}
	for _, d := range c.depths {
		s.OK += d.OK
	}
	var e *Ending
	if s.State, e = m.segments.over(); e != nil {
		s.End, s.Left = e.End, e.Left
	}
	return s
}
