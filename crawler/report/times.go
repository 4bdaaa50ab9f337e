package report

import (
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Times are how long answers took, in milliseconds, and when they came.
type Times struct {
	Median  int64    `json:"median_ms"`
	P90     int64    `json:"p90_ms"` // 90 of 100 answers took no longer
	P99     int64    `json:"p99_ms"`
	Longest int64    `json:"longest_ms"`
	Spread  []Spread `json:"spread"`
	Course  []Moment `json:"course"`
}

// A Spread is how many answers took less than a time, and no less than the one
// before it. The last has no limit.
type Spread struct {
	Below int64 `json:"below_ms,omitempty"`
	Pages int   `json:"pages"`
}

// spreads are the limits that answers are sorted by.
var spreads = [...]int64{50, 100, 200, 500, 1000, 2000, 5000, 10000}

// A Moment is what was fetched in one of the equal parts that a crawl is divided
// into.
type Moment struct {
	At     time.Time `json:"at"` // its beginning
	Pages  int       `json:"pages"`
	Broken int       `json:"broken"`
}

// maxMoments is how many parts there are.
const maxMoments = 48

// clock knows when pages came, and how long they took.
type clock struct {
	span
	millis map[int64]int // pages by how long they took
	course []Moment
}

// span is the time from the first thing that happened to the last.
type span struct{ began, ended time.Time }

func newClock() clock { return clock{millis: make(map[int64]int)} }

func (c *clock) page(p *output.Page) {
	c.millis[p.Millis]++
	c.fetched(p)
}

// fetched notes that a page was fetched.
func (s *span) fetched(p *output.Page) {
	s.at(p.FetchedAt)
	s.at(p.FetchedAt.Add(time.Duration(p.Millis) * time.Millisecond))
}

// at notes that something happened.
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

// place puts a page into its part of the crawl, once it is known how long that was.
func (c *clock) place(p *output.Page) {
	if p.FetchedAt.IsZero() {
		return
	}
	part := max(c.ended.Sub(c.began)/maxMoments, 1)
	if c.course == nil {
		c.course = make([]Moment, maxMoments)
		for i := range c.course {
			c.course[i].At = c.began.Add(time.Duration(i) * part)
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
	if t.Course == nil {
		t.Course = []Moment{}
	}
	for i, limit := range spreads {
		t.Spread[i].Below = limit
	}
	total, sofar := 0, 0
	for _, n := range c.millis {
		total += n
	}
	for _, ms := range slices.Sorted(maps.Keys(c.millis)) {
		i, equal := slices.BinarySearch(spreads[:], ms)
		if equal {
			i++
		}
		t.Spread[i].Pages += c.millis[ms]
		before := sofar
		sofar += c.millis[ms]
		for _, p := range []struct {
			percent int
			into    *int64
		}{{50, &t.Median}, {90, &t.P90}, {99, &t.P99}, {100, &t.Longest}} {
			if nth := (total*p.percent + 99) / 100; before < nth && nth <= sofar {
				*p.into = ms
			}
		}
	}
	return t
}
