package quota

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
)

// Hosts limits the number of hosts of a crawl with scope domain or any, since a DNS server that
// resolves every name is a trap. It queries the frontier, and caches some hosts. Processes that
// share a crawl may exceed the limit by some hundreds. Hosts is safe for concurrent use.
type Hosts struct {
	limit int // 0 means no limit
	life  *lifecycle.Lifecycle

	mu       sync.Mutex // guards all below
	known    map[frontier.Host]bool
	refused  map[frontier.Host]time.Time // refused hosts, and until when they stay in this cache
	hosts    int                         // hosts of the crawl that this process knows of
	counted  bool                        // hosts is the number that the frontier had
	since    int                         // new hosts since hosts was queried
	reported bool
}

// NewHosts returns a limit on the number of hosts. Zero means no limit. It warns once when there are more.
func NewHosts(most int, life *lifecycle.Lifecycle) *Hosts { return &Hosts{limit: most, life: life} }

const (
	// maxKnownHosts is the maximum number of cached hosts, which need about 5 MB.
	maxKnownHosts = 50_000

	// refusedFor is how long a refused host is cached. Another process of the crawl may admit
	// it.
	refusedFor = time.Minute

	// recountHosts is the number of new hosts after which the frontier is queried again.
	recountHosts = 256
)

// Admit reports whether the crawl fetches URLs of a host. It counts a new host.
func (l *Hosts) Admit(ctx context.Context, f frontier.Frontier, host frontier.Host) (bool, error) {
	if l.limit == 0 {
		return true, nil
	}
	if admitted, known := l.recall(host); known {
		return admitted, nil
	}
	rec, err := f.Host(ctx, host) // without the lock: the frontier may be remote
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if rec.URLs == 0 && !l.known[host] {
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

// remember adds a host of the crawl to the cache. The lock is held.
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

// recall reports whether the cache has a host as admitted or refused.
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
		// The frontier may not have the latest hosts of this process yet.
		l.hosts, l.since, l.counted = max(l.hosts, stats.Hosts), 0, true
	}
	if l.hosts >= l.limit {
		if !l.reported {
			l.reported = true
			l.life.Notice("too many hosts", fmt.Sprintf("more than %d hosts; URLs of other hosts are skipped (max-hosts)", l.limit), "limit", l.limit)
		}
		return false, nil
	}
	l.hosts++
	return true, nil
}
