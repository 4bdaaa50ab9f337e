package crawler

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Options are what a crawl is given beside its [Config]. Nil, and every zero
// field, is a crawl like that of the program.
type Options struct {
	// Resume resumes the crawl in Config.Output.Dir, which was stopped or killed.
	// Take the Config from [Saved]; what is changed in it holds from here on.
	Resume bool

	// Recrawl asks again for everything that the crawl in Config.Output.Dir has
	// fetched or was refused, with the validators of the last answers. Its files
	// are put aside under numbers first: pages.1.jsonl and so on.
	Recrawl bool

	// Frontier holds what is still to be fetched. The crawl closes it. Nil: one
	// in the directory "frontier" of Config.Output.Dir, which goes on where it was
	// when the process ends, however that comes. A recrawl needs a
	// [frontier.Revisiter]. Only a [frontier.Lister] gets lines in rejected.jsonl
	// for the URLs that still wait at the end.
	Frontier frontier.Frontier

	// Formats are what [Output.Write] may name, and, without a name, what gets
	// to know what the crawl finds in any case. Nil: none.
	Formats []output.Format

	// Transport sends all requests, below the robots.txt gate. It connects to
	// whatever it likes: Fetch.AllowAddr and Fetch.Proxies of the Config say nothing
	// to it. A clone of an [*http.Transport] sends those that a site wants over
	// HTTP/1.1. Nil: one made for crawling, which both bind.
	Transport http.RoundTripper

	// Logger gets the lines that README.md lists, and what helps to
	// find a fault. Nil: nothing is logged.
	Logger *slog.Logger

	// OnStart is called when the directory and the frontier have been opened, and
	// the crawl begins. Nil: nobody is told.
	OnStart func()

	// OnNotice is called with each thing that a person should hear of while the
	// crawl runs, as one line without a line end. It must be safe for
	// concurrent use. Nil: nobody is told.
	OnNotice func(line string)
}

// Crawler is one crawl. Make it with [New], use it for one [Crawler.Run].
type Crawler struct {
	cfg       Config
	opts      Options
	formats   []output.Format // those used
	log       *slog.Logger
	notice    func(string)
	pauses    pauses
	lifecycle *lifecycle.Lifecycle

	// Opened by Run; see open.go.
	network  network
	frontier frontier.Frontier
	record   *record.Recorder

	state *state // as in crawl.json

	limits    *quota.Pages
	pageRules pageRules
	discovery *discovery
	tally     *tally

	// What a plan does in another way than a crawl; see planner.go.
	pages    pageFetcher
	recorder recorder

	member cluster.Member // the part of this process in the crawl
	leases leaseTimes

	wakeIdle signal // wakes the watch
}

// pageRules are how a crawl reads pages.
type pageRules struct {
	token  string         // the product token, whose directives bind
	fields *extract.Rules // of Config.Output.Extract
}

// leaseTimes are how long leases last.
type leaseTimes struct {
	duration  time.Duration // of each
	extension time.Duration // by which those of a cluster are extended
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
	if opts.Resume && opts.Recrawl {
		return nil, fmt.Errorf("%w: Resume and Recrawl exclude each other", ErrConfig)
	}
	if opts.Transport == nil && len(cfg.Fetch.Proxies) == 0 {
		if err := checkProxyVariables(); err != nil {
			return nil, err
		}
	}
	token, err := robotstxt.ProductToken(cfg.Fetch.UserAgent)
	if err != nil {
		return nil, err
	}
	since, err := parseSince(cfg.Sitemaps.Since)
	if err != nil {
		return nil, err
	}
	drop, err := params.New(cfg.Scope.DropParams)
	if err != nil {
		return nil, err
	}
	fields, err := fieldRules(cfg.Output.Extract)
	if err != nil {
		return nil, err
	}
	addresses, err := newGuard(&cfg, opts)
	if err != nil {
		return nil, err
	}
	formats, err := record.ChooseFormats(cfg.Output.AlsoWrite, opts.Formats)
	if err != nil {
		return nil, formatError(err)
	}
	c := &Crawler{
		cfg:       cfg,
		opts:      *opts,
		formats:   formats,
		pageRules: pageRules{token: token, fields: fields},
		log:       cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		notice:    opts.OnNotice,
		limits:    quota.NewPages(limitsIn(&cfg), nil),
		network:   network{addresses: politeness.NewAddresses(cfg.Politeness.PerIP)},
		state:     new(state),
		tally:     newTally(cfg.Output.Dir),
		wakeIdle:  make(signal, 1),
		leases:    leaseTimes{duration: leaseTime(&cfg), extension: cluster.LeaseExtension},
		member:    &cluster.Single{},
	}
	if c.notice == nil {
		c.notice = func(string) {}
	}
	c.lifecycle = lifecycle.New(c.log)
	c.discovery = &discovery{
		cfg: &c.cfg, log: c.log, notice: c.notice, lifecycle: c.lifecycle, tally: c.tally, traps: trap.New(cfg.Limits.TrapPages),
		guard: addresses, origins: weburl.NewOriginCache(), params: drop,
		scope: scope.New(scope.Kind(cfg.Scope.Kind), scope.Bounds{MaxDepth: cfg.Scope.MaxDepth, MaxURL: cfg.Scope.MaxURL, MaxParams: cfg.Scope.MaxParams, MaxRepeats: cfg.Scope.MaxRepeats}),
		order: &entryOrder{by: cfg.Sitemaps.Order, now: time.Now(), since: since},
	}
	c.discovery.initLimits()
	return c, nil
}

// Run crawls until nothing is left, a limit is reached, or ctx ends. When ctx
// ends, what is in flight is finished first; see [Crawler.Abort]. The Summary is
// there also with an error, which is of the crawl's own side: a disk that is
// full. It is nil when the crawl was not begun, as when its directory cannot be
// written or another process is at it ([pebblestore.ErrInUse]).
func (c *Crawler) Run(ctx context.Context) (*Summary, error) {
	defer c.lifecycle.Abort()
	if err := c.open(); err != nil {
		return nil, err
	}
	if c.opts.OnStart != nil {
		c.opts.OnStart()
	}
	c.logStart()
	leases, stopLeases := c.lifecycle.Leases(ctx)
	defer stopLeases()
	c.member.Start()
	c.checkLimits() // an earlier process may have reached one
	c.record.Start()
	c.work(leases)
	c.record.Stop()
	if ctx.Err() != nil {
		c.lifecycle.Stop(EndInterrupted) // unless something else ended it before
	}
	return c.finish()
}

// work has the workers visit URLs, until leases ends or the crawl is over.
func (c *Crawler) work(leases context.Context) {
	var workers sync.WaitGroup
	for range c.cfg.Limits.Workers {
		workers.Go(func() {
			w := &worker{c: c, pages: c.pages, recorder: c.recorder}
			if err := w.run(leases); err != nil {
				c.lifecycle.Fail(err)
			}
		})
	}
	c.watchIdle(leases)
	workers.Wait()
}

// Abort breaks off the requests in flight and ends the crawl. Their URLs stay in
// the frontier as if they had not been asked for.
func (c *Crawler) Abort() {
	c.lifecycle.Abort()
	c.lifecycle.Stop(EndInterrupted)
}

// checkLimits stops the crawl when a limit has been reached.
func (c *Crawler) checkLimits() {
	if end := c.limits.Exceeded(); end != "" {
		c.lifecycle.Stop(End(end))
	}
}

// leaseTime is how long a worker may take over one URL before the frontier gives
// it to another: longer than all its time limits together.
func leaseTime(cfg *Config) time.Duration {
	return sitemapTime + 2*(cfg.Fetch.Timeout+cfg.Robots.Timeout) + 20*max(cfg.Politeness.Delay, cfg.Politeness.MaxCrawlDelay, politeness.MaxSlowed)
}

// limitsIn returns the limits of a configuration.
func limitsIn(cfg *Config) quota.Limits {
	return quota.Limits{MaxPages: cfg.Limits.MaxPages, MaxHostPages: cfg.Limits.MaxHostPages, MaxBytes: cfg.Limits.MaxBytes, Workers: cfg.Limits.Workers, MaxInFlight: cfg.Politeness.PerHost}
}
