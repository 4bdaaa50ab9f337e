package redisstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// A script works on one shard. With one shard, a batch is one transaction. With several, a
// batch has three steps, and the transactions of a step are sent together:
//
//  1. Add the links to shards other than the page's.
//  2. Finish leases, and add the links within the shard.
//  3. Lease.

func (b *batch) transaction(shard int) *transaction {
	return &transaction{
		shard: shard,
		key:   b.s.layout.in(shard, "last:"+b.s.opts.WorkerName+":"+strconv.Itoa(b.batcher)),
		nonce: newNonce(),
	}
}

// send sends the whole batch.
func (b *batch) send(ctx context.Context) error {
	one := b.s.layout.shards == 1
	links, ends := make(sections), make(sections)
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

// sendOne sends the whole batch to the only shard. It leases if a host is due or if leases
// end, since their hosts may then be due.
func (b *batch) sendOne(ctx context.Context, ends sections, ending bool, note []byte) error {
	t := b.transaction(0)
	t.section, t.note = ends[0], note
	if ending || len(b.due()) > 0 {
		b.order(t, unfilled(b.waiters)...)
	}
	if len(b.jobs) == 0 && len(t.orders) == 0 {
		return nil
	}
	return b.s.transact(ctx, t)
}

// order adds orders to a transaction, which leases from its shard.
func (b *batch) order(t *transaction, orders ...order) {
	if len(t.orders) == 0 && len(orders) > 0 {
		b.nonces = append(b.nonces, t.nonce)
	}
	t.orders = append(t.orders, orders...)
}

// due returns the shards that have something to lease or to give back, the earliest first.
func (b *batch) due() []int {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return b.s.view.due()
}

// sendEach sends a transaction for each section.
func (b *batch) sendEach(ctx context.Context, ss sections) error {
	return b.transact(ctx, b.transactions(ss))
}

// transactions returns a transaction for each section, by shard. The order decides which error a batch
// returns.
func (b *batch) transactions(ss sections) (list []*transaction) {
	for _, shard := range slices.Sorted(maps.Keys(ss)) {
		t := b.transaction(shard)
		t.section = ss[shard]
		list = append(list, t)
	}
	return list
}

// transact sends transactions concurrently.
func (b *batch) transact(ctx context.Context, list []*transaction) error {
	if len(list) == 1 {
		return b.s.transact(ctx, list[0])
	}
	errs := make([]error, len(list))
	var sending sync.WaitGroup
	for i, t := range list {
		sending.Go(func() { errs[i] = b.s.transact(ctx, t) })
	}
	sending.Wait()
	return cmp.Or(errs...)
}

// finish ends leases. With a note this is atomic, also across shards: finish first stores
// the calls and the note as an intent. The next process with the worker's name executes the
// calls that were not executed.
func (b *batch) finish(ctx context.Context, ends sections, note []byte) error {
	s := b.s
	if note == nil {
		return b.sendEach(ctx, ends)
	}
	s.notes.Lock()
	defer s.notes.Unlock()
	if len(ends) == 0 || len(ends) == 1 && ends[s.home] != nil {
		t := b.transaction(s.home)
		t.section, t.note = ends[s.home], note
		return s.transact(ctx, t)
	}
	transactions := b.transactions(ends)
	calls := make([]call, len(transactions))
	for i, t := range transactions {
		t.whole = true
		calls[i] = s.compose(t, false)
		calls[i].set("basis", "") // the next process starts after the restart
	}
	intent := s.call(s.home, "intent", strconv.Itoa(s.home), s.opts.WorkerName, s.instance, string(note), encodeCalls(calls))
	if _, err := s.run(ctx, fixed(intent)); err != nil {
		return err
	}
	return b.transact(ctx, transactions)
}

// lease leases for waiters, from the shard that is due first.
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
		if err := b.transact(ctx, b.assign(rest, due, visited)); err != nil {
			return err
		}
	}
}

// unfilled returns orders for the leases that waiters still lack.
func unfilled(waiters []*waiter) (rest []order) {
	for _, w := range waiters {
		most := max(w.req.Max, 1) - len(w.leases)
		if most > 0 {
			rest = append(rest, order{w: w, most: most, perHost: cmp.Or(max(w.req.PerHost, 0), most)})
		}
	}
	return rest
}

// assign distributes the orders over the shards that are due. An order gets one lease from a
// shard at a time, so that the hosts of all shards alternate. An order with a limit per host
// gets all its leases of a shard at once, and does not visit it again.
func (b *batch) assign(rest []order, due []int, visited map[int]bool) []*transaction {
	at := make(map[int]*transaction)
	for i, o := range rest {
		k := due[i%len(due)]
		t := at[k]
		if t == nil {
			t = b.transaction(k)
			at[k] = t
		}
		switch {
		case o.perHost < o.most:
			visited[k] = true
		case len(due) > 1:
			o.most = 1
		}
		b.order(t, o)
	}
	return slices.Collect(maps.Values(at))
}
