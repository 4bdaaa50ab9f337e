package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// state is the content of crawl.json: what has to be known before a crawl can be opened
// again.
type state struct {
	Version int    `json:"version"`
	Config  Config `json:"config"`

	// DelayChanged says that hosts may have a delay from earlier settings.
	DelayChanged bool `json:"delay_changed,omitempty"`

	// Recrawls counts the recrawls, and StartedAt is when the last of them started.
	// RecrawlPending says that it has not requeued all URLs yet.
	Recrawls       int       `json:"recrawls,omitempty"`
	StartedAt      time.Time `json:"started_at,omitzero"`
	RecrawlPending bool      `json:"recrawl_pending,omitempty"`

	// CheckRecrawl is the number in the keys of checks. It is higher than Recrawls if this process
	// took part in a later recrawl that another worker started.
	CheckRecrawl int `json:"check_recrawl,omitempty"`

	// Local says that a server was [Options.Local]: without it, requests would reach the real one.
	Local bool `json:"local,omitempty"`

	// Shared is the unique ID of a shared crawl.
	Shared string `json:"shared,omitempty"`

	// Ended is how the crawl ended last. Nil: it is running, or was killed.
	Ended *ending `json:"ended,omitempty"`

	// Lost are lines that the files have lost.
	Lost []output.Loss `json:"lost,omitempty"`

	// RejectedIncomplete says that more URLs were skipped than are listed.
	RejectedIncomplete bool `json:"rejected_incomplete,omitempty"`

	// RewritingRejected says that rejected.jsonl is being replaced with a shorter one.
	RewritingRejected bool `json:"rewriting_rejected,omitempty"`

	// RereadUntil is the number of the last recrawl that reads every page again, since the settings for
	// reading pages differ from those of the crawl before it.
	RereadUntil int `json:"reread_until,omitempty"`
}

const stateVersion = crawldir.Version

type ending struct {
	End       End              `json:"end"`
	Remaining int              `json:"remaining"` // URLs still to be fetched
	Written   map[string]int64 `json:"written"`   // bytes of each file of lines

	// Uncommitted says that the last outcomes did not reach the frontier.
	Uncommitted bool `json:"uncommitted,omitempty"`
}

// setConfig changes the configuration. A resumed crawl may have pages of both configurations, so that
// the next recrawl reads them all.
func (s *state) setConfig(cfg Config, resumed bool) {
	old := &s.Config
	if !old.readsAlike(&cfg) {
		s.RereadUntil = s.Recrawls
		if resumed {
			s.RereadUntil++
		}
	}
	s.DelayChanged = s.DelayChanged || old.Politeness.Delay != cfg.Politeness.Delay || old.Politeness.MaxCrawlDelay != cfg.Politeness.MaxCrawlDelay || old.Politeness.PerHost != cfg.Politeness.PerHost
	s.Config = cfg.WithoutSecrets()
}

// ErrFrontierLost says that a crawl cannot be resumed because its frontier is missing.
var ErrFrontierLost = errors.New("frontier lost")

// LoadConfig returns the configuration of the crawl in a directory, for [Options.Resume] and
// [Options.Recrawl]. Its Output.Dir is dir. Secrets are *** in it; set them again; see
// [Config.WithoutSecrets]. The error matches [output.ErrNoCrawl] if there is no crawl.
func LoadConfig(dir string) (Config, error) {
	s, err := loadState(dir)
	if err != nil {
		return Config{}, err
	}
	s.Config.Output.Dir = dir
	return s.Config, nil
}

func loadState(dir string) (*state, error) {
	s := &state{Config: Default()}
	if err := crawldir.LoadState(dir, s); err != nil {
		return nil, err
	}
	return s, nil
}

// resume opens the directory of a crawl that was stopped or killed.
func (c *Crawler) resume() error {
	s, err := c.openExisting()
	if err != nil {
		return err
	}
	if s.RecrawlPending { // nothing was fetched
		return c.requeueAll(s)
	}
	if err := c.cfg.Usage.checkResumed(&s.Config.Usage); err != nil {
		return err
	}
	return c.openCommitted(s)
}

// openExisting opens the frontier of an existing crawl, and reads its state.
func (c *Crawler) openExisting() (*state, error) {
	if _, err := loadState(c.cfg.Output.Dir); err != nil {
		return nil, err // before a frontier is created where there was no crawl
	}
	if err := c.openFrontier(); err != nil {
		return nil, err
	}
	s, err := loadState(c.cfg.Output.Dir) // again, now that the directory is locked
	if err != nil {
		return nil, err
	}
	if s.Local && c.opts.Local == nil {
		return nil, fmt.Errorf("%w: %q has the crawl of a site that was served on this machine (Options.Local), and without it the requests would reach the real site; crawl the site again, into another directory", ErrConfig, c.cfg.Output.Dir)
	}
	if err := c.checkFrontier(); err != nil {
		return nil, err
	}
	c.newRecorder()
	return s, nil
}

// checkFrontier returns an error if the directory has results and its frontier was removed.
// The crawl would treat every line as uncommitted and truncate it.
func (c *Crawler) checkFrontier() error {
	stats, err := c.frontier.Stats(c.lifecycle.CommitCtx)
	if err != nil || stats.URLs > 0 {
		return err
	}
	if name := crawldir.NonEmptyFile(c.cfg.Output.Dir); name != "" {
		return fmt.Errorf("%w: %q has %s in it, but %q is empty or gone, and the crawl cannot resume without it",
			ErrFrontierLost, c.cfg.Output.Dir, name, filepath.Join(c.cfg.Output.Dir, frontierDir))
	}
	return nil
}

// openCommitted opens the files up to what the frontier has committed, and saves the
// configuration, which may have changed.
func (c *Crawler) openCommitted(s *state) error {
	if err := c.record.Load(); err != nil {
		return err
	}
	if s.Ended != nil && !s.Ended.Uncommitted {
		c.record.ReportRollback()
	}
	s.Ended = nil
	if err := c.record.CheckFormats(s.Config.Output.AlsoWrite); err != nil {
		return formatError(err)
	}
	lost, err := c.record.Lost(s.RewritingRejected)
	if err != nil {
		return err
	}
	if err := c.requeueRejected(s); err != nil {
		return err
	}
	if err := c.record.Open(); err != nil {
		return err
	}
	c.noteNewChecks(s)
	s.setConfig(c.cfg, c.opts.Resume)
	s.RewritingRejected = false
	c.state = s
	c.noteLosses(s, lost)
	c.tally.count(func(sum *Summary) { sum.RejectedIncomplete = s.RejectedIncomplete })
	return crawldir.SaveState(c.cfg.Output.Dir, s)
}

// noteNewChecks reports that checks were added, which miss the pages fetched so far, or that settings
// would allow checks that were skipped.
func (c *Crawler) noteNewChecks(s *state) {
	if len(s.Config.Scope.Check) > 0 && (c.allowsMore(s) || isRaised(s.Config.Limits.MaxHosts, c.cfg.Limits.MaxHosts)) {
		c.board.Show("checks that were skipped so far are not repeated under the new settings; a recrawl repeats them (allow-addr, max-hosts)")
	}
	if slices.ContainsFunc(checkKinds, func(kind string) bool { return c.cfg.Scope.checks(kind) && !s.Config.Scope.checks(kind) }) {
		c.board.Show("the new checks miss the pages that were fetched before; a recrawl checks these too (check)")
	}
}

// noteLosses saves and reports what files have lost. A loss that was noted by a process
// that was then killed is reported once.
func (c *Crawler) noteLosses(s *state, lost []output.Loss) {
	for _, l := range lost {
		c.log.Warn("file has lost lines", "file", l.File, "bytes", l.Bytes, "size_before", l.SizeBefore)
		if !slices.ContainsFunc(s.Lost, func(old output.Loss) bool { return old.File == l.File && old.SizeBefore == l.SizeBefore }) {
			s.Lost = append(s.Lost, l)
		}
		c.board.Show(record.LossNotice(l))
	}
	c.tally.count(func(sum *Summary) { sum.Lost = slices.Clone(s.Lost) })
}

// isRaised reports whether a limit is higher now, or was removed.
func isRaised(before, now int) bool { return before > 0 && (now == 0 || now > before) }

// allowsMore reports whether addresses are allowed that were not before.
func (c *Crawler) allowsMore(s *state) bool {
	return slices.ContainsFunc(c.cfg.Fetch.AllowAddr, func(cidr string) bool { return !slices.Contains(s.Config.Fetch.AllowAddr, cidr) })
}

// requeueRejected requeues URLs that were skipped because of a limit that was raised, an
// expression that was changed, or an address or a type that is allowed now.
func (c *Crawler) requeueRejected(s *state) error {
	var reasons []output.Reason
	for reason, limit := range map[output.Reason][2]int{
		output.MaxHostPages: {s.Config.Limits.MaxHostPages, c.cfg.Limits.MaxHostPages},
		output.Trap:         {s.Config.Limits.TrapPages, c.cfg.Limits.TrapPages},
	} {
		if isRaised(limit[0], limit[1]) {
			reasons = append(reasons, reason)
		}
	}
	if c.allowsMore(s) {
		reasons = append(reasons, output.BlockedAddress)
	}
	if !slices.Equal(c.cfg.Scope.Include, s.Config.Scope.Include) || !slices.Equal(c.cfg.Scope.Exclude, s.Config.Scope.Exclude) {
		reasons = append(reasons, output.Excluded)
	}
	if !slices.Equal(s.Config.Fetch.Types, c.cfg.Fetch.Types) {
		reasons = append(reasons, output.ContentType)
	}
	if len(reasons) == 0 {
		return nil
	}
	file := filepath.Join(c.cfg.Output.Dir, crawldir.RejectedFile)
	if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
		return nil // it is lost
	}
	again := &requeuer{c: c, recrawl: s.CheckRecrawl, requeued: make(map[string]bool)}
	err := record.Each(c.record, file, func(_ int64, r *output.Rejection) error {
		switch {
		case !slices.Contains(reasons, r.Reason):
		case r.Reason == output.ContentType && !c.types.Accept(r.Detail):
		case !dependsOnURL(r.Reason):
			return again.add(r.URL, provenanceOf(r))
		case c.discovery.MayBeRequested(r):
			return again.addKnown(r.URL, provenanceOf(r))
		}
		return nil
	})
	if err == nil {
		err = again.flush()
	}
	if err != nil {
		return err
	}
	isBack := func(r *output.Rejection) bool {
		return slices.Contains(reasons, r.Reason) && (!dependsOnURL(r.Reason) || again.requeued[r.URL])
	}
	s.RewritingRejected = true
	if err := crawldir.SaveState(c.cfg.Output.Dir, s); err != nil {
		return err
	}
	return c.record.DropRejections(isBack)
}

// dependsOnURL reports whether changed settings allow only some of the URLs with this reason.
func dependsOnURL(r output.Reason) bool {
	return r == output.BlockedAddress || r == output.Excluded || r == output.ContentType
}

// restore restores the state that an earlier process has written.
func (c *Crawler) restore() error {
	if err := c.record.Restore(c.discovery.RestoreJoined, c.restoreTrap); err != nil {
		return err
	}
	if c.state.Recrawls > c.state.RereadUntil && len(c.cfg.Scope.Check) == 0 { // a check reads every page
		if err := c.record.LoadPrevious(c.state.Recrawls, c.cfg.Output.Links != LinksNone); err != nil {
			return err
		}
	}
	file := func(name string) string { return filepath.Join(c.cfg.Output.Dir, name) }
	return cmp.Or(
		c.record.RestorePages(func(p *output.Page) {
			c.limits.Count(weburl.ServerOf(p.URL), p.BytesRead())
			c.tally.add(p, &output.Results{})
		}),
		record.Each(c.record, file(crawldir.RejectedFile), func(_ int64, r *output.Rejection) error {
			if a, err := weburl.Parse(r.URL); err == nil && r.Reason == output.BlockedAddress && r.RobotsURL == "" && !r.Addr.IsValid() {
				r.Addr = blocked.Addr(c.discovery.CheckHost(a)) // an IP address in a URL needs no request to be found
			}
			c.tally.add(nil, &output.Results{Rejected: []*output.Rejection{r}})
			return nil
		}),
		record.Each(c.record, file(crawldir.SitemapsFile), func(_ int64, s *output.Sitemap) error {
			c.tally.add(nil, &output.Results{Sitemaps: []*output.Sitemap{s}})
			c.discovery.Sitemaps.Count(robotsext.Origin(s.Origin), s.Pages)
			return nil
		}),
		record.Each(c.record, file(crawldir.ChecksFile), func(_ int64, l *output.Check) error {
			c.tally.add(nil, &output.Results{Checks: []*output.Check{l}})
			c.limits.CountBytes(l.Bytes)
			return nil
		}),
		record.Each(c.record, file(crawldir.RobotsFile), func(int64, *struct{}) error {
			c.tally.count(func(s *Summary) { s.Robots++ })
			return nil
		}),
	)
}

// restoreRobots writes robots.txt files again that a power cut has damaged, from the
// frontier. If the frontier has another text, the robots.txt is requested again.
func (c *Crawler) restoreRobots() error {
	if !c.opts.Resume || c.cfg.Output.Durability != DurablePower {
		return nil
	}
	cache := &robotsCache{frontier: c.frontier, failed: c.lifecycle.HasFailed}
	lost, err := c.record.RestoreRobots(func(origin string) ([]byte, error) {
		rec, err := cache.Load(c.lifecycle.CommitCtx, robotsext.Origin(origin))
		if err != nil || rec == nil {
			return nil, err
		}
		return rec.Body, nil
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	c.board.Showf("%s/ has lost robots.txt files (%d, the first of %s); each is requested again before the next page of its origin",
		crawldir.RobotsDir, len(lost), lost[0])
	return nil
}

// restoreTrap closes a pattern that an earlier process closed, unless trap-pages was raised
// or a recrawl has started.
func (c *Crawler) restoreTrap(p *trap.ClosedPattern) {
	if c.cfg.Limits.TrapPages > 0 && p.Free >= c.cfg.Limits.TrapPages && !p.At.Before(c.state.StartedAt) {
		c.traps.Close(p)
	}
}

// readsAlike reports whether a crawl with another configuration records the same of a page.
func (c *Config) readsAlike(other *Config) bool {
	token, _ := robotstxt.ProductToken(c.Fetch.UserAgent)
	otherToken, _ := robotstxt.ProductToken(other.Fetch.UserAgent)
	return token == otherToken && c.Robots.ObeyNoindex == other.Robots.ObeyNoindex && c.Output.Links == other.Output.Links &&
		slices.Equal(c.Output.Extract, other.Output.Extract) && slices.Equal(c.Output.KeepHeader, other.Output.KeepHeader)
}
