package pebblestore

import (
	"context"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/urlpath"
)

// Add implements frontier.Frontier.
func (s *Store) Add(ctx context.Context, items []frontier.Item) (_ []bool, err error) {
	defer s.hear(&err)
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	d := s.newDiscovery(pointers(nil, items), hosts)
	if err := s.bring(ctx, d, nil); err != nil {
		return nil, err
	}
	return d.added, nil
}

// Known implements frontier.Frontier.
func (s *Store) Known(ctx context.Context, urls []string) (_ []bool, err error) {
	defer s.hear(&err)
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return nil, err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	known, exact := make([]bool, len(urls)), s.known.exact()
	hashes := make([]uint64, len(urls))
	for i, url := range urls {
		hashes[i] = s.seed.Sum(url)
		known[i] = s.known.has(hashes[i])
	}
	s.sched.Leave(now)
	if exact {
		return known, nil
	}
	hosts, unsure := make([]frontier.Host, len(urls)), make([]bool, len(urls))
	for i, url := range urls {
		if hosts[i], err = frontier.HostOf(url); err == nil {
			unsure[i] = !known[i]
		}
	}
	err = s.look(hosts, hashes, unsure, func(i int, _ hostID, _ *reader) { known[i] = true })
	return known, err
}

// A discovery is URLs that somebody has found.
type discovery struct {
	items  []*frontier.Item
	hosts  []frontier.Host
	hashes []uint64
	added  []bool     // which of them are new, as it turns out
	asked  []bool     // which of them the database has to be asked about
	others []*request // that are bringing in some of them at the same time

	request *request
}

// pointers appends the addresses of items, which are large, to list.
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
		asked:   make([]bool, len(items)),
		request: &request{done: make(chan struct{})},
	}
	for i := range items {
		d.hashes[i] = s.seed.Sum(items[i].URL)
	}
	return d
}

// bring stores the URLs that are new, and with them what also adds to the
// request. It returns when that is done, and what others are storing of the
// same URLs too: who is told that a URL is known can rely on it.
func (s *Store) bring(ctx context.Context, d *discovery, also func(*request, instant)) error {
	now, err := s.sched.Enter(ctx)
	if err != nil {
		return err
	}
	s.readers.Add(1)
	defer s.readers.Done()
	s.claim(d)
	if !s.known.exact() {
		s.sched.Leave(now)
		unsure := slices.Clone(d.added)
		if err := s.look(d.hosts, d.hashes, unsure, func(i int, _ hostID, _ *reader) { d.added[i] = false }); err != nil {
			return err
		}
		if now, err = s.sched.Enter(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if now, err = s.summon(d.newHosts(), now); err != nil {
		return err
	}
	s.take(d, now)
	if also != nil {
		also(d.request, now)
	}
	if len(d.request.changes) > 0 {
		s.queue.push(d.request)
	} else {
		close(d.request.done) // others may wait for it
	}
	s.sched.Leave(now)
	for _, other := range append(d.others, d.request) {
		if err := s.wait(other); err != nil {
			return err
		}
	}
	return nil
}

// claim finds out which URLs of d are new, as far as that can be told from
// memory, and makes them d's own.
func (s *Store) claim(d *discovery) {
	for i, hash := range d.hashes {
		if s.known.has(hash) {
			continue
		}
		switch other := s.claims[hash]; other {
		case nil:
			s.claims[hash] = d.request
			d.added[i], d.asked[i] = true, true
		case d.request:
		default:
			if n := len(d.others); n == 0 || d.others[n-1] != other {
				d.others = append(d.others, other)
			}
		}
	}
}

// newHosts returns the hosts of the URLs that are new.
func (d *discovery) newHosts() []frontier.Host {
	var hosts []frontier.Host
	for i, added := range d.added {
		if added && (len(hosts) == 0 || hosts[len(hosts)-1] != d.hosts[i]) {
			hosts = append(hosts, d.hosts[i])
		}
	}
	return hosts
}

// take makes entries of the URLs of d that are new.
func (s *Store) take(d *discovery, now instant) {
	c := &addChange{}
	for i := range d.items {
		if !d.added[i] {
			// Known to the database. A URL that stands twice in d is claimed by
			// the first, and stays so until it is stored.
			if d.asked[i] {
				delete(s.claims, d.hashes[i])
				s.known.add(d.hashes[i])
			}
			continue
		}
		it, h := d.items[i], s.hosts[d.hosts[i]]
		if !h.named {
			d.request.changes = append(d.request.changes, s.recordChange(h, now))
		}
		c.news = append(c.news, s.news(h, it, d.hashes[i], now))
	}
	if len(c.news) > 0 {
		d.request.changes = append(d.request.changes, c)
	}
}

// news is a URL that comes into the store, or comes again.
type news struct {
	host  *host
	entry *entry
	timed bool
	ready int64 // of those timed
	was   State // Done or Dropped; else it is new
}

// news makes an entry, to be brought in by an addChange.
func (s *Store) news(h *host, it *frontier.Item, hash uint64, now instant) news {
	s.seq++
	n := news{host: h, entry: &entry{
		id: h.id, seq: s.seq, priority: it.Priority, hash: hash,
		path: urlpath.Cut(it.URL, string(h.name)), meta: it.Meta,
	}}
	if ready := s.sched.Instant(it.NotBefore); ready > now {
		n.ready, n.timed = s.millis(ready), true
	}
	h.pins++
	return n
}

// An addChange brings in URLs, and those that are to be fetched again.
type addChange struct{ news []news }

func (c *addChange) write(b *batch) {
	for _, n := range c.news {
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
	for _, n := range c.news {
		h, e := n.host, n.entry
		s.known.add(e.hash)
		delete(s.claims, e.hash)
		if h.counts.Added == 0 {
			s.crowd++
		}
		h.pins--
		var by frontier.Counts
		switch n.was {
		case Done:
			by.Done = -1
		case Dropped:
			by.Dropped = -1
		default:
			by.Added = 1
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
