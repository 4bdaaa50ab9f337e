package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Options are what a crawl is given beside its [Config]. Nil, and every zero
// field, is a crawl like that of the program.
type Options struct {
	// Transport sends all requests, below the robots.txt gate. Nil: one made
	// for crawling.
	Transport http.RoundTripper

	// Logger gets what helps to find a fault. Nil: nothing is logged.
	Logger *slog.Logger

	// Notice is called with each thing that a person should hear of while the
	// crawl runs, as one line without a line end. It must be safe for
	// concurrent use. Nil: nobody is told.
	Notice func(line string)
}

// Crawler is one crawl. Make it with [New], use it for one [Crawler.Run].
type Crawler struct {
	cfg    Config
	token  string // the product token
	log    *slog.Logger
	notice func(string)

	frontier frontier.Frontier
	robots   *robotsext.Robots
	fetch    *fetcher
	sitemaps *http.Client
	scope    *boundary
	pages    *budget
	slowest  longest
	files    *files
	order    *order
	aside    *aside
	tally    *tally
	dir      *output.Dir

	// working is the context of everything a worker does with a URL. It ends
	// with Abort, not with the context of Run: what is in flight is finished.
	working context.Context
	abort   context.CancelFunc

	// books is the context of telling the frontier what became of a URL, which
	// is done in any case.
	books context.Context

	// changed wakes the watch. It holds one signal: more say nothing new.
	changed chan struct{}

	ending sync.Mutex // guards end, failure and the first call of leave
	end    End
	fault  error
	leave  context.CancelFunc // ends the handing out of leases
}

// New returns a crawl that is ready to run. It fails with [ErrConfig] when cfg is
// not valid, and has touched neither the disk nor the network.
func New(cfg Config, opts *Options) (*Crawler, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	token, err := robotstxt.ProductToken(cfg.UserAgent)
	if err != nil {
		return nil, err
	}
	c := &Crawler{
		cfg:    cfg,
		token:  token,
		log:    cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		notice: opts.Notice,
		frontier: frontier.NewMemory(&frontier.Options{
			Delay: cfg.Delay, MaxInFlight: cfg.PerHost, LeaseTime: leaseTime,
		}),
		scope:   newBoundary(cfg.Scope),
		pages:   newBudget(cfg.MaxPages),
		tally:   newTally(cfg.Output),
		changed: make(chan struct{}, 1),
	}
	if c.notice == nil {
		c.notice = func(string) {}
	}
	since, err := parseSince(cfg.Since)
	if err != nil {
		return nil, err
	}
	c.order = &order{by: cfg.SitemapOrder, now: time.Now(), since: since}
	c.files = &files{limit: cfg.MaxSitemaps, taken: make(map[robotsext.Origin]int), full: func(o robotsext.Origin) {
		c.notice(fmt.Sprintf("%s lists more than %d sitemaps; the others are not read (max-sitemaps)", o, cfg.MaxSitemaps))
	}}
	c.aside = newAside(asideMax, c.writeRejection)
	c.slowest.observe(cfg.Delay)
	c.books = context.Background()
	c.working, c.abort = context.WithCancel(c.books)

	base := opts.Transport
	if base == nil {
		base = newTransport(&cfg)
	}
	c.robots, err = robotsext.New(cfg.UserAgent, &robotsext.Options{
		Transport: base,
		Wait:      c.wait,
		Timeout:   cfg.RobotsTimeout,
		RetryMin:  cfg.RobotsRetry,
		Logger:    c.log,
		OnRecord:  c.learned,
	})
	if err != nil {
		return nil, err
	}
	c.fetch = newFetcher(c.working, &cfg, c.robots)
	c.sitemaps = &http.Client{
		Transport:     c.robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// newTransport returns a transport that keeps as many connections as the workers
// use, and no more hosts' connections open than that.
func newTransport(cfg *Config) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns = 2 * cfg.Workers
	t.MaxIdleConnsPerHost = cfg.PerHost
	t.ResponseHeaderTimeout = cfg.Timeout
	return t
}

// Run crawls until nothing is left, a limit is reached, or ctx ends. When ctx
// ends, what is in flight is finished first; see [Crawler.Abort]. The Summary is
// there also with an error, which is of the crawl's own side: a disk that is
// full, a directory that cannot be written.
func (c *Crawler) Run(ctx context.Context) (*Summary, error) {
	defer c.abort()
	dir, err := output.Create(c.cfg.Output)
	if err != nil {
		return nil, err
	}
	c.dir = dir
	var leases context.Context
	leases, c.leave = context.WithCancel(context.WithoutCancel(ctx))
	defer c.leave()
	defer context.AfterFunc(ctx, func() { c.stop(EndInterrupted) })()
	if c.cfg.MaxTime > 0 {
		defer time.AfterFunc(c.cfg.MaxTime, func() { c.stop(EndMaxTime) }).Stop()
	}
	if err := c.seedStart(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	var group errgroup.Group
	for range c.cfg.Workers {
		group.Go(func() error {
			err := c.work(leases)
			if err != nil {
				c.fail(err)
			}
			return nil
		})
	}
	c.watch(leases)
	_ = group.Wait() // errors are kept by fail, the first one wins
	return c.ended()
}

// Abort breaks off the requests in flight. Their URLs stay in the frontier as if
// they had not been asked for. Run then returns soon.
func (c *Crawler) Abort() { c.abort() }

// stop ends the handing out of URLs. The first reason given is the one that
// counts.
func (c *Crawler) stop(why End) {
	c.ending.Lock()
	defer c.ending.Unlock()
	c.end = cmp.Or(c.end, why)
	c.leave()
}

// fail stops the crawl for an error of our own side.
func (c *Crawler) fail(err error) {
	c.ending.Lock()
	defer c.ending.Unlock()
	c.end = EndFailed
	c.fault = cmp.Or(c.fault, err)
	c.leave()
}

// look lets the watch see that something has changed.
func (c *Crawler) look() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// watch ends the crawl when nothing is left, or nothing that it would wait for.
func (c *Crawler) watch(leases context.Context) {
	for {
		stats, err := c.frontier.Stats(c.books)
		switch {
		case err != nil:
			c.fail(err)
		case stats.Finished():
			c.stop(EndFinished)
		case stats.Leased == 0 && time.Until(stats.NextDue) > c.patience(stats):
			c.stop(EndLater)
		}
		select {
		case <-leases.Done():
			return
		case <-c.changed:
		}
	}
}

// patience is how long the crawl waits with nothing to do. While URLs are left
// that are only waiting for their turn, that is at least as long as a turn takes.
func (c *Crawler) patience(stats frontier.Stats) time.Duration {
	if stats.Pending+stats.Scheduled > c.aside.later() {
		return max(c.cfg.MaxWait, c.slowest.get(), retryBase<<maxBackoff)
	}
	return c.cfg.MaxWait
}

// ended closes everything and sums up.
func (c *Crawler) ended() (*Summary, error) {
	stats, err := c.frontier.Stats(c.books)
	err = errors.Join(c.fault, err, c.aside.flush(), c.close())
	c.tally.count(func(s *Summary) {
		s.End = c.end
		s.Left = stats.Pending + stats.Scheduled + stats.Leased
		s.Hosts = stats.Hosts
		if s.Left > 0 {
			s.NextDue = stats.NextDue
		}
	})
	sum := c.tally.summary()
	if err != nil {
		sum.End = EndFailed
		err = fmt.Errorf("crawler: %w", err)
	}
	return &sum, err
}

func (c *Crawler) close() error {
	c.sitemaps.CloseIdleConnections() // those of the pages too: they share a transport
	return errors.Join(c.frontier.Close(), c.dir.Close())
}

// longest remembers the longest delay of any host.
type longest struct{ d atomic.Int64 }

func (l *longest) get() time.Duration { return time.Duration(l.d.Load()) }

func (l *longest) observe(d time.Duration) {
	for {
		old := l.d.Load()
		if int64(d) <= old || l.d.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}
