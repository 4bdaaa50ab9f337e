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
	{name: "after many kills", needs: killable, process: true, heavy: true, run: func(s *subject) {
		kills := s.store.Kills
		if kills == 0 {
			kills = 20
		}
		s.close()
		l := &ledger{added: make(map[string]bool)}
		for n := range kills {
			l.killOne(s, fmt.Sprint(n))
			s.open()
			l.verify(s)
			s.close()
		}
		s.open()
		l.drain(s)
		s.Logf("%d kills, %d URLs added, %d calls of Finish", kills, len(l.added), len(l.finishes))
	}},
}

// A ledger records the calls that a store has completed.
type ledger struct {
	added    map[string]bool
	finishes []finishCall
}

// A finishCall is a call of Finish. The calls did not overlap.
type finishCall struct {
	note        string
	urls, links []string
	returned    bool
}

// killOne runs a load in a child, kills it at a random moment, and records its output.
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
		words := strings.Fields(rest)
		last := len(l.finishes) - 1
		switch i := slices.Index(words, "links"); {
		case verb == "add" && len(words) > 0:
			l.add(words)
		case verb == "finish" && i > 0:
			l.finishes = append(l.finishes, finishCall{note: words[0], urls: words[1:i], links: words[i+1:]})
		case verb == "finished" && len(words) == 1 && last >= 0 && l.finishes[last].note == words[0]:
			l.finishes[last].returned = true
		default:
			s.Errorf("the child prints %q", line)
		}
	}
	killing.Wait()
	c.kill()
	if first == "" {
		s.Fatalf("the child printed nothing")
	}
}

func (l *ledger) add(urls []string) {
	for _, u := range urls {
		l.added[u] = true
	}
}

// verify compares the store with the recorded calls. Its note says which calls of Finish it
// stored, so exactly their URLs must be done.
func (l *ledger) verify(s *subject) {
	s.Helper()
	note, err := s.f.Note(s.Context())
	if err != nil {
		s.Fatalf("Note: %v", err)
	}
	known := slices.IndexFunc(l.finishes, func(f finishCall) bool { return f.note == string(note) }) + 1
	for _, f := range l.finishes[known:] {
		if f.returned {
			s.Fatalf("the note is %q, and Finish with %q had returned", note, f.note)
		}
	}
	l.finishes = l.finishes[:known]
	for _, f := range l.finishes {
		l.add(f.links)
	}
	st := s.stats()
	if st.InFlight != 0 || st.URLs != st.Pending+st.Scheduled+st.Done+st.Dropped {
		s.Errorf("counts do not add up after a kill: %+v", st.Counts)
	}
	if want := len(l.done()); st.Done != want {
		s.Errorf("%d URLs are done, and %d by the note %q", st.Done, want, note)
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

// done returns the URLs that are done.
func (l *ledger) done() map[string]bool {
	urls := make(map[string]bool)
	for _, f := range l.finishes {
		for _, u := range f.urls {
			urls[u] = true
		}
	}
	return urls
}

// drain leases and finishes the remaining URLs, and checks that each unfinished URL is leased once.
func (l *ledger) drain(s *subject) {
	s.Helper()
	done, leased := l.done(), make(map[string]bool)
	for {
		got := s.leases(frontier.LeaseRequest{Max: 100})
		if len(got) == 0 {
			break
		}
		for _, lease := range got {
			if done[lease.URL] || leased[lease.URL] {
				s.Errorf("%s was leased again after it was done", lease.URL)
			}
			leased[lease.URL] = true
			s.done(lease)
		}
	}
	for u := range l.added {
		if !done[u] && !leased[u] {
			s.Errorf("%s was added, was never done, and cannot be leased", u)
		}
	}
	if st := s.stats(); !st.Finished() || st.Done != st.URLs {
		s.Errorf("after all URLs were leased: %+v", st.Counts)
	}
}
