package crawler

import (
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// limits hands out what a crawl may still fetch: pages and bytes in all, and pages
// of each host. It is safe for concurrent use.
type limits struct {
	perHost int

	mu    sync.Mutex // guards all below
	all   budget
	hosts map[frontier.Host]*budget
	bytes int64 // left; negative: no limit
}

func newLimits(cfg *Config) *limits {
	l := &limits{perHost: cfg.MaxHostPages, all: newBudget(cfg.MaxPages), bytes: cfg.MaxBytes}
	if l.bytes == 0 {
		l.bytes = -1
	}
	if l.perHost > 0 {
		l.hosts = make(map[frontier.Host]*budget)
	}
	return l
}

// A share is the answer to a wish for a page.
type share int

const (
	granted   share = iota // done must be called
	crowded                // the last ones are in flight, and one may be given back
	allSpent               // the crawl has had all that it may have; see end
	hostSpent              // the host has
)

// take reserves one page of a host.
func (l *limits) take(h frontier.Host) share {
	l.mu.Lock()
	defer l.mu.Unlock()
	host := l.host(h)
	switch {
	case l.end() != "":
		return allSpent
	case host.spent():
		return hostSpent
	case l.all.left == 0 || host.left == 0:
		return crowded
	}
	l.all.take()
	host.take()
	return granted
}

// done ends a turn that take granted: whether it brought a page, and of how many
// bytes.
func (l *limits) done(h frontier.Host, fetched bool, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.done(fetched)
	l.host(h).done(fetched)
	l.spend(bytes)
}

// reached says which limit ends the crawl; empty: none.
func (l *limits) reached() End {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end()
}

func (l *limits) end() End {
	switch {
	case l.all.spent():
		return EndMaxPages
	case l.bytes == 0:
		return EndMaxBytes
	}
	return ""
}

// count notes a page that was fetched by an earlier process.
func (l *limits) count(h frontier.Host, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range []*budget{&l.all, l.host(h)} {
		if b.left > 0 {
			b.left--
		}
	}
	l.spend(bytes)
}

func (l *limits) spend(bytes int) {
	if l.bytes > 0 {
		l.bytes = max(l.bytes-int64(bytes), 0)
	}
}

// host returns the budget of a host. Where there is no limit, all share one that
// says so.
func (l *limits) host(h frontier.Host) *budget {
	if l.hosts == nil {
		return &budget{left: -1}
	}
	b := l.hosts[h]
	if b == nil {
		b = new(newBudget(l.perHost))
		l.hosts[h] = b
	}
	return b
}

// budget is a number of pages. A turn that brought no page gives its share back,
// so that a limit is met exactly.
type budget struct {
	left  int // pages neither fetched nor in flight; negative: no limit
	turns int // in flight
}

func newBudget(limit int) budget {
	if limit == 0 {
		limit = -1
	}
	return budget{left: limit}
}

// spent tells whether all pages have been fetched.
func (b *budget) spent() bool { return b.left == 0 && b.turns == 0 }

func (b *budget) take() {
	if b.left > 0 {
		b.left--
	}
	b.turns++
}

func (b *budget) done(fetched bool) {
	b.turns--
	if !fetched && b.left >= 0 {
		b.left++
	}
}
