package main

import (
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxAsked is how many hosts the frontier is asked for at a time. Of a crawl that has
// more to do with, single hosts mean little.
const maxAsked = 500

// maxKnown is how many hosts a roster has at most. One for which there is no room is
// heard of again with its next page.
const maxKnown = 10_000

// A roster knows the hosts that a crawl has something to do with: it is given what the
// crawl finds, and a host leaves it when none of its URLs is left. It is an output.Sink.
// Of a crawl that goes on it does not know the hosts from before until they are heard of.
type roster struct {
	mu    sync.Mutex // guards hosts
	hosts map[frontier.Host]bool
}

// newRoster begins with the hosts of the start URLs.
func newRoster(urls []string) *roster {
	r := &roster{hosts: map[frontier.Host]bool{}}
	for _, raw := range urls {
		r.add(strings.ToLower(raw))
	}
	return r
}

// format has a crawl tell r what it finds.
func (r *roster) format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return r, nil }}
}

// add takes up the host of a URL, if there is room.
func (r *roster) add(raw string) {
	if host, err := frontier.HostOf(raw); err == nil && len(r.hosts) < maxKnown {
		r.hosts[host] = true
	}
}

// Write implements output.Sink.
func (r *roster) Write(f *output.Found) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, robots := range f.Robots {
		r.add(robots.Origin)
	}
	for _, page := range f.Pages {
		r.add(page.URL)
	}
	return nil
}

// Commit implements output.Sink. There is nothing to go on from.
func (r *roster) Commit(bool) ([]byte, error) { return nil, nil }

// Close implements output.Sink.
func (r *roster) Close() error { return nil }

// turns says how the hosts of a crawl stand.
type turns struct {
	known   bool // else the rest is empty: there are too many, or nobody could say
	active  int  // hosts that are being asked
	waiting int  // hosts whose turn is to come
	later   int  // hosts that cannot be asked for now

	next  frontier.Host // of those not being asked, the host that is due first; empty: none
	due   time.Time     // when that is
	quiet time.Duration // how long the host with the most to do takes, at its delay
}

// look asks for each host how it stands. Later are the origins without a robots.txt for now;
// a host is a later one when it has no others.
func (r *roster) look(ask func(frontier.Host) (frontier.HostRecord, error), later []string, now time.Time) turns {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hosts) > maxAsked {
		r.prune(ask)
		return turns{}
	}
	held := map[frontier.Host]int{} // origins
	for _, origin := range later {
		if h, err := frontier.HostOf(origin); err == nil {
			held[h]++
		}
	}
	t := turns{known: true, later: len(held)}
	for h := range r.hosts {
		rec, err := ask(h)
		if err != nil {
			return turns{}
		}
		left := leftOf(rec)
		if left == 0 {
			delete(r.hosts, h) // it comes back with its next page
			continue
		}
		due := rec.Due
		if rec.BlockedUntil.After(due) {
			due = rec.BlockedUntil
		}
		if rec.Leased == 0 && (t.next == "" || due.Before(t.due) || due.Equal(t.due) && h < t.next) {
			t.next, t.due = h, due
		}
		if n := held[h]; n > 0 {
			if len(rec.Robots) <= n {
				continue
			}
			t.later--
		}
		t.quiet = max(t.quiet, max(due.Sub(now), 0)+time.Duration(left-1)*rec.Delay/time.Duration(max(rec.MaxInFlight, 1)))
		if rec.Leased > 0 {
			t.active++
			continue
		}
		t.waiting++
	}
	return t
}

// prune asks for some of too many hosts, others each time, and lets those go that are
// done with.
func (r *roster) prune(ask func(frontier.Host) (frontier.HostRecord, error)) {
	asked := 0
	for h := range r.hosts { // in an order that is another each time
		if asked++; asked > maxAsked {
			return
		}
		if rec, err := ask(h); err == nil && leftOf(rec) == 0 {
			delete(r.hosts, h)
		}
	}
}

// leftOf is how many URLs of a host are left.
func leftOf(rec frontier.HostRecord) int { return rec.Pending + rec.Scheduled + rec.Leased }
