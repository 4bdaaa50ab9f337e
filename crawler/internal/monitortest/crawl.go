// Package monitortest has a fake crawl for tests of the live page.
package monitortest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A State is the state that a crawl reports.
type State struct {
	Status crawler.Status
	Err    error // of Status
	Hosts  map[frontier.Host]frontier.HostRecord
	Calls  []string
}

// A Crawl is a monitor.Crawl without a crawl. The zero value has no hosts.
type Crawl struct {
	Hang chan struct{} // Status does not return before it is closed; nil means at once

	mu    sync.Mutex
	state State // guarded by mu
}

// AtWork is the status of a crawl that has something to do.
func AtWork() crawler.Status {
	return crawler.Status{
		Summary:  crawler.Summary{Remaining: 10, NextDue: time.Now()},
		Frontier: frontier.Stats{Counts: frontier.Counts{URLs: 12, Pending: 9, InFlight: 1, Done: 2}},
	}
}

// New returns a crawl with a status.
func New(status crawler.Status) *Crawl { return &Crawl{state: State{Status: status}} }

// Change changes the reported state.
func (c *Crawl) Change(change func(*State)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Hosts == nil {
		c.state.Hosts = make(map[frontier.Host]frontier.HostRecord)
	}
	change(&c.state)
}

// Called returns the names of the commands that were called.
func (c *Crawl) Called() (names string) {
	c.Change(func(s *State) { names = strings.Join(s.Calls, " ") })
	return names
}

// Status implements monitor.Crawl.
func (c *Crawl) Status() (*crawler.Status, error) {
	if c.Hang != nil {
		<-c.Hang
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status := c.state.Status
	return &status, c.state.Err
}

// Host implements monitor.Crawl.
func (c *Crawl) Host(_ context.Context, host frontier.Host) (frontier.HostRecord, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	rec, ok := c.state.Hosts[host]
	if !ok {
		return rec, errors.New("not known")
	}
	return rec, nil
}

func (c *Crawl) call(name string, paused bool) {
	c.Change(func(s *State) { s.Calls, s.Status.Paused = append(s.Calls, name), paused })
}

// Pause implements monitor.Crawl.
func (c *Crawl) Pause() { c.call("pause", true) }

// Resume implements monitor.Crawl.
func (c *Crawl) Resume() { c.call("resume", false) }

// Stop implements monitor.Crawl.
func (c *Crawl) Stop() { c.call("stop", false) }
