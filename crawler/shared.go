package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

const (
	// syncPause is how often a process tells the others of a crawl how it is getting
	// on, and hears of them.
	syncPause = time.Second

	// sharedLease is how long a process that died keeps its URLs from the others. One
	// that lives extends its leases every extendPause.
	sharedLease = time.Minute
	extendPause = 15 * time.Second

	// outage is for how long a process waits for Redis before it gives up. The crawl
	// goes on by itself until then.
	outage = 24 * time.Hour

	// closingTime is how long the books are kept after an Abort, where Redis may not
	// answer.
	closingTime = 5 * time.Second

	// alive is for how long a process that is not heard of is taken to be at work.
	alive = 15 * time.Second
)

// shared is the part of a process in a crawl that has others: what they tell each other
// beside what the frontier knows. What is told stands in Redis for as long as the crawl,
// so that whoever comes later hears all of it.
type shared struct {
	c     *Crawler
	store *redisstore.Store

	hearing sync.Mutex // held while news are asked for and acted on; guards next
	next    int        // message

	mu     sync.Mutex // guards all below
	leases map[frontier.LeaseID]bool
	peers  []Peer
	age    time.Duration // of the crawl, when it was last heard of
}

// told is a message to all processes of a crawl, now and later. It says one of the
// things below.
type told struct {
	// Start is a start URL that came with a process. Joined is a URL whose host belongs
	// to the crawl since a start URL led there.
	Start  string `json:"start,omitempty"`
	Joined string `json:"joined,omitempty"`
	// Limits are new ones.
	Limits *sharedLimits `json:"limits,omitempty"`
	// Stop ends the crawl of all processes that are at work.
	Stop bool `json:"stop,omitempty"`
}

// A Peer is a process of a crawl that several share.
type Peer struct {
	Worker string `json:"worker"` // its name
	Pages  int    `json:"pages"`  // lines of its pages.jsonl
	Bytes  int64  `json:"bytes"`  // of the bodies of these pages
	// Working says that it has not ended, and was heard of in the last seconds.
	Working bool `json:"working"`
	// Ago is how long ago that was.
	Ago time.Duration `json:"-"`
}

// status is what a process says of itself.
type status struct {
	Pages int   `json:"pages"`
	Bytes int64 `json:"bytes"`
}

// A Shared says who else works on a crawl.
type Shared struct {
	Frontier string `json:"frontier"` // where it is
	Name     string `json:"name"`
	Worker   string `json:"worker,omitempty"` // the name of this process, if it is one of them
	// Workers are all processes that have ever worked on it, this one included, by
	// name.
	Workers []Peer `json:"workers"`
}

// Pages is how many pages all workers have fetched.
func (s *Shared) Pages() int {
	n := 0
	for _, p := range s.Workers {
		n += p.Pages
	}
	return n
}

// Working is how many are at work.
func (s *Shared) Working() int {
	n := 0
	for _, p := range s.Workers {
		if p.Working {
			n++
		}
	}
	return n
}

// tell tells all processes of the crawl, this one included.
func (s *shared) tell(message told) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return s.store.Tell(s.c.books, text)
}

// run hears of the others, and extends the leases of this process, until ctx ends.
func (s *shared) run(ctx context.Context) {
	heard, extended := time.NewTicker(syncPause), time.NewTicker(extendPause)
	defer heard.Stop()
	defer extended.Stop()
	var err error
	for err == nil {
		select {
		case <-heard.C:
			_, err = s.sync(ctx)
		case <-extended.C:
			err = s.extend(ctx)
		case <-ctx.Done():
			return
		}
	}
	if ctx.Err() == nil {
		s.c.fail(err)
	}
}

// sync tells the others how this process is getting on, and acts on what they have told.
// News says that something was told.
func (s *shared) sync(ctx context.Context) (news bool, err error) {
	s.hearing.Lock()
	defer s.hearing.Unlock()
	mine := s.c.tally.summary()
	text, err := json.Marshal(status{Pages: mine.Pages, Bytes: mine.Bytes})
	if err != nil {
		return false, err
	}
	heard, err := s.store.Sync(ctx, text, s.next)
	if err != nil {
		return false, err
	}
	if err := s.take(heard); err != nil {
		return false, err
	}
	for _, text := range heard.Told {
		m, err := readTold(text)
		if err != nil {
			return false, err
		}
		if err := s.act(m); err != nil {
			return false, err
		}
	}
	s.next = heard.Next
	s.c.heedLimits()
	return len(heard.Told) > 0, nil
}

func readTold(text []byte) (m told, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("crawler: what another worker tells: %w", err)
	}
	return m, nil
}

// take takes in how the others are getting on.
func (s *shared) take(heard *redisstore.News) error {
	peers, err := peersOf(heard)
	if err != nil {
		return err
	}
	var others int64
	for _, p := range peers {
		if p.Worker != s.store.Worker() {
			others += p.Bytes
		}
	}
	s.c.limits.others(others)
	s.mu.Lock()
	s.peers, s.age = peers, heard.Age
	s.mu.Unlock()
	if limit := s.c.limits.time(); limit > 0 && heard.Age >= limit {
		s.c.stop(EndMaxTime)
	}
	return nil
}

func peersOf(heard *redisstore.News) ([]Peer, error) {
	peers := make([]Peer, len(heard.Workers))
	for i, w := range heard.Workers {
		var st status
		if len(w.Status) > 0 {
			if err := json.Unmarshal(w.Status, &st); err != nil {
				return nil, fmt.Errorf("crawler: what worker %s says of itself: %w", w.Name, err)
			}
		}
		peers[i] = Peer{Worker: w.Name, Pages: st.Pages, Bytes: st.Bytes, Working: w.Open && w.Ago < alive, Ago: w.Ago}
	}
	slices.SortFunc(peers, func(a, b Peer) int { return strings.Compare(a.Worker, b.Worker) })
	return peers, nil
}

// act does what a message asks for.
func (s *shared) act(m told) error {
	switch {
	case m.Stop:
		s.c.notice("the crawl is stopped")
		s.c.stop(EndStopped)
	case m.Limits != nil:
		s.c.limits.change(m.Limits)
	case m.Start != "":
		return s.grow(m.Start)
	case m.Joined != "":
		return s.grow(m.Joined)
	}
	return nil
}

// grow brings the host of a URL into the scope, with what this process has left aside
// of it.
func (s *shared) grow(url string) error {
	a, err := resolve("", url)
	if err != nil {
		return fmt.Errorf("crawler: what another worker tells: %w", err)
	}
	taken, _, err := s.c.grow(a)
	if err != nil {
		return err
	}
	return s.c.takeUp(taken)
}

// lent notes a lease, for extend; returned forgets it.
func (s *shared) lent(id frontier.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[id] = true
}

func (s *shared) returned(id frontier.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, id)
}

// extend makes the leases of this process last. Those that are lost have been given to
// another worker, and their outcome will be refused.
func (s *shared) extend(ctx context.Context) error {
	s.mu.Lock()
	ids := make([]frontier.LeaseID, 0, len(s.leases))
	for id := range s.leases {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	err := s.store.Extend(ctx, ids, sharedLease)
	if lost, ok := errors.AsType[*frontier.LostError](err); ok {
		s.c.log.Warn("leases lost", "count", len(lost.Leases))
		return nil
	}
	return err
}

// about says who works on the crawl. Of this process it is known best.
func (s *shared) about() *Shared {
	mine := s.c.tally.summary()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := &Shared{
		Frontier: s.c.cfg.Frontier, Name: s.c.cfg.Join, Worker: s.store.Worker(), Workers: slices.Clone(s.peers),
	}
	for i := range all.Workers {
		if w := &all.Workers[i]; w.Worker == all.Worker {
			w.Pages, w.Bytes = mine.Pages, mine.Bytes
		}
	}
	return all
}

// recovered forgets the hosts of which another process has reached the robots.txt since
// this one could not.
func (c *Crawler) recovered() error {
	if c.shared == nil {
		return nil
	}
	hosts, _ := c.aside.waiting()
	for _, h := range hosts {
		rec, err := c.frontier.Host(c.books, h)
		if err == nil && (rec.Robots == nil || rec.Robots.FailingSince.IsZero()) {
			err = c.aside.resume(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
