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
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
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
	cfg         Config
	opts        Options
	formats     []output.Format // those used
	log         *slog.Logger
	notice      func(string)
	causes      *hostNotices // why hosts are not read
	unreadFiles *hostNotices // about the use of pages
	pauses      pauses
	lifecycle   *lifecycle.Lifecycle

	// Opened by Run; see open.go.
	network  network
	frontier frontier.Frontier
	record   *record.Recorder

	state   *state     // as in crawl.json
	joining sync.Mutex // guards state.CheckRecrawl while workers run

	limits    *quota.Pages
	pageRules pageRules
	discovery *discovery
	tally     *tally

	// These differ between a plan and a crawl; see planner.go.
	pages    pageFetcher
	recorder recorder

	outages urlSet // URLs whose failure showed that their site was down

	member cluster.Member // this process in a shared crawl
	leases leaseTimes

	wakeIdle signal // wakes the watch
}

// pageRules are the settings for reading pages.
type pageRules struct {
	token   string         // the product token, whose directives bind
	fields  *extract.Rules // of Config.Output.Extract
	headers []string       // canonical names of Config.Output.KeepHeader
	types   fetch.Types    // of Config.Fetch.Types

	purposes []usage.Purpose // of Config.Usage.Purposes
	files    []usage.Purpose // those for which files of the site are requested
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
	formats, err := record.ChooseFormats(cfg.Output.AlsoWrite, opts.Formats)
	if err != nil {
		return nil, formatError(err)
	}
	c := &Crawler{
		cfg:       cfg,
		opts:      *opts,
		formats:   formats,
		pageRules: pageRules{token: token, fields: fields, types: types, headers: canonicalNames(cfg.Output.KeepHeader), purposes: purposes, files: files},
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
	c.causes = &hostNotices{notice: c.notice, rest: "other hosts have problems too; the report names them"}
	c.unreadFiles = &hostNotices{notice: c.notice, rest: "other sites name such files too, which the crawl does not read; the log names them"}
	c.lifecycle = lifecycle.New(c.log, opts.OnNotice)
	c.discovery = &discovery{
		cfg: &c.cfg, log: c.log, notice: c.notice, lifecycle: c.lifecycle, tally: c.tally, traps: trap.New(cfg.Limits.TrapPages),
		guard: addresses, params: drop,
		scope: scope.New(scope.Kind(cfg.Scope.Kind), bounds),
		hosts: quota.NewHosts(cfg.Limits.MaxHosts, c.lifecycle), sitemaps: quota.NewSitemaps(cfg.Sitemaps.MaxFiles, cfg.Sitemaps.MaxEntries, c.lifecycle),
		order: &entryOrder{by: cfg.Sitemaps.Order, now: time.Now(), since: since},
	}
	if opts.Local != nil {
		c.discovery.local, c.discovery.localDir, c.discovery.localSitemap = opts.Local.Server, opts.Local.Dir, opts.Local.Sitemap
	}
	return c, nil
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
			w := &worker{c: c, pages: c.pages, recorder: c.recorder}
			if err := w.run(leases); err != nil {
				c.lifecycle.Fail(err)
			}
		})
	}
	c.watchIdle(leases)
	workers.Wait()
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
	return sitemapTime + 2*(cfg.Fetch.Timeout+cfg.Robots.Timeout) + 20*max(cfg.Politeness.Delay, cfg.Politeness.MaxCrawlDelay, politeness.MaxSlowed)
}

// limitsIn returns the limits in a configuration.
func limitsIn(cfg *Config) quota.Limits {
	return quota.Limits{MaxPages: cfg.Limits.MaxPages, MaxHostPages: cfg.Limits.MaxHostPages, MaxBytes: cfg.Limits.MaxBytes, Workers: cfg.Limits.Concurrency, MaxInFlight: cfg.Politeness.PerHost}
}
