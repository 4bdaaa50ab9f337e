package redisstore

import (
	"context"
	"iter"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Waiting implements frontier.Lister. It reads the shards one after the other, in parts of 500 URLs.
func (s *Store) Waiting(ctx context.Context, hosts ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		if err := s.enter(ctx); err != nil {
			yield(frontier.Item{}, err)
			return
		}
		wanted, shards := make(map[frontier.Host]bool), make(map[int]bool)
		for _, h := range hosts {
			wanted[h], shards[s.layout.shard(h)] = true, true
		}
		for k := range s.layout.shards {
			if len(hosts) > 0 && !shards[k] {
				continue
			}
			l := &listing{s: s, ctx: ctx, shard: k, hosts: wanted, yield: yield}
			if err := l.list(); err != nil {
				yield(frontier.Item{}, err)
				return
			}
			if l.stopped {
				return
			}
		}
	}
}

// A listing lists a shard.
type listing struct {
	s       *Store
	ctx     context.Context
	shard   int
	hosts   map[frontier.Host]bool // hosts to list; empty: all
	yield   func(frontier.Item, error) bool
	stopped bool // the loop has ended
}

// A queueRange is a range of a queue.
type queueRange struct {
	host     frontier.Host
	priority int
	from, to int64
}

func (l *listing) part(args ...string) (reply, error) {
	if err := l.s.enter(l.ctx); err != nil {
		return nil, err
	}
	args = append([]string{decimal(l.shard)}, args...)
	return l.s.run(l.ctx, fixed(l.s.call(l.shard, "list", args...)))
}

func (l *listing) wants(h frontier.Host) bool { return len(l.hosts) == 0 || l.hosts[h] }

// list lists the shard in three steps. It reads the ranges of the queues, lists the entries, and
// then lists the URLs that are still in these ranges. A URL that moves from a queue to the entries
// meanwhile was leased in between, and is listed at most once.
func (l *listing) list() error {
	queues, err := l.queues()
	if err != nil {
		return err
	}
	if err := l.entries(); err != nil {
		return err
	}
	for _, q := range queues {
		for q.from < q.to && !l.stopped {
			if err := l.queue(&q); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *listing) queues() (queues []queueRange, err error) {
	seen := make(map[frontier.Host]bool) // a host may be told twice
	for cursor := "0"; ; {
		r, err := l.part("hosts", cursor)
		if err != nil {
			return nil, err
		}
		names := make(map[frontier.Host]bool)
		for i := range r.array(1) {
			q := r.array(1).array(i)
			host := frontier.Host(q.string(0))
			if seen[host] || !l.wants(host) {
				continue
			}
			names[host] = true
			queues = append(queues, queueRange{host, int(q.int(1)), q.int(2), q.int(2) + q.int(3)})
		}
		for name := range names {
			seen[name] = true
		}
		if cursor = r.string(0); cursor == "0" {
			return queues, nil
		}
	}
}

func (l *listing) entries() error {
	seen := make(map[string]bool) // an entry may be told twice
	for cursor := "0"; !l.stopped; {
		r, err := l.part("entries", cursor)
		if err != nil {
			return err
		}
		for i := range r.array(1) {
			e := r.array(1).array(i)
			host, id := frontier.Host(e.string(1)), e.string(0)
			if !l.wants(host) || seen[id] {
				continue
			}
			seen[id] = true
			it, err := decodeItem(e.string(3), host)
			if err != nil {
				return err
			}
			it.Priority, it.NotBefore = uint8(e.int(2)), ahead(e.int(4))
			if err := l.emit(it); err != nil || l.stopped {
				return err
			}
		}
		if cursor = r.string(0); cursor == "0" {
			return nil
		}
	}
	return nil
}

func (l *listing) queue(q *queueRange) error {
	r, err := l.part("queue", string(q.host), decimal(q.priority), strconv.FormatInt(q.from, 10), strconv.FormatInt(q.to, 10))
	if err != nil {
		return err
	}
	for i := range r.array(0) {
		it, err := decodeItem(r.array(0).string(i), q.host)
		if err != nil {
			return err
		}
		it.Priority = uint8(q.priority)
		if err := l.emit(it); err != nil || l.stopped {
			return err
		}
	}
	q.from = max(r.int(1), q.from+1)
	return nil
}

func (l *listing) emit(it frontier.Item) error {
	if err := l.s.enter(l.ctx); err != nil {
		return err
	}
	l.stopped = !l.yield(it, nil)
	return nil
}
