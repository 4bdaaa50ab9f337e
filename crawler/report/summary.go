package report

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Summary is the crawl in numbers.
type Summary struct {
	URLs      List[string] `json:"urls"` // start URLs of the crawl
	UserAgent string       `json:"user_agent"`
	State     State        `json:"state"`
	End       string       `json:"end,omitempty"`       // how the crawl ended: a crawler.End
	Remaining int          `json:"remaining,omitempty"` // URLs still to be fetched
	Recrawls  int          `json:"recrawls,omitempty"`  // number of earlier crawls of the same URLs

	// StartedAt is the start of the first request, EndedAt the end of the last one.
	// DurationMS is the time between them, including pauses.
	StartedAt  time.Time `json:"started_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
	DurationMS int64     `json:"duration_ms"`

	Origins    int   `json:"origins"` // origins with pages or skipped URLs
	Pages      int   `json:"pages"`
	OK         int   `json:"ok"`
	Bytes      int64 `json:"bytes"`
	Rejected   int   `json:"rejected"`
	Disallowed int   `json:"disallowed"`
	Broken     int   `json:"broken"`
}

// State is the state of a crawl.
type State string

// The states.
const (
	Finished State = "finished" // no URL remains
	Stopped  State = "stopped"  // URLs remain: a limit, an interrupt or a stop ended the crawl, or their hosts are deferred
	Running  State = "running"
	Unknown  State = "unknown"
)

func (m *model) summary() Summary {
	c := m.counters
	urls := m.dirs.urls()
	s := Summary{
		URLs:      List[string]{Total: len(urls), Rows: urls[:min(m.rows, len(urls))]},
		UserAgent: m.dirs.userAgent(), Recrawls: m.dirs.recrawls(),
		StartedAt: c.began.UTC(), EndedAt: c.ended.UTC(), DurationMS: c.ended.Sub(c.began).Milliseconds(),
		Origins: len(c.origins), Pages: c.pages, Bytes: c.bytes,
		Rejected: m.rejections.result.Total, Disallowed: m.rejections.total(output.Disallowed), Broken: m.broken,
	}
	for _, d := range c.depths {
		s.OK += d.OK
	}
	var e *CrawlEnd
	if s.State, e = m.dirs.outcome(); e != nil {
		s.End, s.Remaining = e.End, e.Remaining
	}
	return s
}
