package logstore

import (
	"context"
	"iter"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Waiting implements frontier.Lister. It lists a snapshot that it takes when the loop begins.
func (s *Store) Waiting(ctx context.Context, names ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		for it, err := range s.waiting(ctx, names) {
			s.noteFailure(&err)
			if !yield(it, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) waiting(ctx context.Context, names []frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		now, err := s.sched.Enter(ctx)
		if err != nil {
			yield(frontier.Item{}, err)
			return
		}
		hosts := s.hosts
		listed := make(map[frontier.Host]bool)
		if len(names) > 0 {
			hosts = make(map[frontier.Host]*host)
			for _, name := range names {
				listed[name] = true
				if h := s.hosts[name]; h != nil {
					hosts[name] = h
				}
			}
		}
		var pending []int64
		for _, h := range hosts {
			for _, r := range h.queue.all() {
				pending = append(pending, r.at)
			}
		}
		timed := append(s.timed[:0:0], s.timed...)
		log := s.file.use()
		defer log.release()
		s.sched.Exit(now)
		for i := range len(pending) + len(timed) {
			var ready time.Time
			at := int64(0)
			if i < len(pending) {
				at = pending[i]
			} else {
				at = timed[i-len(pending)].at
			}
			u, _, err := log.readURL(at)
			if now, entered := s.sched.Enter(ctx); entered != nil {
				err = entered
			} else {
				if i >= len(pending) {
					ready = s.sched.Time(s.instant(timed[i-len(pending)].ready), now)
				}
				s.sched.Exit(now)
			}
			if err == nil && i >= len(pending) && len(names) > 0 && !listed[u.host] {
				continue
			}
			it := u.item()
			it.NotBefore = ready
			if !yield(it, err) {
				return
			}
		}
	}
}
