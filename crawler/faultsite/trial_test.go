package faultsite_test

import (
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// A trial is something that befalls the crawl itself.
type trial struct {
	name   string
	at     float64                  // when, as a part of the time
	befall func(s *soak, m *member) // brings it about; it returns when the crawl goes on
}

// kill ends a process that crawls at any moment, and starts another.
func (s *soak) kill(m *member) {
	if err := m.crawl.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("%v: %v", err, m.crawl.fate())
	}
	s.breaks = append(s.breaks, time.Now())
	<-m.crawl.done
	if text := m.crawl.said.String(); strings.Contains(text, "panic") {
		s.t.Fatal(lastLines(text))
	}
	s.live(m)
}

// patience is how long a crawl may take to notice what has befallen it.
const patience = time.Minute

// fillDisk leaves the crawl no room on its disk, until it has ended, by itself and in good
// order, and has it go on when there is room again.
func (s *soak) fillDisk(m *member) {
	if s.disk == nil {
		s.t.Log("there is no small disk to be had (as root on Linux there is): it is not filled")
		return
	}
	s.disk.fill(s.t)
	select {
	case <-m.crawl.done:
	case <-time.After(patience):
		s.t.Fatalf("the crawl goes on without a disk: %+v", m.crawl.vitals())
	}
	s.breaks = append(s.breaks, time.Now())
	if err := m.crawl.fate(); err == nil || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), "goroutine ") {
		s.t.Fatalf("with the disk full the crawl ended: %v", err)
	}
	s.disk.empty(s.t)
	s.live(m)
}

// loseRedis ends the server that the crawl is shared by, as kill -9 does, for a while. The
// processes wait for it.
func (s *soak) loseRedis(*member) {
	s.redis.Kill()
	s.breaks = append(s.breaks, time.Now())
	time.Sleep(max(time.Second, s.time/100))
	s.redis.Restart(s.t)
}

// unheard tells whether a violation is that of an answer which was on its way when the
// crawl was broken off: its Retry-After was not read then, and when it ended nobody but
// the site knows.
func (s *soak) unheard(v demosite.Violation) bool {
	return slices.ContainsFunc(s.breaks, func(at time.Time) bool {
		switch v.Kind {
		case demosite.BeforeRetryAfter:
			return at.Sub(v.Earlier.End).Abs() < time.Second/2
		case demosite.TooSoon:
			return v.Earlier.Start.Before(at) && v.Earlier.End.After(at.Add(-time.Second/10)) && v.Earlier.End.Before(at.Add(time.Second/2))
		}
		return false
	})
}
