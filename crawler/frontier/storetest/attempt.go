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

// attempts is how often a check in real time is tried, each time with twice the
// unit of the last: a machine that is busy with other things may leave it no time.
const attempts = 4

// insist runs c in real time and returns what it finds wrong. It is tried again
// when it has failed while the machine, or the store, stood still for a good part
// of a unit; whatever else it finds wrong is wrong.
func (s Store) insist(t testing.TB, c check, p *pulse) []string {
	for n, unit := 1, s.unit(c); ; n, unit = n+1, 2*unit {
		began, r := time.Now(), &recorder{TB: t}
		sub := &subject{TB: r, store: s, unit: unit}
		r.run(func() { sub.try(c) })
		stall := max(p.worst(began), sub.opening)
		if !r.Failed() || n == attempts || stall < sub.unit/4 {
			return r.failures
		}
		t.Logf("the machine stood still for %v, and a unit of %v was too short: %s", stall, sub.unit, r.failures[0])
	}
}

// A pulse tells how busy the machine is: by how much longer than it should a short
// rest takes, with a call of a store behind it.
type pulse struct {
	stop chan struct{}
	done sync.WaitGroup

	mu    sync.Mutex // guards what follows
	began time.Time  // of the rest that is not over
	late  []lateness
}

type lateness struct {
	end time.Time
	by  time.Duration
}

const rest = 5 * time.Millisecond

// newPulse starts a pulse. F is nil when there is no store to be looked at.
func newPulse(f frontier.Frontier) *pulse {
	p := &pulse{stop: make(chan struct{}), began: time.Now()}
	p.done.Go(func() {
		for {
			select {
			case <-p.stop:
				return
			case <-time.After(rest):
			}
			if f != nil {
				_, _ = f.Note(context.Background())
			}
			p.beat()
		}
	})
	return p
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if by := now.Sub(p.began) - rest; by > 4*rest {
		p.late = append(p.late, lateness{now, by})
	}
	p.began = now
}

// worst returns the longest that anything stood still since a time.
func (p *pulse) worst(since time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	worst := time.Since(p.began) - rest
	for _, l := range p.late {
		if l.end.After(since) {
			worst = max(worst, l.by)
		}
	}
	return worst
}

func (p *pulse) end() {
	close(p.stop)
	p.done.Wait()
}

// A recorder is a test that takes note of its failures and passes.
type recorder struct {
	testing.TB
	mu       sync.Mutex // guards failures
	failures []string
}

// run runs f, which may end by Fatalf, to its end.
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

// Errorf is that of testing.TB.
func (r *recorder) Errorf(format string, args ...any) { r.fail(fmt.Sprintf(format, args...)) }

// Error is that of testing.TB.
func (r *recorder) Error(args ...any) { r.fail(fmt.Sprint(args...)) }

// Fatalf is that of testing.TB.
func (r *recorder) Fatalf(format string, args ...any) {
	r.fail(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// Fatal is that of testing.TB.
func (r *recorder) Fatal(args ...any) {
	r.fail(fmt.Sprint(args...))
	runtime.Goexit()
}

// Failed is that of testing.TB.
func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// where tells from where in a check a failure is told, the outermost place first.
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
