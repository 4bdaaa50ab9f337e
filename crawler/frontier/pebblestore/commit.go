package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A batch is what a round of the committer writes, with room for keys and
// values in the making.
type batch struct {
	*pebble.Batch
	key, val []byte
}

// The methods of pebble.Batch return errors only for a batch that was committed
// or is read from; put and its like say so once and for all.

func (b *batch) put(key, value []byte) { must(b.Set(key, value, nil)) }
func (b *batch) remove(key []byte)     { must(b.Delete(key, nil)) }
func (b *batch) removeOnce(key []byte) { must(b.SingleDelete(key, nil)) }

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("pebblestore: writing to a batch: %v", err))
	}
}

// putEntry writes the queue record of e.
func (b *batch) putEntry(e *entry) {
	b.key = queueKey(b.key, e.id, e.place())
	b.val = appendEntry(b.val[:0], e)
	b.put(b.key, b.val)
}

// removeEntry deletes the queue record of e. A record that was written only
// once takes no tombstone: it and its deletion vanish where they meet.
func (b *batch) removeEntry(e *entry) {
	b.key = queueKey(b.key, e.id, e.place())
	if e.again {
		b.remove(b.key)
	} else {
		b.removeOnce(b.key)
	}
}

// putTimed writes the time record of e.
func (b *batch) putTimed(e *entry, ms int64) {
	b.key = timeKey(b.key, ms, e.seq)
	b.val = appendTimed(b.val[:0], e)
	b.put(b.key, b.val)
}

func (b *batch) putMark(e *entry) {
	b.key = attemptKey(b.key, e.id, e.seq)
	b.val = appendMark(b.val[:0], e)
	b.put(b.key, b.val)
}

func (b *batch) removeMark(e *entry) {
	b.key = attemptKey(b.key, e.id, e.seq)
	b.remove(b.key)
}

// work is the committer. It takes whatever is queued, writes it at once, and
// makes it known: with many callers many share a write, and a single one does
// not wait for others. It alone writes to the database and reads queues from
// it, so that what it reads is what it has made known.
func (s *Store) work() {
	defer close(s.stopped)
	for {
		r, ok := s.queue.take()
		if !ok {
			return
		}
		if err := s.round(&r); err != nil {
			s.dir.disk.stop(err)
			return
		}
	}
}

func (s *Store) round(r *round) error {
	b := &batch{Batch: s.pebble.NewBatch(), key: s.key, val: s.val}
	for _, e := range r.marks {
		b.putMark(e)
	}
	for _, req := range r.requests {
		for _, c := range req.changes {
			c.write(b)
		}
	}
	var woken *wakeChange
	if r.wake != nil {
		var err error
		if woken, err = s.readDue(*r.wake); err != nil {
			return err
		}
		woken.write(b)
	}
	if !b.Empty() {
		if err := b.Commit(pebble.Sync); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	s.key, s.val = b.key, b.val
	if err := b.Close(); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	read := make([][]*entry, len(r.refills))
	for i, f := range r.refills {
		var err error
		if read[i], err = s.readQueue(f.host, f.n); err != nil {
			return err
		}
	}
	return s.apply(r, woken, read)
}

// apply makes known what a round has written and read.
func (s *Store) apply(r *round, woken *wakeChange, read [][]*entry) error {
	now, err := s.sched.Enter(context.Background())
	if err == nil {
		if woken != nil {
			woken.apply(s, now)
		}
		for _, req := range r.requests {
			for _, c := range req.changes {
				c.apply(s, now)
			}
		}
		for i, f := range r.refills {
			if err := s.fill(f, read[i], now); err != nil {
				s.sched.Leave(now)
				return err
			}
		}
		s.retire(now) // those whose records were written
		s.sched.Leave(now)
	} // else the store is closed, and nobody sees it any more
	for _, req := range r.requests {
		if req.done != nil {
			close(req.done)
		}
	}
	return nil
}

// fail makes every call return err, also those that wait.
func (s *Store) fail(err error) {
	s.failing.Do(func() {
		s.failure = err
		s.sched.Close(err) // first, so that who is told finds the store closed
		close(s.failed)
	})
}

// failedWith returns what the store has failed with, nil when it has not.
func (s *Store) failedWith() error {
	select {
	case <-s.failed:
		return s.failure
	default:
		return nil
	}
}

// hear notes when a call returns what the store has failed with.
func (s *Store) hear(err *error) {
	if *err != nil && errors.Is(*err, s.failedWith()) {
		s.heard.Store(true)
	}
}

// wait waits until a request has been done.
func (s *Store) wait(r *request) error {
	select {
	case <-r.done:
		return nil
	case <-s.failed:
		return s.failure
	case <-s.stopped:
	}
	select {
	case <-r.done:
		return nil
	default:
		return frontier.ErrClosed
	}
}

// flush waits until what is queued now has been done.
func (s *Store) flush() error {
	r := &request{done: make(chan struct{})}
	s.queue.push(r)
	return s.wait(r)
}

// background has changes written that nobody waits for.
func (s *Store) background(c ...change) { s.queue.push(&request{changes: c}) }

// enter takes the store's lock when it is quiet. It waits for the committer
// until then.
func (s *Store) enter(ctx context.Context, quiet func() bool) (now instant, err error) {
	for {
		now, err := s.sched.Enter(ctx)
		if err != nil || quiet() {
			return now, err
		}
		s.sched.Leave(now)
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
}

// settled reports that nothing which is pending or due is still to be read.
func (s *Store) settled() bool { return !s.waking && s.dry == 0 }
