package logstore

import (
	"context"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Add implements frontier.Frontier.
func (s *Store) Add(ctx context.Context, items []frontier.Item) (_ []bool, err error) {
	defer s.noteFailure(&err)
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	return s.addAll(ctx, items, hosts)
}

// maxAdded is the number of URLs that one request adds. More would take memory, several hundred bytes a URL.
const maxAdded = 4096

// addAll adds items of any number, and reports which are new.
func (s *Store) addAll(ctx context.Context, items []frontier.Item, hosts []frontier.Host) (added []bool, err error) {
	for {
		n := min(len(items), maxAdded)
		d := s.discover(items[:n], hosts[:n])
		now, err := s.sched.Enter(ctx)
		if err != nil {
			return nil, err
		}
		r := newRequest()
		isNew, err := s.add(r, d, now)
		if err := s.submit(r, now, err); err != nil {
			return nil, err
		}
		added, items, hosts = append(added, isNew...), items[n:], hosts[n:]
		if len(items) == 0 {
			return added, nil
		}
	}
}

// submit queues a request, releases the lock of the schedule, and waits until it is applied. With an
// error of preparing it, the store fails.
func (s *Store) submit(r *request, now instant, err error) error {
	if err != nil { // a record could not be read
		s.sched.Exit(now)
		s.fail(err)
		return err
	}
	if len(r.changes) == 0 && !r.joins {
		s.sched.Exit(now)
		return nil
	}
	s.push(r)
	s.sched.Exit(now)
	return s.wait(r)
}

// Known implements frontier.Frontier.
func (s *Store) Known(ctx context.Context, keys []frontier.Key) (_ []bool, err error) {
	defer s.noteFailure(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer s.sched.Exit(now)
	known := make([]bool, len(keys))
	for i, key := range keys {
		known[i] = s.records.Get(urlHash(&s.seed, key.String())) != 0
	}
	return known, nil
}

// A discovery is an item to be added.
type discovery struct {
	item *frontier.Item
	host frontier.Host
	key  string
	hash uint64
}

// discover prepares items without the lock.
func (s *Store) discover(items []frontier.Item, hosts []frontier.Host) []discovery {
	d := make([]discovery, len(items))
	for i := range items {
		key := items[i].Key().String()
		d[i] = discovery{&items[i], hosts[i], key, urlHash(&s.seed, key)}
	}
	return d
}

// add adds the items to a request that are new, and reports which. The request joins others that
// are adding some of them, so that every URL which add reports as known is stored when it is done.
func (s *Store) add(r *request, items []discovery, now instant) ([]bool, error) {
	added := make([]bool, len(items))
	for i := range items {
		d := &items[i]
		if at := s.records.Get(d.hash); at != 0 {
			r.joins = r.joins || at == claimed
			continue
		}
		h, err := s.known(d.host)
		if err != nil {
			return nil, err
		}
		s.records.Set(d.hash, claimed)
		added[i] = true
		s.enqueue(r, h, d, nil, now)
	}
	return added, nil
}

// enqueue adds to a request what makes a URL wait: a new one, or a finished one.
func (s *Store) enqueue(r *request, h *host, d *discovery, finished *finishedURL, now instant) {
	if !h.stored {
		r.changes = append(r.changes, s.recordChange(h, now))
	}
	c := &urlChange{host: h, hash: d.hash, url: urlRecord{
		state: Pending, priority: d.item.Priority, host: h.name, key: d.key, meta: d.item.Meta,
	}}
	c.by.URLs = 1
	if finished != nil {
		c.by, c.was = frontier.Counts{}, finished.size
		c.url.validators = finished.url.validators
		if finished.url.state == Done {
			c.by.Done = -1
		} else {
			c.by.Dropped = -1
		}
	}
	s.schedule(c, s.sched.Instant(d.item.NotBefore), now)
	if c.url.state == Scheduled {
		s.seq++
		c.url.seq = s.seq
	}
	h.pins++
	r.changes = append(r.changes, c)
}

// schedule makes the URL of a change pending, or scheduled if it is not ready.
func (s *Store) schedule(c *urlChange, ready, now instant) {
	if ready > now {
		c.url.state, c.url.ready = Scheduled, s.millis(ready)
		c.by.Scheduled++
	} else {
		c.url.state = Pending
		c.by.Pending++
	}
}

// A urlChange writes the record of a URL.
type urlChange struct {
	host *host
	hash uint64
	url  urlRecord
	by   frontier.Counts // change of the counts
	slot *slot           // of the lease that it ends; nil if none
	was  int             // size of the record that it replaces
}

func (c *urlChange) append(body []byte) []byte { return appendURL(body, &c.url) }

func (c *urlChange) apply(s *Store, at int64, size int, now instant) {
	h := c.host
	s.records.Set(c.hash, at)
	s.live += int64(size - c.was)
	s.count(h, c.by)
	switch c.url.state {
	case Pending:
		h.push(&c.url, at)
	case Scheduled:
		s.timed.Push(timed{c.url.ready, at})
	}
	h.pins--
	if c.slot != nil {
		s.sched.End(c.slot, now)
	} else {
		s.sched.Place(&h.Host, now)
	}
}
