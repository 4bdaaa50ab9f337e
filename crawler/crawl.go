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
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Options are settings of a crawl that are not part of its [Config]. Nil means the zero value.
type Options struct {
	// Resume resumes the crawl in Config.Output.Dir after it was stopped or killed. Use the
	// Config that [LoadConfig] returns. You may change it first.
	Resume bool

	// Recrawl requests every URL of the previous crawl in Config.Output.Dir again,
	// including failures, with conditional requests. It renames the files of the previous
	// crawl first, to pages.1.jsonl and so on, and removes what SCHEMA.md of package output
	// says: tables, and files of older crawls.
	Recrawl bool

	// IsSet reports which keys of the configuration the user has set for this run. A resumed
	// worker of a shared crawl sets these limits for all workers, also if its own earlier
	// configuration has the same values. Nil: only values that differ from that.
	IsSet func(key string) bool

	// Frontier stores the URLs that remain to be fetched. The crawl closes it. Nil: a
	// persistent frontier in the directory "frontier" of Config.Output.Dir. For
	// Recrawl it must be a [frontier.Revisiter]. If it is not a [frontier.Lister],
	// rejected.jsonl lacks the URLs that remain at the end.
	Frontier frontier.Frontier

	// Formats are the formats that Output.AlsoWrite may name. Formats without a name are
	// always used. Nil: none.
	Formats []output.Format

	// Transport sends all requests: those for robots.txt, and those that robots.txt allows.
	// Fetch.AllowAddr and Fetch.Proxies have no effect on it. Only an [*http.Transport] can
	// fall back to HTTP/1.1 for sites that require it. Nil: the default transport of the
	// crawler.
	Transport http.RoundTripper

	// Local is a site that is served on this machine for the crawl. Resume and Recrawl of such a
	// crawl need it too. Nil: there is none.
	Local *LocalSite

	// Logger receives the messages that README.md lists, and debug messages. Nil: no log.
	Logger *slog.Logger

	// OnStart is called when the directory and the frontier are open, before the first
	// request. Nil: not called.
	OnStart func()

	// OnNotice is called with each event that an operator should know about, as one line
	// without a newline. It must be safe for concurrent use. Nil: not called.
	OnNotice func(line string)
}

// A LocalSite answers the requests to one server in place of the network, by http and by https.
// Neither Delay nor Crawl-delay applies between these requests. Fetch.AllowAddr and Fetch.Proxies have
// no effect on it.
type LocalSite struct {
	Server    frontier.Host     // host and port, such as example.com; see [frontier.HostOf]
	Dir       string            // other URLs of the server are out of scope and not requested, except robots.txt; empty: /
	Sitemap   string            // URL of a sitemap there that is read even if no robots.txt lists it; empty: none
	Transport http.RoundTripper // sends the requests to this server
}

// Crawler is one crawl. Create it with [New], and call [Crawler.Run] once.
type Crawler struct {
	cfg       Config
	opts      Options
	formats   []output.Format // those used
	log       *slog.Logger
	board     *notice.Board
	pauses    pauses
	lifecycle *lifecycle.Lifecycle

	// Parsed from the configuration by New.
	token    string // the product token, whose rules and directives bind
	scope    *scope.Scope
	guard    *guard.Guard // which addresses may be connected to; nil: all
	params   *params.Rules
	since    time.Time      // of Sitemaps.Since
	fields   *extract.Rules // of Output.Extract
	types    fetch.Types    // of Fetch.Types
	purposes []usage.Purpose
	files    []usage.Purpose // the purposes for which files of the site are requested

	// Opened by Run; see open.go.
	credentials *credentials.Store
	network     network
	frontier    frontier.Frontier
	record      *record.Recorder
	discovery   *discover.Discovery
	visitor     *visit.Visitor

	state   *state     // as in crawl.json
	joining sync.Mutex // guards state.CheckRecrawl while workers run

	limits *quota.Pages
	traps  *trap.Detector
	tally  *tally

	// These differ between a plan and a crawl; see planner.go.
	fetcher  visit.Fetcher
	recorder recorder

	member cluster.Member // this process in a shared crawl
	leases leaseTimes

	wakeIdle signal // wakes the watch
}

// A recorder records what a crawl does. That of a plan counts instead.
type recorder interface {
	discover.Recorder
	visit.Committer
	// Robots records a robots.txt that was requested.
	Robots(*robotsext.Record) error
}

// leaseTimes are the durations of leases.
type leaseTimes struct {
	duration  time.Duration // of each
	extension time.Duration // by which those of a cluster are extended
}

// New returns a crawl that is ready to run. It fails with [ErrConfig] if cfg is not valid.
// It uses neither the disk nor the network.
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
	bounds, err := cfg.Scope.bounds()
	if err != nil {
		return nil, err
	}
	fields, err := fieldRules(cfg.Output.Extract)
	if err != nil {
		return nil, err
	}
	types, err := fetch.ParseTypes(cfg.Fetch.Types)
	if err != nil {
		return nil, err
	}
	purposes, files, err := cfg.Usage.purposes()
	if err != nil {
		return nil, err
	}
	addresses, err := newGuard(&cfg, opts)
	if err != nil {
		return nil, err
	}
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	formats, err := record.ChooseFormats(cfg.Output.AlsoWrite, opts.Formats)
	if err != nil {
		return nil, formatError(err)
	}
	board := notice.New(opts.OnNotice)
	return &Crawler{
		cfg:      cfg,
		opts:     *opts,
		formats:  formats,
		log:      log,
		board:    board,
		token:    token,
		scope:    scope.New(scope.Kind(cfg.Scope.Kind), bounds),
		guard:    addresses,
		params:   drop,
		since:    since,
		fields:   fields,
		types:    types,
		purposes: purposes, files: files,
		limits:    quota.NewPages(limitsIn(&cfg), nil),
		traps:     trap.New(cfg.Limits.TrapPages),
		network:   network{addresses: politeness.NewAddresses(cfg.Politeness.PerIP)},
		state:     new(state),
		tally:     newTally(cfg.Output.Dir),
		lifecycle: lifecycle.New(log, board),
		wakeIdle:  make(signal, 1),
		leases:    leaseTimes{duration: leaseTime(&cfg), extension: cluster.LeaseExtension},
		member:    &cluster.Single{},
	}, nil
}

// Run crawls until no URL remains, a limit is reached, or ctx ends. When ctx ends, Run finishes
// the requests in flight first; see [Crawler.Abort].
//
// The error says that the crawl itself failed, for example because the disk is full. The Summary
// is valid even then. It is nil if the crawl could not start: its directory cannot be written, or
// another process uses it ([pebblestore.ErrInUse]).
func (c *Crawler) Run(ctx context.Context) (*Summary, error) {
	defer c.lifecycle.Abort()
	if err := c.open(); err != nil {
		return nil, err
	}
	if stats, err := c.frontier.Stats(c.lifecycle.CommitCtx); err == nil { // an error comes again, and ends the crawl
		c.lifecycle.SetStats(stats) // for Status in OnStart
	}
	if c.opts.OnStart != nil {
		c.opts.OnStart()
	}
	c.logStart()
	leases, stopLeases := c.lifecycle.Leases(ctx)
	defer stopLeases()
	c.member.Start()
	c.checkLimits() // an earlier process may have reached one
	c.work(leases)
	if ctx.Err() != nil {
		c.lifecycle.Stop(EndInterrupted) // unless something else ended it before
	}
	return c.finish()
}

// work runs the workers until leases ends or the crawl is over.
func (c *Crawler) work(leases context.Context) {
	var workers sync.WaitGroup
	for range c.cfg.Limits.Concurrency {
		workers.Go(func() {
			if err := c.visitAll(leases); err != nil {
				c.lifecycle.Fail(err)
			}
		})
	}
	c.watchIdle(leases)
	workers.Wait()
}

// visitAll leases URLs and visits them, one after the other, until leases ends. Its contexts end one after the other:
// waiting when a pause begins, leases when the crawl stops, Working when requests in flight are aborted. CommitCtx
// outlives them. An error is one of the crawl itself, such as a full disk or a closed frontier.
func (c *Crawler) visitAll(leases context.Context) error {
	for {
		waiting, err := c.pauses.ready(leases)
		if err != nil {
			return nil
		}
		got, err := c.frontier.Lease(waiting, frontier.LeaseRequest{Max: 1, PerHost: 1, Wait: -1, Duration: c.leases.duration})
		if err != nil {
			if waiting.Err() != nil {
				continue
			}
			return err
		}
		for _, lease := range got { // one at the most
			page, lines, err := c.visitor.Visit(waiting, lease)
			if err != nil {
				return err
			}
			c.tally.add(page, lines)
			c.wakeIdle.send()
			if err := c.joinRecrawl(); err != nil {
				return err
			}
		}
	}
}

// Abort aborts the requests in flight and ends the crawl. Their URLs stay in the frontier
// as if they had not been requested.
func (c *Crawler) Abort() {
	c.lifecycle.Abort()
	c.lifecycle.Stop(EndInterrupted)
}

// checkLimits stops the crawl if a limit has been reached.
func (c *Crawler) checkLimits() {
	if end := c.limits.Exceeded(); end != "" {
		c.lifecycle.Stop(End(end))
	}
}

// leaseTime is how long a worker may process one URL before the frontier gives it to
// another. It is longer than the sum of all timeouts.
func leaseTime(cfg *Config) time.Duration {
	return visit.SitemapTime + 2*(cfg.Fetch.Timeout+cfg.Robots.Timeout) + 20*max(cfg.Politeness.Delay, cfg.Politeness.MaxCrawlDelay, politeness.MaxSlowed)
}

// limitsIn returns the limits in a configuration.
func limitsIn(cfg *Config) quota.Limits {
	return quota.Limits{MaxPages: cfg.Limits.MaxPages, MaxHostPages: cfg.Limits.MaxHostPages, MaxBytes: cfg.Limits.MaxBytes, Workers: cfg.Limits.Concurrency, MaxInFlight: cfg.Politeness.PerHost}
}
