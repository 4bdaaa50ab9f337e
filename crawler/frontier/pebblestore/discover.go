package pebblestore

import (
	"context"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// Add implements frontier.Frontier.
func (s *Store) Add(ctx context.Context, items []frontier.Item) (_ []bool, err error) {
	defer s.noteFailure(&err)
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	d := s.newDiscovery(pointers(nil, items), hosts)
	if err := s.addURLs(ctx, d, nil); err != nil {
		return nil, err
	}
	return d.added, nil
}

// Known implements frontier.Frontier.
func (s *Store) Known(ctx context.Context, keys []frontier.Key) (_ []bool, err error) {
	defer s.noteFailure(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	known, exact := make([]bool, len(keys)), s.known.exact()
	hashes := make([]uint64, len(keys))
	for i, key := range keys {
		hashes[i] = s.seed.Sum(key.String())
		known[i] = s.known.has(hashes[i])
	}
	s.sched.Exit(now)
	if exact {
		return known, nil
	}
	hosts, unsure := make([]frontier.Host, len(keys)), make([]bool, len(keys))
	for i, key := range keys {
		if hosts[i], err = frontier.HostOf(key.URL); err == nil {
			unsure[i] = !known[i]
		}
	}
	err = s.readSeen(hosts, hashes, unsure, func(i int, _ hostID, _ *reader) { known[i] = true })
	return known, err
}

// A discovery has the URLs of one call of Add, Finish or Revisit.
type discovery struct {
	items      []*frontier.Item
	hosts      []frontier.Host
	hashes     []uint64
	added      []bool     // which URLs are new
	claimed    []bool     // which URLs have this request in Store.claims
	concurrent []*request // other requests that add some of the URLs

	request *request
}

// pointers appends pointers to items, which are large, to list.
func pointers(list []*frontier.Item, items []frontier.Item) []*frontier.Item {
	list = slices.Grow(list, len(items))
	for i := range items {
		list = append(list, &items[i])
	}
	return list
}

func (s *Store) newDiscovery(items []*frontier.Item, hosts []frontier.Host) *discovery {
	d := &discovery{
		items: items, hosts: hosts,
		hashes:  make([]uint64, len(items)),
		added:   make([]bool, len(items)),
		claimed: make([]bool, len(items)),
		request: &request{done: make(chan struct{})},
	}
	for i := range items {
		d.hashes[i] = s.seed.Sum(items[i].Key().String())
	}
	return d
}

// addURLs stores the new URLs, together with the changes that also adds to the request. It also
// waits for concurrent requests that add some of the same URLs, so that every URL which it
// reports as known is stored.
func (s *Store) addURLs(ctx context.Context, d *discovery, also func(*request, instant)) error {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.claim(d)
	if !s.known.exact() {
		s.sched.Exit(now)
		unsure := slices.Clone(d.added)
		if err := s.readSeen(d.hosts, d.hashes, unsure, func(i int, _ hostID, _ *reader) { d.added[i] = false }); err != nil {
			return err
		}
		if now, err = s.sched.Enter(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if now, err = s.ensureHosts(d.newHosts(), now); err != nil {
		return err
	}
	s.makeEntries(d, now)
	if also != nil {
		also(d.request, now)
	}
	if len(d.request.changes) > 0 {
		s.queue.push(d.request)
	} else {
		close(d.request.done) // concurrent requests may wait for it
	}
	s.sched.Exit(now)
	for _, other := range append(d.concurrent, d.request) {
		if err := s.wait(other); err != nil {
			return err
		}
	}
	return nil
}

// claim claims the URLs of d that are new according to the state in memory.
func (s *Store) claim(d *discovery) {
	for i, hash := range d.hashes {
		if s.known.has(hash) {
			continue
		}
		switch other := s.claims[hash]; other {
		case nil:
			s.claims[hash] = d.request
			d.added[i], d.claimed[i] = true, true
		case d.request:
		default:
			if n := len(d.concurrent); n == 0 || d.concurrent[n-1] != other {
				d.concurrent = append(d.concurrent, other)
			}
		}
	}
}

// newHosts returns the hosts of the new URLs.
func (d *discovery) newHosts() []frontier.Host {
	var hosts []frontier.Host
	for i, added := range d.added {
		if added && (len(hosts) == 0 || hosts[len(hosts)-1] != d.hosts[i]) {
			hosts = append(hosts, d.hosts[i])
		}
	}
	return hosts
}

// makeEntries creates entries for the new URLs of d.
func (s *Store) makeEntries(d *discovery, now instant) {
	c := &addChange{}
	for i := range d.items {
		if !d.added[i] {
			// The database knows the URL, or it occurs twice in d. In the second case the
			// claim of the first one stays until it is stored.
			if d.claimed[i] {
				delete(s.claims, d.hashes[i])
				s.known.add(d.hashes[i])
			}
			continue
		}
		it, h := d.items[i], s.hosts[d.hosts[i]]
		if !h.named {
			d.request.changes = append(d.request.changes, s.recordChange(h, now))
		}
		c.additions = append(c.additions, s.newAddition(h, it, d.hashes[i], now))
	}
	if len(c.additions) > 0 {
		d.request.changes = append(d.request.changes, c)
	}
}

// An addition is a URL that is added or revisited.
type addition struct {
	host  *host
	entry *entry
	timed bool
	ready int64 // if timed: when, in Unix milliseconds
	was   State // Done or Dropped if revisited
}

// newAddition creates an entry for an addChange.
func (s *Store) newAddition(h *host, it *frontier.Item, hash uint64, now instant) addition {
	s.seq++
	n := addition{host: h, entry: &entry{
		id: h.id, seq: s.seq, priority: it.Priority, hash: hash,
		path: urlpath.Cut(it.Key().String(), string(h.name)), meta: it.Meta,
	}}
	if ready := s.sched.Instant(it.NotBefore); ready > now {
		n.ready, n.timed = s.millis(ready), true
	}
	h.pins++
	return n
}

// An addChange adds new and revisited URLs.
type addChange struct{ additions []addition }

func (c *addChange) write(b *batch) {
	for _, n := range c.additions {
		b.key = hashKey(b.key, kindSeen, n.entry.id, n.entry.hash)
		b.put(b.key, []byte{byte(waiting)})
		if n.timed {
			b.putTimed(n.entry, n.ready)
		} else {
			b.putEntry(n.entry)
		}
	}
}

func (c *addChange) apply(s *Store, now instant) {
	for _, n := range c.additions {
		h, e := n.host, n.entry
		s.known.add(e.hash)
		delete(s.claims, e.hash)
		if h.counts.URLs == 0 {
			s.hostCount++
		}
		h.pins--
		var by frontier.Counts
		switch n.was {
		case Done:
			by.Done = -1
		case Dropped:
			by.Dropped = -1
		default:
			by.URLs = 1
		}
		if n.timed {
			by.Scheduled = 1
			s.count(h, by)
			s.next = min(s.next, n.ready)
		} else {
			by.Pending = 1
			s.count(h, by)
			s.insert(h, e, false)
		}
		s.sched.Place(&h.Host, now)
	}
}
