package report

import (
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Times are how long responses took, in milliseconds, and when they were received.
type Times struct {
	Median  int64    `json:"median_ms"`
	P90     int64    `json:"p90_ms"` // 90 of 100 responses took no longer
	P99     int64    `json:"p99_ms"`
	Longest int64    `json:"longest_ms"`
	Spread  []Spread `json:"spread"`
	Course  []Moment `json:"course"`
}

// A Spread counts the responses that took less than a time, and no less than the one before.
type Spread struct {
	Below int64 `json:"below_ms,omitempty"` // 0: no limit
	Pages int   `json:"pages"`
}

// spreads are the limits between which responses are counted, in milliseconds.
var spreads = [...]int64{50, 100, 200, 500, 1000, 2000, 5000, 10000}

// A Moment is what was fetched in one of maxMoments equal parts of a crawl.
type Moment struct {
	At     time.Time `json:"at"` // its beginning
	Pages  int       `json:"pages"`
	Broken int       `json:"broken"`
}

const maxMoments = 48

// A clock knows when pages were fetched, and how long they took.
type clock struct {
	span
	millis map[int64]int // pages by how long they took
	course []Moment
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

// place counts a page in its part of the crawl. The span must be known.
func (c *clock) place(p *output.Page) {
	if p.FetchedAt.IsZero() {
		return
	}
	part := max(c.ended.Sub(c.began)/maxMoments, 1)
	if len(c.course) == 0 {
		for i := range maxMoments {
			c.course = append(c.course, Moment{At: c.began.Add(time.Duration(i) * part)})
		}
	}
	m := &c.course[min(int(p.FetchedAt.Sub(c.began)/part), maxMoments-1)]
	m.Pages++
	if broken(p.Status) {
		m.Broken++
	}
}

func (c *clock) times() Times {
	t := Times{Spread: make([]Spread, len(spreads)+1), Course: c.course}
	for i, limit := range spreads {
		t.Spread[i].Below = limit
	}
	total, before := 0, 0
	for _, n := range c.millis {
		total += n
	}
	for _, ms := range slices.Sorted(maps.Keys(c.millis)) {
		n := c.millis[ms]
		i, _ := slices.BinarySearch(spreads[:], ms+1)
		t.Spread[i].Pages += n
		for _, p := range []struct {
			percent int
			into    *int64
		}{{50, &t.Median}, {90, &t.P90}, {99, &t.P99}, {100, &t.Longest}} {
			if nth := (total*p.percent + 99) / 100; before < nth && nth <= before+n {
				*p.into = ms
			}
		}
		before += n
	}
	return t
}
