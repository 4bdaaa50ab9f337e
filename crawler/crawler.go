package crawler

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Options are what a crawl is given beside its [Config]. Nil, and every zero
// field, is a crawl like that of the program.
type Options struct {
	// Resume goes on with the crawl that Config.Output holds, which was stopped
	// or killed. Take the Config from [Saved]; what is changed in it holds from
	// here on.
	Resume bool

	// Recrawl asks again for everything that the crawl in Config.Output has
	// fetched or was refused, with the validators of the last answers. Its files
	// are put aside under numbers first: pages.1.jsonl and so on.
	Recrawl bool

	// Frontier holds what is still to be fetched. The crawl closes it. Nil: one
	// in the directory "frontier" of Config.Output, which goes on where it was
	// when the process ends, however that comes.
	Frontier frontier.Frontier

	// Formats are what [Config.Write] may name, and, without a name, what gets
	// to know what the crawl finds in any case. Nil: none.
	Formats []output.Format

	// Transport sends all requests, below the robots.txt gate. It connects to
	// whatever it likes: Config.AllowAddr and Config.Proxies say nothing to it. A
	// clone of an [*http.Transport] sends those that a site wants over HTTP/1.1. Nil:
	// one made for crawling, which both bind.
	Transport http.RoundTripper

	// Logger gets the lines that the package comment lists, and what helps to
	// find a fault. Nil: nothing is logged.
	Logger *slog.Logger

	// Begun is called when the directory and the frontier have been opened, and
	// the crawl begins. Nil: nobody is told.
	Begun func()

	// Notice is called with each thing that a person should hear of while the
	// crawl runs, as one line without a line end. It must be safe for
	// concurrent use. Nil: nobody is told.
	Notice func(line string)
}

// Crawler is one crawl. Make it with [New], use it for one [Crawler.Run].
type Crawler struct {
	cfg     Config
	opts    Options
	formats []output.Format // those used
	token   string          // the product token
	log     *slog.Logger
	notice  func(string)
	pauses  pauses
	life    *lifecycle

	guard    *guard.Guard  // which addresses may be connected to; nil: Options.Transport knows
	resolver *net.Resolver // that looks their names up; nil: the machine's

	// Opened by Run; see open.go.
	frontier frontier.Frontier
	record   *record.Recorder
	robots   *robotsext.Robots
	sitemaps *http.Client
	delays   *politeness.Delays
	slots    *politeness.Slots

	state      *state
	roundBegan time.Time // zero: it is no recrawl
	repaced    bool      // the delays of hosts were set by other settings

	origins   *weburl.OriginCache
	scope     *scope.Scope
	joining   sync.RWMutex // held while URLs are judged by scope and put aside, or scope grows
	limits    *quota.Pages
	addresses *politeness.Addresses
	params    *params.Rules
	fields    *extract.Rules
	files     *quota.Sitemaps
	hostLimit *quota.Hosts
	traps     *trap.Detector
	order     *order
	tally     *tally

	// What a plan does in another way than a crawl; see planner.go.
	pages    pageFetcher
	recorder recorder
	sent     func(req *http.Request, took time.Duration, err error) // nil: nothing

	member    cluster.Member // the part of this process in the crawl
	lock      io.Closer      // of the directory, where the frontier is not in it
	leaseTime time.Duration  // of each lease
	extension time.Duration  // by which leases of a cluster are extended

	// changed wakes the watch. It holds one signal: more say nothing new.
	changed chan struct{}
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
		return nil, fmt.Errorf("%w: a crawl goes on or begins again, not both", ErrConfig)
	}
	if opts.Transport == nil && len(cfg.Proxies) == 0 {
		if err := checkProxyVariables(); err != nil {
			return nil, err
		}
	}
	token, err := robotstxt.ProductToken(cfg.UserAgent)
	if err != nil {
		return nil, err
	}
	since, err := parseSince(cfg.Since)
	if err != nil {
		return nil, err
	}
	drop, err := params.New(cfg.DropParams)
	if err != nil {
		return nil, err
	}
	fields, err := fieldRules(cfg.Extract)
	if err != nil {
		return nil, err
	}
	addresses, err := newGuard(&cfg, opts)
	if err != nil {
		return nil, err
	}
	formats, err := record.ChooseFormats(cfg.Write, opts.Formats)
	if err != nil {
		return nil, formatError(err)
	}
	c := &Crawler{
		cfg:       cfg,
		opts:      *opts,
		formats:   formats,
		token:     token,
		log:       cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		notice:    opts.Notice,
		guard:     addresses,
		origins:   weburl.NewOriginCache(),
		scope:     scope.New(cfg.Scope, scope.Bounds{MaxDepth: cfg.MaxDepth, MaxURL: cfg.MaxURL, MaxParams: cfg.MaxParams, MaxRepeats: cfg.MaxRepeats}),
		limits:    quota.NewPages(limitsIn(&cfg), nil),
		addresses: politeness.NewAddresses(cfg.PerIP),
		order:     &order{by: cfg.SitemapOrder, now: time.Now(), since: since},
		tally:     newTally(cfg.Output),
		params:    drop,
		traps:     trap.New(cfg.TrapPages),
		fields:    fields,
		changed:   make(chan struct{}, 1),
		leaseTime: leaseTime(&cfg),
		member:    &cluster.Alone{},
		extension: cluster.LeaseExtension,
	}
	if c.notice == nil {
		c.notice = func(string) {}
	}
	c.files = quota.NewSitemaps(cfg.MaxSitemaps, cfg.MaxSitemapEntries, func(o robotsext.Origin) {
		c.log.Warn("too many sitemaps", "host", o, "limit", cfg.MaxSitemaps)
		c.notice(fmt.Sprintf("%s lists more than %d sitemaps; the others are not read (max-sitemaps)", o, cfg.MaxSitemaps))
	})
	c.hostLimit = quota.NewHosts(cfg.MaxHosts, func() {
		c.log.Warn("too many hosts", "limit", cfg.MaxHosts)
		c.notice(fmt.Sprintf("there are more than %d hosts; those that are new are left alone (max-hosts)", cfg.MaxHosts))
	})
	c.life = newLifecycle(c.log)
	return c, nil
}

// Run crawls until nothing is left, a limit is reached, or ctx ends. When ctx
// ends, what is in flight is finished first; see [Crawler.Abort]. The Summary is
// there also with an error, which is of the crawl's own side: a disk that is
// full. It is nil when the crawl was not begun, as when its directory cannot be
// written or another process is at it ([pebblestore.ErrInUse]).
func (c *Crawler) Run(ctx context.Context) (*Summary, error) {
	defer c.life.abort()
	if err := c.open(); err != nil {
		return nil, err
	}
	if c.opts.Begun != nil {
		c.opts.Begun()
	}
	c.logBegun()
	leases, leave := c.life.leases(ctx)
	defer leave()
	c.member.Start()
	c.heedLimits() // an earlier process may have reached one
	c.record.Start()
	c.work(leases)
	c.record.Stop()
	if ctx.Err() != nil {
		c.life.stop(EndInterrupted) // unless something else ended it before
	}
	return c.ended()
}

// work has the workers visit URLs, until leases ends or the crawl is over.
func (c *Crawler) work(leases context.Context) {
	var workers sync.WaitGroup
	for range c.cfg.Workers {
		workers.Go(func() {
			w := &worker{c: c, pages: c.pages, recorder: c.recorder}
			if err := w.run(leases); err != nil {
				c.life.fail(err)
			}
		})
	}
	c.watch(leases)
	workers.Wait()
}

// Abort breaks off the requests in flight and ends the crawl. Their URLs stay in
// the frontier as if they had not been asked for.
func (c *Crawler) Abort() {
	c.life.abort()
	c.life.stop(EndInterrupted)
}

// heedLimits stops the crawl when a limit has been reached.
func (c *Crawler) heedLimits() {
	if end := c.limits.Exceeded(); end != "" {
		c.life.stop(End(end))
	}
}

// leaseTime is how long a worker may take over one URL before the frontier gives
// it to another: longer than all its time limits together.
func leaseTime(cfg *Config) time.Duration {
	return sitemapTime + 2*(cfg.Timeout+cfg.RobotsTimeout) + 20*max(cfg.Delay, cfg.MaxCrawlDelay, politeness.MaxSlowed)
}

// limitsIn returns the limits of a configuration.
func limitsIn(cfg *Config) quota.Limits {
	return quota.Limits{MaxPages: cfg.MaxPages, MaxHostPages: cfg.MaxHostPages, MaxBytes: cfg.MaxBytes, Workers: cfg.Workers, MaxInFlight: cfg.PerHost}
}
