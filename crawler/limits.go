package crawler

import (
	"context"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// limits hands out what a crawl may still fetch: pages and bytes in all, and pages
// of each host. It is safe for concurrent use.
//
// Processes that share a crawl share its limits: each takes pages from a counter that
// all have, some at a time, before it hands them out here. A process that dies with
// pages in hand gives them back when it goes on. Bytes are known afterwards only, and
// those of the others with a delay.
type limits struct {
	counters counters // nil: the crawl is this process's alone
	block    int      // how many pages are taken from a counter at a time

	drawing sync.Mutex // held while a counter is changed, and what is drawn with it

	mu        sync.Mutex    // guards all below
	perHost   int           // pages; 0: no limit
	maxTime   time.Duration // of the crawl, where processes share it; 0: no limit
	all       *budget
	hosts     map[frontier.Host]*budget // where there is a limit for each
	maxBytes  int64                     // 0: no limit
	bytes     int64                     // of this process
	elsewhere int64                     // bytes of the others, as far as is known
	changes   int                       // how often limits were
}

// counters are numbers that the processes of a crawl share; see
// [redisstore.Store.Take] and [redisstore.Store.Settle].
type counters interface {
	Take(ctx context.Context, counter string, n, most int64) (got int64, err error)
	Settle(ctx context.Context, taken map[string]int64) error
}

// The names of counters. That of a host has it behind it.
const (
	pageCounter = "pages"
	hostCounter = "pages of "
)

func newLimits(cfg *Config) *limits {
	return &limits{
		perHost: cfg.MaxHostPages, maxTime: cfg.MaxTime, all: &budget{limit: cfg.MaxPages}, maxBytes: cfg.MaxBytes,
		hosts: make(map[frontier.Host]*budget), block: max(cfg.Workers/2, 1),
	}
}

// A share is the answer to a wish for a page.
type share int

const (
	granted   share = iota // done must be called
	crowded                // the last ones are in flight, and one may be given back
	allSpent               // the crawl has had all that it may have; see end
	hostSpent              // the host has
	hostTaken              // the same by what other processes have taken, who may give it back; see takeLast
)

// take reserves one page of a host. The error is that of the counters.
func (l *limits) take(ctx context.Context, h frontier.Host) (share, error) {
	for {
		s, short := l.tryTake(h)
		switch {
		case short != nil:
		case s == crowded || s == allSpent: // after the host's was drawn, maybe
			return s, l.giveBack(ctx, h)
		default:
			return s, nil
		}
		if err := l.draw(ctx, h, short); err != nil {
			return s, err
		}
	}
}

// tryTake is take, unless a budget has to draw first, which is returned then.
func (l *limits) tryTake(h frontier.Host) (s share, short *budget) {
	l.mu.Lock()
	defer l.mu.Unlock()
	host := l.host(h)
	switch {
	case l.end() != "":
		return allSpent, nil
	case host.spent(l.shared()) && l.shared() && host.fetched < host.limit && !host.over:
		return hostTaken, nil
	case host.spent(l.shared()):
		return hostSpent, nil
	}
	for _, b := range []*budget{host, l.all} {
		switch {
		case !b.empty(l.shared()):
		case l.shared() && !b.dry:
			return crowded, b
		default:
			return crowded, nil
		}
	}
	l.all.take()
	host.take()
	return granted, nil
}

// draw takes pages from a counter for a budget that is empty.
func (l *limits) draw(ctx context.Context, h frontier.Host, b *budget) error {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	l.mu.Lock()
	counter, n, most := pageCounter, l.block, l.all.limit
	if b != l.all {
		counter, n, most = hostCounter+string(h), 1, l.perHost
	}
	enough := !b.empty(true) || b.dry // somebody else has drawn
	changes := l.changes
	l.mu.Unlock()
	if enough {
		return nil
	}
	got, err := l.counters.Take(ctx, counter, int64(n), int64(most))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b.drawn += int(got)
	b.dry = got == 0 && changes == l.changes // else it was asked for by an old limit
	return nil
}

// done ends a turn that take granted: whether it brought a page, and of how many
// bytes. The error is that of the counters.
func (l *limits) done(ctx context.Context, h frontier.Host, fetched bool, bytes int) error {
	l.mu.Lock()
	l.all.done(fetched)
	l.host(h).done(fetched)
	l.bytes += int64(bytes)
	l.mu.Unlock()
	if fetched {
		return nil
	}
	return l.giveBack(ctx, h)
}

// giveBack gives back a page of a host that is in hand and not in flight: the next turn of
// the host may be another process's.
func (l *limits) giveBack(ctx context.Context, h frontier.Host) error {
	if !l.shared() {
		return nil
	}
	l.drawing.Lock()
	defer l.drawing.Unlock()
	l.mu.Lock()
	host, most := l.host(h), l.perHost
	back := host.limit > 0 && host.drawn > host.fetched+host.turns
	if back {
		host.drawn--
		host.dry = false // or of this one
	}
	l.mu.Unlock()
	if !back {
		return nil
	}
	_, err := l.counters.Take(ctx, hostCounter+string(h), -1, int64(most))
	return err
}

// reached says which limit ends the crawl; empty: none.
func (l *limits) reached() End {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end()
}

func (l *limits) end() End {
	switch {
	case l.all.spent(l.shared()):
		return EndMaxPages
	case l.maxBytes > 0 && l.bytes+l.elsewhere >= l.maxBytes:
		return EndMaxBytes
	}
	return ""
}

// count notes a page that was fetched by an earlier process.
func (l *limits) count(h frontier.Host, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range []*budget{l.all, l.host(h)} {
		b.fetched++
		b.drawn++
	}
	l.bytes += int64(bytes)
}

// share has the limits be those of all processes that have these counters.
func (l *limits) share(c counters) { l.counters = c }

func (l *limits) shared() bool { return l.counters != nil }

// settle has the counters say what this process has of them: one that was killed had more
// in hand, and where there was no limit before nobody counted. Over says that it hands out
// no more: it keeps the pages that it has fetched, and those in flight.
func (l *limits) settle(ctx context.Context, over bool) error {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	return l.counters.Settle(ctx, l.taken(over))
}

// taken returns how much of each counter is in this process's hands; see settle.
func (l *limits) taken(over bool) map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := make(map[string]int64)
	note := func(counter string, b *budget) {
		if b.limit == 0 {
			return // nobody asks the counter
		}
		if over {
			b.drawn = b.fetched + b.turns
		}
		taken[counter] = int64(b.drawn)
	}
	note(pageCounter, l.all)
	for h, b := range l.hosts {
		note(hostCounter+string(h), b)
	}
	return taken
}

// others notes how many bytes the other processes have had.
func (l *limits) others(bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.elsewhere = bytes
}

// change sets other limits, of pages in flight too: where there was none before, those
// that this process has had count.
func (l *limits) change(to *sharedLimits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	replace(&l.maxBytes, to.MaxBytes)
	replace(&l.maxTime, to.MaxTime)
	replace(&l.perHost, to.MaxHostPages)
	if to.MaxPages != nil {
		l.all.change(*to.MaxPages)
	}
	for _, b := range l.hosts {
		b.change(l.perHost)
	}
	l.changes++
}

// longest returns the limit of time.
func (l *limits) longest() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.maxTime
}

// host returns the budget of a host. Where there is no limit, and nobody can set one, all
// share one that says so.
func (l *limits) host(h frontier.Host) *budget {
	if l.perHost == 0 && !l.shared() {
		return &budget{}
	}
	b := l.hosts[h]
	if b == nil {
		b = &budget{limit: l.perHost}
		l.hosts[h] = b
	}
	return b
}

// budget is a number of pages. A turn that brought no page gives its share back,
// so that a limit is met exactly.
type budget struct {
	limit   int // 0: none
	fetched int
	turns   int // in flight

	// Of a budget that is shared: how many pages this process may have, those that
	// it has had included, whether there were no more for it, whether there never will
	// be, and whether its host is handed out to one at a time until that is known.
	drawn               int
	dry, over, narrowed bool
}

// change sets another limit.
func (b *budget) change(limit int) {
	if b.limit == 0 {
		b.drawn = b.fetched + b.turns
	}
	b.limit, b.dry, b.over = limit, false, false
}

// empty tells whether there is no page to hand out.
func (b *budget) empty(shared bool) bool {
	most := b.limit
	if shared {
		most = b.drawn
	}
	return b.limit > 0 && b.fetched+b.turns >= most
}

// spent tells whether all pages have been fetched.
func (b *budget) spent(shared bool) bool {
	return b.empty(shared) && b.turns == 0 && (!shared || b.dry)
}

func (b *budget) take() {
	b.turns++
	b.drawn = max(b.drawn, b.fetched+b.turns) // without a limit all are
}

func (b *budget) done(fetched bool) {
	b.turns--
	if fetched {
		b.fetched++
	}
}
