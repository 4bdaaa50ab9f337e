//go:build unix

package storetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func (t *toy) free(h *toyHost) bool { return len(t.flights(h)) < h.MaxInFlight || t.is(ignoresSlots) }

func (t *toy) flights(h *toyHost) (open []*toyLease) {
	for _, l := range t.leases {
		if l.host == h && !(l.row == nil && t.is(holdTakesNoSlot)) {
			open = append(open, l)
		}
	}
	return open
}

func (t *toy) due(h *toyHost) time.Time {
	due := h.Clock
	if t.is(onlyOneClock) {
		for _, other := range t.hosts {
			due = latest(due, other.Clock)
		}
	}
	if t.is(trustsTheClock) && due.Sub(t.now()) > time.Minute {
		due = time.Time{} // it cannot be right
	}
	if !t.is(ignoresBlocks) {
		due = latest(due, h.BlockedUntil)
	}
	if h.MaxInFlight > 1 && !t.is(onlyEndToStart) {
		for _, l := range t.flights(h) {
			due = latest(due, l.start.Add(h.Delay))
		}
	}
	if t.is(retryBlocksHost) {
		for _, r := range t.rows {
			if r.Host == h.Host && r.State == waiting && r.Came {
				due = latest(due, r.NotBefore)
			}
		}
	}
	return due
}

func (t *toy) requested(h *toyHost, l *toyLease, end time.Time, delay time.Duration) {
	switch {
	case t.is(onlyHostDelay):
	case t.is(sumsDelays):
		delay += h.Delay
	default:
		delay = max(delay, h.Delay)
	}
	if h.MaxInFlight > 1 && !t.is(onlyEndToStart) || t.is(onlyStartToStart) {
		end = l.start
	}
	h.Clock = latest(h.Clock, end.Add(delay))
}

// best returns the next row of h, or nil.
func (t *toy) best(h *toyHost, now time.Time) *row {
	var ready []*row
	for _, r := range h.rows {
		if r.State == waiting && (!r.NotBefore.After(now) || t.is(ignoresNotBefore)) {
			ready = append(ready, r)
		}
	}
	if len(ready) == 0 {
		return nil
	}
	return slices.MinFunc(ready, func(p, q *row) int {
		if p.Priority != q.Priority && !t.is(ignoresPriority) {
			return cmp.Compare(p.Priority, q.Priority)
		}
		if p.Came != q.Came {
			return map[bool]int{true: -1, false: 1}[p.Came != t.is(backGoesLast)]
		}
		return cmp.Compare(p.Seq, q.Seq)
	})
}

// next returns the next host and its next row, or nil.
func (t *toy) next(now time.Time, skip func(*toyHost) bool) (host *toyHost, first *row) {
	var key time.Time
	for _, name := range slices.Sorted(maps.Keys(t.hosts)) {
		h := t.hosts[name]
		early := t.due(h).After(now)
		if skip(h) || !t.free(h) || early && !t.is(retryIgnoresClock) || len(h.holds) > 0 && !t.is(holdGoesLast) {
			continue
		}
		r := t.best(h, now)
		if r == nil || early && r.NotBefore.IsZero() {
			continue
		}
		k := latest(latest(t.due(h), h.Served), latest(r.Since, r.NotBefore))
		if t.is(newHostsFirst) && h.Served.IsZero() {
			k = time.Time{}
		}
		if c := k.Compare(key); host == nil || !t.is(bigHostFirst) && (c < 0 || c == 0 && h.Turn < host.Turn) {
			host, first, key = h, r, k
		}
	}
	return host, first
}

func (t *toy) take(req frontier.LeaseRequest, now time.Time) (got []frontier.Lease) {
	perHost := make(map[*toyHost]int)
	for len(got) < max(req.Max, 1) {
		h, r := t.next(now, func(h *toyHost) bool {
			return req.PerHost > 0 && perHost[h] >= req.PerHost && !t.is(ignoresPerHost)
		})
		if h == nil {
			break
		}
		perHost[h]++
		r.State = leased
		r.Attempts++
		if r.Attempts == 1 || !t.is(attemptsInMemory) {
			t.dirty = append(t.dirty, r)
		}
		h.Served, h.Turn = now, t.number()
		length := req.Duration
		if length <= 0 {
			length = time.Hour
		}
		l := t.open(h, r, length, now)
		it := r.Item
		it.NotBefore = time.Time{}
		if !t.is(keepsCallersBytes) {
			it.Meta = bytes.Clone(it.Meta)
		}
		got = append(got, frontier.Lease{Item: it, ID: l.id, Attempt: r.Attempts, Expires: l.expires, Validators: r.Validators.Clone()})
	}
	return got
}

func (t *toy) open(h *toyHost, r *row, length time.Duration, now time.Time) *toyLease {
	l := &toyLease{host: h, row: r, start: now, expires: now.Add(length)}
	l.id = frontier.LeaseID(fmt.Sprintf("%x-%d", rand.Uint64(), t.number()))
	if t.is(leaseIsURL) && r != nil {
		l.id = frontier.LeaseID(r.URL)
	}
	t.leases[l.id] = l
	return l
}

func (t *toy) end(l *toyLease, end time.Time, requested bool, delay time.Duration) {
	delete(t.leases, l.id)
	if requested || t.is(zeroIsARequest) {
		t.requested(l.host, l, end, delay)
	}
	t.dirty = append(t.dirty, l.host)
}

// back makes r pending or scheduled again.
func (t *toy) back(r *row, notBefore, now time.Time) {
	r.State, r.NotBefore, r.Since, r.Came = waiting, notBefore, now, true
	if t.is(losesPriority) {
		r.Priority = 9
	}
	t.dirty = append(t.dirty, r)
}

func (t *toy) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) ([]error, error) {
	if len(note) > frontier.MaxNote && !t.is(takesAnything) {
		return nil, frontier.ErrInvalid
	}
	now, err := t.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer t.leave()
	errs := make([]error, len(outcomes))
	for i, o := range outcomes {
		if err := t.valid(o.Links); err != nil || o.Result == 0 || o.Result > frontier.Drop {
			errs[i] = fmt.Errorf("%w: %v", frontier.ErrInvalid, o.Result)
			if t.is(invalidIsFatal) {
				return nil, errs[i]
			}
			if !t.is(takesAnyOutcome) {
				continue
			}
		}
		l := t.leases[o.Lease]
		if l == nil || l.row == nil {
			errs[i] = frontier.ErrLeaseLost
		}
		if !t.is(linksAfterEnd) && !(t.is(dropsLostLinks) && l == nil) && !(t.is(dropsRetryLinks) && o.Result == frontier.Retry) {
			if t.is(linksAreNew) {
				for _, it := range o.Links {
					delete(t.rows, t.key(it.Key()))
				}
			}
			t.add(o.Links, now)
		}
		if errs[i] == nil && l != nil {
			t.finish(l, o, now)
		}
		if t.is(linksAfterEnd) {
			t.mu.Unlock()
			for range 100 {
				runtime.Gosched()
			}
			t.mu.Lock()
			t.add(o.Links, now)
		}
		if t.is(lostIsFatal) && errs[i] != nil {
			return nil, errs[i]
		}
	}
	t.noted(note, errs)
	return errs, nil
}

func (t *toy) finish(l *toyLease, o frontier.Outcome, now time.Time) {
	r := l.row
	t.end(l, now, o.HostDelay > 0, min(o.HostDelay, 24*time.Hour))
	switch {
	case o.Validators != nil && t.is(keepsCallersBytes):
		r.Validators = o.Validators
	case o.Validators != nil:
		r.Validators = o.Validators.Clone()
	case t.is(nilClearsValidators):
		r.Validators = nil
	}
	t.dirty = append(t.dirty, r)
	switch {
	case o.Result == frontier.Drop:
		r.State = dropped
		return
	case o.Result == frontier.Done && (o.NotBefore.IsZero() || t.is(neverAgain)):
		r.State = done
		return
	case o.Result == frontier.Done:
		r.Attempts = 0
	case o.Result == frontier.Defer && !t.is(deferIsAnAttempt), t.is(retryIsNoAttempt):
		r.Attempts--
	}
	t.back(r, o.NotBefore, now)
}

func (t *toy) Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) error {
	now, err := t.enter(ctx)
	if err != nil {
		return err
	}
	defer t.leave()
	var lost []frontier.LeaseID
	for _, id := range ids {
		if l := t.leases[id]; l != nil && l.row != nil {
			l.expires = latest(l.expires, now.Add(d))
			if t.is(extendShortens) {
				l.expires = now.Add(d)
			}
		} else if lost = append(lost, id); t.is(extendStops) {
			break
		}
	}
	if lost != nil {
		return &frontier.LostError{Leases: lost}
	}
	return nil
}
