package faultsite_test

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// trend is the use of resources of a process over time. The zero trend has no data.
type trend struct {
	mu    sync.Mutex // guards all below
	times []time.Duration
	of    []vitals
	over  bool // what comes later does not count
}

func (r *trend) add(at time.Duration, v *vitals) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.times, r.of = append(r.times, at), append(r.of, *v)
	}
}

// end ends it.
func (r *trend) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// perURL is the memory that a crawl may use for each URL that it knows, in bytes.
const perURL = 100

// judge compares the last quarter of the time with the second: the first is for warming up. Memory
// for each new URL is no growth.
func (r *trend) judge(t *testing.T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.of)
	if n < 20 {
		t.Errorf("only %d looks at the process since it was last interrupted", n)
		return
	}
	early, late := r.of[n/4:n/2], r.of[n*3/4:]
	urls := int64(2 * (late[len(late)-1].Pages - early[0].Pages)) // those that wait, too
	for _, of := range []struct {
		name  string
		value func(vitals) int64
		more  int64 // that it may grow, besides a quarter
	}{
		{"live heap", func(v vitals) int64 { return v.Heap }, 8<<20 + perURL*urls},
		{"RSS", func(v vitals) int64 { return v.RSS }, 64<<20 + 2*perURL*urls},
		{"goroutines", func(v vitals) int64 { return int64(v.Goroutines) }, 100},
		{"descriptors", func(v vitals) int64 { return int64(v.Descriptors) }, 100},
	} {
		before, after := median(early, of.value), median(late, of.value)
		t.Logf("%s: %d in the second quarter of the last %v, %d in the fourth, for %d URLs more", of.name, before,
			(r.times[n-1] - r.times[0]).Round(time.Second), after, urls)
		if after > before*5/4+of.more {
			t.Errorf("%s grows without bound: %d, then %d", of.name, before, after)
		}
	}
}

func median(of []vitals, value func(vitals) int64) int64 {
	values := make([]int64, len(of))
	for i, v := range of {
		values[i] = value(v)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
