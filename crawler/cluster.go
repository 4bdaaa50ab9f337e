package crawler

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// clusterOptions returns how this process opens the crawl, or nil if it is not shared. It fails if the
// directory belongs to another crawl than the one to be resumed.
func (c *Crawler) clusterOptions() (*cluster.Options, error) {
	if c.cfg.Sharing.Frontier == "" || c.opts.Frontier != nil {
		return nil, nil
	}
	var err error
	extension := cmp.Or(c.extension, cluster.LeaseExtension)
	opts := &cluster.Options{
		Crawl: c.cfg.Sharing.crawl(), Delay: c.cfg.Politeness.Delay, LeaseTime: max(extension, 2*c.cfg.Robots.Timeout), Extension: extension, Logger: c.log, Lifecycle: c.lifecycle, Dir: c.cfg.Output.Dir,
	}
	if opts.Settings, err = settingsOf(c.cfg); err != nil || !c.opts.Resume && !c.opts.Recrawl {
		return opts, err
	}
	s, saved, err := loadState(c.cfg.Output.Dir)
	if err != nil {
		return nil, err
	}
	switch {
	case saved.Sharing.Frontier == "":
		return nil, &ConfigError{Key: "frontier", Problem: fmt.Errorf("the crawl in %q has its own frontier, and can only be resumed with that", c.cfg.Output.Dir)}
	case saved.Sharing.CrawlName != c.cfg.Sharing.CrawlName || saved.Sharing.WorkerName != c.cfg.Sharing.WorkerName:
		return nil, fmt.Errorf("%w: crawl-name, worker-name: %q belongs to worker %q of the crawl %q, and can only be resumed as that", ErrConfig, c.cfg.Output.Dir, saved.Sharing.WorkerName, saved.Sharing.CrawlName)
	}
	opts.ID, opts.IsSet = s.Shared, c.opts.IsSet
	opts.Resumed, err = settingsOf(saved)
	return opts, err
}

// sharedBy returns the processes that work on the crawl of cfg, or nil if there is only this one.
func sharedBy(cfg *Config, worker string, peers []cluster.Peer) *shared.Crawl {
	if len(peers) == 0 {
		return nil
	}
	s := &shared.Crawl{Frontier: cfg.Sharing.Frontier, Name: cfg.Sharing.CrawlName, Worker: worker}
	for _, p := range peers {
		s.Workers = append(s.Workers, shared.Worker(p))
	}
	return s
}

// JoinConfig returns the configuration for a process that joins the crawl that cfg.Sharing
// names. All settings come from that crawl, except these, which come from cfg: Sharing,
// Output.Dir, Output.AlsoWrite, Output.Durability, Output.KeepGenerations, Output.WARC…, Limits.Concurrency,
// Politeness.PerIP, Fetch.Identity, Fetch.Proxies and Credentials. The crawl gets the start URLs of cfg in addition
// to its own.
//
// The function isSet reports which keys of cfg the user has set. Nil means none. The error matches
// [ErrConfig] if the crawl has another value for such a key, or another Fetch.AllowAddr. It matches
// [redisstore.ErrNotFound] if the crawl does not exist; in that case pass cfg to [New], which
// creates it.
func JoinConfig(ctx context.Context, cfg Config, isSet func(key string) bool) (Config, error) {
	if err := cfg.Sharing.Validate(); err != nil {
		return cfg, err
	}
	own, err := settingsOf(cfg)
	if err != nil {
		return cfg, err
	}
	crawl := cfg.Sharing.crawl()
	settings, err := crawl.Settings(ctx, own, isSet)
	if err != nil {
		return cfg, asConfigError(err)
	}
	joined := Config{} // not cfg: its lists are the caller's
	for _, values := range []any{cfg, settings} {
		text, err := json.Marshal(values)
		if err != nil {
			return cfg, err
		}
		if err := json.Unmarshal(text, &joined); err != nil {
			return cfg, fmt.Errorf("settings of the crawl %q: %w", cfg.Sharing.CrawlName, err)
		}
	}
	for _, u := range cfg.URLs {
		if !slices.Contains(joined.URLs, u) {
			joined.URLs = append(joined.URLs, u)
		}
	}
	return joined, nil
}

// crawl returns the crawl that processes share.
func (c *Sharing) crawl() cluster.Crawl {
	return cluster.Crawl{Address: c.Frontier, Store: redisstore.Options{
		CrawlName: c.CrawlName, Prefix: c.Prefix, WorkerName: c.WorkerName, PasswordFile: c.PasswordFile, ExpectedURLs: c.ExpectedURLs,
	}}
}

// settingsOf returns the settings that a process shares with the others. Allowed addresses and purposes are normalized and
// sorted, to compare them between processes.
func settingsOf(c Config) (s cluster.Settings, err error) {
	networks, err := allowedNetworks(&c)
	if err != nil {
		return nil, err
	}
	c.Fetch.AllowAddr = make([]string, len(networks))
	for i, network := range networks {
		c.Fetch.AllowAddr[i] = network.String()
	}
	slices.Sort(c.Fetch.AllowAddr)
	c.Fetch.AllowAddr = slices.Compact(c.Fetch.AllowAddr)
	c.addArchive()
	c.Usage.Purposes = slices.Compact(slices.Sorted(slices.Values(c.Usage.Purposes)))
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	for _, row := range c.settings() {
		if row.own {
			delete(s, row.key)
		}
	}
	return s, nil
}

// asConfigError wraps an error about settings in [ErrConfig].
func asConfigError(err error) error {
	if _, ok := errors.AsType[cluster.SettingsError](err); ok {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return err
}
