package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

const (
	// syncPause is the interval at which a process reports its progress and receives
	// announcements.
	syncPause = time.Second

	// workerTimeout is the time without a report after which a process counts as gone.
	workerTimeout = 30 * time.Second

	// idleCheckPause is the time between two checks of the frontier. Each is a round trip,
	// and other processes change the frontier in between.
	idleCheckPause = 500 * time.Millisecond
)

// Redis is a member of a shared crawl. Announcements stay in Redis as long as the crawl, so that a
// process that joins later receives all of them.
type Redis struct {
	store   *redisstore.Store
	handler Handler
	log     *slog.Logger
	leases

	machine, dir string // where this process works; dir is absolute

	limits *Limits  // of the crawl when it was opened
	urls   []string // of hosts that belonged to it then

	name    string          // of the crawl
	allowed json.RawMessage // the addresses that this process allows

	started chan struct{} // closed when announcements can be applied
	quit    context.CancelFunc
	work    sync.WaitGroup

	syncing sync.Mutex // held while events are received and applied; guards next
	next    int        // number of the next event

	mu        sync.Mutex // guards the fields below
	peers     []Peer
	elsewhere int64         // bytes that the others have fetched, as last reported
	maxTime   time.Duration // of the crawl; 0 means no limit
}

var _, _ Member = (*Redis)(nil), (*Single)(nil)

// event is a message to all processes of a crawl, now and later. It sets one of these
// fields.
type event struct {
	// Joined is the root URL of a host that was added to the crawl, because a start URL of a
	// process is on the host or redirects to it.
	Joined string `json:"joined,omitempty"`
	// Limits are the new limits.
	Limits *Limits `json:"limits,omitempty"`
	// Allowed are the addresses that all processes allow from now on. It can come with Limits.
	Allowed json.RawMessage `json:"allow-addr,omitempty"`
	// Stop ends the crawl of all running processes.
	Stop bool `json:"stop,omitempty"`
}

// progress is the progress report of a process.
type progress struct {
	Pages   int    `json:"pages"`
	Bytes   int64  `json:"bytes"`
	Machine string `json:"machine,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// Frontier returns the frontier that the processes share.
func (r *Redis) Frontier() *redisstore.Store { return r.store }

// Worker returns the name of this process.
func (r *Redis) Worker() string { return r.store.WorkerName() }

// URLs returns a URL of each host that belonged to the crawl when it was opened.
func (r *Redis) URLs() []string { return r.urls }

// Limits returns the limits that the crawl had when it was opened, all of them.
func (r *Redis) Limits() *Limits { return r.limits }

// ID implements [Member].
func (r *Redis) ID() string { return r.store.ID() }

// run starts to extend the leases and to report the progress of this process.
func (r *Redis) run(ctx context.Context) {
	ctx, r.quit = context.WithCancel(ctx)
	r.work.Go(func() {
		r.every(ctx, r.interval(), func() error { return r.extend(ctx, r.store, r.log) })
	})
	r.work.Go(func() {
		r.every(ctx, syncPause, func() error {
			select {
			case <-r.started:
				return r.Sync(ctx)
			default:
				return r.report(ctx)
			}
		})
	})
}

// Start implements [Member].
func (r *Redis) Start() { close(r.started) }

// Close implements [Member].
func (r *Redis) Close() {
	r.quit()
	r.work.Wait()
}

// every calls do at an interval until ctx ends. An error of do ends the crawl.
func (r *Redis) every(ctx context.Context, pause time.Duration, do func() error) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := do(); err != nil {
			if ctx.Err() == nil {
				r.handler.Fail(err)
			}
			return
		}
	}
}

// publish sends an event to all processes of the crawl.
func publish(ctx context.Context, store *redisstore.Store, e event) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return store.Publish(ctx, text)
}

// Announce implements [Member].
func (r *Redis) Announce(ctx context.Context, url string) (known bool, err error) {
	return true, publish(ctx, r.store, event{Joined: url})
}

// Sync implements [Member].
func (r *Redis) Sync(ctx context.Context) error {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	return r.sync(ctx)
}

// report reports the progress of this process. Announcements are received later.
func (r *Redis) report(ctx context.Context) error {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	_, err := r.store.Sync(ctx, r.progress(), r.next)
	return err
}

// Finished implements [Member]. It checks the frontier while no announcement is being
// applied.
func (r *Redis) Finished(ctx context.Context) (bool, error) {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	if err := r.sync(ctx); err != nil {
		return false, err
	}
	stats, err := r.store.Stats(ctx)
	return stats.Finished(), err
}

// sync implements Sync. r.syncing is held.
func (r *Redis) sync(ctx context.Context) error {
	for {
		result, err := r.store.Sync(ctx, r.progress(), r.next)
		if err != nil {
			return err
		}
		if err := r.updatePeers(result); err != nil {
			return err
		}
		for _, text := range result.Messages {
			e, err := readEvent(text)
			if err != nil {
				return err
			}
			if err := r.act(ctx, e); err != nil {
				return err
			}
		}
		r.next = result.Next
		if len(result.Messages) == 0 { // Sync returns them in batches
			return nil
		}
	}
}

// progress returns the progress report of this process.
func (r *Redis) progress() []byte {
	pages, bytes := r.handler.Progress()
	text, err := json.Marshal(progress{pages, bytes, r.machine, r.dir})
	if err != nil {
		panic(err) // cannot happen with numbers and texts
	}
	return text
}

func readEvent(text []byte) (e event, err error) {
	if err := json.Unmarshal(text, &e); err != nil {
		return e, fmt.Errorf("message of another worker: %w", err)
	}
	return e, nil
}

// history returns all earlier announcements.
func history(ctx context.Context, store *redisstore.Store) (result *redisstore.SyncResult, events []event, err error) {
	for next := 0; ; next = result.Next {
		if result, err = store.Sync(ctx, nil, next); err != nil {
			return nil, nil, err
		}
		if len(result.Messages) == 0 {
			return result, events, nil
		}
		for _, text := range result.Messages {
			e, err := readEvent(text)
			if err != nil {
				return nil, nil, err
			}
			events = append(events, e)
		}
	}
}

// updatePeers stores the progress of the others.
func (r *Redis) updatePeers(result *redisstore.SyncResult) error {
	peers, err := peersOf(result)
	if err != nil {
		return err
	}
	var elsewhere int64
	for _, p := range peers {
		if p.Name != r.Worker() {
			elsewhere += p.Bytes
		}
	}
	r.mu.Lock()
	r.peers, r.elsewhere = peers, elsewhere
	limit := r.maxTime
	r.mu.Unlock()
	if limit > 0 && result.RunDuration >= limit {
		r.handler.Stop(plan.MaxTime)
	}
	return nil
}

func peersOf(result *redisstore.SyncResult) ([]Peer, error) {
	peers := make([]Peer, len(result.Workers))
	for i, w := range result.Workers {
		var p progress
		if len(w.Status) > 0 {
			if err := json.Unmarshal(w.Status, &p); err != nil {
				return nil, fmt.Errorf("status of worker %s: %w", w.Name, err)
			}
		}
		peers[i] = Peer{Name: w.Name, Pages: p.Pages, Bytes: p.Bytes, Running: w.Registered && w.LastSeenAgo < workerTimeout, LastSeenAgo: w.LastSeenAgo, Machine: p.Machine, Dir: p.Dir}
	}
	slices.SortFunc(peers, func(a, b Peer) int { return strings.Compare(a.Name, b.Name) })
	return peers, nil
}

// act applies an event.
func (r *Redis) act(ctx context.Context, e event) error {
	if e.Allowed != nil {
		if err := checkAllowed(r.name, e.Allowed, r.allowed); err != nil {
			return err
		}
	}
	switch {
	case e.Stop:
		r.handler.Stop(plan.Stopped)
	case e.Limits != nil:
		r.setMaxTime(e.Limits)
		return r.handler.ChangeLimits(ctx, e.Limits)
	case e.Joined != "":
		return r.handler.Join(e.Joined)
	}
	return nil
}

func (r *Redis) setMaxTime(l *Limits) {
	if l.MaxTime != nil {
		r.mu.Lock()
		r.maxTime = time.Duration(*l.MaxTime)
		r.mu.Unlock()
	}
}

// Take adds to a counter of the crawl as much of n as most allows, and returns the number that it
// added. A negative n reduces the counter.
func (r *Redis) Take(ctx context.Context, counter string, n, most int64) (got int64, err error) {
	return r.store.Reserve(ctx, counter, n, most)
}

// Set sets the share of this process in each counter.
func (r *Redis) Set(ctx context.Context, taken map[string]int64) error {
	return r.store.SetReserved(ctx, taken)
}

// BytesElsewhere returns the number of bytes that the other processes have fetched, as last reported.
func (r *Redis) BytesElsewhere() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.elsewhere
}

// FetchesAll implements [Member].
func (*Redis) FetchesAll() bool { return false }

// Peers implements [Member]. The progress of this process is current.
func (r *Redis) Peers() []Peer {
	pages, bytes := r.handler.Progress()
	r.mu.Lock()
	defer r.mu.Unlock()
	peers := slices.Clone(r.peers)
	for i := range peers {
		if p := &peers[i]; p.Name == r.Worker() {
			p.Pages, p.Bytes = pages, bytes
		}
	}
	return peers
}

// Counts implements [Member].
func (*Redis) Counts(_ context.Context, last frontier.Stats) (frontier.Stats, error) {
	return last, nil
}

// IdleCheckInterval implements [Member].
func (*Redis) IdleCheckInterval() (rest, longest time.Duration) {
	return idleCheckPause, idleCheckPause
}

// RecheckSlowed implements [Member]. A check costs a round trip. With a longer interval, a
// host recovers later.
func (*Redis) RecheckSlowed() time.Duration { return 30 * time.Second }
