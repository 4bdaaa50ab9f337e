package crawler

import (
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/errtext"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// aside keeps what is left alone for now. That is, first, URLs which are not in
// the frontier: out of scope, too deep, behind nofollow; each may still be taken
// up, because the scope grew or another way was found. And second, the origins whose
// robots.txt is unreachable, whose URLs wait in the frontier. What is still aside
// when the crawl ends goes into rejected.jsonl.
//
// All of it stands in the journal. In memory is only where: of a URL some 70 bytes, and
// 50 more where its host is new. A page can have ten thousand links to nowhere, so
// there is an end to that: what comes later is left alone and not listed.
// It is safe for concurrent use.
type aside struct {
	journal *journal
	key     func(weburl.URL) string // what URLs of one scope have in common
	seed    maphash.Seed
	most    int    // how many URLs are kept
	full    func() // called when there are more; nil: nobody wants to know

	inFrontier func(urls []string) ([]bool, error)   // which URLs the frontier knows
	counted    func(r *output.Rejection, change int) // called when a URL begins to count (1), or no longer does (-1); see skipState

	mu      sync.Mutex      // guards all below
	reasons []output.Reason // by their numbers in places
	urls    map[uint64]place
	away    map[uint64]bool // by the hash of the key: hosts of which a URL was left out of scope
	later   map[robotsext.Origin]*unreached
	over    bool  // full was called
	fault   error // writing the journal failed with this, so nothing may rely on its last lines
}

// maxAside is how many URLs are kept aside: some 300 MB of memory, or 500 where each has a
// host of its own.
const maxAside = 4_000_000

// place is where the entry that counts of a URL begins in the journal. Two URLs of
// the same hash are taken for one; among a million the chance that there are any is
// 3 in 100 million.
type place struct {
	at      int64
	depth   int32
	reason  uint8 // a number of aside.reasons
	state   skipState
	sitemap bool // it is that of a sitemap, which the frontier tells from a page
}

// left is a URL that is not in the frontier, and the item it would be there.
type left struct {
	rejection output.Rejection
	at        weburl.URL
	item      frontier.Item
}

// unreached is what is noted of an origin whose URLs wait for its robots.txt.
type unreached struct {
	why  output.Rejection // what there is to say of each
	seen time.Time        // of which fetch the robots.txt was that others had reached by then; zero: of none
}

func newAside(j *journal, key func(weburl.URL) string) *aside {
	return &aside{
		journal: j, key: key, seed: maphash.MakeSeed(), most: maxAside, away: make(map[uint64]bool),
		urls: make(map[uint64]place), later: make(map[robotsext.Origin]*unreached),
		inFrontier: func(urls []string) ([]bool, error) { return make([]bool, len(urls)), nil },
		counted:    func(*output.Rejection, int) {},
	}
}

// put leaves URLs aside, and counts those that the frontier does not know.
func (s *aside) put(urls []left) error {
	fresh, err := s.write(urls)
	if err != nil || len(fresh) == 0 {
		return err
	}
	return s.count(fresh)
}

// write leaves URLs aside, and returns the entries that this took.
func (s *aside) write(urls []left) (fresh []*entry, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != nil {
		return nil, s.fault
	}
	for i := range urls {
		l := &urls[i]
		if s.holds(&l.rejection) {
			continue
		}
		url := s.hash(l.rejection.URL)
		old, known := s.urls[url]
		if !known && len(s.urls) >= s.most {
			s.tellFull()
			continue
		}
		e := &entry{Left: &l.rejection, Priority: l.item.Priority, Meta: l.item.Meta}
		s.urls[url] = s.replace(old, s.placeOf(-1, e), l.rejection.URL) // so that a second in the same call counts as known
		if l.rejection.Reason == output.OutOfScope {
			s.away[s.hash(s.key(l.at))] = true
		}
		fresh = append(fresh, e)
	}
	for some := range slices.Chunk(fresh, asideBatch) {
		at, err := s.append(some...)
		if err != nil {
			return nil, err
		}
		for i, e := range some {
			url := s.hash(e.Left.URL)
			p := s.urls[url]
			p.at = at[i]
			s.urls[url] = p
		}
	}
	return fresh, nil
}

// tellFull says, once, that there are more URLs than are kept.
func (s *aside) tellFull() {
	if !s.over && s.full != nil {
		s.full()
	}
	s.over = true
}

// asideBatch is how many URLs are written to the journal, or given back, at a time.
const asideBatch = 500

func (s *aside) placeOf(at int64, e *entry) place {
	return place{at: at, depth: int32(e.Left.Depth), reason: s.numberOf(e.Left.Reason), sitemap: e.key() != e.Left.URL}
}

// mayHold tells whether a URL of the scope that a belongs to may have been left out
// of scope.
func (s *aside) mayHold(a weburl.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away[s.hash(s.key(a))]
}

// holds tells whether a URL is aside for a reason that says as much as this one, and
// was found no further away.
func (s *aside) holds(r *output.Rejection) bool {
	old, ok := s.urls[s.hash(r.URL)]
	if !ok {
		return false
	}
	if was := weak(s.reasons[old.reason]); was != weak(r.Reason) {
		return !was
	}
	return int(old.depth) <= r.Depth
}

func (s *aside) hash(url string) uint64 { return maphash.String(s.seed, url) }

// weak tells whether a reason is that of the place where a URL was found. One
// that holds for the URL itself says more, and takes its place.
func weak(r output.Reason) bool {
	return r == output.Nofollow || r == output.NotEntitled || r == output.Unchanged
}

// each calls f for every URL that is aside, until f fails.
func (s *aside) each(f func(e *entry) error) error {
	return s.journal.each(func(at int64, e *entry) error {
		if e.Left == nil {
			return nil
		}
		s.mu.Lock()
		p, ok := s.urls[s.hash(e.Left.URL)]
		s.mu.Unlock()
		if !ok || p.at != at {
			return nil
		}
		return f(e)
	})
}

// take removes the URLs for which pass says so, and gives them to give, some at a time.
func (s *aside) take(pass func(left) bool, give func([]left) error) error {
	var taken []left
	err := s.each(func(e *entry) error {
		l, err := e.left()
		if err != nil || !pass(l) {
			return nil // what is no URL is no item either
		}
		s.remove(l.rejection.URL)
		if taken = append(taken, l); len(taken) < asideBatch {
			return nil
		}
		some := taken
		taken = nil
		return give(some)
	})
	if err != nil || len(taken) == 0 {
		return err
	}
	return give(taken)
}

// left returns the URL of an entry as it was put aside.
func (e *entry) left() (left, error) {
	a, err := weburl.Parse(e.Left.URL)
	return left{
		rejection: *e.Left, at: a,
		item: frontier.Item{URL: e.key(), Host: a.Server, Priority: e.Priority, Meta: e.Meta},
	}, err
}

// key is what the frontier knows the URL of an entry by.
func (e *entry) key() string {
	if t, err := provenance.Decode(e.Meta); err == nil && t.IsSitemap() {
		return provenance.SitemapKey(e.Left.URL, t.SitemapOf)
	}
	return e.Left.URL
}

// wait notes that the URLs of an origin wait for its robots.txt, of which why is an
// example, and which fetch of it is known (see unreached).
func (s *aside) wait(o robotsext.Origin, why output.Rejection, seen time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.later[o]
	if old != nil {
		why = old.why
	}
	why.URL, why.Via, why.Source, why.Depth = "", "", "", 0
	s.later[o] = &unreached{why, seen} // a new one: who was allowed before this does not know of it
	if old != nil && old.seen.Equal(seen) {
		return s.fault
	}
	if _, err := s.append(&entry{Later: o, Why: &why, Seen: seen.UTC()}); err != nil {
		return err
	}
	s.fault = s.journal.settle() // before the frontier has the URL wait
	return s.fault
}

// noted returns what the last call of wait has left of an origin; nil: it does not wait.
func (s *aside) noted(o robotsext.Origin) *unreached {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.later[o]
}

// resume notes that an origin can be asked again, of which that was noted before its
// robots.txt was looked at. What was noted since holds: that robots.txt is older.
func (s *aside) resume(o robotsext.Origin, noted *unreached) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if noted == nil || s.later[o] != noted {
		return s.fault
	}
	delete(s.later, o)
	_, err := s.append(&entry{Back: o})
	return err
}

// append writes to the journal, unless that has failed before. The lock is held.
func (s *aside) append(entries ...*entry) (at []int64, err error) {
	if s.fault == nil {
		at, s.fault = s.journal.append(entries...)
	}
	return at, s.fault
}

// waiting returns the origins whose URLs wait for their robots.txt, sorted, with
// what is noted of them.
func (s *aside) waiting() ([]robotsext.Origin, map[robotsext.Origin]*unreached) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.later)), maps.Clone(s.later)
}

// restore reads back what an earlier process has put aside, and gives the URLs
// whose hosts joined the scope to join, and patterns that were closed to shut.
func (s *aside) restore(join func(url string) error, shut func(*trap.ClosedPattern)) error {
	var some []*entry
	err := s.journal.each(func(at int64, e *entry) error {
		switch {
		case e.Left != nil:
			s.urls[s.hash(e.Left.URL)] = s.placeOf(at, e)
			if some = append(some, e); len(some) == asideBatch {
				if err := s.mark(some); err != nil {
					return err
				}
				some = some[:0]
			}
			if a, err := weburl.Parse(e.Left.URL); err == nil && e.Left.Reason == output.OutOfScope {
				s.away[s.hash(s.key(a))] = true
			}
		case e.Joined != "":
			if err := join(e.Joined); err != nil {
				return output.BadLine(err)
			}
		case e.Later != "" && e.Why == nil:
			return output.BadLine(errors.New("an origin waits, and why is missing"))
		case e.Later != "":
			e.Why.Detail = errtext.Plain(e.Why.Detail) // an earlier version has written it as it was
			s.later[e.Later] = &unreached{*e.Why, e.Seen}
		case e.Back != "":
			delete(s.later, e.Back)
		case e.Trap != nil:
			shut(e.Trap)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.mark(some)
}
