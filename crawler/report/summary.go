package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Summary is the crawl in numbers.
type Summary struct {
	URLs      List[string] `json:"urls"` // the start URLs
	UserAgent string       `json:"user_agent"`
	State     State        `json:"state"`
	End       string       `json:"end,omitempty"`   // how it ended, in the words of the crawl's summary
	Left      int          `json:"left,omitempty"`  // URLs that had still to be fetched
	Round     int          `json:"round,omitempty"` // how many crawls of these URLs came before

	// Began and Ended are when the first request was made and the last one over,
	// whatever pauses there were.
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
	Finished State = "finished" // nothing was left to fetch
	Stopped  State = "stopped"  // something was
	Running  State = "running"
	Unknown  State = "unknown"
)

func (m *maker) summary(r *Report) Summary {
	c := m.census
	urls := m.segments.urls()
	s := Summary{
		URLs:      List[string]{Total: len(urls), Rows: urls[:min(m.Rows, len(urls))]},
		UserAgent: m.segments.userAgent(), Round: m.segments.round(),
		Began: c.began.UTC(), Ended: c.ended.UTC(), Seconds: c.ended.Sub(c.began).Seconds(),
		Hosts: len(c.hosts), Pages: c.pages, Bytes: c.bytes,
		Rejected: c.rejected, Broken: r.Broken.Total,
	}
	for _, status := range r.Statuses {
		if fine(status.Status) {
			s.OK += status.Pages
		}
	}
	if group := m.refusals.reasons[output.Disallowed]; group != nil {
		s.Disallowed = group.total
	}
	var e *Ending
	if s.State, e = m.segments.over(); e != nil {
		s.End, s.Left = e.End, e.Left
	}
	return s
}

// quantity writes n things.
func quantity(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return thousands(n) + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return thousands(n) + " " + thing + "s"
}

// thousands writes a number for a person.
func thousands[T int | int64](n T) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
