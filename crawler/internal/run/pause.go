package run

import (
	"context"
	"sync"
)

// pauses is the gate that workers pass before they lease a URL.
type pauses struct {
	mu     sync.Mutex    // guards all below
	over   chan struct{} // closed when the pause is over; nil if there is none
	cancel func()        // ends the waits for a URL; nil after a pause has
	wait   context.Context
}

// Pause pauses the crawl, see crawler.Crawler.Pause.
func (c *Crawl) Pause() {
	if c.pauses.begin() {
		c.parts.Log.Info("crawl paused") // without the lock: a log may be slow, or ask whether there is a pause
	}
}

// Unpause ends a pause.
func (c *Crawl) Unpause() {
	if c.pauses.end() {
		c.parts.Log.Info("crawl resumed")
		c.wakeIdle.send()
	}
}

// Paused reports whether there is a pause.
func (c *Crawl) Paused() bool {
	c.pauses.mu.Lock()
	defer c.pauses.mu.Unlock()
	return c.pauses.over != nil
}

// begin begins a pause, unless there is one.
func (p *pauses) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != nil {
		return false
	}
	p.over = make(chan struct{})
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	return true
}

// end ends the pause, if there is one.
func (p *pauses) end() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over == nil {
		return false
	}
	close(p.over)
	p.over = nil
	return true
}

// ready waits until there is no pause. It returns a context for waiting for a URL, which
// ends with leases and with the next pause.
func (p *pauses) ready(leases context.Context) (context.Context, error) {
	for {
		p.mu.Lock()
		if p.over == nil && p.cancel == nil {
			p.wait, p.cancel = context.WithCancel(leases)
		}
		wait, over := p.wait, p.over
		p.mu.Unlock()
		if over == nil {
			return wait, leases.Err()
		}
		select {
		case <-over:
		case <-leases.Done():
			return nil, leases.Err()
		}
	}
}
