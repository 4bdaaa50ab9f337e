package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
)

// redisRetryTimeout is the time for which a process waits for Redis before it fails.
const redisRetryTimeout = 24 * time.Hour

// ErrOtherCrawl means that the crawl of this name is not the one to be resumed.
var ErrOtherCrawl = errors.New("another crawl has this name")

// Options configure [Open].
type Options struct {
	Crawl
	Settings Settings // of this process; the settings of the crawl if Open creates it

	// Resumed are the settings with which this process worked on the crawl before, and ID is the ID
	// of that crawl. Nil means that the process is new.
	Resumed Settings
	// IsSet reports which keys of Settings the user has set for this run. Nil means none.
	IsSet func(key string) bool
	// Dir is the directory of this process, for the status of the crawl.
	Dir string
	ID  string

	Delay     time.Duration // of a new host
	LeaseTime time.Duration // initial duration of a lease
	Extension time.Duration // by which leases are extended, usually LeaseExtension

	Logger    *slog.Logger
	Lifecycle *lifecycle.Lifecycle
}

// Check returns an error if this process cannot join the crawl under its name. It changes nothing.
// The crawl may have another format, or another process has the name and would lose its leases.
// [Open] reports all other errors.
func Check(ctx context.Context, opts *Options) error {
	if opts.Resumed == nil && opts.Store.WorkerName == "" {
		return nil // it gets a new name
	}
	err := opts.observe(ctx, func(store *redisstore.Store) error {
		if opts.Resumed != nil {
			return nil
		}
		news, err := store.Sync(ctx, nil, 0)
		if err != nil {
			return err
		}
		for _, w := range news.Workers {
			if w.Name == opts.Store.WorkerName && len(w.Status) > 0 { // otherwise it has done nothing
				return settingsError("worker: the crawl %q has one called %q; resume its directory (resume), or choose another name",
					opts.Store.CrawlName, opts.Store.WorkerName)
			}
		}
		return nil
	})
	if opts.Resumed != nil && !errors.Is(err, redisstore.ErrFormat) || errors.Is(err, redisstore.ErrNotFound) {
		return nil
	}
	return err
}

// Open opens a crawl. It creates a missing crawl, unless this process worked on it before. If the
// settings of the process conflict with those of the crawl, the error is a [SettingsError]. Until
// Close, the process extends its leases and is listed as running.
func Open(ctx context.Context, opts *Options, h Handler) (*Redis, error) {
	settings, err := json.Marshal(opts.Settings)
	if err != nil {
		return nil, err
	}
	so := opts.Store
	so.MustExist = opts.Resumed != nil
	so.Settings = settings
	so.Delay = opts.Delay
	// The robots.txt of a new host is requested by one process.
	so.MaxInFlight = 1
	so.LeaseTime = opts.LeaseTime
	so.RetryTimeout, so.OnOutage = redisRetryTimeout, func(err error) { opts.Lifecycle.Board.Show(redisNotice(err)) }
	so.Logger = opts.Logger
	store, err := redisstore.Open(ctx, opts.Address, &so)
	if err != nil {
		return nil, err
	}
	if store.MayHaveStaleMaster() {
		opts.Lifecycle.Board.Show("the master of the Sentinels accepts writes without a replica: after a fail-over, two workers could request a host at once; set min-replicas-to-write 1 and min-replicas-max-lag 2 on all Redis servers")
	}
	r := &Redis{
		store: store, handler: h, log: opts.Logger, leases: leases{extension: opts.Extension},
		name: opts.Store.CrawlName, allowed: opts.Settings[allowKey],
		started: make(chan struct{}),
	}
	if r.machine, err = os.Hostname(); err != nil {
		r.machine = "" // not known
	}
	// A status has at most 1 KiB, and JSON escapes an octet with up to six.
	if dir, err := filepath.Abs(opts.Dir); err == nil && len(dir) <= 120 {
		r.dir = dir
	}
	if err := r.join(ctx, opts); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	r.run(ctx)
	return r, nil
}

// redisNotice returns the notice that Redis is unreachable or, for nil, reachable again.
func redisNotice(err error) string {
	if err == nil {
		return "Redis is back; the crawl resumes"
	}
	return err.Error() + ": no new requests until it is back; requests in flight are finished"
}

// join applies the shared settings and all earlier announcements.
func (r *Redis) join(ctx context.Context, opts *Options) error {
	if opts.Resumed != nil && r.store.ID() != opts.ID {
		return ErrOtherCrawl
	}
	news, events, err := history(ctx, r.store)
	if err != nil {
		return err
	}
	r.next = news.Next
	crawl, err := opts.Settings.adopt(opts.Store.CrawlName, r.store.Settings(), events)
	if err != nil {
		return err
	}
	if r.urls, err = crawl.urls(); err != nil {
		return err
	}
	for _, e := range events {
		if e.Joined != "" {
			r.urls = append(r.urls, e.Joined)
		}
	}
	if opts.Resumed == nil {
		err = crawl.checkConflicts(opts.Store.CrawlName, opts.Settings, func(string) bool { return true })
	} else {
		err = r.changeSettings(ctx, crawl, opts)
	}
	if err != nil {
		return err
	}
	if r.limits, err = crawl.limits(); err != nil {
		return err
	}
	r.setMaxTime(r.limits)
	return r.updatePeers(news)
}

// changeSettings announces the limits and allowed addresses that were changed when this
// process was resumed.
func (r *Redis) changeSettings(ctx context.Context, crawl Settings, opts *Options) error {
	changed := opts.Settings.changedKeys(opts.Resumed)
	for _, key := range opts.Settings.changedKeys(crawl) { // another process may have changed it meanwhile
		if opts.IsSet != nil && opts.IsSet(key) && key != allowKey && slices.Contains(changeableKeys, key) && !slices.Contains(changed, key) {
			changed = append(changed, key)
		}
	}
	if !slices.Contains(changed, allowKey) {
		if err := checkAllowed(r.name, crawl[allowKey], r.allowed); err != nil {
			return err
		}
	}
	for _, key := range changed {
		if !slices.Contains(changeableKeys, key) {
			return settingsError("%s: all workers of the crawl %q share it, and it cannot be changed; only %s can",
				key, opts.Store.CrawlName, strings.Join(changeableKeys, ", "))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	news := make(Settings)
	for _, key := range changed {
		news[key] = opts.Settings[key]
	}
	maps.Copy(crawl, news)
	limits, err := news.limits()
	if err != nil {
		return err
	}
	return publish(ctx, r.store, event{Limits: limits, Allowed: news[allowKey]})
}
