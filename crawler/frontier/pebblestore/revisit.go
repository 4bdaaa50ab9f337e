package pebblestore

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Revisit implements frontier.Revisiter. What is new is added first. The rest is
// in the store then, and its seen records say what is over: nobody but another
// Revisit changes such a record, and there is one at a time.
func (s *Store) Revisit(ctx context.Context, items []frontier.Item) (_ []bool, err error) {
	defer s.hear(&err)
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	d := s.newDiscovery(pointers(nil, items), hosts)
	if err := s.bring(ctx, d, nil); err != nil {
		return nil, err
	}
	s.revisiting.Lock()
	defer s.revisiting.Unlock()
	over, err := s.readOver(ctx, d)
	if err != nil || len(over) == 0 {
		return d.added, err
	}
	r := &request{done: make(chan struct{})}
	if err := s.takeAgain(r, d, over); err != nil {
		return nil, err
	}
	return d.added, s.wait(r)
}

// A pastURL is a URL of a discovery that is over.
type pastURL struct {
	at    int // in the discovery
	state State
	entry entry // what is known of it: whether there are validators, and which
}

// readOver returns which URLs of d are over.
func (s *Store) readOver(ctx context.Context, d *discovery) ([]pastURL, error) {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.sched.Leave(now)
	old, met := make([]bool, len(d.items)), make(map[uint64]bool)
	for i, hash := range d.hashes {
		old[i] = !d.added[i] && !met[hash]
		met[hash] = true
	}
	var over []pastURL
	err = s.look(d.hosts, d.hashes, old, func(i int, id hostID, r *reader) {
		if state := State(r.Byte()); state != waiting {
			u := pastURL{at: i, state: state, entry: entry{id: id, hash: d.hashes[i]}}
			r.over(&u.entry)
			over = append(over, u)
		}
	})
	for i := range over {
		if err == nil {
			err = s.db.validators(&over[i].entry)
		}
	}
	return over, err
}

// takeAgain makes new entries of URLs that are over. Their numbers are new, and
// so are the keys of their queue records, which are therefore written once.
func (s *Store) takeAgain(r *request, d *discovery, over []pastURL) error {
	now, err := s.sched.Enter(context.Background())
	if err != nil {
		return err
	}
	hosts := make([]frontier.Host, len(over))
	for i, u := range over {
		hosts[i] = d.hosts[u.at]
	}
	if now, err = s.summon(hosts, now); err != nil {
		return err
	}
	c := &addChange{news: make([]news, len(over))}
	for i, u := range over {
		d.added[u.at] = true
		n := s.news(s.hosts[hosts[i]], d.items[u.at], u.entry.hash, now)
		n.was = u.state
		n.entry.known, n.entry.validators = u.entry.known, u.entry.validators
		c.news[i] = n
	}
	r.changes = append(r.changes, c)
	s.queue.push(r)
	s.sched.Leave(now)
	return nil
}
