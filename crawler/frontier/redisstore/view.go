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

// never is the head of a shard without work. It is larger than all times in scripts.
const never = 10_000_000_000_000_000

// poll is the interval at which waiting workers read all heads, in case a message was lost.
const poll = 5 * time.Second

// A view has the times when each shard next has work. Replies of scripts and messages of other
// workers update it.
type view struct {
	heads  []head
	base   time.Time // start of the local clock
	ahead  int64     // minimum lead of the Redis clock over it, in microseconds
	polled time.Time // when all heads were read
	stale  bool      // messages may have been missed since
	known  int       // restarts of servers before that
}

// A head is the time when a shard next has work, and the time when Redis said so, both on the
// clock of Redis. Zero means unknown.
type head struct {
	at, said int64
}

func newView(shards int) view {
	return view{heads: make([]head, shards), base: time.Now(), stale: true}
}

// now returns a lower bound of the time on the clock of Redis.
func (v *view) now() int64 { return time.Since(v.base).Microseconds() + v.ahead }

// setTime updates the clock by a recent time of Redis.
func (v *view) setTime(now int64) {
	ahead := now - time.Since(v.base).Microseconds()
	if back := v.ahead - ahead; back < 0 || back > int64(time.Second/time.Microsecond) {
		v.ahead = ahead // more exact; or the clock of Redis was set back
	}
}

// set updates the head of a shard, unless a later reply did.
func (v *view) set(k int, at, said int64) {
	h := &v.heads[k]
	if said >= h.said || h.said-said > int64(time.Second/time.Microsecond) {
		*h = head{at, said}
	}
}

// lower sets the head of a shard if at is earlier.
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

// due returns the shards that have work, the earliest first.
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

// learn updates the view from a reply: its time, and the heads at that index.
func (s *schedule) learn(r reply, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := r.int(0)
	s.view.setTime(now)
	heads := r.array(at)
	for i := 0; i+1 < len(heads); i += 2 {
		s.view.set(int(heads.int(i)), heads.int(i+1), now)
	}
	s.kick()
}

// outdated reports whether all heads must be read again. The lock is held.
func (s *schedule) outdated() bool {
	v := &s.view
	return v.stale || v.known != s.memory.restarts() || time.Since(v.polled) >= poll
}

// refresh reads all heads.
func (s *schedule) refresh(ctx context.Context) error {
	s.mu.Lock()
	s.view.stale, s.view.polled, s.view.known = false, time.Now(), s.memory.restarts()
	s.mu.Unlock()
	err := s.each(ctx, "heads", nil, func(r reply) { s.learn(r, 1) })
	if err != nil {
		s.mu.Lock()
		s.view.stale = true
		s.mu.Unlock()
	}
	return err
}

// listen receives the messages of other workers until Close. It closes listening when it is
// subscribed for the first time.
func (s *schedule) listen(listening chan struct{}) {
	var once sync.Once
	ctx := rueidis.WithOnSubscriptionHook(s.alive, func(rueidis.PubSubSubscription) {
		// Earlier messages are missed.
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
		err := s.client.Receive(ctx, cmd, func(m rueidis.PubSubMessage) { s.handleMessage(m.Message) })
		if s.alive.Err() != nil {
			return
		}
		s.opts.Logger.Warn("cannot receive messages of other workers", "error", classify(err))
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

// handleMessage handles a message: the instance of the sender, then a line for each shard, and for
// each host with waiting holds.
func (s *schedule) handleMessage(message string) {
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

// wakeHolds wakes the calls of this process that wait to hold h. The lock is held.
func (s *schedule) wakeHolds(h string) {
	for wake := range s.holding[h] {
		select {
		case wake <- struct{}{}:
		default: // it is awake
		}
	}
}
