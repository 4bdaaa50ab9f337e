package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// joinCluster opens the frontier of a crawl that several processes share, or makes it. The
// directory is locked by itself, which an embedded frontier does on the way.
func (c *Crawler) joinCluster() error {
	books, end := context.WithCancel(c.life.CommitCtx)
	context.AfterFunc(c.life.Working, func() { time.AfterFunc(closingTime, end) })
	c.life.CommitCtx = books
	c.leases.duration = max(c.leases.extension, 2*c.cfg.Robots.Timeout)
	opts, err := c.clusterOptions()
	if err != nil {
		return err
	}
	if err := cluster.Check(c.life.CommitCtx, opts); err != nil {
		return asConfigError(err)
	}
	lock, err := pebblestore.Lock(filepath.Join(c.cfg.Output.Dir, frontierDir))
	if err != nil {
		return err
	}
	member, err := cluster.Open(c.life.CommitCtx, opts, handler{c})
	if err != nil {
		err = errors.Join(err, lock.Close())
	}
	switch {
	case errors.Is(err, cluster.ErrOtherCrawl):
		return fmt.Errorf("%w: the crawl %q on %s is another one than that in %q, which was deleted there or is elsewhere",
			ErrFrontierLost, c.cfg.Cluster.Join, c.cfg.Cluster.Frontier, c.cfg.Output.Dir)
	case errors.Is(err, redisstore.ErrNone):
		return fmt.Errorf("%w: %w", ErrFrontierLost, err)
	case err != nil:
		return asConfigError(err)
	}
	c.member, c.frontier, c.cfg.Cluster.Worker = member, &lockedFrontier{member.Frontier(), lock}, member.Worker()
	for _, raw := range member.URLs() {
		a, err := weburl.Parse(raw)
		if err != nil {
			return fmt.Errorf("a URL of the crawl %q: %w", c.cfg.Cluster.Join, err)
		}
		c.found.scope.Join(a)
	}
	limits := member.Limits()
	c.cfg.Limits.MaxPages, c.cfg.Limits.MaxHostPages = *limits.MaxPages, *limits.MaxHostPages
	c.cfg.Limits.MaxBytes, c.cfg.Limits.MaxTime = *limits.MaxBytes, *limits.MaxTime
	c.limits = quota.NewPages(limitsIn(&c.cfg), member)
	return nil
}

// clusterOptions returns how this process opens the crawl. It fails when the crawl in the
// directory is another than that which is to be resumed.
func (c *Crawler) clusterOptions() (*cluster.Options, error) {
	crawl, err := c.cfg.Cluster.crawl()
	if err != nil {
		return nil, err
	}
	opts := &cluster.Options{
		Crawl: crawl, Delay: c.cfg.Politeness.Delay, LeaseTime: c.leases.duration, Extension: c.leases.extension, Logger: c.log, Notice: c.notice,
	}
	if opts.Settings, err = settingsOf(c.cfg); err != nil || !c.opts.Resume && !c.opts.Recrawl {
		return opts, err
	}
	s, err := loadState(c.cfg.Output.Dir)
	if err != nil {
		return nil, err
	}
	switch saved := s.Config; {
	case saved.Cluster.Frontier == "":
		return nil, &ConfigError{Key: "frontier", Problem: fmt.Errorf("the crawl in %q has its own, and goes on with that", c.cfg.Output.Dir)}
	case saved.Cluster.Join != c.cfg.Cluster.Join || saved.Cluster.Worker != c.cfg.Cluster.Worker:
		return nil, fmt.Errorf("%w: join, worker: %q holds what worker %q did of the crawl %q, and goes on as that", ErrConfig, c.cfg.Output.Dir, saved.Cluster.Worker, saved.Cluster.Join)
	}
	opts.ID = s.Shared
	opts.Resumed, err = settingsOf(s.Config)
	return opts, err
}

// handler does in a crawl what other processes announce.
type handler struct{ c *Crawler }

var _ cluster.Handler = handler{}

// Progress implements cluster.Handler.
func (h handler) Progress() (pages int, bytes int64) {
	mine := h.c.tally.summary()
	return mine.Pages, mine.Bytes
}

// Join implements cluster.Handler.
func (h handler) Join(url string) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("what another worker tells: %w", err)
	}
	_, err = h.c.found.bringIn(a)
	return err
}

// ChangeLimits implements cluster.Handler.
func (h handler) ChangeLimits(ctx context.Context, l *cluster.Limits) error {
	h.c.limits.Change(l.MaxPages, l.MaxHostPages, l.MaxBytes)
	h.c.heedLimits()
	return h.c.limits.Settle(ctx, false)
}

// Stop implements cluster.Handler.
func (h handler) Stop(why cluster.Reason) {
	if why == cluster.MaxTime {
		h.c.life.Stop(EndMaxTime)
		return
	}
	h.c.notice("the crawl is stopped")
	h.c.life.Stop(EndStopped)
}

// Fail implements cluster.Handler.
func (h handler) Fail(err error) { h.c.life.Fail(err) }

// A lockedFrontier is a frontier elsewhere with the lock of the directory.
type lockedFrontier struct {
	*redisstore.Store
	lock io.Closer
}

// Close closes the frontier and releases the lock.
func (f *lockedFrontier) Close() error { return errors.Join(f.Store.Close(), f.lock.Close()) }
