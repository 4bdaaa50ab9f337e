package pebblestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// A batch has the writes of one round of the committer, and buffers for keys and values.
type batch struct {
	*pebble.Batch
	key, val []byte
}

// The methods of pebble.Batch return errors only for a batch that was committed or is indexed,
// so these methods panic instead.

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

// removeEntry deletes the queue record of e. A record that was written only once needs no
// tombstone: compaction drops it together with its SingleDelete.
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

// commitLoop is the committer. It takes all queued changes, writes them at once and applies
// them. Only it writes to the database and reads queues from it, so what it reads has been
// applied.
func (s *Store) commitLoop() {
	defer close(s.stopped)
	for {
		r, ok := s.queue.take()
		if !ok {
			return
		}
		if err := s.commitRound(&r); err != nil {
			s.dir.disk.stop(err)
			return
		}
	}
}

func (s *Store) commitRound(r *round) error {
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

// apply applies the writes and reads of a round to the state in memory.
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
				s.sched.Exit(now)
				return err
			}
		}
		s.retire(now) // hosts whose records were written
		s.sched.Exit(now)
	} // else the store is closed
	for _, req := range r.requests {
		if req.done != nil {
			close(req.done)
		}
	}
	return nil
}

// fail makes all calls return err, including waiting ones.
func (s *Store) fail(err error) {
	s.failing.Do(func() {
		s.failure = err
		s.sched.Close(err) // first, so that callers find the store closed
		close(s.failed)
	})
}

// failedWith returns the error that the store failed with, or nil.
func (s *Store) failedWith() error {
	select {
	case <-s.failed:
		return s.failure
	default:
		return nil
	}
}

// noteFailure records that a call returns the failure of the store, so that Close need not.
func (s *Store) noteFailure(err *error) {
	if *err != nil && errors.Is(*err, s.failedWith()) {
		s.failureReturned.Store(true)
	}
}

// wait waits until a request is applied.
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

// flush waits until all requests queued so far are applied.
func (s *Store) flush() error {
	r := &request{done: make(chan struct{})}
	s.queue.push(r)
	return s.wait(r)
}

// background queues changes without waiting for them.
func (s *Store) background(c ...change) { s.queue.push(&request{changes: c}) }

// enter acquires the lock of the store once quiet is true. Until then it waits for the
// committer.
func (s *Store) enter(ctx context.Context, quiet func() bool) (now instant, err error) {
	for {
		now, err := s.sched.Enter(ctx)
		if err != nil || quiet() {
			return now, err
		}
		s.sched.Exit(now)
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
}

// allRead reports whether no URL that is due or next in its queue is still to be read.
func (s *Store) allRead() bool { return !s.waking && s.dry == 0 }
