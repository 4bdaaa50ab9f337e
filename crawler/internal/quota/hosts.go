package quota

import (
	"context"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Hosts limits the hosts of a crawl in scope domain or any: a DNS server that resolves
// every name is a trap. It asks the frontier, and caches some hosts. It is safe for
// concurrent use. Processes that share a crawl may exceed the limit together by some
// hundreds.
type Hosts struct {
	limit  int // 0: there is no limit
	onFull func()

	mu       sync.Mutex // guards all below
	known    map[frontier.Host]bool
	refused  map[frontier.Host]time.Time // until when the frontier is not asked again about those that were refused
	hosts    int                         // of the crawl, as far as this process knows
	counted  bool                        // the frontier for their number
	since    int                         // new hosts since then
	reported bool
}

// NewHosts returns the limit of so many hosts, which calls full once when there are more;
// 0: there is no limit.
func NewHosts(most int, full func()) *Hosts { return &Hosts{limit: most, onFull: full} }

const (
	// maxKnownHosts is how many hosts are remembered, in some 5 MB.
	maxKnownHosts = 50_000

	// refusedFor is how long it is remembered that a host was refused: another process
	// at the same crawl may bring it.
	refusedFor = time.Minute

	// recountHosts is after how many new hosts the frontier is asked how many there are.
	recountHosts = 256
)

// Admit reports whether the crawl fetches URLs of a host. A new host counts from then on.
func (l *Hosts) Admit(ctx context.Context, f frontier.Frontier, host frontier.Host) (bool, error) {
	if l.limit == 0 {
		return true, nil
	}
	if admitted, known := l.recall(host); known {
		return admitted, nil
	}
	rec, err := f.Host(ctx, host) // without the lock: a frontier may be far away
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rec.Added == 0 && !l.known[host] {
		ok, err := l.addHost(ctx, f)
		if err == nil && !ok {
			if l.refused == nil || len(l.refused) >= maxKnownHosts {
				l.refused = make(map[frontier.Host]time.Time)
			}
			l.refused[host] = time.Now().Add(refusedFor)
		}
		if !ok || err != nil {
			return false, err
		}
	}
	l.remember(host)
	return true, nil
}

// remember says that the crawl has a host. The lock is held.
func (l *Hosts) remember(host frontier.Host) {
	if l.known == nil || len(l.known) >= maxKnownHosts {
		l.known = make(map[frontier.Host]bool)
	}
	l.known[host] = true
}

// Join adds a host that belongs to the crawl without Admit.
func (l *Hosts) Join(host frontier.Host) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(host)
}

// recall reports whether a host is known to be admitted or refused.
func (l *Hosts) recall(host frontier.Host) (admitted, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[host] {
		return true, true
	}
	return false, time.Now().Before(l.refused[host])
}

// addHost counts a host, unless it exceeds the limit.
func (l *Hosts) addHost(ctx context.Context, f frontier.Frontier) (bool, error) {
	if l.since++; !l.counted || l.since > recountHosts {
		stats, err := f.Stats(ctx)
		if err != nil {
			return false, err
		}
		// Those that this process has brought may be on their way to the frontier.
		l.hosts, l.since, l.counted = max(l.hosts, stats.Hosts), 0, true
	}
	if l.hosts >= l.limit {
		if !l.reported {
			l.reported = true
			l.onFull()
		}
		return false, nil
	}
	l.hosts++
	return true, nil
}
