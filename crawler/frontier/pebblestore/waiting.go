package pebblestore

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/seen"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// waitingBatch is how many records a list of those waiting reads at a time.
const waitingBatch = 1000

// Waiting implements frontier.Frontier. In memory are a batch, and 9 to 14 bytes
// for each URL that is scheduled.
//
// Entries move while the list is made: from the schedule to a queue when they
// are due, and back only by way of a lease, which excuses the list from naming
// them. So the schedule is read first, and what was met there is left out of the
// queues. What came in after the beginning has a higher number.
func (s *Store) Waiting(ctx context.Context, name frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		l := &waitingList{s: s, ctx: ctx, yield: func(it frontier.Item) bool { return yield(it, nil) }}
		if err := l.run(name); err != nil {
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

	last uint64   // the highest number at the beginning
	met  seen.Set // numbers of those scheduled, spread
	id   hostID   // of the host named last
	name frontier.Host
}

// spread makes hashes of numbers, one of each.
const spread = 0x9e3779b97f4a7c15

func (l *waitingList) run(name frontier.Host) error {
	only, scheduled, err := l.begin(name)
	if err != nil || name != "" && only == 0 {
		return err
	}
	if scheduled {
		if err := l.schedule(only); err != nil {
			return err
		}
	}
	if only != 0 {
		return l.queue(only)
	}
	id, err := l.nextQueue(1)
	for id != 0 && err == nil && !l.stopped {
		if err = l.queue(id); err == nil {
			id, err = l.nextQueue(id + 1)
		}
	}
	return err
}

// schedule gives the entries of a host, or of all, that wait for a time.
func (l *waitingList) schedule(only hostID) error {
	return l.list([]byte{kindTime}, []byte{kindTime + 1}, 0, func(e *entry, _ []byte, r *reader) bool {
		r.timed(e)
		l.met.Add(e.seq * spread)
		return only == 0 || e.id == only
	})
}

// queue gives the entries in the queue of a host.
func (l *waitingList) queue(id hostID) error {
	return l.list(idKey(nil, kindQueue, id), idKey(nil, kindQueue, id+1), id, func(e *entry, key []byte, r *reader) bool {
		e.id, e.priority = id, placeOf(key).priority
		r.entry(e)
		return !l.met.Has(e.seq * spread)
	})
}

// begin says which host is listed, 0 for all, and whether there is something
// scheduled.
func (l *waitingList) begin(name frontier.Host) (only hostID, scheduled bool, err error) {
	now, err := l.s.enter(l.ctx, l.s.settled)
	if err != nil {
		return 0, false, err
	}
	l.s.readers.Add(1)
	defer l.s.readers.Done()
	l.last = l.s.seq
	counts, h := l.s.counts, l.s.hosts[name]
	if h != nil {
		only, counts = h.id, h.counts
	}
	l.s.sched.Leave(now)
	if name != "" && h == nil {
		f, err := l.s.readHost(name)
		if err != nil || f.record == nil {
			return 0, false, err
		}
		only, counts = f.id, f.record.counts
	}
	return only, counts.Scheduled > 0, nil
}

// list gives what there is from one key up to another: in the queue of a host,
// or, when id is 0, in the schedule. Get reads an entry and says whether it is
// asked for.
func (l *waitingList) list(from, to []byte, id hostID, get func(e *entry, key []byte, r *reader) bool) error {
	for from != nil && !l.stopped {
		items, next, err := l.read(from, to, id, get)
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
func (l *waitingList) read(from, to []byte, id hostID, get func(e *entry, key []byte, r *reader) bool) (items []frontier.Item, next []byte, err error) {
	now, err := l.s.sched.Enter(l.ctx)
	if err != nil {
		return nil, nil, err
	}
	l.s.readers.Add(1)
	defer l.s.readers.Done()
	leased := l.s.byID[id].leases()
	l.s.sched.Leave(now)
	n := 0
	var entries []*entry
	var times []time.Time
	err = l.s.db.scan(from, to, func(key []byte, r *reader) bool {
		if n++; n > waitingBatch {
			next = bytes.Clone(key)
			return false
		}
		e := &entry{seq: seqOf(key)}
		if get(e, key, r) && e.seq <= l.last && !slices.Contains(leased, e.seq) {
			entries, times = append(entries, e), append(times, time.Time{})
			if id == 0 {
				times[len(times)-1] = l.s.sched.Time(l.s.instant(millisOf(key)), now)
			}
		}
		return true
	})
	for i, e := range entries {
		if err == nil && e.id != l.id {
			err = l.rename(e.id)
		}
		items = append(items, frontier.Item{
			URL: urlpath.Join(string(l.name), e.path), Host: l.name, Priority: e.priority, NotBefore: times[i], Meta: e.meta,
		})
	}
	return items, next, err
}

func (l *waitingList) rename(id hostID) error {
	r, err := l.s.db.host(id)
	if err == nil {
		l.id, l.name = id, r.name
	}
	return err
}

// nextQueue returns the first host from id on that has a queue, 0 when there is
// none.
func (l *waitingList) nextQueue(id hostID) (next hostID, err error) {
	now, err := l.s.sched.Enter(l.ctx)
	if err != nil {
		return 0, err
	}
	l.s.readers.Add(1)
	defer l.s.readers.Done()
	l.s.sched.Leave(now)
	err = l.s.db.scan(idKey(nil, kindQueue, id), []byte{kindQueue + 1}, func(key []byte, _ *reader) bool {
		next = idOf(key)
		return false
	})
	return next, err
}
