package crawler

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// ErrFrontierLost says that a crawl cannot be resumed because its frontier is missing.
var ErrFrontierLost = run.ErrFrontierLost

// LoadConfig returns the configuration of the crawl in a directory, for [Options.Resume] and
// [Options.Recrawl]. Its Output.Dir is dir. Secrets are *** in it; set them again; see
// [Config.WithoutSecrets]. The error matches [output.ErrNoCrawl] if there is no crawl.
func LoadConfig(dir string) (Config, error) {
	_, cfg, err := loadState(dir)
	return cfg, err
}

// loadState reads crawl.json in a directory.
func loadState(dir string) (*run.State, Config, error) {
	s, err := run.LoadState(dir)
	if err != nil {
		return nil, Config{}, err
	}
	cfg, err := parseSaved(dir, s.Config)
	cfg.Output.Dir = dir
	return s, cfg, err
}

// parseSaved parses the configuration in the crawl.json of a directory. Keys that are missing have their defaults.
func parseSaved(dir string, text json.RawMessage) (Config, error) {
	cfg := Default()
	if len(text) == 0 {
		return cfg, nil
	}
	if err := jsonlines.Unmarshal(text, &cfg); err != nil {
		return cfg, &jsonlines.DamagedError{File: filepath.Join(dir, results.StateFile), Err: err}
	}
	return cfg, nil
}

// runConfig is the configuration of a crawl as its run sees it.
type runConfig struct{ c *Crawler }

// MarshalJSON implements run.Config.
func (r runConfig) MarshalJSON() ([]byte, error) { return json.Marshal(r.c.cfg.WithoutSecrets()) }

// Join implements run.Config.
func (r runConfig) Join(worker string, limits *cluster.Limits) {
	cfg := &r.c.cfg
	cfg.Sharing.WorkerName = worker
	cfg.Limits.MaxPages, cfg.Limits.MaxHostPages = *limits.MaxPages, *limits.MaxHostPages
	cfg.Limits.MaxBytes, cfg.Limits.MaxTime = *limits.MaxBytes, time.Duration(*limits.MaxTime)
}

// Changes implements run.Config.
func (r runConfig) Changes(saved json.RawMessage) (*run.Changes, error) {
	old, err := parseSaved(r.c.cfg.Output.Dir, saved)
	if err != nil {
		return nil, err
	}
	cfg := &r.c.cfg
	token, _ := robotstxt.ProductToken(cfg.Fetch.UserAgent)
	before, _ := robotstxt.ProductToken(old.Fetch.UserAgent)
	changes := &run.Changes{
		Pages: token != before, Formats: old.Output.AlsoWrite,
		Resume: cfg.Usage.checkResumed(&old.Usage), Recrawl: cfg.Sitemaps.checkRecrawled(&old.Sitemaps),
	}
	was := old.settings()
	for i, s := range cfg.settings() {
		if s.text() == was[i].text() {
			continue
		}
		changes.Pages, changes.Delays = changes.Pages || s.pages, changes.Delays || s.delays
		n, isNumber := s.field.(*int)
		if s.requeue != "" && (!isNumber || isRaised(*was[i].field.(*int), *n)) {
			changes.Requeue = append(changes.Requeue, s.requeue)
		}
	}
	addresses := slices.ContainsFunc(cfg.Fetch.AllowAddr, func(cidr string) bool { return !slices.Contains(old.Fetch.AllowAddr, cidr) })
	if addresses {
		changes.Requeue = append(changes.Requeue, output.BlockedAddress)
	}
	if len(old.Scope.Check) > 0 && (addresses || isRaised(old.Limits.MaxHosts, cfg.Limits.MaxHosts)) {
		changes.Notices = append(changes.Notices, "checks that were skipped so far are not repeated under the new settings; a recrawl repeats them (allow-addr, max-hosts)")
	}
	if cfg.Output.Archive && !old.Output.Archive || slices.ContainsFunc(checkKinds, func(kind string) bool { return cfg.Scope.checks(kind) && !old.Scope.checks(kind) }) {
		changes.Notices = append(changes.Notices, "the new checks miss the pages that were fetched before; a recrawl checks these too (check)")
	}
	return changes, nil
}

// isRaised reports whether a limit is higher now, or was removed.
func isRaised(before, now int) bool { return before > 0 && (now == 0 || now > before) }

// text returns the value of a setting as text, the same for all empty lists.
func (s *setting) text() string {
	text, _ := json.Marshal(s.json()) // a number that JSON cannot have is not valid, and its text is empty
	if string(text) == "null" {
		return "[]"
	}
	return string(text)
}

// checkRecrawled returns an error if a recrawl has a later Since than the crawl before it. It requests every
// page of that crawl again, so the date would have no effect on them.
func (s *Sitemaps) checkRecrawled(before *Sitemaps) error {
	since, _ := parseSince(s.Since) // it is valid
	was, _ := parseSince(before.Since)
	if since.IsZero() || !was.IsZero() && !since.After(was) {
		return nil
	}
	return &ConfigError{Key: "since", Problem: fmt.Errorf(
		"a recrawl requests every page of the previous crawl again, also those unchanged since %s; omit it, or crawl into a new directory to request only the others", s.Since)}
}
