package redisstore

import (
	"strconv"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
)

// A memory has what this process knows to be in Redis, until a server restarts.
type memory struct {
	size int // of the cache, in bytes; not positive: none

	mu     sync.Mutex  // guards the fields below
	cache  *seen.Cache // known URLs; nil if none
	runs   []string    // ids of the server processes for which the cache is valid
	forgot int         // number of times the cache was cleared
}

// restarts returns how often this process found that a server may have forgotten something.
func (m *memory) restarts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.forgot
}

// forget empties the cache, because a server was restarted or replaced. The runs are the ids of the
// servers' processes.
func (m *memory) forget(runs []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = runs
	m.forgot++
	if m.size > 0 {
		m.cache = seen.NewCache(m.size)
	}
}

// basis returns a shard and the run of its server that the worker knows. Redis rejects the
// transaction if the server has restarted since, and may have forgotten items that the worker
// sent before or omits.
func (m *memory) basis(t *transaction, again bool) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !again {
		t.forgot = m.forgot
	}
	if t.forgot != m.forgot || t.section == nil || m.runs == nil {
		return []string{"", ""}
	}
	return []string{strconv.Itoa(t.shard), m.runs[t.shard]}
}

// choose returns the items to send: those that the cache does not have. A repeated
// transaction sends the same items, and all if the server may have forgotten some.
func (m *memory) choose(t *transaction, items []*item, again bool) (chosen []*item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cache == nil || t.whole || again && t.forgot != m.forgot {
		return items
	}
	for _, it := range items {
		if !again {
			it.omitted = !it.revisit && m.cache.Has(it.sum)
		}
		if it.omitted {
			*it.fresh = false
		} else {
			chosen = append(chosen, it)
		}
	}
	return chosen
}

// add adds the items of a transaction that was executed.
func (m *memory) add(t *transaction) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cache != nil && m.forgot == t.forgot {
		for _, it := range t.sent {
			m.cache.Add(it.sum)
		}
	}
}
