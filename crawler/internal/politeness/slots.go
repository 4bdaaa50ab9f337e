package politeness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Slots gives each request that is made within a lease a request slot of its server, so that
// the delay lies between any two of them (ROB-FET-19, ROB-POL-01): requests for robots.txt,
// their redirects, and requests that are sent again. It is safe for concurrent use.
type Slots struct {
	frontier frontier.Frontier
	delays   *Delays
	lease    time.Duration // of each lease: the longest pause within one
	resting  sync.Map      // servers whose robots.txt was requested in the slot of a page
}

// NewSlots returns the slots of a crawl whose leases last for a time.
func NewSlots(f frontier.Frontier, d *Delays, lease time.Duration) *Slots {
	return &Slots{frontier: f, delays: d, lease: lease}
}

// Slot is the request slot of a lease. Requests for robots.txt find it in their context, and
// use it up.
type Slot struct {
	host frontier.Host

	mu    sync.Mutex // guards all below
	used  bool       // a request for robots.txt was sent to host
	began time.Time  // when the last of them did
	ended time.Time  // and when it ended
	busy  bool       // it failed, as the server has too much to do
	until time.Time  // before which that wants no request, by Retry-After
}

type slotKey struct{}

// WithSlot returns a context under which requests for robots.txt use the returned slot of a
// server.
func WithSlot(ctx context.Context, host frontier.Host) (context.Context, *Slot) {
	s := &Slot{host: host}
	return context.WithValue(ctx, slotKey{}, s), s
}

// Host returns the server of the slot.
func (s *Slot) Host() frontier.Host { return s.host }

// Used reports whether the slot was used for robots.txt, so that the page has to wait for the
// next one, and how long the last request took.
func (s *Slot) Used() (took time.Duration, used bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.ended.Sub(s.began), 0), s.used
}

// Busy reports whether the last response for robots.txt said that the server is overloaded,
// and until when it must not be requested. Err is the error of the robots.txt.
func (s *Slot) Busy(err error) (until time.Time, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until = s.until
	if blocked, ok := errors.AsType[*robotsext.BlockedError](err); ok && blocked.RetryAt.After(until) {
		until = blocked.RetryAt
	}
	return until, s.busy
}

// maxHold bounds the wait for the slot of another server when a robots.txt redirects there. Two
// servers whose files redirect to each other at the same moment would otherwise wait for ever;
// so one of them is requested again later.
func (s *Slots) maxHold() time.Duration { return 20*time.Second + 2*s.delays.Longest() }

// Wait waits for the slot of one request for a robots.txt, and returns what to call at its
// end. The first goes to the server whose lease the worker holds. A redirect may lead back
// there, as from http to https, or to another server, whose clock the frontier keeps.
func (s *Slots) Wait(ctx context.Context, u *url.URL) (done func(), err error) {
	host, err := frontier.HostOf(u.String())
	if err != nil {
		return nil, err
	}
	slot, ok := ctx.Value(slotKey{}).(*Slot)
	if !ok {
		return s.shareLease(ctx, host)
	}
	if slot.host == host {
		return s.use(ctx, slot)
	}
	ctx, cancel := context.WithTimeout(ctx, s.maxHold())
	defer cancel()
	release, err := s.frontier.Hold(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("waiting for a request slot of %s: %w", host, err)
	}
	return func() { release(Requested) }, nil
}

// shareLease is for a robots.txt that the gate fetches itself, because its record expired
// between the worker's check and the request for the page. Both use the lease of the page,
// so the delay passes afterwards; see Rest.
func (s *Slots) shareLease(ctx context.Context, host frontier.Host) (done func(), err error) {
	if err := s.Rest(ctx, host); err != nil { // a redirect led back
		return nil, err
	}
	return func() { s.resting.Store(host, struct{}{}) }, nil
}

// Rest waits for the delay of a server whose robots.txt was requested in the slot of a
// page. A Retry-After may be longer than the lease; then the page has timed out.
func (s *Slots) Rest(ctx context.Context, host frontier.Host) error {
	if _, ok := s.resting.LoadAndDelete(host); !ok {
		return nil
	}
	pause, err := s.pause(ctx, host, time.Now())
	if err != nil {
		return err
	}
	return sleep(ctx, min(pause, s.lease))
}

// pause returns how long a server still waits for its next request after one that ended at a
// time, where no lease keeps the two apart: its delay, and its Retry-After.
func (s *Slots) pause(ctx context.Context, host frontier.Host, ended time.Time) (time.Duration, error) {
	rec, err := s.frontier.Host(ctx, host)
	if err != nil {
		return 0, err
	}
	return max(time.Until(ended.Add(rec.Delay)), time.Until(rec.BlockedUntil), 0), nil
}

// use lets a request go out within a slot, not before the pause after the one that went before
// it. A pause longer than another server would be waited for is an error.
func (s *Slots) use(ctx context.Context, slot *Slot) (done func(), err error) {
	slot.mu.Lock()
	again, ended := slot.used, slot.ended
	slot.used = true
	slot.mu.Unlock()
	if again {
		pause, err := s.pause(ctx, slot.host, ended)
		if err != nil {
			return nil, err
		}
		if pause > s.maxHold() {
			return nil, fmt.Errorf("the next request slot of %s is in %v", slot.host, pause.Round(time.Second))
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
	slot.mu.Lock()
	slot.began, slot.busy, slot.until = time.Now(), false, time.Time{}
	slot.mu.Unlock()
	return func() {
		slot.mu.Lock()
		defer slot.mu.Unlock()
		slot.ended = time.Now()
	}, nil
}

// RetryAfter returns for how long the server that a request went to asks for no other, by its
// response (ROB-POL-04); zero: it does not. That a robots.txt in its own slot failed is
// remembered there instead (see Slot.Busy), and recorded is true: the server waits only when
// the reason is written down.
func (s *Slots) RetryAfter(req *http.Request, resp *http.Response) (wait time.Duration, host frontier.Host, recorded bool) {
	wait = robotsext.RetryAfter(resp.Header, time.Now())
	host, err := frontier.HostOf(req.URL.String())
	if err != nil {
		return 0, "", false // no lease leads there either
	}
	slot, ok := req.Context().Value(slotKey{}).(*Slot)
	recorded = ok && slot.host == host && isUnreachable(resp.StatusCode)
	if recorded && (wait > 0 || isBusy(resp.StatusCode)) {
		slot.mu.Lock()
		defer slot.mu.Unlock()
		slot.busy, slot.until = true, time.Now().Add(wait)
	}
	return wait, host, recorded
}

// isBusy reports whether a status is about the server rather than the URL.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// isUnreachable reports whether a robots.txt with this status is unreachable (ROB-STA-01).
func isUnreachable(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500
}

// PauseBefore waits for the delay of a server before a request is sent again, or until ctx
// ends.
func (s *Slots) PauseBefore(ctx context.Context, u *url.URL) {
	pause := s.delays.opts.Delay
	if host, err := frontier.HostOf(u.String()); err == nil {
		if known, err := s.pause(ctx, host, time.Now()); err == nil {
			pause = known
		}
	}
	_ = sleep(ctx, pause)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
