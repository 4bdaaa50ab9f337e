package redisstore

import (
	"context"
	"maps"
	"slices"
	"strconv"
)

// A script sees one shard. In a crawl of one shard a batch is one turn. In others it is
// several: first those that add links to other shards than their page's, then, with the
// links that stay in the shard, those that end leases, and then those that lease. The
// calls of a step are sent together.

func (b *batch) turn(shard int) *turn {
	return &turn{
		key:   b.s.layout.in(shard, "last:"+b.s.opts.Worker+":"+strconv.Itoa(b.batcher)),
		nonce: newNonce(),
	}
}

// send sends all of a batch.
func (b *batch) send(ctx context.Context) error {
	one := b.s.layout.shards == 1
	var links, ends sections
	var note []byte
	ending := false
	for _, j := range b.jobs {
		for _, e := range j.endings {
			sec := ends.of(e.shard)
			sec.endings, ending = append(sec.endings, e), true
		}
		for _, it := range j.items {
			if one || it.own {
				ends.of(it.shard).add(it)
			} else {
				links.of(it.shard).add(it)
			}
		}
		if j.note != nil {
			note = j.note
		}
	}
	if one {
		return b.sendOne(ctx, ends, ending, note)
	}
	if err := b.sendEach(ctx, links); err != nil {
		return err
	}
	if err := b.finish(ctx, ends, note); err != nil {
		return err
	}
	return b.lease(ctx, b.waiters)
}

// sendOne sends all of a batch to the only shard. It leases when there is something due,
// and when leases end, which may make something due.
func (b *batch) sendOne(ctx context.Context, ends sections, ending bool, note []byte) error {
	t := b.turn(0)
	t.sections, t.note = ends.list, note
	if ending || len(b.due()) > 0 {
		b.order(t, 0, unfilled(b.waiters)...)
	}
	if len(b.jobs) == 0 && len(t.orders) == 0 {
		return nil
	}
	return b.s.turn(ctx, t)
}

// order has a turn lease from its shard.
func (b *batch) order(t *turn, shard int, orders ...order) {
	if len(orders) == 0 {
		return
	}
	if t.from == nil {
		t.from = []int{shard}
		b.nonces = append(b.nonces, t.nonce)
	}
	t.orders = append(t.orders, orders...)
}

// due returns the shards in which there is something to do, the earliest first.
func (b *batch) due() []int {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return b.s.view.due()
}

// sendEach sends a turn for each section.
func (b *batch) sendEach(ctx context.Context, ss sections) error {
	return together(len(ss.list), func(i int) error {
		t := b.turn(ss.list[i].shard)
		t.sections = ss.list[i : i+1]
		return b.s.turn(ctx, t)
	})
}

// finish ends leases. With a note that is one act, also when it takes several
// shards: what is to be done is written down first, with the note, and whoever
// opens the crawl next under the worker's name does what was not.
func (b *batch) finish(ctx context.Context, ends sections, note []byte) error {
	s := b.s
	if note == nil {
		return b.sendEach(ctx, ends)
	}
	s.notes.Lock()
	defer s.notes.Unlock()
	if len(ends.list) == 0 || len(ends.list) == 1 && ends.list[0].shard == s.home {
		t := b.turn(s.home)
		t.sections, t.note = ends.list, note
		return s.turn(ctx, t)
	}
	turns, calls := make([]*turn, len(ends.list)), make([]call, len(ends.list))
	for i, sec := range ends.list {
		turns[i] = b.turn(sec.shard)
		turns[i].sections, turns[i].whole = ends.list[i:i+1], true
		calls[i] = s.compose(turns[i], false)
		calls[i].args[basisArg], calls[i].args[basisArg+1] = "", "" // the next process knows of no run
	}
	intent := s.call(s.home, "intent", decimal(s.home), s.opts.Worker, s.instance, string(note), encodeCalls(calls))
	if _, err := s.run(ctx, fixed(intent)); err != nil {
		return err
	}
	return together(len(turns), func(i int) error { return s.turn(ctx, turns[i]) })
}

// lease leases for waiters from shards in the order in which they have something due.
func (b *batch) lease(ctx context.Context, waiters []*waiter) error {
	visited := make(map[int]bool)
	for {
		rest := unfilled(waiters)
		if len(rest) == 0 {
			return nil
		}
		due := slices.DeleteFunc(b.due(), func(k int) bool { return visited[k] })
		if len(due) == 0 {
			return nil
		}
		turns := b.assign(rest, due, visited)
		if err := together(len(turns), func(i int) error { return b.s.turn(ctx, turns[i]) }); err != nil {
			return err
		}
	}
}

// unfilled returns the orders of the waiters that have not all they may have.
func unfilled(waiters []*waiter) (rest []order) {
	for _, w := range waiters {
		most := max(w.req.Max, 1) - len(w.leases)
		if most <= 0 {
			continue
		}
		perHost := most
		if w.req.PerHost > 0 {
			perHost = w.req.PerHost
		}
		rest = append(rest, order{w: w, most: most, perHost: perHost})
	}
	return rest
}

// assign gives each order a shard, the first to the one that is due first, and one
// lease of it, so that the hosts of all shards take turns. An order with a limit
// for each host takes what it can from a shard and does not come again.
func (b *batch) assign(rest []order, due []int, visited map[int]bool) []*turn {
	at := make(map[int]*turn)
	for i, o := range rest {
		k := due[i%len(due)]
		t := at[k]
		if t == nil {
			t = b.turn(k)
			at[k] = t
		}
		switch {
		case o.perHost < o.most:
			visited[k] = true
		case len(due) > 1:
			o.most = 1
		}
		b.order(t, k, o)
	}
	return slices.Collect(maps.Values(at))
}
