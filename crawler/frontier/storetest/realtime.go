package storetest

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// attempts is the maximum number of attempts of a check in real time. Each has twice the unit of
// the last, in case the machine is busy.
const attempts = 4

// runReal runs c in real time and returns its failures. It repeats a check that failed while the
// machine or the store stalled for a quarter of a unit or more.
func (s Store) runReal(t testing.TB, c check, p *stallMonitor) []string {
	for n, unit := 1, s.unit(c); ; n, unit = n+1, 2*unit {
		began, r := time.Now(), &recorder{TB: t}
		sub := &subject{TB: r, store: s, unit: unit}
		r.run(func() { sub.try(c) })
		stall := max(p.worst(began), sub.opening)
		if !r.Failed() || n == attempts || stall < sub.unit/4 {
			return r.failures
		}
		t.Logf("the machine stalled for %v, and a unit of %v was too short: %s", stall, sub.unit, r.failures[0])
	}
}

// A stallMonitor measures stalls of the machine: by how much a short sleep and a call of a store
// take longer than expected.
type stallMonitor struct {
	stop chan struct{}
	done sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	began  time.Time  // start of the current interval
	stalls []stall
}

type stall struct {
	end time.Time
	by  time.Duration
}

const interval = 5 * time.Millisecond

// newStallMonitor starts a monitor. f may be nil.
func newStallMonitor(f frontier.Frontier) *stallMonitor {
	p := &stallMonitor{stop: make(chan struct{}), began: time.Now()}
	p.done.Go(func() {
		for {
			select {
			case <-p.stop:
				return
			case <-time.After(interval):
			}
			if f != nil {
				_, _ = f.Note(context.Background())
			}
			p.beat()
		}
	})
	return p
}

func (p *stallMonitor) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if by := now.Sub(p.began) - interval; by > 4*interval {
		p.stalls = append(p.stalls, stall{now, by})
	}
	p.began = now
}

// worst returns the longest stall since a time.
func (p *stallMonitor) worst(since time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	worst := time.Since(p.began) - interval
	for _, l := range p.stalls {
		if l.end.After(since) {
			worst = max(worst, l.by)
		}
	}
	return worst
}

func (p *stallMonitor) end() {
	close(p.stop)
	p.done.Wait()
}

// A recorder is a testing.TB that records its failures.
type recorder struct {
	testing.TB
	mu       sync.Mutex // guards failures
	failures []string
}

// run runs f, which may call Fatalf, and waits for its end.
func (r *recorder) run(f func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Wait()
}

func (r *recorder) fail(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, where()+": "+text)
}

// Errorf implements testing.TB.
func (r *recorder) Errorf(format string, args ...any) { r.fail(fmt.Sprintf(format, args...)) }

// Error implements testing.TB.
func (r *recorder) Error(args ...any) { r.fail(fmt.Sprint(args...)) }

// Fatalf implements testing.TB.
func (r *recorder) Fatalf(format string, args ...any) {
	r.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// Fatal implements testing.TB.
func (r *recorder) Fatal(args ...any) {
	r.fail(fmt.Sprint(args...))
	runtime.Goexit()
}

// Failed implements testing.TB.
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// where returns the stack of a failure inside a check, outermost call first.
func where() string {
	var callers [20]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(4, callers[:])])
	var places []string
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, ".try") || !strings.Contains(f.Function, "storetest.") {
			break
		}
		places = append(places, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
		if !more {
			break
		}
	}
	slices.Reverse(places)
	return strings.Join(places, " > ")
}
