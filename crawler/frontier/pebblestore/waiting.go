package pebblestore

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// waitingBatch is how many records Waiting reads at a time.
const waitingBatch = 1000

// Waiting implements frontier.Lister. It keeps a batch of URLs in memory, and 9
// to 14 bytes for each URL that is scheduled.
//
// Entries move while the list is made: from the schedule to a queue when they
// are due, and back only after a lease, which excuses the list from naming
// them. So Waiting reads the schedule first and leaves out of the queues what it
// met there. What came in after the beginning has a higher number.
func (s *Store) Waiting(ctx context.Context, names ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		l := &waitingList{s: s, ctx: ctx, yield: func(it frontier.Item) bool { return yield(it, nil) }}
		if err := l.run(names); err != nil {
			s.hear(&err)
			yield(frontier.Item{}, err)
		}
	}
}

// A waitingList is one call of Waiting.
type waitingList struct {
	s       *Store
	ctx     context.Context // it ends with the call
	yield   func(frontier.Item) bool
	stopped bool // by yield, which must not be called again

	only map[hostID]bool // hosts to list; nil: all
	last uint64          // the highest number at the beginning
	met  seen.Set        // numbers of those scheduled, spread
	id   hostID          // of the host named last
	name frontier.Host
}

// spread makes hashes of numbers, one of each.
const spread = 0x9e3779b97f4a7c15

func (l *waitingList) run(names []frontier.Host) error {
	if err := l.begin(names); err != nil {
		return err
	}
	if l.only != nil && len(l.only) == 0 {
		return nil // nobody has heard of these hosts
	}
	if err := l.list([]byte{kindTime}, []byte{kindTime + 1}, l.scheduled); err != nil {
		return err
	}
	if l.only == nil || len(l.only) > waitingBatch { // fewer are found faster one by one
		return l.list([]byte{kindQueue}, []byte{kindQueue + 1}, l.queued)
	}
	for _, id := range slices.Sorted(maps.Keys(l.only)) {
		if err := l.list(idKey(nil, kindQueue, id), idKey(nil, kindQueue, id+1), l.queued); err != nil {
			return err
		}
	}
	return nil
}

func (l *waitingList) wants(id hostID) bool { return l.only == nil || l.only[id] }

// begin finds out which hosts to list.
func (l *waitingList) begin(names []frontier.Host) error {
	now, err := l.s.enter(l.ctx, l.s.settled)
	if err != nil {
		return err
	}
	l.s.readers.Add(1)
	defer l.s.readers.Done()
	l.last = l.s.seq
	l.s.sched.Leave(now)
	if len(names) > 0 {
		l.only = make(map[hostID]bool)
	}
	for _, name := range names {
		id, err := l.s.db.idOf(name)
		if err != nil {
			return err
		}
		if id != 0 {
			l.only[id] = true
		}
	}
	return nil
}

// A waitingEntry is an entry with the time it waits for in milliseconds since
// 1970; 0: none.
type waitingEntry struct {
	*entry
	at int64
}

// scheduled reads an entry of the schedule and reports whether to list it.
func (l *waitingList) scheduled(e *waitingEntry, key []byte, r *reader) bool {
	r.timed(e.entry)
	e.at = millisOf(key)
	l.met.Add(e.seq * spread)
	return l.wants(e.id)
}

// queued reads an entry of a queue and reports whether to list it.
func (l *waitingList) queued(e *waitingEntry, key []byte, r *reader) bool {
	e.id, e.priority = idOf(key), placeOf(key).priority
	r.entry(e.entry)
	return l.wants(e.id) && !l.met.Has(e.seq*spread)
}

// list lists the records from one key up to another for which get says so.
func (l *waitingList) list(from, to []byte, get func(*waitingEntry, []byte, *reader) bool) error {
	for from != nil && !l.stopped {
		items, next, err := l.read(from, to, get)
		if err != nil {
			return err
		}
		for _, it := range items {
			if !l.yield(it) {
				l.stopped = true
				break
			}
		}
		from = next
	}
	return nil
}

// read reads a batch, and returns the key of the next, nil when there is none.
func (l *waitingList) read(from, to []byte, get func(*waitingEntry, []byte, *reader) bool) (items []frontier.Item, next []byte, err error) {
	now, err := l.s.sched.Enter(l.ctx)
	if err != nil {
		return nil, nil, err
	}
	l.s.readers.Add(1)
	defer l.s.readers.Done()
	l.s.sched.Leave(now)
	n := 0
	var entries []waitingEntry
	err = l.s.db.scan(from, to, func(key []byte, r *reader) bool {
		if n++; n > waitingBatch {
			next = bytes.Clone(key)
			return false
		}
		e := waitingEntry{entry: &entry{seq: seqOf(key)}}
		if get(&e, key, r) && e.seq <= l.last {
			entries = append(entries, e)
		}
		return true
	})
	if err == nil {
		entries, err = l.unleased(entries)
	}
	for _, e := range entries {
		if err == nil && e.id != l.id {
			err = l.rename(e.id)
		}
		it := frontier.Item{URL: urlpath.Join(string(l.name), e.path), Host: l.name, Priority: e.priority, Meta: e.meta}
		if e.at != 0 {
			it.NotBefore = l.s.sched.Time(l.s.instant(e.at), now)
		}
		items = append(items, it)
	}
	return items, next, err
}

// unleased leaves out the entries that are leased, which stay in their queue.
func (l *waitingList) unleased(entries []waitingEntry) ([]waitingEntry, error) {
	now, err := l.s.sched.Enter(l.ctx)
	if err != nil {
		return nil, err
	}
	defer l.s.sched.Leave(now)
	return slices.DeleteFunc(entries, func(e waitingEntry) bool {
		return slices.Contains(l.s.byID[e.id].leases(), e.seq)
	}), nil
}

func (l *waitingList) rename(id hostID) error {
	r, err := l.s.db.host(id)
	if err == nil {
		l.id, l.name = id, r.name
	}
	return err
}
