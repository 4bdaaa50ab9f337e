//go:build unix

package storetest

import (
	"context"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func (t *toy) Lease(ctx context.Context, req frontier.LeaseRequest) ([]frontier.Lease, error) {
	if t.is(waitsAlways) && req.Wait == 0 {
		req.Wait = 2 * time.Second
	}
	var end time.Time
	if req.Wait > 0 {
		end = t.now().Add(req.Wait)
	}
	for {
		now, err := t.enter(ctx)
		if err != nil {
			return nil, err
		}
		got := t.take(req, now)
		next, changed := t.nextChange(now), t.changed
		if len(got) > 0 {
			t.leave()
			return got, nil
		}
		t.mu.Unlock()
		if req.Wait == 0 || !end.IsZero() && !now.Before(end) || t.is(neverWaits) {
			return nil, nil
		}
		if !end.IsZero() && (next.IsZero() || end.Before(next)) {
			next = end
		}
		if t.is(polls) {
			time.Sleep(2 * time.Second)
			continue
		}
		if t.is(sleepsThroughChanges) {
			changed, next = nil, now.Add(20*time.Second)
		}
		if !sleepUntil(ctx, changed, next.Sub(now), next.IsZero()) {
			return nil, ctx.Err()
		}
	}
}

// sleepUntil waits for a change or, unless forever is true, for d. It reports false if ctx ends
// first.
func sleepUntil(ctx context.Context, changed <-chan struct{}, d time.Duration, forever bool) bool {
	var timeout <-chan time.Time
	if !forever {
		timer := time.NewTimer(d)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-changed:
	case <-timeout:
	case <-ctx.Done():
		return false
	}
	return true
}

// nextChange returns the next time at which a lease may become possible.
func (t *toy) nextChange(now time.Time) (next time.Time) {
	sooner := func(at time.Time) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, h := range t.hosts {
		sooner(t.due(h))
	}
	for _, r := range t.rows {
		if r.State == waiting {
			sooner(r.NotBefore)
		}
	}
	for _, l := range t.leases {
		sooner(l.expires)
	}
	return next
}

func (t *toy) Hold(ctx context.Context, name frontier.Host) (func(time.Duration), error) {
	if name == "" && !t.is(takesNoHost) {
		return nil, frontier.ErrInvalid
	}
	if _, err := t.enter(ctx); err != nil {
		return nil, err
	}
	h, me := t.host(name), t.number()
	h.holds = append(h.holds, me)
	t.leave()
	for {
		now, err := t.enter(ctx)
		if err != nil {
			return nil, t.giveUp(h, me, err)
		}
		if h.holds[0] == me && t.free(h) && !t.due(h).After(now) && !(t.is(holdGoesLast) && t.best(h, now) != nil) {
			h.holds = h.holds[1:]
			l := t.open(h, nil, time.Hour, now)
			t.leave()
			return func(delay time.Duration) { t.release(l, delay) }, nil
		}
		next, changed := t.nextChange(now), t.changed
		t.mu.Unlock()
		if !sleepUntil(ctx, changed, next.Sub(now), next.IsZero()) {
			return nil, t.giveUp(h, me, ctx.Err())
		}
	}
}

// giveUp removes the hold of that number from the waiting ones.
func (t *toy) giveUp(h *toyHost, number int, err error) error {
	t.mu.Lock()
	h.holds = slices.DeleteFunc(h.holds, func(n int) bool { return n == number })
	t.leave()
	return err
}

func (t *toy) release(l *toyLease, delay time.Duration) {
	now, err := t.enter(context.Background())
	if err != nil {
		return
	}
	defer t.leave()
	if t.leases[l.id] == l || t.is(releasesTwice) {
		t.end(l, now, delay > 0 && !t.is(holdLeavesClock), delay)
	}
}

func (t *toy) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	close(t.changed)
	t.changed = make(chan struct{})
	return t.closeJournal()
}
