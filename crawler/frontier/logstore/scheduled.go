package logstore

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
)

// A timed URL is scheduled.
type timed struct {
	Ready int64 // in Unix milliseconds
	At    int64 // offset of its record
}

// Before is for package heap.
func (t timed) Before(u timed) bool { return t.Ready < u.Ready }

// Placed is for package heap.
func (timed) Placed(int) {}

// millis returns an instant in Unix milliseconds, as counted from the wall clock at Open.
func (s *Store) millis(i instant) int64 {
	ms := int64(i / time.Millisecond)
	if i%time.Millisecond > 0 {
		ms++
	}
	return s.base + ms
}

// instant is the inverse of millis.
func (s *Store) instant(ms int64) instant {
	d := ms - s.base
	if d > int64(schedule.Never/time.Millisecond) {
		return schedule.Later(0, schedule.Never)
	}
	return time.Duration(d) * time.Millisecond
}

// nextDue returns the time of the next scheduled URL.
func (s *Store) nextDue() instant {
	if t, ok := s.timed.Top(); ok {
		return s.instant(t.Ready)
	}
	return schedule.Never
}

// wake makes scheduled URLs pending that are due.
func (s *Store) wake(now instant) {
	s.retire(now)
	for s.nextDue() <= now {
		t := s.timed.Remove(0)
		u, _, err := s.file.readURL(t.At)
		if err == nil {
			var h *host
			if h, err = s.known(u.host); err == nil {
				s.count(h, frontier.Counts{Scheduled: -1, Pending: 1})
				h.push(&u, t.At)
				s.sched.Place(&h.Host, now)
				continue
			}
		}
		if s.broken.CompareAndSwap(nil, &err) {
			go s.sched.Close(err) // it needs the lock, which this call holds
		}
		return
	}
}
