package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// State is the content of crawl.json: what has to be known before a crawl can be opened
// again.
type State struct {
	Version int             `json:"version"`
	Config  json.RawMessage `json:"config"` // see Config

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

	// Local says that a server was served on this machine: without it, requests would reach the real one.
	Local bool `json:"local,omitempty"`

	// Shared is the unique ID of a shared crawl.
	Shared string `json:"shared,omitempty"`

	// Ended is how the crawl ended last, or nil if it is running, or was killed.
	Ended *Ended `json:"ended,omitempty"`

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

// Ended is how a crawl ended.
type Ended struct {
	End       plan.End         `json:"end"`
	Remaining int              `json:"remaining"` // URLs still to be fetched
	Written   map[string]int64 `json:"written"`   // bytes of each file of lines

	// Uncommitted says that the last outcomes did not reach the frontier.
	Uncommitted bool `json:"uncommitted,omitempty"`
}

// setConfig notes changes of the configuration. A resumed crawl may have pages of both configurations, so that
// the next recrawl reads them all.
func (c *Crawl) setConfig(s *State, changes *Changes, resumed bool) (err error) {
	if changes.Pages {
		s.RereadUntil = s.Recrawls
		if resumed {
			s.RereadUntil++
		}
	}
	s.DelayChanged = s.DelayChanged || changes.Delays
	s.Config, err = c.config.MarshalJSON()
	return err
}

// ErrLocal says that the crawl of a site that was served on this machine would request the real site.
var ErrLocal = errors.New("the site of the crawl was served on this machine, and without it the requests would reach the real site")

// ErrFrontierLost says that a crawl cannot be resumed because its frontier is missing.
var ErrFrontierLost = errors.New("frontier lost")

// LoadState reads crawl.json in a directory. The error matches [output.ErrNoCrawl] if there is no crawl.
func LoadState(dir string) (*State, error) {
	s := new(State)
	return s, results.LoadState(dir, s)
}

// resume opens the directory of a crawl that was stopped or killed.
func (c *Crawl) resume() error {
	s, err := c.openExisting()
	if err != nil {
		return err
	}
	if s.RecrawlPending { // nothing was fetched
		return c.requeueAll(s)
	}
	changes, err := c.config.Changes(s.Config)
	if err == nil {
		err = changes.Resume
	}
	if err != nil {
		return err
	}
	return c.openCommitted(s, changes)
}

// openExisting opens the frontier of an existing crawl, and reads its state.
func (c *Crawl) openExisting() (*State, error) {
	if _, err := LoadState(c.set.Results.Dir); err != nil {
		return nil, err // before a frontier is created where there was no crawl
	}
	if err := c.openFrontier(); err != nil {
		return nil, err
	}
	s, err := LoadState(c.set.Results.Dir) // again, now that the directory is locked
	if err != nil {
		return nil, err
	}
	if s.Local && !c.set.Local {
		return nil, fmt.Errorf("%w: %q; crawl the site again, into another directory", ErrLocal, c.set.Results.Dir)
	}
	if err := c.checkFrontier(); err != nil {
		return nil, err
	}
	c.newRecorder()
	return s, c.parts.Results.Load()
}

// checkFrontier returns an error if the directory has results and its frontier was removed.
// The crawl would treat every line as uncommitted and truncate it.
func (c *Crawl) checkFrontier() error {
	stats, err := c.parts.Frontier.Stats(c.parts.Lifecycle.CommitCtx)
	if err != nil || stats.URLs > 0 {
		return err
	}
	if name := results.NonEmptyFile(c.set.Results.Dir); name != "" {
		return fmt.Errorf("%w: %q has %s in it, but %q is empty or gone, and the crawl cannot resume without it",
			ErrFrontierLost, c.set.Results.Dir, name, filepath.Join(c.set.Results.Dir, FrontierDir))
	}
	return nil
}

// openCommitted opens the files up to what the frontier has committed, and saves the
// configuration, which may have changed.
func (c *Crawl) openCommitted(s *State, changes *Changes) error {
	if s.Ended != nil && !s.Ended.Uncommitted {
		c.parts.Results.ReportRollback()
	}
	s.Ended = nil
	if err := c.parts.Results.CheckFormats(changes.Formats); err != nil {
		return err
	}
	lost, err := c.parts.Results.Lost(s.RewritingRejected)
	if err != nil {
		return err
	}
	if err := c.requeueRejected(s, changes.Requeue); err != nil {
		return err
	}
	if err := c.parts.Results.Open(); err != nil {
		return err
	}
	for _, line := range changes.Notices {
		c.parts.Board.Show(line)
	}
	if err := c.setConfig(s, changes, c.set.Results.Resume); err != nil {
		return err
	}
	s.RewritingRejected = false
	c.state = s
	c.noteLosses(s, lost)
	return results.SaveState(c.set.Results.Dir, s)
}

// noteLosses saves and reports what files have lost. A loss that was noted by a process
// that was then killed is reported once.
func (c *Crawl) noteLosses(s *State, lost []output.Loss) {
	for _, l := range lost {
		c.parts.Log.Warn("file has lost lines", "file", l.File, "bytes", l.Bytes, "size_before", l.SizeBefore)
		if !slices.ContainsFunc(s.Lost, func(old output.Loss) bool { return old.File == l.File && old.SizeBefore == l.SizeBefore }) {
			s.Lost = append(s.Lost, l)
		}
		c.parts.Board.Show(results.LossNotice(l))
	}
}

// requeueRejected requeues URLs that were skipped because of a limit that was raised, an
// expression that was changed, or an address or a type that is allowed now.
func (c *Crawl) requeueRejected(s *State, reasons []output.Reason) error {
	if len(reasons) == 0 {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(c.set.Results.Dir, results.Rejected.Name())); errors.Is(err, os.ErrNotExist) {
		return nil // it is lost
	}
	again := &requeuer{c: c, recrawl: s.CheckRecrawl, requeued: make(map[string]bool)}
	err := results.Rejected.Each(c.parts.Results, 0, func(_ int64, r *output.Rejection) error {
		switch {
		case !slices.Contains(reasons, r.Reason):
		case r.Reason == output.ContentType && !c.set.Visit.Requests.Types.Accept(r.Detail):
		case !dependsOnURL(r.Reason):
			return again.add(r.URL, provenanceOf(r))
		case c.parts.Discovery.MayBeRequested(r):
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
	if err := results.SaveState(c.set.Results.Dir, s); err != nil {
		return err
	}
	return c.parts.Results.DropRejections(isBack)
}

// dependsOnURL reports whether changed settings allow only some of the URLs with this reason.
func dependsOnURL(r output.Reason) bool {
	return r == output.BlockedAddress || r == output.Excluded || r == output.ContentType
}

// restore restores the state that an earlier process has written.
func (c *Crawl) restore() error {
	if err := c.parts.Results.Restore(c.parts.Discovery.RestoreJoined, c.restoreTrap); err != nil {
		return err
	}
	if c.state.Recrawls > c.state.RereadUntil && c.set.Visit.Discover.Checks == (discover.Checks{}) { // a check reads every page
		if err := c.parts.Results.LoadPrevious(c.state.Recrawls, c.set.Visit.Links); err != nil {
			return err
		}
	}
	return cmp.Or(
		c.parts.Results.RestoreLines(c.count),
		results.Each(c.parts.Results, filepath.Join(c.set.Results.Dir, results.RobotsFile), func(int64, *struct{}) error {
			c.tally.AddRobots()
			return nil
		}),
	)
}

// count counts lines that an earlier process has written.
func (c *Crawl) count(lines *output.Results) {
	for _, p := range lines.Pages {
		c.parts.Limits.Count(weburl.ServerOf(p.URL), p.BytesRead())
		c.tally.Add(p, &output.Results{})
	}
	for _, r := range lines.Rejected {
		if a, err := weburl.Parse(r.URL); err == nil && r.Reason == output.BlockedAddress && r.RobotsURL == "" && !r.Addr.IsValid() {
			r.Addr = blocked.Addr(c.parts.Discovery.CheckHost(a)) // an IP address in a URL needs no request to be found
		}
	}
	for _, s := range lines.Sitemaps {
		c.parts.Discovery.Sitemaps.Count(robotsext.Origin(s.Origin), s.Pages)
	}
	for _, l := range lines.Checks {
		c.parts.Limits.CountBytes(l.Bytes)
	}
	c.tally.Add(nil, lines)
}

// restoreRobots writes robots.txt files again that a power cut has damaged, from the
// frontier. If the frontier has another text, the robots.txt is requested again.
func (c *Crawl) restoreRobots() error {
	if !c.set.Results.Resume || !c.set.Results.Power {
		return nil
	}
	lost, err := c.parts.Results.RestoreRobots(func(origin string) ([]byte, error) {
		_, rec, err := politeness.KnownRobots(c.parts.Lifecycle.CommitCtx, c.parts.Frontier, robotsext.Origin(origin))
		if err != nil || rec == nil {
			return nil, err
		}
		return rec.Body, nil
	})
	if err != nil || len(lost) == 0 {
		return err
	}
	c.parts.Board.Showf("%s/ has lost robots.txt files (%d, the first of %s); each is requested again before the next page of its origin",
		results.RobotsDir, len(lost), lost[0])
	return nil
}

// restoreTrap closes a pattern that an earlier process closed, unless a recrawl has started.
func (c *Crawl) restoreTrap(p *trap.ClosedPattern) {
	if !p.At.Before(c.state.StartedAt) {
		c.parts.Traps.Restore(p)
	}
}
