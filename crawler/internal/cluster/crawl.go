package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// A Crawl says which crawl it is, and where, and as which of its workers a process opens
// it. The fields are those of [redisstore.Open].
type Crawl struct {
	Address      string
	Name         string
	Prefix       string
	Worker       string
	PasswordFile string
	Expected     int // URLs
}

// Validate says what is wrong with the address and the names. It does not repeat what may
// be a password.
func (c *Crawl) Validate() error {
	if c.Address == "" {
		return nil
	}
	switch password, err := redisstore.CheckAddress(c.Address); {
	case err != nil:
		return fmt.Errorf("%w; write it as redis://host:port", err)
	case password:
		return fmt.Errorf("the address has a password in it, which would be seen in the list of processes and be kept with the crawl; set %s, or name a file that has it (frontier-password-file)",
			redisstore.PasswordVariable)
	}
	for _, name := range []struct{ key, value string }{{"join", c.Name}, {"frontier-prefix", c.Prefix}, {"worker", c.Worker}} {
		if !redisstore.ValidName(name.value) && (name.key != "worker" || name.value != "") {
			return fmt.Errorf("%s: %q is no name: only letters, digits, '.', '_', '-', and at most 100 of them", name.key, name.value)
		}
	}
	return nil
}

// Status says who works on the crawl, and what is in its frontier.
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

// Stop stops the crawl for all processes, and says which these are.
func (c *Crawl) Stop(ctx context.Context) (peers []Peer, err error) {
	err = c.observe(ctx, func(store *redisstore.Store) error {
		if peers, err = workersOf(ctx, store); err != nil {
			return err
		}
		text, err := json.Marshal(event{Stop: true})
		if err != nil {
			return err
		}
		return store.Tell(ctx, text)
	})
	return peers, err
}

// Delete takes all that Redis has of the crawl out of it. The error is
// [redisstore.ErrInUse] while somebody works on it.
func (c *Crawl) Delete(ctx context.Context) error {
	return redisstore.Delete(ctx, c.Address, c.store())
}

// Settings returns the settings with which a process joins the crawl: its own where each
// process has its own, and those of the crawl. Given tells which keys are not to be
// changed: the crawl having another value for one of these is a [SettingsError]. Nil: all
// may be.
func (c *Crawl) Settings(ctx context.Context, own Settings, given func(key string) bool) (joined Settings, err error) {
	err = c.observe(ctx, func(store *redisstore.Store) error {
		_, events, err := history(ctx, store)
		if err != nil {
			return err
		}
		if joined, err = own.adopt(c.Name, store.Settings(), events); err != nil {
			return err
		}
		if given == nil {
			return nil
		}
		return joined.differs(c.Name, own, given)
	})
	return joined, err
}

// observe opens the crawl without working on it.
func (c *Crawl) observe(ctx context.Context, look func(*redisstore.Store) error) error {
	opts := c.store()
	opts.Observe = true
	store, err := redisstore.Open(ctx, c.Address, opts)
	if err != nil {
		return err
	}
	return errors.Join(look(store), store.Close())
}

func workersOf(ctx context.Context, store *redisstore.Store) ([]Peer, error) {
	news, err := store.Sync(ctx, nil, 0)
	if err != nil {
		return nil, err
	}
	return peersOf(news)
}

func (c *Crawl) store() *redisstore.Options {
	return &redisstore.Options{
		Crawl: c.Name, Prefix: c.Prefix, Worker: c.Worker, Expected: c.Expected, PasswordFile: c.PasswordFile,
	}
}
