package redisstore

import (
	"context"
	"maps"
	"slices"
	"strconv"
)

// Of a Cluster a script sees one shard, so that a turn is several calls: first
// those that add links to other shards than their page's, then, with the links
// that stay in the shard, those that end leases, and then those that lease. The
// calls of a step are sent together.

func (b *batch) clusterTurn(shard int) *turn {
	return &turn{
		key:   b.s.layout.in(shard, "last:"+b.s.opts.Worker+":"+strconv.Itoa(b.lane)),
		nonce: newNonce(),
	}
}

func (b *batch) serveCluster(ctx context.Context) error {
	var before, ends sections
	var note []byte
	for _, j := range b.jobs {
		for _, e := range j.endings {
			sec := ends.of(e.shard)
			sec.endings = append(sec.endings, e)
		}
		for _, it := range j.items {
			if it.own {
				ends.of(it.shard).add(it)
			} else {
				before.of(it.shard).add(it)
			}
		}
		if j.note != nil {
			note = j.note
		}
	}
	if err := b.send(ctx, before.list); err != nil {
		return err
	}
	if err := b.finish(ctx, ends, note); err != nil {
		return err
	}
	return b.leaseCluster(ctx)
}

// send sends a turn for each section.
func (b *batch) send(ctx context.Context, list []*section) error {
	return b.s.together(len(list), func(i int) error {
		t := b.clusterTurn(list[i].shard)
		t.sections = list[i : i+1]
		return b.s.turn(ctx, t)
	})
}

// finish ends leases. With a note that is one act, also when it takes several
// shards: what is to be done is written down first, with the note, and whoever
// opens the crawl next under the worker's name does what was not.
func (b *batch) finish(ctx context.Context, ends sections, note []byte) error {
	s := b.s
	if note == nil {
		return b.send(ctx, ends.list)
	}
	s.notes.Lock()
	defer s.notes.Unlock()
	if len(ends.list) == 0 || len(ends.list) == 1 && ends.list[0].shard == s.home {
		t := b.clusterTurn(s.home)
		t.sections, t.note = ends.list, note
		return s.turn(ctx, t)
	}
	turns, calls := make([]*turn, len(ends.list)), make([]call, len(ends.list))
	for i, sec := range ends.list {
		turns[i] = b.clusterTurn(sec.shard)
		turns[i].sections, turns[i].whole = ends.list[i:i+1], true
		calls[i] = s.compose(turns[i], false)
	}
	intent := s.call(s.home, "intent", decimal(s.home), s.opts.Worker, s.instance, string(note), encodeCalls(calls))
	if _, err := s.run(ctx, fixed(intent)); err != nil {
		return err
	}
	return s.together(len(turns), func(i int) error { return s.turn(ctx, turns[i]) })
}

// leaseCluster leases from shards in the order in which they have something due.
func (b *batch) leaseCluster(ctx context.Context) error {
	s := b.s
	visited := make(map[int]bool)
	for {
		rest := b.unfilled()
		if len(rest) == 0 {
			return nil
		}
		s.mu.Lock()
		due := s.view.due(s.layout.shards)
		s.mu.Unlock()
		due = slices.DeleteFunc(due, func(k int) bool { return visited[k] })
		if len(due) == 0 {
			return nil
		}
		turns := b.assign(rest, due, visited)
		if err := s.together(len(turns), func(i int) error { return s.turn(ctx, turns[i]) }); err != nil {
			return err
		}
	}
}

// unfilled are the orders that have not all they may have.
func (b *batch) unfilled() (rest []order) {
	for _, w := range b.waiters {
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
			t = b.clusterTurn(k)
			t.from = []int{k}
			at[k] = t
			b.nonces = append(b.nonces, t.nonce)
		}
		switch {
		case o.perHost < o.most:
			visited[k] = true
		case len(due) > 1:
			o.most = 1
		}
		t.orders = append(t.orders, o)
	}
	return slices.Collect(maps.Values(at))
}
