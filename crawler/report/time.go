package report

import (
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Times are statistics of the durations of responses, in milliseconds.
type Times struct {
	Median    int64      `json:"median_ms"`
	P90       int64      `json:"p90_ms"` // 90 % of all responses were not slower
	P99       int64      `json:"p99_ms"`
	Max       int64      `json:"max_ms"`
	Histogram []Bucket   `json:"histogram"`
	Timeline  []Interval `json:"timeline"`
}

// A Bucket counts responses that took less than Below, but not less than the previous Below.
type Bucket struct {
	Below int64 `json:"below_ms,omitempty"` // 0 for no limit
	Pages int   `json:"pages"`
}

// bounds are the bounds of the buckets, in milliseconds.
var bounds = [...]int64{50, 100, 200, 500, 1000, 2000, 5000, 10000}

// An Interval counts the pages in a part of the crawl. All intervals have the same length.
type Interval struct {
	StartedAt time.Time `json:"started_at"`
	Pages     int       `json:"pages"`
	Broken    int       `json:"broken"`
}

const maxIntervals = 48

// timing records when pages were fetched, and how long they took.
type timing struct {
	span
	durations map[int64]int // pages by duration in milliseconds
	timeline  []Interval
}

// A span is the time from the first event to the last.
type span struct{ began, ended time.Time }

// fetched extends the span by the fetch of a page.
func (s *span) fetched(p *output.Page) {
	s.at(p.FetchedAt)
	s.at(p.FetchedAt.Add(time.Duration(p.DurationMS) * time.Millisecond))
}

// at extends the span by an event.
func (s *span) at(t time.Time) {
	if t.IsZero() {
		return
	}
	if s.began.IsZero() || t.Before(s.began) {
		s.began = t
	}
	if t.After(s.ended) {
		s.ended = t
	}
}

// place counts a page in its interval. The span must be known.
func (c *timing) place(p *output.Page) {
	if p.FetchedAt.IsZero() {
		return
	}
	part := max(c.ended.Sub(c.began)/maxIntervals, 1)
	if len(c.timeline) == 0 {
		for i := range maxIntervals {
			c.timeline = append(c.timeline, Interval{StartedAt: c.began.Add(time.Duration(i) * part)})
		}
	}
	m := &c.timeline[min(int(p.FetchedAt.Sub(c.began)/part), maxIntervals-1)]
	m.Pages++
	if broken(statusOf(p)) {
		m.Broken++
	}
}

func (c *timing) times() Times {
	t := Times{Histogram: make([]Bucket, len(bounds)+1), Timeline: c.timeline}
	for i, limit := range bounds {
		t.Histogram[i].Below = limit
	}
	total, before := 0, 0
	for _, n := range c.durations {
		total += n
	}
	for _, ms := range slices.Sorted(maps.Keys(c.durations)) {
		n := c.durations[ms]
		i, _ := slices.BinarySearch(bounds[:], ms+1)
		t.Histogram[i].Pages += n
		for _, p := range []struct {
			percent int
			into    *int64
		}{{50, &t.Median}, {90, &t.P90}, {99, &t.P99}, {100, &t.Max}} {
			if nth := (total*p.percent + 99) / 100; before < nth && nth <= before+n {
				*p.into = ms
			}
		}
		before += n
	}
	return t
}
