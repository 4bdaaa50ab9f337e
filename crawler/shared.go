package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
)

// A Peer is a process of a crawl that several share.
type Peer struct {
	Worker string `json:"worker"` // its name
	Pages  int    `json:"pages"`  // lines of its pages.jsonl
	Bytes  int64  `json:"bytes"`  // of the bodies of these pages
	// Working says that it has not ended, and was heard of in the last seconds.
	Working bool `json:"working"`
	// Ago is how long ago that was.
	Ago time.Duration `json:"-"`
}

// A Shared says who else works on a crawl.
type Shared struct {
	Frontier string `json:"frontier"` // where it is
	Name     string `json:"name"`
	Worker   string `json:"worker,omitempty"` // the name of this process, if it is one of them
	// Workers are all processes that have ever worked on it, this one included, by
	// name.
	Workers []Peer `json:"workers"`
}

// Pages is how many pages all workers have fetched.
func (s *Shared) Pages() int {
	n := 0
	for _, p := range s.Workers {
		n += p.Pages
	}
	return n
}

// Working is how many are at work.
func (s *Shared) Working() int {
	n := 0
	for _, p := range s.Workers {
		if p.Working {
			n++
		}
	}
	return n
}

// sharedBy says which processes work on the crawl of cfg; nil: only this one.
func sharedBy(cfg *Config, worker string, peers []cluster.Peer) *Shared {
	if len(peers) == 0 {
		return nil
	}
	s := &Shared{Frontier: cfg.Cluster.Frontier, Name: cfg.Cluster.Join, Worker: worker}
	for _, p := range peers {
		s.Workers = append(s.Workers, Peer(p))
	}
	return s
}

// A SharedCrawl is how a crawl that several processes share is getting on.
type SharedCrawl struct {
	Shared
	Stats frontier.Stats
}

// SharedStatus says how the crawl is getting on that cfg.Cluster names. The
// errors are those of [Joined].
func SharedStatus(ctx context.Context, cfg Config) (*SharedCrawl, error) {
	crawl, err := cfg.Cluster.crawl()
	if err != nil {
		return nil, err
	}
	peers, stats, err := crawl.Status(ctx)
	if err != nil {
		return nil, err
	}
	return &SharedCrawl{*sharedBy(&cfg, "", peers), stats}, nil
}

// StopShared ends a crawl for all who work on it, each with [EndStopped], and says who
// that is. The errors are those of [Joined].
func StopShared(ctx context.Context, cfg Config) (*Shared, error) {
	crawl, err := cfg.Cluster.crawl()
	if err != nil {
		return nil, err
	}
	peers, err := crawl.Stop(ctx)
	return sharedBy(&cfg, "", peers), err
}

// DeleteShared takes all that Redis has of a crawl out of it. The error is
// [redisstore.ErrInUse] while somebody works on it, or one of [Joined].
func DeleteShared(ctx context.Context, cfg Config) error {
	crawl, err := cfg.Cluster.crawl()
	if err != nil {
		return err
	}
	return crawl.Delete(ctx)
}

// Joined returns cfg with the settings of the crawl that cfg.Cluster names,
// so that a process can join it: all but those of the process itself, which are Cluster,
// Output.Dir, Output.Write, Output.Durability, Limits.Workers, Politeness.PerIP, Fetch.Proxies
// and Fetch.AllowAddr. Start URLs of cfg are added to the crawl's. Given tells which keys of
// cfg are not to be changed: it is an [ErrConfig] when the crawl has another value for one of
// these. The error is [redisstore.ErrNone] when there is no such crawl, and the process that
// runs with cfg makes it.
func Joined(ctx context.Context, cfg Config, given func(key string) bool) (Config, error) {
	crawl, err := cfg.Cluster.crawl()
	if err != nil {
		return cfg, err
	}
	own, err := settingsOf(cfg)
	if err != nil {
		return cfg, err
	}
	settings, err := crawl.Settings(ctx, own, given)
	if err != nil {
		return cfg, asConfigError(err)
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return cfg, err
	}
	joined := Config{} // not cfg, whose lists are the caller's
	if err := json.Unmarshal(text, &joined); err != nil {
		return cfg, fmt.Errorf("settings of the crawl %q: %w", cfg.Cluster.Join, err)
	}
	for _, u := range cfg.URLs {
		if !slices.Contains(joined.URLs, u) {
			joined.URLs = append(joined.URLs, u)
		}
	}
	return joined, nil
}

// crawl returns the crawl that processes share. The error is a [*ConfigError].
func (c *Cluster) crawl() (cluster.Crawl, error) {
	crawl := cluster.Crawl{
		Address: c.Frontier, Name: c.Join, Prefix: c.Prefix, Worker: c.Worker,
		PasswordFile: c.PasswordFile, Expected: c.ExpectedURLs,
	}
	if err := crawl.Validate(); err != nil {
		return crawl, &ConfigError{Key: "frontier", Problem: err}
	}
	return crawl, nil
}

func settingsOf(c Config) (s cluster.Settings, err error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return s, json.Unmarshal(text, &s)
}

// asConfigError makes an error about settings an [ErrConfig].
func asConfigError(err error) error {
	if _, ok := errors.AsType[cluster.SettingsError](err); ok {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return err
}
