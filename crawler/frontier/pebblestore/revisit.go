package pebblestore

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Revisit implements frontier.Frontier. What is new is added first. The rest is
// in the store then, and its seen records say what is over: nobody but another
// Revisit changes such a record, and there is one at a time.
func (s *Store) Revisit(ctx context.Context, items []frontier.Item) ([]bool, error) {
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
func (s *Store) readOver(ctx context.Context, d *discovery) (over []pastURL, err error) {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.sched.Leave(now)
	ids, met := make(map[frontier.Host]hostID), make(map[uint64]bool)
	var key []byte
	for i, hash := range d.hashes {
		if met[hash] {
			continue
		}
		met[hash] = true
		if d.added[i] {
			continue
		}
		id, ok := ids[d.hosts[i]]
		if !ok {
			if id, err = s.db.idOf(d.hosts[i]); err != nil {
				return nil, err
			}
			ids[d.hosts[i]] = id
		}
		u := pastURL{at: i, entry: entry{id: id, hash: hash}}
		key = hashKey(key, kindSeen, id, hash)
		_, err := s.db.read(key, func(r *reader) {
			if u.state = State(r.byte()); u.state != waiting {
				r.over(&u.entry)
			}
		})
		if err == nil {
			err = s.db.validators(&u.entry)
		}
		if err != nil {
			return nil, err
		}
		if u.state != waiting {
			over = append(over, u)
		}
	}
	return over, nil
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
