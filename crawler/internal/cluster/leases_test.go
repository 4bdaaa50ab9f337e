package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// extending is a frontier that extends leases, unless it is away or has given them away.
type extending struct {
	frontier.Frontier

	away  bool
	gone  []frontier.LeaseID
	calls int
}

func (e *extending) Extend(context.Context, []frontier.LeaseID, time.Duration) error {
	e.calls++
	switch {
	case e.away:
		return errors.New("away")
	case e.gone != nil:
		return &frontier.LostError{Leases: e.gone}
	}
	return nil
}

// A process makes no request under a lease that has ended, and aborts one in flight.
func TestLeasesThatEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := &leases{extension: LeaseExtension}, &extending{}
		log := slog.New(slog.DiscardHandler)
		lease := frontier.Lease{Item: frontier.Item{Host: "a.example"}, ID: "1", Expires: time.Now().Add(LeaseExtension)}
		s.Hold(&lease)
		u := &url.URL{Scheme: "http", Host: "a.example", Path: "/x"}
		lost := make(chan time.Time, 1)
		must(t, s.WithinLease(t.Context(), u, func(error) { lost <- time.Now() }))
		for range 8 { // two minutes
			time.Sleep(s.interval())
			must(t, s.extend(t.Context(), f, log))
		}
		last := time.Now()
		f.away = true
		if err := s.extend(t.Context(), f, log); err == nil {
			t.Error("no error of a frontier that is away")
		}
		if at := <-lost; at.Sub(last) != LeaseExtension-s.margin() {
			t.Errorf("broken off %v after it was extended last", at.Sub(last))
		}
		if err := s.WithinLease(t.Context(), u, func(error) {}); !errors.Is(err, frontier.ErrLeaseLost) {
			t.Errorf("a request under a lease that has ended: %v", err)
		}
		if err := s.WithinLease(t.Context(), &url.URL{Scheme: "http", Host: "b.example"}, func(error) {}); err != nil {
			t.Errorf("a request to a host without a lease: %v", err)
		}
		if !s.Lost(lease.ID) {
			t.Error("the lease has not ended")
		}

		lease.ID, lease.Expires = "2", time.Now().Add(LeaseExtension)
		s.Hold(&lease)
		f.away, f.gone = false, []frontier.LeaseID{"2"}
		if err := s.extend(t.Context(), f, log); err != nil {
			t.Error(err)
		}
		if err := s.WithinLease(t.Context(), u, func(error) {}); !errors.Is(err, frontier.ErrLeaseLost) || !s.Lost("2") {
			t.Errorf("a lease that another has: %v", err)
		}
	})
}

// A host gets no more requests when the first of a process's leases of it ends: then others may get
// the host.
func TestFirstLeaseThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &leases{extension: LeaseExtension}
		const first, n = 10 * time.Second, 20
		now := time.Now()
		for i := range n {
			s.Hold(&frontier.Lease{
				Item: frontier.Item{Host: "a.example"}, ID: frontier.LeaseID(fmt.Sprint(i)),
				Expires: now.Add(first + time.Duration(i)*time.Second),
			})
		}
		for range n {
			if left, known := s.remaining("a.example"); !known || left != first-s.margin() {
				t.Errorf("%v is left, known %v", left, known)
			}
		}
	})
}
