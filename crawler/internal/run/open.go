package run

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/visit"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// FrontierDir is the directory of the frontier in the directory of a crawl.
const FrontierDir = "frontier"

// Open opens the directory and the frontier, restores the state of an earlier process, and
// adds the start URLs. If it fails, it closes everything.
func (c *Crawl) Open(set Settings) (err error) {
	c.configure(set)
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	begin := c.create
	switch {
	case c.set.Recrawl:
		begin = c.startRecrawl
	case c.set.Results.Resume:
		begin = c.resume
	}
	if err := begin(); err != nil {
		return err
	}
	c.parts.Discovery.SetRecrawl(c.state.CheckRecrawl)
	if err := c.restoreRobots(); err != nil {
		return err
	}
	lost, err := c.parts.Results.OpenSinks(len(c.state.Lost) > 0)
	if len(lost) > 0 {
		c.noteLosses(c.state, lost)
		err = errors.Join(err, results.SaveState(c.set.Results.Dir, c.state))
	}
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		c.parts.Results.FillSinks, c.connect, c.restore, c.syncLimits,
		c.parts.Discovery.SeedStart, c.parts.Discovery.SeedRestored, c.parts.Discovery.RequeueSkipped,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if stats, err := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx); err == nil { // an error occurs again later, and ends the crawl
		c.parts.Lifecycle.SetStats(stats) // for a status before the first request
	}
	return c.noticeWaiting()
}

// syncLimits sets the counters of limits to what an earlier process of this worker has used.
func (c *Crawl) syncLimits() error {
	return c.parts.Limits.SyncCounters(c.parts.Lifecycle.CommitCtx, false)
}

// noticeWaiting reports the outages of an earlier run that have not passed.
func (c *Crawl) noticeWaiting() error {
	origins, noted := c.parts.Results.Deferred.All()
	for _, o := range origins {
		host, rec, err := politeness.KnownRobots(c.parts.Lifecycle.CommitCtx, c.parts.Frontier, o)
		if err != nil {
			return err
		}
		if rec == nil || rec.Outcome != robotsext.OutcomeUnreachable {
			continue
		}
		if until := slices.MaxFunc([]time.Time{host.BlockedUntil, rec.RetryAt}, time.Time.Compare); until.After(time.Now()) {
			c.visitor.ShowOutage(o, noted[o].Rejection.Detail, until, nil)
		}
	}
	return nil
}

// create creates the directory of a new crawl.
func (c *Crawl) create() error {
	if err := results.CheckEmpty(c.set.Results.Dir, c.set.Results.Formats...); err != nil {
		if held := logstore.Check(filepath.Join(c.set.Results.Dir, FrontierDir)); errors.Is(held, logstore.ErrInUse) {
			return held
		}
		return err
	}
	if err := durable.MkdirAll(c.set.Results.Dir); err != nil {
		return err
	}
	if err := c.openFrontier(); err != nil {
		return err
	}
	config, err := c.config.MarshalJSON()
	if err != nil {
		return err
	}
	c.state = &State{Version: results.Version, Config: config, Local: c.set.Local, Shared: c.parts.Member.ID()}
	c.newRecorder()
	return c.parts.Results.Create(c.state)
}

// newRecorder creates the writer of the crawl, and what decides about the URLs that it finds.
func (c *Crawl) newRecorder() {
	cfg := c.set.Results
	cfg.Frontier, cfg.Lifecycle, cfg.Scope, cfg.Log = c.parts.Frontier, c.parts.Lifecycle, c.parts.Scope, c.parts.Log
	c.parts.Results = results.New(cfg)
	c.parts.Recorder = c.parts.Results
	c.parts.Discovery = discover.New(c.set.Visit.Discover, &c.parts.Parts)
}

// checkUnused returns an error if the frontier or the journal of the directory is that of an
// earlier crawl without its other files. Its URLs would count as done.
func (c *Crawl) checkUnused() error {
	stats, err := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx)
	if err != nil {
		return err
	}
	if stats.URLs > 0 {
		return results.ExistsError(c.set.Results.Dir, "the frontier of one")
	}
	if info, err := os.Stat(filepath.Join(c.set.Results.Dir, results.JournalFile)); err == nil && info.Size() > 0 {
		return results.ExistsError(c.set.Results.Dir, results.JournalFile)
	}
	return nil
}

// openFrontier opens the frontier, which may be shared.
func (c *Crawl) openFrontier() error {
	switch {
	case c.parts.Frontier != nil:
	case c.set.Shared != nil:
		return c.joinCluster()
	default:
		if err := c.openEmbedded(); err != nil {
			return err
		}
	}
	c.parts.Member = &cluster.Single{Frontier: c.parts.Frontier, MaxTime: c.set.MaxTime, Handler: handler{c}}
	return nil
}

// openEmbedded opens the frontier in the directory. Its lock is the lock of the directory.
func (c *Crawl) openEmbedded() error {
	opts := &logstore.Options{
		Delay: c.set.Delays.Delay, MaxInFlight: c.set.Delays.MaxInFlight, LeaseTime: c.set.Visit.LeaseTime, Logger: c.parts.Log,
	}
	opts.CheckLog = c.set.Recrawl // before it changes the files of the crawl
	if c.set.Results.Power {
		opts.Durability = logstore.Power
	}
	store, err := logstore.Open(filepath.Join(c.set.Results.Dir, FrontierDir), opts)
	if err != nil {
		return err // and no typed nil in c.parts.Frontier
	}
	c.parts.Frontier = store
	if c.set.Results.Resume || c.set.Recrawl {
		return nil
	}
	return c.checkUnused()
}

// connect creates what sends requests, and what decides when. It sends nothing.
func (c *Crawl) connect() (err error) {
	delays := c.set.Delays
	delays.Changed, delays.Recheck, delays.Logger = c.state.DelayChanged, c.parts.Member.RecheckSlowed(), c.parts.Log
	c.parts.Delays = politeness.NewDelays(c.parts.Frontier, delays)
	c.slots = politeness.NewSlots(c.parts.Frontier, c.parts.Delays, c.parts.Lifecycle, c.set.Visit.LeaseTime)
	crawl := fetch.Crawl{Lifecycle: c.parts.Lifecycle, Pacer: c.slots, Leases: c.parts.Member, Observer: c.counter}
	if slices.ContainsFunc(c.set.Results.Formats, func(f output.Format) bool { return f.Exchanges }) {
		crawl.Archive = c.parts.Results
	}
	robots := c.set.Robots
	robots.Transport = fetch.NewTransport(crawl, c.set.Visit.Requests)
	robots.Fetch.Wait = c.slots.Wait
	robots.Cache.Backend = robotsCache{c}
	robots.Logger, robots.OnRecord, robots.OnTDMRep, robots.OnChange = c.parts.Log, c.onRobots, c.onTDMRep, c.onChange
	if c.parts.Robots, err = robotsext.New(c.set.Visit.Requests.UserAgent, &robots); err != nil {
		return err
	}
	if c.counter == nil {
		c.parts.Fetcher = fetch.New(c.parts.Lifecycle.Working, c.set.Visit.Requests, c.parts.Robots)
	}
	c.parts.Client = &http.Client{
		Transport:     c.parts.Robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.visitor = visit.New(c.set.Visit, &c.parts)
	return nil
}
