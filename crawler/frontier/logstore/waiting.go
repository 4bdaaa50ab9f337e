package logstore

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Waiting implements frontier.Lister. It lists a snapshot that it takes when the loop begins.
func (s *Store) Waiting(ctx context.Context, names ...frontier.Host) iter.Seq2[frontier.Item, error] {
	return func(yield func(frontier.Item, error) bool) {
		of := make(map[frontier.Host]bool, len(names)) // empty for all
		for _, name := range names {
			of[name] = true
		}
		pending, scheduled, err := s.waiting(ctx, of)
		if s.noteFailure(&err); err != nil {
			yield(frontier.Item{}, err)
			return
		}
		for _, at := range pending {
			if !s.list(ctx, at, time.Time{}, nil, yield) {
				return
			}
		}
		for _, t := range scheduled {
			if !s.list(ctx, t.At, time.UnixMilli(t.Ready), of, yield) {
				return
			}
		}
	}
}

// waiting returns the offsets of the pending URLs of these hosts, and all scheduled URLs.
func (s *Store) waiting(ctx context.Context, of map[frontier.Host]bool) (pending []int64, scheduled []timed, err error) {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.sched.Exit(now)
	if len(of) == 0 {
		pending = make([]int64, 0, s.counts.Pending)
	}
	for name, h := range s.hosts {
		if len(of) > 0 && !of[name] {
			continue
		}
		for r := range h.queue.all() {
			pending = append(pending, r.At)
		}
	}
	scheduled = slices.Clone(s.timed)
	for i := range scheduled { // on the wall clock of now
		scheduled[i].Ready = s.sched.Time(s.instant(scheduled[i].Ready), now).UnixMilli()
	}
	return pending, scheduled, nil
}

// list lists a URL, unless it is of none of the hosts, and reports whether the loop continues.
func (s *Store) list(ctx context.Context, at int64, ready time.Time, of map[frontier.Host]bool, yield func(frontier.Item, error) bool) bool {
	err := ctx.Err()
	var u urlRecord
	if err == nil {
		if u, _, err = s.file.readURL(at); err != nil {
			err = s.readFailed(err)
		}
	}
	if err != nil {
		s.noteFailure(&err)
		yield(frontier.Item{}, err)
		return false
	}
	if len(of) > 0 && !of[u.host] {
		return true
	}
	it := u.item()
	it.NotBefore = ready
	return yield(it, nil)
}
