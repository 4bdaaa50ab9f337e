package quota

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// limits are the limits of the tests: 16 workers, and one request to a host.
func limits(set func(*Limits)) Limits {
	l := Limits{Workers: 16, MaxInFlight: 1}
	set(&l)
	return l
}

// take takes a page, and checks the result.
func take(t *testing.T, l *Pages, h frontier.Host, want Share) {
	t.Helper()
	if got, err := l.take(t.Context(), h); got != want || err != nil {
		t.Errorf("take %s: %d, %v, want %d", h, got, err, want)
	}
}

// done ends the request for a page.
func done(t *testing.T, l *Pages, h frontier.Host, fetched bool) {
	t.Helper()
	if err := l.Done(t.Context(), h, fetched, 0); err != nil {
		t.Error(err)
	}
}

// A host that one worker slowed down is slow for the other, and a budget that another has
// used up is empty.
func TestPagesAreShared(t *testing.T) {
	shared := make(LocalCounters)
	cfg := limits(func(l *Limits) { l.MaxPages, l.MaxHostPages, l.Workers = 10, 4, 6 })
	one, two := NewPages(cfg, shared), NewPages(cfg, shared)
	take(t, one, "a", Granted)
	take(t, one, "a", Granted)
	take(t, two, "a", Granted)
	take(t, two, "a", Granted)
	take(t, one, "a", busy) // its own may come back
	done(t, one, "a", true)
	done(t, one, "a", false) // which goes back to all
	take(t, two, "a", Granted)
	take(t, one, "a", hostTaken) // and may come back
	done(t, two, "a", true)
	done(t, two, "a", true)
	done(t, two, "a", true)
	take(t, two, "a", hostTaken)
	for range 2 {
		if got, err := two.takeExclusive(t.Context(), "a"); got != HostSpent || err != nil {
			t.Errorf("%d, %v", got, err)
		}
		take(t, two, "a", HostSpent)
	}
	for range 4 {
		take(t, one, "b", Granted)
	}
	for range 4 {
		done(t, one, "b", true)
	}
	take(t, two, "c", Granted)
	take(t, one, "c", Granted)
	done(t, one, "c", true)
	if one.Exceeded() != "" {
		t.Error("one has come to an end while two has a page in hand")
	}
	take(t, one, "c", CrawlSpent)
	take(t, two, "c", busy)
	done(t, two, "c", true)
	take(t, two, "c", CrawlSpent)
	if n := shared[PageCounter]; n != 10 {
		t.Errorf("%d pages", n)
	}
}

// askedCounters count their calls, and can run a function before or after each.
type askedCounters struct {
	LocalCounters
	asked int
	there func() // nil means nothing happens
	back  func()
}

func (c *askedCounters) Take(ctx context.Context, counter string, n, most int64) (int64, error) {
	c.asked++
	if c.there != nil {
		c.there()
	}
	if c.back != nil {
		defer c.back()
	}
	return c.LocalCounters.Take(ctx, counter, n, most)
}

// Two workers that find a budget empty at the same time take from the counter once: others would
// miss the surplus.
func TestPagesAreTakenOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		set     func(*Limits)
		counter string
		before  int64 // in the counter
		after   int64
	}{
		"pages":             {func(c *Limits) { c.MaxPages = 10 }, PageCounter, 0, 3},
		"no pages":          {func(c *Limits) { c.MaxPages = 10 }, PageCounter, 10, 10},
		"pages of a host":   {func(c *Limits) { c.MaxHostPages = 10 }, HostCounter + "a", 0, 1},
		"no page of a host": {func(c *Limits) { c.MaxHostPages = 10 }, HostCounter + "a", 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			all := &askedCounters{LocalCounters: LocalCounters{tt.counter: tt.before}}
			l := NewPages(limits(func(c *Limits) { c.Workers = 6; tt.set(c) }), all)
			_, one := l.tryTake("a")
			_, two := l.tryTake("a")
			if one == nil || one != two {
				t.Fatal("the budget is not empty")
			}
			for range 2 {
				if err := l.refill(t.Context(), "a", one); err != nil {
					t.Fatal(err)
				}
			}
			if all.asked != 1 || all.LocalCounters[tt.counter] != tt.after {
				t.Errorf("asked %d times, taken %d, want %d", all.asked, all.LocalCounters[tt.counter], tt.after)
			}
		})
	}
}

// A counter that had no more under the earlier limit is queried again under the new one.
func TestLimitIsRaisedMeanwhile(t *testing.T) {
	more := 12
	for name, tt := range map[string]struct {
		set            func(*Limits)
		counter        string
		pages, perHost *int
	}{
		"max-pages":      {func(c *Limits) { c.MaxPages = 10 }, PageCounter, &more, nil},
		"max-host-pages": {func(c *Limits) { c.MaxHostPages = 10 }, HostCounter + "a", nil, &more},
	} {
		t.Run(name, func(t *testing.T) {
			all := &askedCounters{LocalCounters: LocalCounters{tt.counter: 10}}
			l := NewPages(limits(tt.set), all)
			all.back = sync.OnceFunc(func() { l.Change(tt.pages, tt.perHost, nil) })
			take(t, l, "a", Granted)
		})
	}
}

// A counter that is set while a page is taken or returned has afterwards what the worker has of it.
func TestCountersAreSetMeanwhile(t *testing.T) {
	const counter = HostCounter + "a"
	all := &askedCounters{LocalCounters: make(LocalCounters)}
	l := NewPages(limits(func(l *Limits) { l.MaxHostPages = 2 }), all)
	var settling sync.WaitGroup
	settle := func() {
		settled := make(chan struct{})
		settling.Go(func() {
			defer close(settled)
			if err := l.SyncCounters(t.Context(), false); err != nil {
				t.Error(err)
			}
		})
		select {
		case <-settled:
		case <-time.After(20 * time.Millisecond): // it waits, as it should
		}
	}
	all.back = settle // the counter has it, and the worker does not know
	take(t, l, "a", Granted)
	settling.Wait()
	if n := all.LocalCounters[counter]; n != 1 {
		t.Errorf("with a page in flight %d are taken", n)
	}
	all.back, all.there = nil, settle // the worker has it no more, and the counter does
	done(t, l, "a", false)
	settling.Wait()
	if n := all.LocalCounters[counter]; n != 0 {
		t.Errorf("with none %d are taken", n)
	}
}

// The last page of a host, when returned, is there for the next request, also in a process that
// found none before.
func TestLastPageIsGivenBack(t *testing.T) {
	l := NewPages(limits(func(l *Limits) { l.MaxHostPages = 1 }), make(LocalCounters))
	take(t, l, "a", Granted)
	take(t, l, "a", busy)
	done(t, l, "a", false)
	take(t, l, "a", Granted)
}

// A worker without any page left keeps no page of a host either: another worker with pages would
// miss it.
func TestNoUnusedPage(t *testing.T) {
	all := make(LocalCounters)
	cfg := limits(func(l *Limits) { l.MaxPages, l.MaxHostPages, l.Workers = 4, 1, 8 }) // four pages are taken at a time
	one, two := NewPages(cfg, all), NewPages(cfg, all)
	take(t, two, "b", Granted)
	take(t, one, "a", CrawlSpent)
	take(t, two, "a", Granted)
}

// Limits that are set during a crawl count the pages so far.
func TestLimitsAreSetLater(t *testing.T) {
	all := make(LocalCounters)
	one := NewPages(limits(func(*Limits) {}), all)
	take(t, one, "a", Granted)
	take(t, one, "a", Granted)
	done(t, one, "a", true) // and one is in flight
	pages, perHost := 4, 3
	one.Change(&pages, &perHost, nil)
	if err := one.SyncCounters(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	take(t, one, "a", Granted)
	take(t, one, "a", busy)
	done(t, one, "a", true)
	done(t, one, "a", true)
	take(t, one, "a", HostSpent)
	take(t, one, "b", Granted)
	done(t, one, "b", true)
	take(t, one, "b", CrawlSpent)
	if all[PageCounter] != 4 || all[HostCounter+"a"] != 3 {
		t.Errorf("%v", all)
	}
	more := 5
	one.Change(&more, nil, nil)
	take(t, one, "b", Granted)
	if one.perHost != perHost {
		t.Errorf("the limit per host is %d", one.perHost)
	}
}

// lookedUp calls a function when a host has been looked up, before the caller has the answer.
type lookedUp struct {
	frontier.Frontier
	then func()
}

func (l *lookedUp) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	rec, err := l.Frontier.Host(ctx, h)
	l.then()
	return rec, err
}

// A returned page that another process has taken, since this one checked whether any is in flight,
// is in flight.
func TestLastPageIsTakenMeanwhile(t *testing.T) {
	const host = "a.test"
	f := frontier.NewMemory(&frontier.Options{MaxInFlight: 2})
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://" + host + "/1"}, {URL: "http://" + host + "/2"}}); err != nil {
		t.Fatal(err)
	}
	all := make(LocalCounters)
	cfg := limits(func(l *Limits) { l.MaxInFlight, l.MaxHostPages = 2, 1 })
	one, two := NewPages(cfg, all), NewPages(cfg, all)
	lease := func() {
		t.Helper()
		if got, err := f.Lease(t.Context(), frontier.LeaseRequest{Max: 1, PerHost: 1}); len(got) != 1 || err != nil {
			t.Fatal(got, err)
		}
	}
	take(t, one, host, Granted)
	lease()
	take(t, two, host, hostTaken)
	done(t, one, host, false) // and its lease ends
	meanwhile := &lookedUp{f, func() {
		lease()
		take(t, one, host, Granted)
	}}
	if got, err := two.takeLast(t.Context(), meanwhile, host); got != busy || err != nil {
		t.Errorf("%d, %v, want that a page is in flight", got, err)
	}
}

// When the limit is raised, a host that was leased to one worker at a time for its last page, or
// has had its last, is leased as before.
func TestLastPageIsNotTheLast(t *testing.T) {
	const host = "a.test"
	for _, spent := range []bool{false, true} {
		f := frontier.NewMemory(&frontier.Options{MaxInFlight: 4})
		if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://" + host + "/1"}}); err != nil {
			t.Fatal(err)
		}
		all := make(LocalCounters)
		cfg := limits(func(l *Limits) { l.MaxInFlight, l.MaxHostPages = 4, 1 })
		one, two := NewPages(cfg, all), NewPages(cfg, all)
		take := func(l *Pages, want Share) {
			t.Helper()
			if got, err := l.Take(t.Context(), f, host); got != want || err != nil {
				t.Fatalf("%d, %v, want %d", got, err, want)
			}
		}
		wantInFlight := func(want int) {
			t.Helper()
			if rec, err := f.Host(t.Context(), host); err != nil || rec.MaxInFlight != want {
				t.Errorf("spent %t: %d in flight, %v, want %d", spent, rec.MaxInFlight, err, want)
			}
		}
		take(one, Granted)
		take(two, busy)
		wantInFlight(1)
		done(t, one, host, true)
		if spent {
			take(two, HostSpent)
			wantInFlight(4)
		}
		more := 3
		for _, l := range []*Pages{one, two} {
			l.Change(nil, &more, nil)
		}
		take(two, Granted)
		wantInFlight(4)
		take(one, Granted)
		done(t, two, host, true)
		take(two, busy) // for the page that the other has in flight
	}
}
