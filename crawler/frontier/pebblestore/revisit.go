package pebblestore

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
	d := s.newDiscovery(pointers(nil, items), hosts)
	if err := s.addURLs(ctx, d, nil); err != nil {
		return nil, err
	}
	// The seen records of the other URLs say which are finished. Only Revisit changes such a
	// record, so one call at a time can rely on them.
	s.revisiting.Lock()
	defer s.revisiting.Unlock()
	finished, err := s.readFinished(ctx, d)
	if err != nil || len(finished) == 0 {
		return d.added, err
	}
	r := &request{done: make(chan struct{})}
	if err := s.requeue(r, d, finished); err != nil {
		return nil, err
	}
	return d.added, s.wait(r)
}

// A finishedURL is a URL of a discovery that is done or dropped.
type finishedURL struct {
	at    int // index in the discovery
	state State
	entry entry // with id, hash and validators
}

// readFinished returns the URLs of d that are done or dropped.
func (s *Store) readFinished(ctx context.Context, d *discovery) ([]finishedURL, error) {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.sched.Exit(now)
	old, met := make([]bool, len(d.items)), make(map[uint64]bool)
	for i, hash := range d.hashes {
		old[i] = !d.added[i] && !met[hash]
		met[hash] = true
	}
	var finished []finishedURL
	err = s.readSeen(d.hosts, d.hashes, old, func(i int, id hostID, r *reader) {
		if state := State(r.Byte()); state != waiting {
			u := finishedURL{at: i, state: state, entry: entry{id: id, hash: d.hashes[i]}}
			r.finished(&u.entry)
			finished = append(finished, u)
		}
	})
	for i := range finished {
		if err == nil {
			err = s.db.validators(&finished[i].entry)
		}
	}
	return finished, err
}

// requeue creates new entries for finished URLs. They have new numbers and so new queue keys,
// which are written once.
func (s *Store) requeue(r *request, d *discovery, finished []finishedURL) error {
	now, err := s.sched.Enter(context.Background())
	if err != nil {
		return err
	}
	hosts := make([]frontier.Host, len(finished))
	for i, u := range finished {
		hosts[i] = d.hosts[u.at]
	}
	if now, err = s.ensureHosts(hosts, now); err != nil {
		return err
	}
	c := &addChange{additions: make([]addition, len(finished))}
	for i, u := range finished {
		d.added[u.at] = true
		n := s.newAddition(s.hosts[hosts[i]], d.items[u.at], u.entry.hash, now)
		n.was = u.state
		n.entry.known, n.entry.validators = u.entry.known, u.entry.validators
		c.additions[i] = n
	}
	r.changes = append(r.changes, c)
	s.queue.push(r)
	s.sched.Exit(now)
	return nil
}
