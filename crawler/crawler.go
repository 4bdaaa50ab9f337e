package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

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
	joining  sync.RWMutex // held while URLs are judged by scope and put aside, or scope grows
	pages    *budget
	pace     *pace
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

	learning sync.RWMutex // held while a robots.txt is taken in; guards closed
	closed   bool

	ending sync.Mutex // guards end, fault and leave
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
			Delay: cfg.Delay, MaxInFlight: cfg.PerHost, LeaseTime: leaseTime(&cfg),
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
	c.pace = newPace(&c.cfg, c.frontier)
	c.books = context.Background()
	c.working, c.abort = context.WithCancel(c.books)

	base := opts.Transport
	if base == nil {
		base = newTransport(&cfg)
	}
	base = &wire{base: base, working: c.working}
	c.robots, err = robotsext.New(cfg.UserAgent, &robotsext.Options{
		Transport: base,
		Wait:      c.wait,
		Timeout:   cfg.RobotsTimeout,
		RetryMin:  cfg.RobotsRetry,
		Logger:    c.log,
		OnRecord:  c.learned,
		Parse:     &robotstxt.Options{MaxCrawlDelay: cfg.MaxCrawlDelay, RequestRateDelay: true},
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
	leases, leave := context.WithCancel(ctx)
	defer leave()
	c.ending.Lock()
	c.leave = leave
	c.ending.Unlock()
	if c.working.Err() != nil {
		c.stop(EndInterrupted) // aborted before it ran
	}
	if c.cfg.MaxTime > 0 {
		defer time.AfterFunc(c.cfg.MaxTime, func() { c.stop(EndMaxTime) }).Stop()
	}
	if err := c.seedStart(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	var workers sync.WaitGroup
	for range c.cfg.Workers {
		workers.Go(func() {
			if err := c.work(leases); err != nil {
				c.fail(err)
			}
		})
	}
	c.watch(leases)
	workers.Wait()
	if ctx.Err() != nil {
		c.stop(EndInterrupted) // unless something else ended it before
	}
	return c.ended()
}

// Abort breaks off the requests in flight and ends the crawl. Their URLs stay in
// the frontier as if they had not been asked for.
func (c *Crawler) Abort() {
	c.abort()
	c.stop(EndInterrupted)
}

// stop ends the handing out of URLs. The first reason given is the one that
// counts.
func (c *Crawler) stop(why End) {
	c.ending.Lock()
	defer c.ending.Unlock()
	c.end = cmp.Or(c.end, why)
	if c.leave != nil {
		c.leave()
	}
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
// It looks after each outcome, and when what it waits for is due.
func (c *Crawler) watch(leases context.Context) {
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		stats, err := c.frontier.Stats(c.books)
		wait := time.Until(stats.NextDue)
		switch {
		case err != nil:
			c.fail(err)
		case stats.Finished():
			c.stop(EndFinished)
		case stats.Leased == 0 && !stats.NextDue.IsZero() && wait > c.patience(stats):
			c.stop(EndLater)
		}
		if stats.NextDue.IsZero() {
			wait = time.Hour // for leases to end, which is a change
		}
		due.Reset(max(wait, watchPause))
		select {
		case <-leases.Done():
			return
		case <-c.changed:
		case <-due.C:
		}
	}
}

// watchPause is the least time between two looks that nothing has caused.
const watchPause = 100 * time.Millisecond

// patience is how long the crawl waits with nothing to do: max-wait, and at least
// as long as the turn of a host takes, or the retry of a page while one is left.
func (c *Crawler) patience(stats frontier.Stats) time.Duration {
	wait := max(c.cfg.MaxWait, c.pace.slowest.get())
	if stats.Pending+stats.Scheduled > c.aside.waiting() {
		wait = max(wait, retryBase<<maxBackoff)
	}
	return wait
}

// leaseTime is how long a worker may take over one URL before the frontier gives
// it to another: longer than all its time limits together.
func leaseTime(cfg *Config) time.Duration {
	return sitemapTime + 2*(cfg.Timeout+cfg.RobotsTimeout) + 20*max(cfg.Delay, cfg.MaxCrawlDelay, maxSlow)
}

// ended closes everything and sums up.
func (c *Crawler) ended() (*Summary, error) {
	c.ending.Lock()
	end, fault := c.end, c.fault
	c.ending.Unlock()
	stats, err := c.frontier.Stats(c.books)
	err = errors.Join(fault, err, c.aside.flush(), c.close())
	c.tally.count(func(s *Summary) {
		s.End = end
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
	c.learning.Lock()
	defer c.learning.Unlock()
	c.closed = true
	c.sitemaps.CloseIdleConnections() // those of the pages too: they share a transport
	return errors.Join(c.frontier.Close(), c.dir.Close())
}
