package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// LeaseExtension is the duration by which leases are extended. After that time, other processes
// get the URLs of a process that died.
const LeaseExtension = time.Minute

// leases are the leases that a process holds, with their ends. They expire if the process cannot
// reach Redis. It is safe for concurrent use.
type leases struct {
	extension time.Duration // by which they are extended each time

	mu   sync.Mutex // guards held
	held map[frontier.LeaseID]*lease
}

type lease struct {
	host frontier.Host
	end  time.Time
}

// interval returns the time between two extensions.
func (s *leases) interval() time.Duration { return s.extension / 4 }

// margin returns the time before its end at which a lease counts as lost. A request in flight needs
// time to reach the server, and the clock of Redis may run faster.
func (s *leases) margin() time.Duration { return s.extension / 12 }

// Hold implements [Member].
func (s *leases) Hold(l *frontier.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = make(map[frontier.LeaseID]*lease)
	}
	s.held[l.ID] = &lease{l.Host, l.Expires}
}

// Release implements [Member].
func (s *leases) Release(id frontier.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, id)
}

// Lost implements [Member].
func (s *leases) Lost(id frontier.LeaseID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.held[id]
	return l == nil || time.Until(l.end) <= s.margin()
}

// remaining returns how long a host may be requested: until margin before the first of its leases
// ends. known is false if this process has no lease of the host.
func (s *leases) remaining(host frontier.Host) (remaining time.Duration, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.held {
		if d := time.Until(l.end) - s.margin(); l.host == host && (!known || d < remaining) {
			remaining, known = d, true
		}
	}
	return remaining, known
}

// extend extends the leases. Lost leases belong to another process, and Finish will reject their
// outcomes.
func (s *leases) extend(ctx context.Context, f frontier.Frontier, log *slog.Logger) error {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.held))
	s.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	end := time.Now().Add(s.extension)
	err := f.Extend(ctx, ids, s.extension)
	lost, isLost := errors.AsType[*frontier.LostError](err)
	if err != nil && !isLost {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, id := range ids {
		switch l := s.held[id]; {
		case l == nil: // finished meanwhile
		case isLost && slices.Contains(lost.Leases, id):
			l.end = time.Now()
			n++
		case end.After(l.end):
			l.end = end
		}
	}
	if n > 0 {
		log.Warn("leases expired", "count", n)
	}
	return nil
}

// errLost is the error of a request when its lease has ended. It wraps context.Canceled, so that it
// does not count as an error of the site.
var errLost = fmt.Errorf("%w: %w", frontier.ErrLeaseLost, context.Canceled)

// WithinLease implements [Member].
func (s *leases) WithinLease(ctx context.Context, u *url.URL, abort func(error)) error {
	host := weburl.ServerOf(u.String())
	remaining, known := s.remaining(host)
	switch {
	case !known:
		return nil
	case remaining <= 0:
		return errLost
	}
	var watch *time.Timer
	var mu sync.Mutex // guards watch, which is set after it may have run
	mu.Lock()
	defer mu.Unlock()
	watch = time.AfterFunc(remaining, func() {
		mu.Lock()
		defer mu.Unlock()
		if remaining, known := s.remaining(host); known && remaining > 0 { // it was extended
			watch.Reset(remaining)
			return
		}
		abort(errLost)
	})
	context.AfterFunc(ctx, func() { watch.Stop() })
	return nil
}
