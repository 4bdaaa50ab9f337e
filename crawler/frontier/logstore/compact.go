package logstore

import (
	"errors"
	"maps"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// isMostlyDead reports whether more than half of the log are records that others have replaced.
func (s *Store) isMostlyDead() bool {
	return s.file.size >= s.opts.compactFrom && s.file.size > 2*s.live
}

// compact replaces the log with one that has only the last record of each key, in the same order. The
// lock of the schedule is held, and nothing is queued. If the new log cannot be written, the old one
// stays.
func (s *Store) compact(now instant) error {
	leased := make(map[int64]*entry)
	rewritten, err := s.rewrite(now, leased)
	if err != nil {
		s.opts.Logger.Warn("the frontier is not compacted", "file", s.file.path, "err", err)
		return nil
	}
	old := s.file
	s.file, rewritten.path = rewritten, old.path
	s.opened = s.file.size
	if err := old.release(); err != nil {
		return err
	}
	s.records.Clear()
	s.timed, s.counts, s.sites, s.live = nil, frontier.Counts{}, 0, 0
	for _, h := range s.hosts {
		h.counts, h.queue = frontier.Counts{}, queue{}
	}
	if _, err := s.read(leased); err != nil {
		return err
	}
	for at, e := range leased {
		e.at = at
	}
	for h := range maps.Values(s.hosts) {
		s.sched.Place(&h.Host, now)
	}
	return nil
}

// A rewriting is a compaction that writes the new log.
type rewriting struct {
	*Store
	to       *file
	now      instant
	returned map[int64]returned // URLs whose records are outdated: those that were leased or are due
	entries  map[int64]*entry   // leased URLs, by offset
	leased   map[int64]*entry   // the same by their new offset
	frame    []byte
	body     []byte
}

// rewrite writes a new log and gives it the name of the old one. It notes the new offsets of leased
// URLs.
func (s *Store) rewrite(now instant, leased map[int64]*entry) (*file, error) {
	path := s.file.path + newSuffix
	to, err := createFile(path, s.file.seed)
	if err != nil {
		return nil, err
	}
	w := &rewriting{
		Store: s, to: to, now: now, leased: leased, frame: make([]byte, headSize),
		returned: make(map[int64]returned), entries: make(map[int64]*entry),
	}
	for _, h := range s.hosts {
		for _, r := range h.queue.again {
			w.returned[r.at] = r
		}
		for _, slot := range h.Slots() {
			if e := slot.Entry; e != nil {
				w.returned[e.at], w.entries[e.at] = e.returned, e
			}
		}
	}
	if _, err = s.file.each(s.file.size, w.copy); err == nil {
		err = w.finish()
	}
	if err == nil {
		err = errors.Join(durable.File(to.File), durable.Rename(path, s.file.path))
	}
	if err != nil {
		return nil, errors.Join(err, to.release(), os.Remove(path))
	}
	return to, nil
}

// copy copies a record that is the last one of its key.
func (w *rewriting) copy(s *stored) error {
	hash, keyed := s.hash()
	if !keyed || w.records.Get(hash) != s.at {
		return nil
	}
	body := s.body
	switch s.kind {
	case kindURL:
		r, ok := w.returned[s.at]
		if !ok {
			break
		}
		f := &fields.Reader{Rest: body[1:]}
		u := readURL(f)
		if f.Bad {
			return f.Err()
		}
		u.state, u.attempts, u.turn = Pending, int(r.attempts), r.turn
		w.body = appendURL(w.body[:0], &u)
		body = w.body
		if e := w.entries[s.at]; e != nil {
			w.leased[w.to.size+int64(len(w.frame))] = e
		}
	case kindHost:
		if h := w.hosts[readHost(s.fields()).name]; h != nil {
			w.body = appendHost(w.body[:0], w.record(h, w.now))
			body = w.body
		}
	}
	w.frame = appendRecord(w.frame, w.to.salt, body)
	return w.flush(1 << 20)
}

// flush writes what has been collected if it is longer than that.
func (w *rewriting) flush(size int) error {
	if len(w.frame) <= size {
		return nil
	}
	err := w.to.append(w.frame)
	w.frame = w.frame[:headSize]
	return err
}

func (w *rewriting) finish() error {
	if w.note != nil {
		w.frame = appendRecord(w.frame, w.to.salt, append([]byte{kindNote}, w.note...))
	}
	return w.flush(headSize)
}
