package crawler

import (
	"context"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// hostLimit bounds the hosts that a crawl takes up, where it takes up hosts that nobody
// has named (scope domain and any): a name server that knows every name is a trap like
// any other, and each of its hosts costs a request for a robots.txt. It asks the
// frontier, which knows them all, and remembers some. It is safe for concurrent use.
//
// Of several processes at one crawl each counts what it brings itself from the last
// time it asked, so that together they may go beyond the limit by some hundreds.
type hostLimit struct {
	most int // 0: there is no limit
	full func()

	mu    sync.Mutex // guards all below
	known map[frontier.Host]bool
	hosts int  // of the crawl, as far as this process knows
	asked bool // the frontier for their number
	since int  // new hosts since then
	told  bool
}

const (
	// maxKnownHosts is how many hosts are remembered, in some 5 MB.
	maxKnownHosts = 50_000

	// recountHosts is after how many new hosts the frontier is asked how many there are.
	recountHosts = 256
)

// admits tells whether URLs of a host are taken up. A host that is new counts from
// then on.
func (l *hostLimit) admits(ctx context.Context, f frontier.Frontier, host frontier.Host) (bool, error) {
	if l.most == 0 || l.knows(host) {
		return true, nil
	}
	rec, err := f.Host(ctx, host) // without the lock: a frontier may be far away
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rec.Added == 0 && !l.known[host] {
		if ok, err := l.another(ctx, f); !ok || err != nil {
			return false, err
		}
	}
	if l.known == nil || len(l.known) >= maxKnownHosts {
		l.known = make(map[frontier.Host]bool)
	}
	l.known[host] = true
	return true, nil
}

func (l *hostLimit) knows(host frontier.Host) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[host]
}

// another counts a host, unless that is one too many.
func (l *hostLimit) another(ctx context.Context, f frontier.Frontier) (bool, error) {
	if l.since++; !l.asked || l.since > recountHosts {
		stats, err := f.Stats(ctx)
		if err != nil {
			return false, err
		}
		// Those that this process has brought may be on their way to the frontier.
		l.hosts, l.since, l.asked = max(l.hosts, stats.Hosts), 0, true
	}
	if l.hosts >= l.most {
		if !l.told {
			l.told = true
			l.full()
		}
		return false, nil
	}
	l.hosts++
	return true, nil
}
