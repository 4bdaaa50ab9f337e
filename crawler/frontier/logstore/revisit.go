package logstore

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Revisit implements frontier.Revisiter.
func (s *Store) Revisit(ctx context.Context, items []frontier.Item) (_ []bool, err error) {
	defer s.noteFailure(&err)
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	// Only Revisit changes the record of a finished URL, so one call at a time can rely on it.
	s.revisiting.Lock()
	defer s.revisiting.Unlock()
	d := s.discover(items, hosts)
	finished, err := s.finished(ctx, d)
	if err != nil {
		return nil, err
	}
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	r := newRequest()
	queued, err := s.add(r, d, now)
	for i := range finished {
		if err != nil {
			break
		}
		u := &finished[i]
		var h *host
		if h, err = s.known(u.url.host); err == nil {
			queued[u.item] = true
			s.enqueue(r, h, &d[u.item], u, now)
		}
	}
	return queued, s.submit(r, now, err)
}

// A finishedURL is a URL that is done or dropped.
type finishedURL struct {
	item int // index of the item
	url  urlRecord
	size int // of its record
}

// finished returns the URLs of the items that are done or dropped, each once.
func (s *Store) finished(ctx context.Context, items []discovery) ([]finishedURL, error) {
	places := make(map[int64]int, len(items)) // index of the item, by offset
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	var order []int64
	for i := range items {
		at := s.records.Get(items[i].hash)
		if _, met := places[at]; at > claimed && !met {
			places[at] = i
			order = append(order, at)
		}
	}
	s.sched.Exit(now)
	var finished []finishedURL
	for _, at := range order {
		u, size, err := s.file.readURL(at)
		if err != nil {
			return nil, s.readFailed(err)
		}
		if u.state == Done || u.state == Dropped {
			finished = append(finished, finishedURL{places[at], u, size})
		}
	}
	return finished, nil
}
