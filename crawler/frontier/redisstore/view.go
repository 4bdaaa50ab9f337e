package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// never is from when on a head says that there is nothing to come. The latest that
// there is for scripts is a little less.
const never = 10_000_000_000_000_000

// poll is how long those that wait rely on being told what is new.
const poll = 5 * time.Second

// A view is what a store believes of the shards: when there is something to do in
// each. Every answer of a script corrects it, and so do the messages of others.
type view struct {
	heads  []head
	base   time.Time // by which local time is measured
	ahead  int64     // by how many microseconds Redis's clock is ahead of that, at least
	polled time.Time // when all heads were asked for
	stale  bool      // messages may have been missed since
}

// A head is the time at which there is something to do in a shard, on the clock
// of Redis. Zero: nobody knows.
type head struct {
	at, said int64
}

func newView(shards int) view {
	return view{heads: make([]head, shards), base: time.Now(), stale: true}
}

// now returns the time on the clock of Redis, which may be a little later.
func (v *view) now() int64 { return time.Since(v.base).Microseconds() + v.ahead }

// heard corrects the clock by a time at which Redis was just now.
func (v *view) heard(now int64) {
	ahead := now - time.Since(v.base).Microseconds()
	if back := v.ahead - ahead; back < 0 || back > int64(time.Second/time.Microsecond) {
		v.ahead = ahead // more exact; or the clock of Redis was set back
	}
}

// set writes down what was said of a shard, unless something later was.
func (v *view) set(k int, at, said int64) {
	h := &v.heads[k]
	if said >= h.said || h.said-said > int64(time.Second/time.Microsecond) {
		*h = head{at, said}
	}
}

// lower is set for one who knows of an earlier time only.
func (v *view) lower(k int, at, said int64) {
	if h := &v.heads[k]; at < h.at && said > h.said {
		*h = head{at, said}
	}
}

// next returns the earliest head.
func (v *view) next() int64 {
	least := int64(never)
	for _, h := range v.heads {
		least = min(least, h.at)
	}
	return least
}

// old reports whether all heads are to be asked for.
func (v *view) old() bool { return v.stale || time.Since(v.polled) >= poll }

// due returns the shards in which there is something to do, the earliest first.
func (v *view) due() []int {
	now := v.now()
	var due []int
	for k, h := range v.heads {
		if h.at <= now {
			due = append(due, k)
		}
	}
	slices.SortFunc(due, func(j, k int) int { return cmp.Compare(v.heads[j].at, v.heads[k].at) })
	return due
}

// learn takes from an answer what it says of time and, at that place, of shards.
func (s *Store) learn(r reply, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := r.int(0)
	s.view.heard(now)
	heads := r.array(at)
	for i := 0; i+1 < len(heads); i += 2 {
		s.view.set(int(heads.int(i)), heads.int(i+1), now)
	}
	s.kick()
}

// refresh asks for all heads.
func (s *Store) refresh(ctx context.Context) error {
	s.mu.Lock()
	s.view.stale, s.view.polled = false, time.Now()
	s.mu.Unlock()
	err := s.each(ctx, "heads", nil, func(r reply) { s.learn(r, 1) })
	if err != nil {
		s.mu.Lock()
		s.view.stale = true
		s.mu.Unlock()
	}
	return err
}

// restarts returns how often this process found that a server may have forgotten something.
func (s *Store) restarts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgot
}

// forget empties the cache and marks the view as stale, because a server was restarted or
// replaced. The runs are the ids of the servers' processes.
func (s *Store) forget(runs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = runs
	s.forgot++
	s.cache = s.newCache()
	s.view.stale = true
}

// listen hears what other workers have made to be had earlier. It closes
// listening when it does for the first time.
func (s *Store) listen(listening chan struct{}) {
	var once sync.Once
	ctx := rueidis.WithOnSubscriptionHook(s.alive, func(rueidis.PubSubSubscription) {
		// What was said before is missed.
		s.mu.Lock()
		defer s.mu.Unlock()
		s.view.stale = true
		s.kick()
		once.Do(func() { close(listening) })
	})
	pause := firstPause
	for s.alive.Err() == nil {
		began := time.Now()
		cmd := s.client.B().Subscribe().Channel(s.layout.wake()).Build()
		err := s.client.Receive(ctx, cmd, func(m rueidis.PubSubMessage) { s.hear(m.Message) })
		if s.alive.Err() != nil {
			return
		}
		s.opts.Logger.Warn("cannot receive messages of other workers", "err", classify(err))
		if time.Since(began) > lastPause {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-s.alive.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// hear reads a message: who says it, then a line for each shard and for each
// host that somebody waits to hold.
func (s *Store) hear(message string) {
	from, rest, _ := strings.Cut(message, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.SplitSeq(rest, "\n") {
		if host, ok := strings.CutPrefix(line, "h"); ok {
			s.wakeHolds(host)
			continue
		}
		var shard int
		var said, at int64
		n, _ := fmt.Sscanf(line, "s%d %d %d", &shard, &said, &at)
		if n == 3 && from != s.instance && 0 <= shard && shard < len(s.view.heads) {
			s.view.lower(shard, at, said)
		}
	}
	s.kick()
}

// wakeHolds wakes those of this process that wait to hold h. The lock is held.
func (s *Store) wakeHolds(h string) {
	for wake := range s.holding[h] {
		select {
		case wake <- struct{}{}:
		default: // it is about to look
		}
	}
}
