package monitor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// overview describes how the crawl is getting on. w.mu is held.
func (w *watch) overview(now time.Time) *overview {
	if w.status == nil {
		return &overview{State: "beginning", Reasons: []count{}, Statuses: []count{}, Chart: []float64{}}
	}
	s := w.status
	v := &overview{
		State: w.state(), End: string(s.End), Seconds: seconds(s.Took),
		Pages: s.Pages, Bytes: s.Bytes, Known: s.Frontier.Added, Left: s.Left,
		Pending: s.Frontier.Pending, Later: s.Frontier.Scheduled, Flying: s.Frontier.Leased,
		Hosts: s.Hosts, Waiting: len(s.Waiting), Robots: s.Robots, Sitemaps: s.Sitemaps, Entries: s.Entries,
		Faults: s.Rejected[output.Failed] + s.Rejected[output.InvalidURL],
		Rate:   w.pace.rate(), Chart: append([]float64{}, w.pace.chart...),
		Reasons:  counts(s.Rejected, func(r output.Reason) string { return escape.Text(string(r)) }, maxCounts),
		Statuses: counts(s.Statuses, strconv.Itoa, maxCounts),
	}
	for _, n := range s.Rejected {
		v.Rejected += n
	}
	for status, n := range s.Statuses {
		if status >= 400 {
			v.Faults += n
		}
	}
	if v.State == running && v.Rate > 0 {
		v.ETA = seconds(time.Duration(float64(v.Left) / v.Rate * float64(time.Second)))
	}
	if wait := s.NextDue.Sub(now); v.State == waiting {
		v.Due = seconds(wait)
	}
	return v
}

// The states of a crawl.
const (
	running  = "running"
	waiting  = "waiting" // for a host to be due
	pausing  = "pausing" // what is in flight is being finished
	paused   = "paused"
	stopping = "stopping"
	ended    = "ended"
)

// state says what the crawl is at. w.mu is held.
func (w *watch) state() string {
	s := w.status
	switch {
	case w.ended != nil:
		return ended
	case s.End != "":
		return stopping
	case s.Paused && s.Frontier.Leased > 0:
		return pausing
	case s.Paused:
		return paused
	case s.Frontier.Leased == 0 && time.Until(s.NextDue) > lookEvery:
		return waiting
	}
	return running
}

// because joins what is known of a fault; empty: nothing.
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
