package redisstore

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"time"

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
	hosts   map[frontier.Host]bool // hosts to list; empty for all
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
	args = append([]string{strconv.Itoa(l.shard)}, args...)
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
	seen := make(map[queueRange]bool) // by host and priority
	err = l.scan("hosts", func(row reply) error {
		q := queueRange{host: frontier.Host(row.string(0)), priority: int(row.int(1))}
		if !seen[q] && l.wants(q.host) {
			seen[q] = true
			q.from, q.to = row.int(2), row.int(2)+row.int(3)
			queues = append(queues, q)
		}
		return nil
	})
	return queues, err
}

func (l *listing) entries() error {
	seen := make(map[string]bool)
	return l.scan("entries", func(e reply) error {
		host, id := frontier.Host(e.string(1)), e.string(0)
		if !l.wants(host) || seen[id] {
			return nil
		}
		seen[id] = true
		return l.emit(e.string(3), host, uint8(e.int(2)), ahead(e.int(4)))
	})
}

// scan calls each with the rows that the script returns part by part. A row may be told twice.
func (l *listing) scan(what string, each func(row reply) error) error {
	for cursor := ""; cursor != "0"; {
		r, err := l.part(what, cmp.Or(cursor, "0"))
		if err != nil {
			return err
		}
		for i := range r.array(1) {
			if err := each(r.array(1).array(i)); err != nil || l.stopped {
				return err
			}
		}
		cursor = r.string(0)
	}
	return nil
}

func (l *listing) queue(q *queueRange) error {
	r, err := l.part("queue", string(q.host), strconv.Itoa(q.priority), strconv.FormatInt(q.from, 10), strconv.FormatInt(q.to, 10))
	if err != nil {
		return err
	}
	for i := range r.array(0) {
		if err := l.emit(r.array(0).string(i), q.host, uint8(q.priority), time.Time{}); err != nil || l.stopped {
			return err
		}
	}
	q.from = max(r.int(1), q.from+1)
	return nil
}

func (l *listing) emit(text string, host frontier.Host, priority uint8, notBefore time.Time) error {
	it, err := decodeItem(text, host)
	if err == nil {
		err = l.s.enter(l.ctx)
	}
	if err != nil {
		return err
	}
	it.Priority, it.NotBefore = priority, notBefore
	l.stopped = !l.yield(it, nil)
	return nil
}
