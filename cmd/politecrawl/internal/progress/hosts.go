package progress

import (
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxAsked is the number of hosts that are looked up at a time. In a crawl with more hosts,
// single hosts matter little.
const maxAsked = 500

// maxKnown is the maximum number of hosts in a list. A host beyond it can be added with its
// next page.
const maxKnown = 10_000

// A HostList lists the hosts of a crawl that have remaining URLs. It is an [output.Sink],
// and removes a host when none of its URLs remain. After a resume, it lists a host when the
// first result of the host arrives.
type HostList struct {
	mu    sync.Mutex // guards hosts
	hosts map[frontier.Host]bool
}

// NewHostList returns a list of the hosts of the start URLs.
func NewHostList(urls []string) *HostList {
	l := &HostList{hosts: map[frontier.Host]bool{}}
	for _, raw := range urls {
		l.add(strings.ToLower(raw))
	}
	return l
}

// Format returns the output format that writes to the list.
func (l *HostList) Format() output.Format {
	return output.Format{Open: func(string, []byte) (output.Sink, error) { return l, nil }}
}

// add adds the host of a URL, if the list is not full.
func (l *HostList) add(raw string) {
	if host, err := frontier.HostOf(raw); err == nil && len(l.hosts) < maxKnown {
		l.hosts[host] = true
	}
}

// Write implements output.Sink.
func (l *HostList) Write(f *output.Results) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, robots := range f.Robots {
		l.add(robots.Origin)
	}
	for _, page := range f.Pages {
		l.add(page.URL)
	}
	return nil
}

// Commit implements output.Sink. The checkpoint is empty.
func (l *HostList) Commit(bool) ([]byte, error) { return nil, nil }

// Close implements output.Sink.
func (l *HostList) Close() error { return nil }

// hostCounts counts the hosts of a crawl by state.
type hostCounts struct {
	known   bool // if false, all other fields are empty
	active  int  // hosts with a request in flight
	waiting int  // hosts that are due, or soon will be
	later   int  // hosts that are blocked for now

	next  frontier.Host // the host without a request in flight that is due first; empty if none
	due   time.Time     // when it is due
	quiet time.Duration // the longest time that a host needs for its URLs, at its delay
}

// look asks for the record of each host, and removes hosts without remaining URLs. If there are more
// than maxAsked, it asks for some of them, and returns no counts. Later are the origins with an
// unreachable robots.txt. A host counts as later if it has no other origins.
func (l *HostList) look(ask func(frontier.Host) (frontier.HostRecord, error), later []string, now time.Time) hostCounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := map[frontier.Host]int{} // origins
	for _, origin := range later {
		if h, err := frontier.HostOf(origin); err == nil {
			held[h]++
		}
	}
	t, asked := hostCounts{known: len(l.hosts) <= maxAsked, later: len(held)}, 0
	for h := range l.hosts { // in another order each time
		if asked++; asked > maxAsked {
			break
		}
		rec, err := ask(h)
		if err != nil {
			return hostCounts{}
		}
		left := rec.Pending + rec.Scheduled + rec.InFlight
		if left == 0 {
			delete(l.hosts, h) // it comes back with its next page
			continue
		}
		due := rec.Due
		if rec.BlockedUntil.After(due) {
			due = rec.BlockedUntil
		}
		if rec.InFlight == 0 && (t.next == "" || due.Before(t.due) || due.Equal(t.due) && h < t.next) {
			t.next, t.due = h, due
		}
		if n := held[h]; n > 0 {
			if len(rec.Robots) <= n {
				continue
			}
			t.later--
		}
		t.quiet = max(t.quiet, max(due.Sub(now), 0)+time.Duration(left-1)*rec.Delay/time.Duration(max(rec.MaxInFlight, 1)))
		if rec.InFlight > 0 {
			t.active++
			continue
		}
		t.waiting++
	}
	if !t.known {
		return hostCounts{}
	}
	return t
}
