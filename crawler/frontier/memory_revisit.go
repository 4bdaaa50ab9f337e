package frontier

import (
	"bytes"
	"context"
	"iter"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/schedule"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// Marks of the hashes of finished URLs.
const (
	isDone seen.Mark = iota + 1
	isDropped
)

func (m *Memory) markFinished(e *entry, mark seen.Mark) {
	m.seen.SetMark(e.hash, mark)
	if e.validators != nil {
		m.validators[e.hash] = e.validators
	}
}

// Revisit implements Revisiter.
func (m *Memory) Revisit(ctx context.Context, items []Item) ([]bool, error) {
	return m.forEach(ctx, items, m.revisit)
}

func (m *Memory) revisit(it *Item, name Host, now schedule.Instant) bool {
	if m.add(it, name, now) {
		return true
	}
	h, hash := m.host(name), m.hash(it.Key())
	switch m.seen.Mark(hash) {
	case isDone:
		m.count(h, Counts{Done: -1})
	case isDropped:
		m.count(h, Counts{Dropped: -1})
	default:
		return false
	}
	m.seen.SetMark(hash, 0)
	m.enqueue(h, it, now)
	return true
}

// Waiting implements Lister. It lists a snapshot that it takes when the loop begins.
func (m *Memory) Waiting(ctx context.Context, names ...Host) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		items, err := m.waiting(ctx, names)
		if err != nil {
			yield(Item{}, err)
			return
		}
		for _, it := range items {
			if err := ctx.Err(); err != nil {
				yield(Item{}, err)
				return
			}
			if !yield(it, nil) {
				return
			}
		}
	}
}

func (m *Memory) waiting(ctx context.Context, names []Host) (items []Item, err error) {
	now, err := m.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer m.sched.Exit(now)
	hosts := m.hosts
	if len(names) > 0 {
		hosts = make(map[Host]*host)
		for _, name := range names {
			if h := m.hosts[name]; h != nil {
				hosts[name] = h
			}
		}
	}
	for _, h := range hosts {
		for _, b := range h.fresh {
			for path, meta := range b.urls.all() {
				items = append(items, h.item(path, b.priority, meta))
			}
		}
		for _, e := range h.retried {
			items = append(items, h.item(e.path, e.priority, e.meta))
		}
	}
	for _, e := range m.scheduled {
		if hosts[e.host.name] != nil {
			it := e.host.item(e.path, e.priority, e.meta)
			it.NotBefore = m.sched.Time(e.ready, now)
			items = append(items, it)
		}
	}
	return items, nil
}

// item returns the item that enqueue stored with this path.
func (h *host) item(path string, priority uint8, meta []byte) Item {
	key := ParseKey(urlpath.Join(string(h.name), path))
	return Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: h.name, Priority: priority, Meta: bytes.Clone(meta)}
}
