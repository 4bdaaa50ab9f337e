package monitor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// overview returns the numbers of the crawl. w.mu is held.
func (w *watcher) overview(now time.Time) *overview {
	if w.status == nil {
		return &overview{State: "beginning", Reasons: []count{}, Statuses: []count{}, Chart: []float64{}}
	}
	s := w.status
	v := &overview{
		State: w.state(), End: string(s.End), Duration: rounded(time.Duration(s.Duration)),
		Pages: s.Pages, Bytes: s.Bytes, Known: s.Frontier.URLs, Remaining: s.Remaining,
		Scheduled: s.Frontier.Scheduled, InFlight: s.Frontier.InFlight,
		Hosts: s.Hosts, Waiting: len(s.Waiting), Robots: s.Robots, Sitemaps: s.Sitemaps, Entries: s.Entries,
		Checks: total(s.Checks), Broken: s.Checks[output.CheckBroken],
		Errors: s.Rejected[output.Failed] + s.Rejected[output.InvalidURL],
		Rate:   w.rate.perSecond(), Chart: append([]float64{}, w.rate.chart...),
		Reasons:  counts(s.Rejected, func(r output.Reason) string { return escape.Text(string(r)) }, maxCounts),
		Statuses: counts(s.Statuses, strconv.Itoa, maxCounts),
	}
	v.Rejected = total(s.Rejected)
	for status, n := range s.Statuses {
		if status >= 400 {
			v.Errors += n
		}
	}
	if v.State == running && v.Rate > 0 {
		v.ETA = rounded(time.Duration(float64(v.Remaining) / v.Rate * float64(time.Second)))
	}
	if wait := s.NextDue.Sub(now); v.State == waiting {
		v.Due = rounded(wait)
	}
	return v
}

// The states of a crawl.
const (
	running  = "running"
	waiting  = "waiting" // until a host is due
	pausing  = "pausing" // requests are in flight
	paused   = "paused"
	stopping = "stopping"
	ended    = "ended"
)

// state returns the state of the crawl. w.mu is held.
func (w *watcher) state() string {
	s := w.status
	switch {
	case w.ended != nil:
		return ended
	case s.End != "":
		return stopping
	case s.Paused && s.Frontier.InFlight > 0:
		return pausing
	case s.Paused:
		return paused
	case s.Frontier.InFlight == 0 && time.Until(s.NextDue) > refreshEvery:
		return waiting
	}
	return running
}

// because formats the cause of an error, with a colon in front, or returns "" if it is unknown.
func because(status int, detail string) string {
	var parts []string
	if status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", status))
	}
	if detail != "" {
		parts = append(parts, escape.Text(detail))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// total returns the sum of all counts.
func total[K comparable](counts map[K]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}
