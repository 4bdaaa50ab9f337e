package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Options are settings of a crawl that are not part of its [Config]. Nil means the zero value.
type Options struct {
	// Resume resumes the crawl in Config.Output.Dir after it was stopped or killed. Use the
	// Config that [LoadConfig] returns. You may change it first.
	Resume bool

	// Recrawl requests every URL of the previous crawl in Config.Output.Dir again, including
	// failures, with conditional requests. First it renames the files of the previous crawl to
	// pages.1.jsonl and so on. It also removes what SCHEMA.md of package output says: tables, and
	// files of older crawls.
	Recrawl bool

	// IsSet reports which keys of the configuration the user has set for this run. A resumed worker
	// of a shared crawl sets these limits for all workers, also if its own earlier configuration
	// has the same values. Nil means only values that differ from that.
	IsSet func(key string) bool

	// Frontier stores the URLs that remain to be fetched. The crawl closes it. Nil means a
	// persistent frontier in the directory "frontier" of Config.Output.Dir. For Recrawl it must be
	// a [frontier.Revisiter]. If it is not a [frontier.Lister], rejected.jsonl lacks the URLs that
	// remain at the end.
	Frontier frontier.Frontier

	// Formats are the formats that Output.AlsoWrite may name. Formats without a name are always
	// used.
	Formats []output.Format

	// Transport sends all requests: those for robots.txt, and those that robots.txt allows.
	// Fetch.AllowAddr and Fetch.Proxies have no effect on it. Only an [*http.Transport] can fall
	// back to HTTP/1.1 for sites that require it. If nil, the crawler makes a transport.
	Transport http.RoundTripper

	// Local is a site that is served on this machine for the crawl, or nil. Resume and Recrawl of
	// the crawl need it too.
	Local *LocalSite

	// Logger receives the messages that README.md lists, and debug messages. If nil, nothing is logged.
	Logger *slog.Logger

	// OnStart is called when the directory and the frontier are open, before the first request,
	// unless it is nil.
	OnStart func()

	// OnNotice is called with each event that an operator should know about, as one line without a
	// newline. It must be safe for concurrent use. It may be nil.
	OnNotice func(line string)
}

// A LocalSite answers the requests to one server in place of the network, by http and by https.
// Neither Delay nor Crawl-delay applies between these requests. Fetch.AllowAddr and Fetch.Proxies have
// no effect on it.
type LocalSite struct {
	Server    frontier.Host     // host and port, such as example.com; see [frontier.HostOf]
	Dir       string            // other URLs of the server are out of scope and not requested, except robots.txt; empty means /
	Sitemap   string            // URL of a sitemap there that is read even if no robots.txt lists it; empty if none
	Transport http.RoundTripper // sends the requests to this server
}

// Crawler is one crawl. Create it with [New], and call [Crawler.Run] once.
type Crawler struct {
	cfg       Config
	opts      Options
	log       *slog.Logger
	board     *notice.Board
	lifecycle *lifecycle.Lifecycle
	scope     *scope.Scope
	tally     *tally

	settings  run.Settings  // as far as they need neither the disk nor the network
	dns       identity.DNS  // of Fetch.CheckDNS
	extension time.Duration // of the leases of a shared crawl; 0 means cluster.LeaseExtension
	run       *run.Crawl
}

// New returns a crawl that is ready to run. It fails with [ErrConfig] if cfg is not valid.
// It uses neither the disk nor the network.
func New(cfg Config, opts *Options) (*Crawler, error) {
	cfg.addArchive()
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
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	bounds, err := cfg.Scope.bounds()
	if err != nil {
		return nil, err
	}
	board := notice.New(opts.OnNotice)
	c := &Crawler{
		cfg: cfg, opts: *opts, log: log, board: board, lifecycle: lifecycle.New(log, board),
		scope: scope.New(scope.Kind(cfg.Scope.Kind), bounds), tally: newTally(cfg.Output.Dir),
	}
	if c.settings, err = newSettings(&cfg, opts); err != nil {
		return nil, err
	}
	c.run = run.New(runConfig{c}, c.tally, visit.Parts{
		Parts:     discover.Parts{Scope: c.scope, Frontier: opts.Frontier, Lifecycle: c.lifecycle, Board: c.board, Log: log},
		Addresses: politeness.NewAddresses(cfg.Politeness.PerIP),
	})
	return c, nil
}

// Run crawls until no URL remains, a limit is reached, or ctx ends. When ctx ends, Run finishes
// the requests in flight first; see [Crawler.Abort].
//
// The error says that the crawl itself failed, for example because the disk is full. The Summary
// is valid even then. It is nil if the crawl could not start: its directory cannot be written, or
// another process uses it ([logstore.ErrInUse]).
func (c *Crawler) Run(ctx context.Context) (*Summary, error) {
	defer c.lifecycle.Abort()
	if err := c.open(); err != nil {
		return nil, err
	}
	if c.opts.OnStart != nil {
		c.opts.OnStart()
	}
	c.logStart()
	c.work(ctx)
	return c.finish()
}

// open opens the crawl. If it fails, it closes everything.
func (c *Crawler) open() error {
	set, err := c.prepare()
	if err != nil {
		if c.opts.Frontier != nil {
			err = errors.Join(err, c.opts.Frontier.Close())
		}
		return err
	}
	err = c.run.Open(set)
	if err == nil {
		c.warnOfNetwork()
	}
	if errors.Is(err, run.ErrLocal) {
		err = fmt.Errorf("%w (Options.Local): %w", ErrConfig, err)
	}
	return formatError(asConfigError(err))
}

// prepare completes the settings of the run with what needs the disk or the network.
func (c *Crawler) prepare() (set run.Settings, err error) {
	set = c.settings
	if c.opts.Transport == nil {
		if err := fetch.CheckDescriptors(c.cfg.Limits.Concurrency); err != nil {
			return set, err
		}
	}
	signer, err := c.openSecrets(&set)
	if err != nil {
		return set, err
	}
	c.checkDNS(signer)
	if set.Visit.Requests.Credentials.UnusedCookieFile() {
		c.board.Showf("%q has no cookie for the start URLs that is valid now, so the crawl sends none of them (cookie-file)", c.cfg.Credentials.CookieFile)
	}
	set.Shared, err = c.clusterOptions()
	return set, err
}

// work works until ctx ends or the crawl is over.
func (c *Crawler) work(ctx context.Context) {
	leases, stop := c.lifecycle.Leases(ctx)
	defer stop()
	c.run.Work(leases)
	if ctx.Err() != nil {
		c.lifecycle.Stop(EndInterrupted) // unless something else ended it before
	}
}

// finish ends the crawl, and returns its summary.
func (c *Crawler) finish() (*Summary, error) {
	result, err := c.run.End()
	sum := c.summary()
	sum.End, sum.Remaining, sum.Hosts, sum.NextDue = result.End, result.Remaining, result.Hosts, result.NextDue
	sum.Waiting, sum.WaitingReasons = result.Waiting, result.WaitingReasons
	c.logEnd(sum, err)
	return sum, err
}

// Abort aborts the requests in flight and ends the crawl. Their URLs stay in the frontier
// as if they had not been requested.
func (c *Crawler) Abort() {
	c.lifecycle.Abort()
	c.lifecycle.Stop(EndInterrupted)
}

// Pause pauses the crawl after the requests in flight are finished, including the redirects of a
// robots.txt. Time limits continue to run.
func (c *Crawler) Pause() { c.run.Pause() }

// Resume ends a pause.
func (c *Crawler) Resume() { c.run.Unpause() }

// Stop ends the crawl after the requests in flight are finished. Its end is [EndStopped].
func (c *Crawler) Stop() { c.lifecycle.Stop(EndStopped) }

// leaseTime is how long a worker may process one URL before the frontier gives it to
// another. It is longer than the sum of all timeouts.
func leaseTime(cfg *Config) time.Duration {
	return visit.SitemapTime + 2*(cfg.Fetch.Timeout+cfg.Robots.Timeout) + 20*max(cfg.Politeness.Delay, cfg.Politeness.MaxCrawlDelay, politeness.MaxSlowed)
}

// logStart logs the start of the crawl.
func (c *Crawler) logStart() {
	c.log.Info("crawl started", "output", c.cfg.Output.Dir, "resume", c.opts.Resume, "recrawl", c.opts.Recrawl,
		"urls", len(c.cfg.URLs), "concurrency", c.cfg.Limits.Concurrency, "delay", c.cfg.Politeness.Delay)
}

// logEnd logs the end of the crawl.
func (c *Crawler) logEnd(s *Summary, err error) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("reason", string(s.End)), slog.Int("pages", s.Pages), slog.Int("remaining", s.Remaining), slog.Int("hosts", s.Hosts), slog.Duration("duration", time.Duration(s.Duration)),
	}
	if s.Remaining > 0 && !s.NextDue.IsZero() {
		attrs = append(attrs, slog.Time("next", s.NextDue))
	}
	if err != nil {
		level, attrs = slog.LevelError, append(attrs, slog.Any("error", err))
	}
	c.log.LogAttrs(c.lifecycle.CommitCtx, level, "crawl ended", attrs...)
}
