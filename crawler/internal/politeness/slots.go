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
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Slots keeps the delay between all requests of a lease (ROB-FET-19, ROB-POL-01): the page,
// robots.txt, tdmrep.json, their redirects, and requests that are sent again. Each needs a request
// slot of its server. Everything about robots.txt applies to tdmrep.json too. Slots is safe for
// concurrent use.
type Slots struct {
	frontier frontier.Frontier
	delays   *Delays
	life     *lifecycle.Lifecycle
	lease    time.Duration // duration of a lease, and so the longest pause within it
	resting  sync.Map      // servers whose robots.txt was requested in the slot of a page
}

// NewSlots returns the slots of a crawl with leases of a duration.
func NewSlots(f frontier.Frontier, d *Delays, life *lifecycle.Lifecycle, lease time.Duration) *Slots {
	return &Slots{frontier: f, delays: d, life: life, lease: lease}
}

// Slot is the request slot of a lease. A request for robots.txt finds it in its context, and
// uses it up.
type Slot struct {
	host frontier.Host

	mu    sync.Mutex // guards all below
	used  bool       // a request for robots.txt was sent to host
	began time.Time  // start of the last such request
	ended time.Time  // end of the last such request
	busy  bool       // it failed because the server is overloaded
	until time.Time  // end of its Retry-After
}

type slotKey struct{}

// WithSlot returns a context under which requests for robots.txt use the returned slot of a
// server.
func WithSlot(ctx context.Context, host frontier.Host) (context.Context, *Slot) {
	s := &Slot{host: host}
	return context.WithValue(ctx, slotKey{}, s), s
}

// WithUsedSlot is like WithSlot, after the request of the slot has ended. The delay of the server
// precedes a request for robots.txt.
func WithUsedSlot(ctx context.Context, host frontier.Host) (context.Context, *Slot) {
	ctx, s := WithSlot(ctx, host)
	s.used, s.ended = true, time.Now()
	s.began = s.ended
	return ctx, s
}

// Used reports whether a request for robots.txt has used the slot, and how long the last one
// took. The page then has to wait for the next slot.
func (s *Slot) Used() (took time.Duration, used bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.ended.Sub(s.began), 0), s.used
}

// Busy reports whether the last request for robots.txt found the server overloaded, and until
// when the server must not be requested. Err is the error of the robots.txt.
func (s *Slot) Busy(err error) (until time.Time, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until = s.until
	if blocked, ok := errors.AsType[*robotsext.BlockedError](err); ok && blocked.RetryAt.After(until) {
		until = blocked.RetryAt
	}
	return until, s.busy
}

// maxHold limits the wait for the slot of another server to which a robots.txt redirects. If
// the files of two servers redirect to each other, both would otherwise wait forever.
func (s *Slots) maxHold() time.Duration { return 20*time.Second + 2*s.delays.Longest() }

// Wait waits for the slot of a request for robots.txt, and returns a function to call at the
// end of the request. The first request goes to the server of the worker's lease. A redirect
// may lead to the same server, as from http to https, or to another one.
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

// shareLease handles a robots.txt that expired between the worker's check and the request for
// the page. Both requests use the lease of the page, so the delay follows between them; see
// Rest.
func (s *Slots) shareLease(ctx context.Context, host frontier.Host) (done func(), err error) {
	if err := s.Rest(ctx, host); err != nil { // after a redirect to the same server
		return nil, err
	}
	return func() { s.resting.Store(host, struct{}{}) }, nil
}

// Rest waits for the delay of a server whose robots.txt was requested in the slot of a page. It
// fails if a Retry-After is longer than the lease.
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

// pause returns the rest of the delay and of the Retry-After of a server after a request that
// ended at a time.
func (s *Slots) pause(ctx context.Context, host frontier.Host, ended time.Time) (time.Duration, error) {
	rec, err := s.frontier.Host(ctx, host)
	if err != nil {
		return 0, err
	}
	return max(time.Until(ended.Add(rec.Delay)), time.Until(rec.BlockedUntil), 0), nil
}

// use waits until a request may be sent in a slot: for the pause after the previous request. It
// fails if the pause is longer than maxHold.
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

// RetryAfter blocks the server of a response for its Retry-After (ROB-POL-04), and returns it. The
// time counts from the end of the response: then the caller calls Block. The failure of a robots.txt
// in its own slot is stored in the slot instead (see Slot.Busy), and RetryAfter returns 0: the server
// waits only after the reason was written.
func (s *Slots) RetryAfter(req *http.Request, resp *http.Response) time.Duration {
	wait := robotsext.RetryAfter(resp.Header, time.Now())
	if wait == 0 && !isBusy(resp.StatusCode) {
		return 0
	}
	host, err := frontier.HostOf(req.URL.String())
	if err != nil {
		return 0 // no URL of it is leased either
	}
	slot, ok := req.Context().Value(slotKey{}).(*Slot)
	recorded := ok && slot.host == host && isUnreachable(resp.StatusCode)
	if recorded {
		slot.mu.Lock()
		slot.busy, slot.until = true, time.Now().Add(wait)
		slot.mu.Unlock()
	}
	if wait > 0 {
		s.delays.opts.Logger.Info("host sent Retry-After", "host", host, "status", resp.StatusCode, "next", time.Now().Add(wait))
	}
	if wait == 0 || recorded {
		return 0
	}
	s.Block(req.URL, wait)
	return wait
}

// Block blocks the server of a URL for a time from now, unless the crawl has ended.
func (s *Slots) Block(u *url.URL, wait time.Duration) {
	s.life.WhileOpen(func() error {
		return s.frontier.UpdateHost(s.life.CommitCtx, weburl.ServerOf(u.String()), frontier.HostUpdate{BlockUntil: time.Now().Add(wait)})
	})
}

// isBusy reports whether a status says that the server is overloaded.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// isUnreachable reports whether a robots.txt with this status is unreachable (ROB-STA-01).
func isUnreachable(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500
}

// PauseBefore waits for the delay of a server before a request is sent again. It fails if ctx ends
// before that, at once if that is known.
func (s *Slots) PauseBefore(ctx context.Context, u *url.URL) error {
	pause := s.delays.opts.Delay
	if host, err := frontier.HostOf(u.String()); err == nil {
		if known, err := s.pause(ctx, host, time.Now()); err == nil {
			pause = known
		}
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
		return context.DeadlineExceeded
	}
	return sleep(ctx, pause)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
