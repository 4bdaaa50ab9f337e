package pebblestore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Waiting implements frontier.Lister. It lists a snapshot that it takes when the loop begins.
// Records that are deleted during the loop stay on the disk until it ends.
func (s *Store) Waiting(ctx context.Context, names ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		if err := s.waiting(ctx, names, func(it frontier.Item) bool { return yield(it, nil) }); err != nil {
			s.noteFailure(&err)
			yield(frontier.Item{}, err)
		}
	}
}

func (s *Store) waiting(ctx context.Context, names []frontier.Host, yield func(frontier.Item) bool) (err error) {
	now, err := s.enter(ctx, s.allRead)
	if err != nil {
		return err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.sched.Exit(now)
	snapshot := s.pebble.NewSnapshot() // without the lock, since it may block
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	if now, err = s.sched.Enter(ctx); err != nil {
		return err
	}
	l := &waitingList{s: s, ctx: ctx, yield: yield, db: s.db, leased: make(map[uint64]bool)}
	l.db.Reader = snapshot
	for _, h := range s.hosts {
		for _, seq := range h.leasedSeqs() {
			l.leased[seq] = true
		}
	}
	s.sched.Exit(now)
	return l.run(names)
}

// A waitingList is one call of Waiting.
type waitingList struct {
	s       *Store
	ctx     context.Context // of the call
	yield   func(frontier.Item) bool
	stopped bool // yield must not be called again

	db     database        // the snapshot
	leased map[uint64]bool // numbers of leased entries, whose queue records remain
	hosts  map[hostID]bool // hosts to be listed; nil for all
	id     hostID          // of the last host
	name   frontier.Host
}

// fewHosts is the maximum number of hosts whose queues are read one by one.
const fewHosts = 1000

func (l *waitingList) run(names []frontier.Host) error {
	if len(names) > 0 {
		l.hosts = make(map[hostID]bool)
	}
	for _, name := range names {
		id, err := l.db.idOf(name)
		if err != nil {
			return err
		}
		if id != 0 {
			l.hosts[id] = true
		}
	}
	if err := l.list([]byte{kindTime}, []byte{kindTime + 1}); err != nil {
		return err
	}
	if l.hosts == nil || len(l.hosts) > fewHosts {
		return l.list([]byte{kindQueue}, []byte{kindQueue + 1})
	}
	for _, id := range slices.Sorted(maps.Keys(l.hosts)) {
		if err := l.list(idKey(nil, kindQueue, id), idKey(nil, kindQueue, id+1)); err != nil {
			return err
		}
	}
	return nil
}

// list lists the records from one key up to another.
func (l *waitingList) list(from, to []byte) error {
	if l.stopped {
		return nil
	}
	var failed error
	err := l.db.scan(from, to, func(key []byte, r *reader) bool {
		failed = l.emit(key, r)
		return failed == nil && !l.stopped
	})
	return errors.Join(err, failed)
}

// emit lists an entry, unless it is leased or belongs to another host.
func (l *waitingList) emit(key []byte, r *reader) error {
	now, err := l.s.sched.Enter(l.ctx)
	if err != nil {
		return err
	}
	l.s.sched.Exit(now)
	var e *entry
	var notBefore time.Time
	if key[0] == kindTime {
		e = r.timed(key)
		notBefore = l.s.sched.Time(l.s.instant(millisOf(key)), now)
	} else {
		e = r.queued(key)
	}
	if r.Bad || l.leased[e.seq] || l.hosts != nil && !l.hosts[e.id] {
		return nil
	}
	if e.id != l.id {
		h, err := l.db.host(e.id)
		if err != nil {
			return err
		}
		l.id, l.name = e.id, h.name
	}
	it := e.item(l.name)
	it.NotBefore = notBefore
	l.stopped = !l.yield(it)
	return nil
}
