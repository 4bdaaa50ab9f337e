package cluster

import (
	"context"
	"errors"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// A Crawl has the address of a shared crawl and the options to open it, such as the worker name.
type Crawl struct {
	Address string // address for [redisstore.Open]
	Store   redisstore.Options
}

// Status returns the processes of the crawl and the counts of its frontier.
func (c *Crawl) Status(ctx context.Context) (peers []Peer, stats frontier.Stats, err error) {
	err = c.observe(ctx, func(store *redisstore.Store) error {
		if peers, err = workersOf(ctx, store); err != nil {
			return err
		}
		stats, err = store.Stats(ctx)
		return err
	})
	return peers, stats, err
}

// Stop stops the crawl for all processes, and returns them.
func (c *Crawl) Stop(ctx context.Context) (peers []Peer, err error) {
	err = c.observe(ctx, func(store *redisstore.Store) error {
		if peers, err = workersOf(ctx, store); err != nil {
			return err
		}
		return publish(ctx, store, event{Stop: true})
	})
	return peers, err
}

// Settings returns the settings with which a process joins the crawl. given reports which keys the
// user has set. Nil means none. If the crawl has another value for one of these, or other allowed
// addresses, the error is a [SettingsError].
func (c *Crawl) Settings(ctx context.Context, own Settings, given func(key string) bool) (joined Settings, err error) {
	err = c.observe(ctx, func(store *redisstore.Store) error {
		_, events, err := history(ctx, store)
		if err != nil {
			return err
		}
		if joined, err = own.adopt(c.Store.CrawlName, store.Settings(), events); err != nil {
			return err
		}
		if given == nil {
			given = func(string) bool { return false }
		}
		return joined.checkConflicts(c.Store.CrawlName, own, given)
	})
	return joined, err
}

// observe opens the crawl without joining it.
func (c *Crawl) observe(ctx context.Context, look func(*redisstore.Store) error) error {
	opts := c.Store
	opts.Observe = true
	store, err := redisstore.Open(ctx, c.Address, &opts)
	if err != nil {
		return err
	}
	return errors.Join(look(store), store.Close())
}

func workersOf(ctx context.Context, store *redisstore.Store) ([]Peer, error) {
	result, err := store.Sync(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	return peersOf(result)
}
