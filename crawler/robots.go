package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
)

// turn is a lease being worked on, as the robots.txt requests made on the way
// see it: they find it in their context.
type turn struct {
	host frontier.Host

	mu    sync.Mutex // guards all below
	asked bool       // a robots.txt request was sent to host
	began time.Time  // when the last of them did
	ended time.Time  // and when it ended
	busy  bool       // it failed, as the server has too much to do
	until time.Time  // before which that wants no request, by Retry-After
}

type turnKey struct{}

// withTurn returns a context under which robots.txt fetches belong to the
// returned turn.
func withTurn(ctx context.Context, host frontier.Host) (context.Context, *turn) {
	t := &turn{host: host}
	return context.WithValue(ctx, turnKey{}, t), t
}

// spent tells whether the turn was used for robots.txt: its host has had its
// request, and the page must wait for the next turn. Took is how long the last
// request was.
func (t *turn) spent() (took time.Duration, spent bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.ended.Sub(t.began), 0), t.asked
}

// serverBusy notes that the response to a robots.txt request says that the server of the host has
// too much to do: not only this file is out of reach.
func (t *turn) serverBusy(until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy, t.until = true, until
}

// waitForServer has the whole host of a turn wait, where its server asks for that by its
// response to a robots.txt request that failed. It comes when the reason is written down,
// without which no host waits. Err is what the robots.txt came to.
func (c *Crawler) waitForServer(t *turn, err error) error {
	t.mu.Lock()
	busy, until := t.busy, t.until
	t.mu.Unlock()
	if !busy || c.failed() { // then nothing is written down any more
		return nil
	}
	if blocked, ok := errors.AsType[*robotsext.BlockedError](err); ok && blocked.RetryAt.After(until) {
		until = blocked.RetryAt
	}
	return c.frontier.UpdateHost(c.books, t.host, frontier.HostUpdate{BlockUntil: until})
}

// holdTime bounds the wait for the turn of another host when a robots.txt
// redirects there. Two hosts whose files redirect to each other at the same
// moment would otherwise wait for ever; so one of them is asked again later.
func (c *Crawler) holdTime() time.Duration { return 20*time.Second + 2*c.delays.Longest() }

// wait takes the turn for one request of a robots.txt fetch, since it counts as
// a request of the host it goes to (ROB-FET-19, ROB-POL-01). The first goes to
// the host whose lease the worker holds. A redirect may lead back there, as from
// http to https, which takes the delay between the two, or to another host, whose
// clock the frontier keeps.
func (c *Crawler) wait(ctx context.Context, u *url.URL) (done func(), err error) {
	host, err := frontier.HostOf(u.String())
	if err != nil {
		return nil, err
	}
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		return c.rest(ctx, host)
	}
	if t.host == host {
		return c.waitAgain(ctx, t)
	}
	ctx, cancel := context.WithTimeout(ctx, c.holdTime())
	defer cancel()
	release, err := c.frontier.Hold(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("crawler: waiting for the turn of %s: %w", host, err)
	}
	return func() { release(politeness.Requested) }, nil
}

// rest is for the robots.txt that the gate fetches by itself, because its record
// expired between the worker's check and the page's request. The page's lease is
// the turn of both, so the delay that belongs between them passes right after, when
// it is known what the new robots.txt asks for.
func (c *Crawler) rest(ctx context.Context, host frontier.Host) (done func(), err error) {
	if err := c.rested(ctx, host); err != nil { // a redirect led back
		return nil, err
	}
	return func() { c.resting.Store(host, struct{}{}) }, nil
}

// rested lets the pause of a host pass that was asked by rest. A Retry-After may be longer
// than the lease: then the page for which robots.txt was requested has timed out.
func (c *Crawler) rested(ctx context.Context, host frontier.Host) error {
	if _, ok := c.resting.LoadAndDelete(host); !ok {
		return nil
	}
	pause, err := c.pauseOf(ctx, host, time.Now())
	if err != nil {
		return err
	}
	return sleep(ctx, min(pause, c.leaseTime))
}

// pauseOf returns how long a host still waits for its next request after one that ended at a
// time, where no lease keeps the two apart: its delay, and its Retry-After.
func (c *Crawler) pauseOf(ctx context.Context, host frontier.Host, ended time.Time) (time.Duration, error) {
	rec, err := c.frontier.Host(ctx, host)
	if err != nil {
		return 0, err
	}
	return max(time.Until(ended.Add(rec.Delay)), time.Until(rec.BlockedUntil), 0), nil
}

// obeyRetryAfter has the host that a request went to wait, where the response asks for that
// (ROB-POL-04). The time counts from the end of the response, where ended is to be called.
func (c *Crawler) obeyRetryAfter(req *http.Request, resp *http.Response) (ended func()) {
	wait := robotsext.RetryAfter(resp.Header, time.Now())
	host, err := frontier.HostOf(req.URL.String())
	if err != nil {
		return func() {} // no lease leads there either
	}
	t, ok := req.Context().Value(turnKey{}).(*turn)
	failed := ok && t.host == host && isUnreachable(resp.StatusCode)
	if failed && (wait > 0 || isBusy(resp.StatusCode)) {
		t.serverBusy(time.Now().Add(wait))
	}
	if wait == 0 {
		return func() {}
	}
	c.log.Info("host sent Retry-After", "host", host, "status", resp.StatusCode, "next", time.Now().Add(wait))
	if failed {
		return func() {} // see waitForServer
	}
	hold := func() {
		c.learning.RLock()
		defer c.learning.RUnlock()
		if c.closed || c.failed() {
			return // a robots.txt that nobody waits for any more
		}
		if err := c.frontier.UpdateHost(c.books, host, frontier.HostUpdate{BlockUntil: time.Now().Add(wait)}); err != nil {
			c.fail(err)
		}
	}
	hold()
	return hold
}

// isBusy tells whether a status is about the server, and not about the URL.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// isUnreachable tells whether a robots.txt with this status cannot be reached (ROB-STA-01).
func isUnreachable(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500
}

// letPass lets the pause of the host of a URL pass, for a request that goes out again.
func (c *Crawler) letPass(ctx context.Context, u *url.URL) {
	pause, err := c.pauseOf(ctx, weburl.ServerOf(u.String()), time.Now())
	if err != nil {
		pause = c.cfg.Delay
	}
	_ = sleep(ctx, pause) // or until the request is over in any case
}

// waitAgain lets a request go out within the turn, not before the pause after the one that
// went before it. A longer one than another host would be waited for is an error.
func (c *Crawler) waitAgain(ctx context.Context, t *turn) (done func(), err error) {
	t.mu.Lock()
	again, ended := t.asked, t.ended
	t.asked = true
	t.mu.Unlock()
	if again {
		pause, err := c.pauseOf(ctx, t.host, ended)
		if err != nil {
			return nil, err
		}
		if pause > c.holdTime() {
			return nil, fmt.Errorf("crawler: the turn of %s comes in %v", t.host, pause.Round(time.Second))
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	t.began, t.busy, t.until = time.Now(), false, time.Time{}
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = time.Now()
	}, nil
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
