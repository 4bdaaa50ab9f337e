package crawler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// frontierDir is the directory of the frontier in the directory of a crawl.
const frontierDir = "frontier"

// open opens the directory and the frontier, restores the state of an earlier process, and
// adds the start URLs. If it fails, it closes everything.
func (c *Crawler) open() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	c.frontier = c.opts.Frontier // close closes it, also if open fails
	if c.opts.Transport == nil {
		if err := fetch.CheckDescriptors(c.cfg.Limits.Concurrency); err != nil {
			return err
		}
	}
	if c.credentials, err = newCredentials(&c.cfg); err != nil {
		return err
	}
	if err := c.openIdentity(); err != nil {
		return err
	}
	c.checkDNS()
	if c.credentials.UnusedCookieFile() {
		c.board.Showf("%q has no cookie for the start URLs that is valid now, so the crawl sends none of them (cookie-file)", c.cfg.Credentials.CookieFile)
	}
	begin := c.create
	switch {
	case c.opts.Recrawl:
		begin = c.startRecrawl
	case c.opts.Resume:
		begin = c.resume
	}
	if err := begin(); err != nil {
		return err
	}
	c.discovery.JoinRecrawl(c.state.CheckRecrawl)
	if err := c.restoreRobots(); err != nil {
		return err
	}
	lost, err := c.record.OpenSinks(len(c.state.Lost) > 0)
	if len(lost) > 0 {
		c.noteLosses(c.state, lost)
		err = errors.Join(err, crawldir.SaveState(c.cfg.Output.Dir, c.state))
	}
	if err != nil {
		return err
	}
	if err := c.record.FillSinks(); err != nil {
		return err
	}
	c.network.delays = c.newDelays()
	c.network.slots = politeness.NewSlots(c.frontier, c.network.delays, c.lifecycle, c.leases.duration)
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.restore(); err != nil {
		return err
	}
	if err := c.limits.SyncCounters(c.lifecycle.CommitCtx, false); err != nil {
		return err
	}
	if err := c.discovery.SeedStart(); err != nil {
		return err
	}
	if err := c.discovery.SeedRestored(); err != nil {
		return err
	}
	if err := c.discovery.RequeueSkipped(); err != nil {
		return err
	}
	return c.noticeWaiting()
}

// noticeWaiting reports the outages of an earlier run that have not passed.
func (c *Crawler) noticeWaiting() error {
	origins, noted := c.record.Deferred.All()
	for _, o := range origins {
		host, err := c.frontier.Host(c.lifecycle.CommitCtx, weburl.ServerOf(string(o)))
		if err != nil {
			return err
		}
		rec, err := politeness.ReadRecord(host, o)
		if err != nil {
			return err
		}
		if rec == nil || rec.Outcome != robotsext.OutcomeUnreachable {
			continue
		}
		if until := latest(host.BlockedUntil, rec.RetryAt); until.After(time.Now()) {
			c.visitor.NoticeOutage(o, noted[o].Rejection.Detail, until, nil)
		}
	}
	return nil
}

// create creates the directory of a new crawl.
func (c *Crawler) create() error {
	if err := crawldir.CheckEmpty(c.cfg.Output.Dir, c.formats...); err != nil {
		if held := frontierInUse(c.cfg.Output.Dir); held != nil {
			return held
		}
		return err
	}
	if err := durable.MkdirAll(c.cfg.Output.Dir); err != nil {
		return err
	}
	if err := c.openFrontier(); err != nil {
		return err
	}
	c.state = &state{Version: stateVersion, Config: c.cfg.WithoutSecrets(), Local: c.opts.Local != nil, Shared: c.member.ID()}
	c.newRecorder()
	return c.record.Create(c.state)
}

// newRecorder creates the recorder of the crawl, and what decides about the URLs that it finds.
func (c *Crawler) newRecorder() {
	c.record = record.New(record.Config{
		Dir: c.cfg.Output.Dir, Formats: c.formats, Available: c.opts.Formats, Power: c.cfg.Output.Durability == DurablePower, Resume: c.opts.Resume, Unused: c.cfg.unusedFiles(),
		Frontier: c.frontier, Lifecycle: c.lifecycle, Scope: c.scope, Log: c.log,
	})
	c.recorder = crawlRecorder{c.record}
	c.discovery = c.newDiscovery()
}

// unusedFiles returns the names of the JSON lines files that the settings do not need.
func (c *Config) unusedFiles() (names []string) {
	if c.Output.Links == LinksNone {
		names = append(names, crawldir.LinksFile)
	}
	if len(c.Scope.Check) == 0 {
		names = append(names, crawldir.ChecksFile)
	}
	if !c.Scope.checks(CheckFragments) {
		names = append(names, crawldir.AnchorsFile)
	}
	return names
}

// checkUnused returns an error if the frontier or the journal of the directory is that of
// an earlier crawl whose other files were removed. Its URLs would count as done.
func (c *Crawler) checkUnused() error {
	stats, err := c.frontier.Stats(c.lifecycle.CommitCtx)
	if err != nil {
		return err
	}
	if stats.URLs > 0 {
		return fmt.Errorf("%w: %q has the frontier of one in it; name another directory or remove this one", output.ErrExists, c.cfg.Output.Dir)
	}
	if info, err := os.Stat(filepath.Join(c.cfg.Output.Dir, record.JournalFile)); err == nil && info.Size() > 0 {
		return fmt.Errorf("%w: %q has %s in it; name another directory or remove this one", output.ErrExists, c.cfg.Output.Dir, record.JournalFile)
	}
	return nil
}

// openFrontier opens the frontier, which may be shared.
func (c *Crawler) openFrontier() error {
	switch {
	case c.frontier != nil:
	case c.cfg.Sharing.Frontier != "":
		return c.joinCluster()
	default:
		if err := c.openEmbedded(); err != nil {
			return err
		}
	}
	c.member = &cluster.Single{Frontier: c.frontier, MaxTime: c.cfg.Limits.MaxTime, Handler: handler{c}}
	return nil
}

// openEmbedded opens the frontier in the directory. Its lock is the lock of the directory.
func (c *Crawler) openEmbedded() error {
	opts := &pebblestore.Options{
		Delay: c.cfg.Politeness.Delay, MaxInFlight: c.cfg.Politeness.PerHost, LeaseTime: c.leases.duration, Logger: c.log,
	}
	if c.cfg.Output.Durability == DurablePower {
		opts.Durability = pebblestore.Power
	}
	store, err := pebblestore.Open(filepath.Join(c.cfg.Output.Dir, frontierDir), opts)
	if err != nil {
		return err // and no typed nil in c.frontier
	}
	c.frontier = store
	if c.opts.Resume || c.opts.Recrawl {
		return nil
	}
	return c.checkUnused()
}

// frontierInUse returns an error if another process has the frontier in dir open.
func frontierInUse(dir string) error {
	view, err := pebblestore.OpenReadOnly(filepath.Join(dir, frontierDir))
	switch {
	case errors.Is(err, pebblestore.ErrInUse):
		return err
	case err == nil:
		return view.Close()
	}
	return nil
}
