package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// A SharedCrawl is how a crawl that several processes share is getting on.
type SharedCrawl struct {
	Shared
	Stats frontier.Stats
}

// SharedStatus says how the crawl is getting on that cfg.Join names at cfg.Frontier. The
// errors are those of [Joined].
func SharedStatus(ctx context.Context, cfg Config) (*SharedCrawl, error) {
	var st *SharedCrawl
	err := observe(ctx, cfg, func(store *redisstore.Store) error {
		all, err := workersOf(ctx, cfg, store)
		if err != nil {
			return err
		}
		stats, err := store.Stats(ctx)
		st = &SharedCrawl{*all, stats}
		return err
	})
	return st, err
}

// StopShared ends a crawl for all who work on it, each with [EndStopped], and says who
// that is. The errors are those of [Joined].
func StopShared(ctx context.Context, cfg Config) (*Shared, error) {
	var all *Shared
	err := observe(ctx, cfg, func(store *redisstore.Store) (err error) {
		if all, err = workersOf(ctx, cfg, store); err != nil {
			return err
		}
		text, err := json.Marshal(told{Stop: true})
		if err != nil {
			return err
		}
		return store.Tell(ctx, text)
	})
	return all, err
}

// DeleteShared takes all that Redis has of a crawl out of it. The error is
// [redisstore.ErrInUse] while somebody works on it, or one of [Joined].
func DeleteShared(ctx context.Context, cfg Config) error {
	if err := checkShared(&cfg); err != nil {
		return fmt.Errorf("%w: frontier: %w", ErrConfig, err)
	}
	return redisstore.Delete(ctx, cfg.Frontier, storeOptions(&cfg))
}

// observe opens a crawl without working on it.
func observe(ctx context.Context, cfg Config, look func(*redisstore.Store) error) error {
	if err := checkShared(&cfg); err != nil {
		return fmt.Errorf("%w: frontier: %w", ErrConfig, err)
	}
	opts := storeOptions(&cfg)
	opts.Observe = true
	store, err := redisstore.Open(ctx, cfg.Frontier, opts)
	if err != nil {
		return err
	}
	return errors.Join(look(store), store.Close())
}

func workersOf(ctx context.Context, cfg Config, store *redisstore.Store) (*Shared, error) {
	heard, err := store.Sync(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	peers, err := peersOf(heard)
	return &Shared{Frontier: cfg.Frontier, Name: cfg.Join, Workers: peers}, err
}
