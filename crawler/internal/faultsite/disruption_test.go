package faultsite_test

import (
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A disruption is an event that disrupts the crawl itself.
type disruption struct {
	name    string
	at      float64                  // when, as a part of the time
	disrupt func(s *soak, m *member) // causes it; returns when the crawl is resumed
}

// kill ends a process that crawls at any moment, and starts another.
func (s *soak) kill(m *member) {
	from := time.Now().Add(-onItsWay)
	if err := m.crawl.cmd.Process.Kill(); err != nil {
		s.t.Fatalf("%v: %v", err, m.crawl.ended())
	}
	<-m.crawl.done
	s.deaf = append(s.deaf, span{from, time.Now()})
	if text := m.crawl.said.String(); strings.Contains(text, "panic") {
		s.t.Fatal(lastLines(text))
	}
	s.live(m)
}

// patience is how long a crawl may take to notice a disruption.
const patience = time.Minute

// fillDisk fills the disk of the crawl until the crawl has ended, by itself and in order. When
// there is space again, the crawl resumes.
func (s *soak) fillDisk(m *member) {
	if s.disk == nil {
		s.t.Log("there is no small disk to be had (as root on Linux there is): it is not filled")
		return
	}
	from := time.Now().Add(-onItsWay)
	for over := time.After(patience); ; {
		s.disk.fill(s.t) // again, since the store frees space when it drops old data
		select {
		case <-m.crawl.done:
		case <-time.After(pulse):
			continue
		case <-over:
			s.t.Fatalf("the crawl continues without a disk: %+v", m.crawl.vitals())
		}
		break
	}
	s.deaf = append(s.deaf, span{from, time.Now()})
	if err := m.crawl.ended(); err == nil || !strings.Contains(err.Error(), "no space left on device") || strings.Contains(err.Error(), "goroutine ") {
		s.t.Fatalf("with the disk full the crawl ended: %v", err)
	}
	s.disk.empty(s.t)
	s.live(m)
}

// loseRedis ends the server that the crawl is shared by, as kill -9 does, for a while. The
// processes wait for it.
func (s *soak) loseRedis(*member) {
	s.redis.Kill()
	time.Sleep(max(time.Second, s.time/100))
	s.redis.Restart(s.t)
}

// A span is a time in which a process lost the responses that it received.
type span struct{ from, to time.Time }

// onItsWay is how long a crawl on a busy machine may take from the end of a response until it has
// written the result.
const onItsWay = time.Second / 2

// unheard reports whether a violation is about a Retry-After that was in flight when the crawl was
// killed: the resumed crawl cannot know it. It knows everything else.
func (s *soak) unheard(v testserver.Finding) bool {
	return v.Kind == testserver.BeforeRetryAfter && slices.ContainsFunc(s.deaf, func(d span) bool {
		return !v.Earlier.End.Before(d.from) && !v.Earlier.End.After(d.to)
	})
}
