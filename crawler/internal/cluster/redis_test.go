package cluster

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// A crawl is a [Handler] that records its calls.
type crawl struct {
	pages, joined int
	refusal       error // of Join
	limits        []*Limits
	stopped       []plan.End
}

func (c *crawl) Progress() (pages int, bytes int64) { return c.pages, int64(c.pages) * 100 }
func (c *crawl) Join(string) error {
	c.joined++
	return c.refusal
}
func (c *crawl) ChangeLimits(_ context.Context, l *Limits) error {
	c.limits = append(c.limits, l)
	return nil
}
func (c *crawl) Stop(why plan.End) { c.stopped = append(c.stopped, why) }
func (*crawl) Fail(error)          {}

// options are those of a worker of one crawl on a server.
func options(server *redistest.Server, worker string) *Options {
	return &Options{
		Crawl: Crawl{server.URL(), redisstore.Options{CrawlName: "news", Prefix: "politecrawl", WorkerName: worker, ExpectedURLs: 10_000}},
		Settings: Settings{
			"urls": []byte(`["http://a.test/"]`), "max-depth": []byte("7"),
			"max-pages": []byte("0"), "max-host-pages": []byte("0"), "max-bytes": []byte("0"), "max-time": []byte(`"0s"`),
		},
		Extension: LeaseExtension,
		Logger:    slog.New(slog.DiscardHandler), Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil),
	}
}

// open opens the crawl.
func open(t *testing.T, opts *Options, h Handler) *Redis {
	t.Helper()
	r, err := Open(t.Context(), opts, h)
	must(t, err)
	t.Cleanup(func() {
		r.Close()
		_ = r.store.Close()
	})
	return r
}

// However much was announced, all of it has been handled when the crawl is over.
func TestFinishedActsOnAllAnnouncements(t *testing.T) {
	c := &crawl{}
	r := open(t, options(redistest.Start(t), "w1"), c)
	for range 2500 {
		must(t, publish(t.Context(), r.store, event{}))
	}
	must(t, publish(t.Context(), r.store, event{Stop: true}))
	if over, err := r.Finished(t.Context()); !over || err != nil || !slices.Equal(c.stopped, []plan.End{plan.Stopped}) {
		t.Errorf("over %v, %v, stopped by %v", over, err, c.stopped)
	}
}

// A process receives the announcements and the progress of others, also if it joins later.
func TestMembersReceiveAnnouncements(t *testing.T) {
	server := redistest.Start(t)
	one, two := &crawl{pages: 3}, &crawl{pages: 4}
	first := open(t, options(server, "w1"), one)
	if known, err := first.Announce(t.Context(), "http://b.test/"); !known || err != nil {
		t.Errorf("announced: known %t, %v", known, err)
	}
	must(t, first.Sync(t.Context()))
	second := open(t, options(server, "w2"), two)
	if got := second.URLs(); !slices.Equal(got, []string{"http://a.test/", "http://b.test/"}) {
		t.Errorf("URLs of the crawl: %v", got)
	}
	if got := second.BytesElsewhere(); got != 300 {
		t.Errorf("%d bytes elsewhere, want 300", got)
	}
	if _, err := second.Announce(t.Context(), "http://c.test/"); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Redis{second, first} {
		must(t, r.Sync(t.Context()))
	}
	if one.joined != 2 || two.joined != 1 {
		t.Errorf("%d and %d hosts joined, want 2 and 1", one.joined, two.joined)
	}
	peers := first.Peers()
	if len(peers) != 2 || peers[0].Pages != 3 || peers[1].Pages != 4 || !peers[1].Running {
		t.Errorf("%+v", peers)
	}
}

// An announcement that a process cannot handle is an error.
func TestInvalidAnnouncement(t *testing.T) {
	c := &crawl{refusal: errors.New("no URL")}
	r := open(t, options(redistest.Start(t), "w1"), c)
	must(t, publish(t.Context(), r.store, event{Joined: "x"}))
	if err := r.Sync(t.Context()); !errors.Is(err, c.refusal) {
		t.Errorf("%v, want %v", err, c.refusal)
	}
}

// The time limit applies to the whole crawl, and counts anew when it changes.
func TestMaxTimeIsTheCrawls(t *testing.T) {
	server := redistest.Start(t)
	c := &crawl{}
	r := open(t, options(server, "w1"), c)
	if len(c.stopped) > 0 {
		t.Errorf("stopped without a limit: %v", c.stopped)
	}
	limit := Duration(time.Nanosecond)
	must(t, publish(t.Context(), r.store, event{Limits: &Limits{MaxTime: &limit}}))
	for range 2 { // the second has the age of the crawl
		must(t, r.Sync(t.Context()))
	}
	if len(c.stopped) == 0 || c.stopped[0] != plan.MaxTime || len(c.limits) != 1 {
		t.Errorf("stopped by %v after %d changes", c.stopped, len(c.limits))
	}
	later, opts := &crawl{}, options(server, "w2")
	opts.Settings["max-time"] = []byte(`"1ns"`)
	open(t, opts, later)
	if !slices.Equal(later.stopped, []plan.End{plan.MaxTime}) {
		t.Errorf("a process that joins is stopped by %v", later.stopped)
	}
}

// A process that resumes changes limits for all, and nothing else.
func TestResumedProcessChangesLimits(t *testing.T) {
	server := redistest.Start(t)
	c := &crawl{}
	opts := options(server, "w1")
	id := open(t, opts, c).ID()
	again := options(server, "w2")
	again.ID, again.Resumed = id, opts.Settings
	again.Settings["max-pages"] = []byte("5")
	if limits := open(t, again, c).Limits(); *limits.MaxPages != 5 || *limits.MaxBytes != 0 {
		t.Errorf("%+v", limits)
	}
	// The first process worked on the crawl before the limit, and its user removes it again.
	first := options(server, "w4")
	first.ID, first.Resumed = id, options(server, "w1").Settings
	if limits := open(t, first, c).Limits(); *limits.MaxPages != 5 {
		t.Errorf("without a limit that the user set: %+v", limits)
	}
	first.Store.WorkerName, first.IsSet = "w5", func(key string) bool { return key == "max-pages" || key == "max-bytes" }
	if limits := open(t, first, c).Limits(); *limits.MaxPages != 0 {
		t.Errorf("with a limit that the user set: %+v", limits)
	}
	again.Store.WorkerName, again.Settings["max-depth"] = "w3", []byte("8")
	if _, err := Open(t.Context(), again, c); err == nil || !errors.As(err, new(SettingsError)) {
		t.Errorf("another depth: %v", err)
	}
	again.ID = "else"
	if _, err := Open(t.Context(), again, c); !errors.Is(err, ErrOtherCrawl) {
		t.Errorf("another crawl: %v", err)
	}
	again.Store.CrawlName = "none"
	if _, err := Open(t.Context(), again, c); !errors.Is(err, redisstore.ErrNotFound) {
		t.Errorf("no crawl: %v", err)
	}
}

// All processes allow the same addresses. A process that allows others fails when it joins or resumes, or
// ends.
func TestProcessesAllowTheSameAddresses(t *testing.T) {
	server := redistest.Start(t)
	allowing := func(worker, allowed string) *Options {
		opts := options(server, worker)
		opts.Settings[allowKey] = []byte(allowed)
		return opts
	}
	refused := func(what string, err error, want string) {
		t.Helper()
		if !errors.As(err, new(SettingsError)) || err.Error() != `the crawl "news" allows connections to `+want {
			t.Errorf("%s: %v", what, err)
		}
	}
	first := open(t, allowing("w1", `[]`), &crawl{})
	open(t, allowing("w2", `[]`), &crawl{})
	_, err := Open(t.Context(), allowing("w3", `["10.0.0.0/8"]`), &crawl{})
	refused("joins", err, `public addresses only; join or resume it with --allow-addr ""`)

	resumed := allowing("w4", `["10.0.0.0/8","::1/128"]`)
	resumed.ID, resumed.Resumed = first.ID(), allowing("w4", `[]`).Settings
	changed := open(t, resumed, &crawl{})
	if err := changed.Sync(t.Context()); err != nil {
		t.Errorf("with the addresses that it has changed: %v", err)
	}
	const want = "10.0.0.0/8,::1/128; join or resume it with --allow-addr 10.0.0.0/8,::1/128"
	refused("at work", first.Sync(t.Context()), want)
	_, err = Open(t.Context(), allowing("w5", `[]`), &crawl{})
	refused("joins after the change", err, want)
	stale := allowing("w6", `[]`)
	stale.ID, stale.Resumed = first.ID(), allowing("w6", `[]`).Settings
	_, err = Open(t.Context(), stale, &crawl{})
	refused("resumes after the change", err, want)
	open(t, allowing("w7", `["10.0.0.0/8","::1/128"]`), &crawl{})
}

// A worker that has not reported for long does not count as running, though it never reported its
// end.
func TestSilentWorker(t *testing.T) {
	peers, err := peersOf(&redisstore.SyncResult{Workers: []redisstore.Worker{
		{Name: "a", Registered: true, LastSeenAgo: workerTimeout - time.Second}, {Name: "b", Registered: true, LastSeenAgo: workerTimeout}, {Name: "c", LastSeenAgo: time.Second},
	}})
	if err != nil || len(peers) != 3 || !peers[0].Running || peers[1].Running || peers[2].Running {
		t.Errorf("%+v, %v", peers, err)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
