package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var crashChecks = []check{
	{name: "after many kills", why: needChild, process: true, run: func(s *subject) {
		kills := s.store.Kills
		if kills == 0 {
			kills = 20
		}
		s.close()
		l := newLedger()
		for n := range kills {
			l.killOne(s, fmt.Sprint(n))
			s.open()
			l.verify(s)
			s.close()
		}
		s.open()
		l.drain(s)
		s.Logf("%d kills, %d URLs that were surely added, %d surely done", kills, len(l.added), len(l.done))
	}},
}

// A ledger is what a store has answered for.
type ledger struct {
	added, done map[string]bool
	tried       map[string]bool // those that Finish was called for
}

func newLedger() *ledger {
	return &ledger{added: make(map[string]bool), done: make(map[string]bool), tried: make(map[string]bool)}
}

// killOne runs a load in a child, kills it at a random moment, and writes down
// the calls that had returned by then.
func (l *ledger) killOne(s *subject, name string) {
	s.Helper()
	c := s.start("load", name)
	first := c.line()
	var killing sync.WaitGroup
	killing.Go(func() {
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		_ = c.cmd.Process.Kill()
	})
	for line := first; line != ""; line = c.line() {
		verb, rest, _ := strings.Cut(line, " ")
		urls := strings.Fields(rest)
		switch {
		case verb == "add" && len(urls) > 0:
			l.add(urls)
		case verb == "finish" && len(urls) > 0:
			l.tried[urls[0]] = true
		case verb == "done" && len(urls) > 0:
			if l.done[urls[0]] {
				s.Errorf("%s was done twice", urls[0])
			}
			l.done[urls[0]] = true
			l.add(urls[1:])
		default:
			s.Errorf("the child says %q", line)
		}
	}
	killing.Wait()
	c.kill()
	if first == "" {
		s.Fatalf("the child did nothing")
	}
}

func (l *ledger) add(urls []string) {
	for _, u := range urls {
		l.added[u] = true
	}
}

// verify looks for what was added and is not there, and at the counts.
func (l *ledger) verify(s *subject) {
	s.Helper()
	st := s.stats()
	if st.Leased != 0 || st.Added != st.Pending+st.Scheduled+st.Done+st.Dropped {
		s.Errorf("counts do not add up after a kill: %+v", st.Counts)
	}
	if st.Done < len(l.done) {
		s.Errorf("%d URLs are done, %d were", st.Done, len(l.done))
	}
	lost := 0
	for _, added := range s.addAny(items(slices.Collect(maps.Keys(l.added))...)...) {
		if added {
			lost++
		}
	}
	if lost > 0 {
		s.Fatalf("%d of %d URLs that were added are lost", lost, len(l.added))
	}
}

// drain leases what is left: all that is not done, and each once.
func (l *ledger) drain(s *subject) {
	s.Helper()
	leased := make(map[string]bool)
	for {
		got := s.leases(frontier.LeaseRequest{Max: 100})
		if len(got) == 0 {
			break
		}
		for _, lease := range got {
			if l.done[lease.URL] || leased[lease.URL] {
				s.Errorf("%s was leased again after it was done", lease.URL)
			}
			leased[lease.URL] = true
			s.done(lease)
		}
	}
	for u := range l.added {
		if !l.tried[u] && !leased[u] {
			s.Errorf("%s was added, was never to be finished, and cannot be leased", u)
		}
	}
	if st := s.stats(); !st.Finished() || st.Done != st.Added {
		s.Errorf("after all was leased: %+v", st.Counts)
	}
}
