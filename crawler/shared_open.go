package crawler

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// openShared opens the frontier of a crawl that has other processes, or makes it. The
// directory is locked by itself, which an embedded frontier does on the way.
func (c *Crawler) openShared() error {
	goesOn := c.opts.Resume || c.opts.Recrawl
	if goesOn {
		if err := c.checkShared(); err != nil {
			return err
		}
	} else if err := c.checkWorker(); err != nil {
		return err
	}
	lock, err := pebblestore.Lock(filepath.Join(c.cfg.Output, frontierDir))
	if err != nil {
		return err
	}
	c.lock = lock
	settings, err := settingsOf(c.cfg)
	if err != nil {
		return err
	}
	opts := storeOptions(&c.cfg)
	opts.Join = goesOn
	opts.Settings = settings
	opts.Delay = c.cfg.Delay
	// A host that nobody has asked yet is asked for its robots.txt first, by one.
	opts.MaxInFlight = 1
	opts.LeaseTime = max(c.extension, 2*c.cfg.RobotsTimeout)
	opts.Patience, opts.OnTrouble = outage, c.redisTrouble
	opts.Logger = c.log
	store, err := redisstore.Open(c.books, c.cfg.Frontier, opts)
	if errors.Is(err, redisstore.ErrNone) {
		return fmt.Errorf("%w: %w", ErrFrontierLost, err)
	}
	if err != nil {
		return err
	}
	c.frontier, c.cfg.Worker = store, store.Worker()
	c.shared = &shared{c: c, store: store, held: held{lease: c.extension}}
	c.leaseTime = opts.LeaseTime
	if err := c.shared.adopt(); err != nil {
		return err
	}
	c.limits = quota.NewPages(limitsIn(&c.cfg), c.shared)
	c.shared.start()
	return nil
}

// checkShared returns an error when the crawl in the directory is another than that which
// is to go on, before anything there is touched.
func (c *Crawler) checkShared() error {
	saved, err := Saved(c.cfg.Output)
	switch {
	case err != nil:
		return err
	case saved.Frontier == "":
		return fmt.Errorf("%w: frontier: the crawl in %q has its own, and goes on with that", ErrConfig, c.cfg.Output)
	case saved.Join != c.cfg.Join || saved.Worker != c.cfg.Worker:
		return fmt.Errorf("%w: join, worker: %q holds what worker %q did of the crawl %q, and goes on as that", ErrConfig, c.cfg.Output, saved.Worker, saved.Join)
	}
	err = observe(c.books, c.cfg, func(*redisstore.Store) error { return nil })
	if errors.Is(err, redisstore.ErrFormat) {
		return err
	}
	return nil // whatever else is wrong is told when the crawl is opened
}

// checkWorker returns an error when the name of this process is that of another, which
// would lose its leases to this one.
func (c *Crawler) checkWorker() error {
	if c.cfg.Worker == "" {
		return nil // it gets one that is new
	}
	err := observe(c.books, c.cfg, func(store *redisstore.Store) error {
		heard, err := store.Sync(c.books, nil, 0)
		if err != nil {
			return err
		}
		for _, w := range heard.Workers {
			if w.Name == c.cfg.Worker && len(w.Status) > 0 { // else it has done nothing
				return fmt.Errorf("%w: worker: the crawl %q has one called %q; go on with what that has written (resume), or choose another name",
					ErrConfig, c.cfg.Join, c.cfg.Worker)
			}
		}
		return nil
	})
	if errors.Is(err, redisstore.ErrNone) {
		return nil
	}
	return err
}

// redisTrouble tells a person that Redis is away, and that it is back.
func (c *Crawler) redisTrouble(err error) {
	if err == nil {
		c.notice("Redis is back; the crawl goes on")
		return
	}
	c.notice(fmt.Sprintf("%s: nothing new is asked for until it is back; what is in flight is kept", strings.TrimPrefix(err.Error(), "redisstore: ")))
}

// adopt takes in what the crawl has been told so far, and the settings that all who work
// on it have.
func (s *shared) adopt() error {
	c := s.c
	heard, err := hear(c.books, s.store)
	if err != nil {
		return err
	}
	s.next = heard.Next
	mine := c.cfg
	mine.URLs = nil
	crawl, err := adopt(mine, s.store.Settings(), heard.Told)
	if err != nil {
		return err
	}
	begun := crawl.URLs
	for _, text := range heard.Told {
		m, err := readTold(text)
		if err != nil {
			return err
		}
		if m.Joined != "" {
			begun = append(begun, m.Joined)
		}
	}
	for _, u := range begun {
		a, err := weburl.Parse(u)
		if err != nil {
			return fmt.Errorf("crawler: a URL of the crawl %q: %w", c.cfg.Join, err)
		}
		c.scope.Join(a)
	}
	if c.opts.Resume || c.opts.Recrawl {
		err = s.readjust(crawl)
	} else {
		err = differs(crawl, c.cfg, func(string) bool { return true })
	}
	s.maxTime = c.cfg.MaxTime
	return errors.Join(err, s.take(heard))
}

// readjust has a process that goes on take the limits that the crawl has now, or tell it
// of those that it was given.
func (s *shared) readjust(crawl Config) error {
	c := s.c
	saved, err := Saved(c.cfg.Output)
	if err != nil {
		return err
	}
	changed, err := unlike(saved, c.cfg)
	if err != nil {
		return err
	}
	for _, key := range changed {
		if !slices.Contains(limitKeys, key) {
			return fmt.Errorf("%w: %s: all who work on the crawl %q share it, and it stays as it was; only %s can be changed",
				ErrConfig, key, c.cfg.Join, strings.Join(limitKeys, ", "))
		}
	}
	if len(changed) > 0 {
		news := limitsOf(&c.cfg, changed)
		if err := s.tell(told{Limits: news}); err != nil {
			return err
		}
		news.set(&crawl)
	}
	limitsOf(&crawl, limitKeys).set(&c.cfg)
	return nil
}

// leave tells the others how far this process has come, and gives back what it has in
// hand of the limits. What of it does not come about, does when the process goes on.
func (s *shared) leave() {
	ctx, cancel := context.WithTimeout(s.c.books, closingTime)
	defer cancel()
	err := s.sync(ctx)
	if err := errors.Join(err, s.c.limits.Settle(ctx, true)); err != nil {
		s.c.log.Warn("limits are not given back", "error", err)
	}
}
