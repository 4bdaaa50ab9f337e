package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// joinCluster opens or creates the frontier of a shared crawl. It locks the directory,
// which an embedded frontier does itself.
func (c *Crawl) joinCluster() error {
	commitCtx, end := context.WithCancel(c.parts.Lifecycle.CommitCtx)
	context.AfterFunc(c.parts.Lifecycle.Working, func() { time.AfterFunc(AbortGrace, end) })
	c.parts.Lifecycle.CommitCtx = commitCtx
	opts := c.set.Shared
	c.set.Visit.LeaseTime = opts.LeaseTime
	if err := cluster.Check(c.parts.Lifecycle.CommitCtx, opts); err != nil {
		return err
	}
	lock, err := logstore.Lock(filepath.Join(c.set.Results.Dir, FrontierDir))
	if err != nil {
		return err
	}
	member, err := cluster.Open(c.parts.Lifecycle.CommitCtx, opts, handler{c})
	if err != nil {
		err = errors.Join(err, lock.Close())
	}
	switch {
	case errors.Is(err, cluster.ErrOtherCrawl):
		return fmt.Errorf("%w: the crawl %q on %s is not the one in %q, which was deleted or is elsewhere",
			ErrFrontierLost, opts.Store.CrawlName, opts.Address, c.set.Results.Dir)
	case errors.Is(err, redisstore.ErrNotFound):
		return fmt.Errorf("%w: %w", ErrFrontierLost, err)
	case err != nil:
		return err
	}
	c.parts.Member, c.parts.Frontier = member, &lockedFrontier{member.Frontier(), lock}
	for _, raw := range member.URLs() {
		a, err := weburl.Parse(raw)
		if err != nil {
			return fmt.Errorf("a URL of the crawl %q: %w", opts.Store.CrawlName, err)
		}
		c.parts.Scope.Join(a)
	}
	limits := member.Limits()
	c.config.Join(member.Worker(), limits)
	c.set.Limits.MaxPages, c.set.Limits.MaxHostPages, c.set.Limits.MaxBytes = *limits.MaxPages, *limits.MaxHostPages, *limits.MaxBytes
	c.parts.Limits = quota.NewPages(c.set.Limits, member)
	return nil
}

// handler applies the announcements of other processes to a crawl.
type handler struct{ c *Crawl }

var _ cluster.Handler = handler{}

// Progress implements cluster.Handler.
func (h handler) Progress() (pages int, bytes int64) {
	return h.c.tally.Progress()
}

// Join implements cluster.Handler.
func (h handler) Join(url string) error {
	a, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("message of another worker: %w", err)
	}
	_, err = h.c.parts.Discovery.JoinHost(a)
	return err
}

// ChangeLimits implements cluster.Handler.
func (h handler) ChangeLimits(ctx context.Context, l *cluster.Limits) error {
	h.c.parts.Limits.Change(l.MaxPages, l.MaxHostPages, l.MaxBytes)
	h.c.parts.Lifecycle.Stop(h.c.parts.Limits.Exceeded())
	return h.c.parts.Limits.SyncCounters(ctx, false)
}

// Stop implements cluster.Handler.
func (h handler) Stop(end plan.End) {
	if end == plan.Stopped {
		h.c.parts.Board.Show("the crawl is stopped")
	}
	h.c.parts.Lifecycle.Stop(end)
}

// Fail implements cluster.Handler.
func (h handler) Fail(err error) { h.c.parts.Lifecycle.Fail(err) }

// A lockedFrontier is a shared frontier together with the lock of the directory.
type lockedFrontier struct {
	*redisstore.Store
	lock io.Closer
}

// Close closes the frontier and releases the lock.
func (f *lockedFrontier) Close() error { return errors.Join(f.Store.Close(), f.lock.Close()) }
