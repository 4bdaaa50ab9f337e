package crawler

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
)

// turn is a lease being worked on, as the robots.txt requests made on the way
// see it: they find it in their context.
type turn struct {
	host frontier.Host

	mu    sync.Mutex // guards both below
	asked bool       // a robots.txt request was sent to host
	began time.Time  // when the last of them did
	ended time.Time  // and when it ended
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

// holdTime bounds the wait for the turn of another host when a robots.txt
// redirects there. Two hosts whose files redirect to each other at the same
// moment would otherwise wait for ever; so one of them is asked again later.
func (c *Crawler) holdTime() time.Duration { return 20*time.Second + 2*c.pace.slowest.get() }

// wait takes the turn for one request of a robots.txt fetch, since it counts as
// a request of the host it goes to (ROB-FET-19, ROB-POL-01). The first goes to
// the host whose lease the worker holds. A redirect may lead back there, which
// takes the delay between the two, or to another host, whose clock the frontier
// keeps.
func (c *Crawler) wait(ctx context.Context, u *url.URL) (done func(), err error) {
	origin, err := robotsext.OriginOf(u)
	if err != nil {
		return nil, err
	}
	host := frontier.Host(origin)
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
	return func() { release(requested) }, nil
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

// rested lets the delay of a host pass that was asked by rest.
func (c *Crawler) rested(ctx context.Context, host frontier.Host) error {
	if _, ok := c.resting.LoadAndDelete(host); !ok {
		return nil
	}
	rec, err := c.frontier.Host(ctx, host)
	if err != nil {
		return err
	}
	return sleep(ctx, rec.Delay)
}

// letPass lets the delay of the host of a URL pass, for a request that goes out again.
func (c *Crawler) letPass(ctx context.Context, u *url.URL) {
	origin, err := robotsext.OriginOf(u)
	if err != nil {
		return // nor was it sent
	}
	rec, err := c.frontier.Host(ctx, frontier.Host(origin))
	if err != nil {
		rec.Delay = c.cfg.Delay
	}
	_ = sleep(ctx, rec.Delay) // or until the request is over in any case
}

// waitAgain lets a request go out within the turn, not before the delay after
// the one that went before it.
func (c *Crawler) waitAgain(ctx context.Context, t *turn) (done func(), err error) {
	t.mu.Lock()
	again, ended := t.asked, t.ended
	t.asked = true
	t.mu.Unlock()
	if again {
		rec, err := c.frontier.Host(ctx, t.host)
		if err != nil {
			return nil, err
		}
		if err := sleep(ctx, time.Until(ended.Add(rec.Delay))); err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	t.began = time.Now()
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
