package crawler

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// sharedLease is how long a process that died keeps its URLs from the others.
const sharedLease = time.Minute

// errLeaseLost says that a request was not sent, or was broken off, because another
// process may have been given its host.
var errLeaseLost = errors.New("crawler: lease lost")

// held are the leases of a process that shares a frontier, with their ends as far as it
// knows: Redis may be out of its reach and not out of that of others, and then nobody
// extends them. It is safe for concurrent use.
type held struct {
	lease time.Duration // for how long they are extended each time

	mu     sync.Mutex // guards leases
	leases map[frontier.LeaseID]*lent
}

type lent struct {
	host frontier.Host
	end  time.Time
}

// pause is how often the leases are extended.
func (h *held) pause() time.Duration { return h.lease / 4 }

// margin is how long before its end a lease is given up: a request that has been sent is
// answered a little later, and a clock may run faster than that of Redis.
func (h *held) margin() time.Duration { return h.lease / 12 }

func (h *held) add(l *frontier.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases == nil {
		h.leases = make(map[frontier.LeaseID]*lent)
	}
	h.leases[l.ID] = &lent{l.Host, l.Expires}
}

// remove forgets a lease, and tells whether it had ended, or was about to.
func (h *held) remove(id frontier.LeaseID) (lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.leases[id]
	delete(h.leases, id)
	return !ok || time.Until(l.end) <= h.margin()
}

// left returns for how long a host may be asked: until the first of its leases ends that
// this process has. Without one it is not known to be asked under a lease.
func (h *held) left(host frontier.Host) (left time.Duration, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.leases {
		if d := time.Until(l.end) - h.margin(); l.host == host && (!known || d < left) {
			left, known = d, true
		}
	}
	return left, known
}

// extender is what extends leases, as [frontier.Frontier.Extend] does.
type extender interface {
	Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) error
}

// extend makes the leases last. Those that are lost have been given to another process,
// and their outcome will be refused.
func (h *held) extend(ctx context.Context, f extender, log *slog.Logger) error {
	h.mu.Lock()
	ids := make([]frontier.LeaseID, 0, len(h.leases))
	for id := range h.leases {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	end := time.Now().Add(h.lease)
	err := f.Extend(ctx, ids, h.lease)
	lost, isLost := errors.AsType[*frontier.LostError](err)
	if err != nil && !isLost {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := make(map[frontier.LeaseID]bool)
	if isLost {
		for _, id := range lost.Leases {
			gone[id] = true
		}
	}
	n := 0
	for _, id := range ids {
		switch l := h.leases[id]; {
		case l == nil: // finished meanwhile
		case gone[id]:
			l.end = time.Now()
			n++
		case end.After(l.end):
			l.end = end
		}
	}
	if n > 0 {
		log.Warn("leases lost", "count", n)
	}
	return nil
}

// within calls lose when a request to a host has to be broken off, because the process
// can no longer be sure that it has the host to itself. The error is errLeaseLost when
// that is so already. Done ends the watch.
func (h *held) within(req *http.Request, lose func()) (done func(), err error) {
	done = func() {}
	host := weburl.ServerOf(req.URL.String())
	left, known := h.left(host)
	switch {
	case !known:
		return done, nil
	case left <= 0:
		return done, errLeaseLost
	}
	var watch *time.Timer
	var mu sync.Mutex // guards watch, which is set after it may have run
	mu.Lock()
	defer mu.Unlock()
	watch = time.AfterFunc(left, func() {
		mu.Lock()
		defer mu.Unlock()
		if left, known := h.left(host); known && left > 0 { // it was extended
			watch.Reset(left)
			return
		}
		lose()
	})
	return func() { watch.Stop() }, nil
}
