package crawler

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

const (
	// syncPause is how often a process tells the others of a crawl how it is getting
	// on, and hears of them.
	syncPause = time.Second

	// outage is for how long a process waits for Redis before it gives up. The crawl
	// goes on by itself until then.
	outage = 24 * time.Hour

	// closingTime is how long the books are kept after an Abort, where Redis may not
	// answer.
	closingTime = 5 * time.Second

	// silence is for how long a process that is not heard of is taken to be at work.
	silence = 30 * time.Second
)

// shared is the part of a process in a crawl that has others: what they tell each other
// beside what the frontier knows. What is told stands in Redis for as long as the crawl,
// so that whoever comes later hears all of it.
type shared struct {
	c     *Crawler
	store *redisstore.Store
	held  held // leases

	ready chan struct{} // closed when what is told can be acted on
	quit  context.CancelFunc
	work  sync.WaitGroup

	hearing sync.Mutex // held while news are asked for and acted on; guards next
	next    int        // message

	mu        sync.Mutex // guards all below
	peers     []Peer
	elsewhere int64         // bytes that the others have fetched, as far as is known
	maxTime   time.Duration // of the crawl; 0: no limit
}

// told is a message to all processes of a crawl, now and later. It says one of the
// things below.
type told struct {
	// Joined is the root of a host that belongs to the crawl since a process brought a
	// start URL there, or a start URL led there.
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

// join tells all that the host of a URL belongs to the crawl. That comes before the URL
// is in the frontier, so that who is given it can know.
func (s *shared) join(a weburl.URL) error {
	if s.c.scope.Holds(a) {
		return nil
	}
	return s.tell(told{Joined: string(a.Origin) + "/"})
}

// start begins to tell the others that this process is there, and to keep its leases.
func (s *shared) start() {
	var ctx context.Context
	ctx, s.quit = context.WithCancel(s.c.books)
	s.ready = make(chan struct{})
	s.work.Go(func() { s.every(ctx, s.held.pause(), func() error { return s.held.extend(ctx, s.store, s.c.log) }) })
	s.work.Go(func() {
		s.every(ctx, syncPause, func() error {
			select {
			case <-s.ready:
				return s.sync(ctx)
			default:
				return s.beat(ctx)
			}
		})
	})
}

// end ends what start began.
func (s *shared) end() {
	s.quit()
	s.work.Wait()
}

// every does something now and then, until ctx ends. Its error ends the crawl.
func (s *shared) every(ctx context.Context, pause time.Duration, do func() error) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := do(); err != nil {
			if ctx.Err() == nil {
				s.c.fail(err)
			}
			return
		}
	}
}

// beat says that this process is there, while it cannot act on anything yet.
func (s *shared) beat(ctx context.Context) error {
	_, err := s.store.Sync(ctx, s.status(), s.next)
	return err
}

// status is what this process says of itself.
func (s *shared) status() []byte {
	mine := s.c.tally.summary()
	text, err := json.Marshal(status{Pages: mine.Pages, Bytes: mine.Bytes})
	if err != nil {
		panic(err) // two numbers
	}
	return text
}

// sync tells the others how this process is getting on, and acts on all that they have
// told.
func (s *shared) sync(ctx context.Context) error {
	s.hearing.Lock()
	defer s.hearing.Unlock()
	return s.hear(ctx)
}

// over tells whether nothing is left to do, by a look at the frontier while nothing that
// was told is being acted on.
func (s *shared) over(ctx context.Context) (bool, error) {
	s.hearing.Lock()
	defer s.hearing.Unlock()
	if err := s.hear(ctx); err != nil {
		return false, err
	}
	stats, err := s.store.Stats(ctx)
	return stats.Finished(), err
}

// hear is sync. The lock is held.
func (s *shared) hear(ctx context.Context) error {
	for {
		heard, err := s.store.Sync(ctx, s.status(), s.next)
		if err != nil {
			return err
		}
		if err := s.take(heard); err != nil {
			return err
		}
		for _, text := range heard.Told {
			m, err := readTold(text)
			if err != nil {
				return err
			}
			if err := s.act(ctx, m); err != nil {
				return err
			}
		}
		s.next = heard.Next
		if len(heard.Told) == 0 { // they come so many at a time
			return nil
		}
	}
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
	s.mu.Lock()
	s.peers, s.elsewhere = peers, others
	limit := s.maxTime
	s.mu.Unlock()
	if limit > 0 && heard.Age >= limit {
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
		peers[i] = Peer{Worker: w.Name, Pages: st.Pages, Bytes: st.Bytes, Working: w.Open && w.Ago < silence, Ago: w.Ago}
	}
	slices.SortFunc(peers, func(a, b Peer) int { return strings.Compare(a.Worker, b.Worker) })
	return peers, nil
}

// act does what a message asks for.
func (s *shared) act(ctx context.Context, m told) error {
	switch {
	case m.Stop:
		s.c.notice("the crawl is stopped")
		s.c.stop(EndStopped)
	case m.Limits != nil:
		s.mu.Lock()
		replace(&s.maxTime, m.Limits.MaxTime)
		s.mu.Unlock()
		s.c.limits.Change(m.Limits.MaxPages, m.Limits.MaxHostPages, m.Limits.MaxBytes)
		return s.c.limits.Settle(ctx, false)
	case m.Joined != "":
		return s.grow(m.Joined)
	}
	return nil
}

// grow brings a host into the scope, with what this process has left aside of it, and its
// sitemaps, if its robots.txt was read before.
func (s *shared) grow(url string) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("crawler: what another worker tells: %w", err)
	}
	taken, news, err := s.c.grow(a)
	if err != nil || !news {
		return err
	}
	if err := s.c.seedJoined(a); err != nil {
		return err
	}
	return s.c.takeUp(taken)
}

// Take implements counters.
func (s *shared) Take(ctx context.Context, counter string, n, most int64) (got int64, err error) {
	return s.store.Take(ctx, counter, n, most)
}

// Settle implements counters.
func (s *shared) Settle(ctx context.Context, taken map[string]int64) error {
	return s.store.Settle(ctx, taken)
}

// BytesElsewhere implements counters.
func (s *shared) BytesElsewhere() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.elsewhere
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
	hosts, noted := c.record.Deferred.All()
	for _, h := range hosts {
		at, err := c.reached(h)
		if err != nil {
			return err
		}
		if at.IsZero() || at.Equal(noted[h].Seen) {
			continue // nobody has reached it since
		}
		if err := c.record.Deferred.Resume(h, noted[h]); err != nil {
			return err
		}
	}
	return nil
}
