package frontier_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	var clock storetest.Clock
	storetest.Run(t, storetest.Store{
		Open:         func(string) (frontier.Frontier, error) { return frontier.NewMemoryAt(clock.Now), nil },
		Synctest:     synctest.Test,
		SetClockBack: clock.SetBack,
		URLBytes:     30,
		HostBytes:    500,
	})
}

const page = "http://a.test/page"

// leaseAt waits for a lease of page and fails unless it begins after that time.
func leaseAt(t *testing.T, m *frontier.Memory, after time.Duration) frontier.Lease {
	t.Helper()
	start := time.Now()
	got, err := m.Lease(t.Context(), frontier.LeaseRequest{Wait: 48 * time.Hour})
	if err != nil || len(got) != 1 || got[0].URL != page {
		t.Fatalf("Lease = %v, %v", got, err)
	}
	if waited := time.Since(start); waited != after {
		t.Fatalf("leased after %v, want %v", waited, after)
	}
	return got[0]
}

func finish(t *testing.T, m *frontier.Memory, o frontier.Outcome) {
	t.Helper()
	errs, err := m.Finish(t.Context(), []frontier.Outcome{o}, nil)
	if err != nil || errs[0] != nil {
		t.Fatalf("Finish = %v, %v", errs, err)
	}
}

func add(t *testing.T, m *frontier.Memory, urls ...string) {
	t.Helper()
	items := make([]frontier.Item, len(urls))
	for i, u := range urls {
		items[i].URL = u
	}
	if _, err := m.Add(t.Context(), items); err != nil {
		t.Fatal(err)
	}
}

func TestMemoryOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := frontier.NewMemory(&frontier.Options{Delay: 2 * time.Second, MaxInFlight: 2, LeaseTime: time.Minute})
		defer m.Close()
		for _, host := range []frontier.Host{"a.test", "unknown.test"} {
			r, err := m.Host(t.Context(), host)
			if err != nil || r.Delay != 2*time.Second || r.MaxInFlight != 2 {
				t.Fatalf("Host(%s) = %+v, %v", host, r, err)
			}
			add(t, m, page)
		}
		if l := leaseAt(t, m, 0); time.Until(l.Expires) != time.Minute {
			t.Fatalf("the lease is for %v", time.Until(l.Expires))
		}
	})
}

func TestMemoryDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := frontier.NewMemory(nil)
		defer m.Close()
		add(t, m, page)
		if l := leaseAt(t, m, 0); time.Until(l.Expires) != 10*time.Minute {
			t.Fatalf("the lease is for %v", time.Until(l.Expires))
		}
		leaseAt(t, m, 10*time.Minute)
	})
}

func TestMemoryHoldExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := frontier.NewMemory(&frontier.Options{Delay: time.Second, LeaseTime: time.Minute})
		defer m.Close()
		release, err := m.Hold(t.Context(), "a.test")
		if err != nil {
			t.Fatal(err)
		}
		add(t, m, page)
		leaseAt(t, m, time.Minute+time.Second)
		release(time.Hour) // the slot has another owner by now
		if r, err := m.Host(t.Context(), "a.test"); err != nil || !r.Due.IsZero() {
			t.Fatalf("Host = %+v, %v", r, err)
		}
	})
}

// TestMemoryClock sets the wall clock: earlier times do not change, and later ones are on the new
// clock.
func TestMemoryClock(t *testing.T) {
	for name, back := range map[string]time.Duration{"back": time.Hour, "on": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var clock storetest.Clock
				m := frontier.NewMemoryAt(clock.Now)
				defer m.Close()
				add(t, m, page)

				l := leaseAt(t, m, 0)
				finish(t, m, frontier.Outcome{Lease: l.ID, Result: frontier.Retry, HostDelay: 3 * time.Second})
				clock.SetBack(t, back)
				l = leaseAt(t, m, 3*time.Second)

				finish(t, m, frontier.Outcome{Lease: l.ID, Result: frontier.Retry, NotBefore: clock.Now().Add(4 * time.Second)})
				clock.SetBack(t, back)
				l = leaseAt(t, m, 4*time.Second)
				if got := l.Expires.Sub(clock.Now()); got != 10*time.Minute {
					t.Fatalf("the lease is for %v", got)
				}
				clock.SetBack(t, back)
				leaseAt(t, m, 10*time.Minute)
			})
		})
	}
}

// TestMemoryManyWait checks that each URL wakes one waiting call.
func TestMemoryManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 1000
		m := frontier.NewMemory(&frontier.Options{MaxInFlight: workers})
		defer m.Close()
		var mu sync.Mutex
		woken := 0
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				got, err := m.Lease(t.Context(), frontier.LeaseRequest{Wait: -1})
				if err != nil || len(got) != 1 {
					t.Errorf("Lease = %v, %v", got, err)
				}
				mu.Lock()
				defer mu.Unlock()
				woken++
			})
		}
		for n := 1; n <= workers; n++ {
			add(t, m, page+strconv.Itoa(n))
			synctest.Wait()
			mu.Lock()
			if woken != n {
				t.Fatalf("%d have woken for %d URLs", woken, n)
			}
			mu.Unlock()
		}
		wg.Wait()
	})
}

// TestMemoryServedAsItsWaitEnds adds a URL at the moment when a waiting call times out: either the
// call leases it, or it stays pending.
func TestMemoryServedAsItsWaitEnds(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			m := frontier.NewMemory(nil)
			defer m.Close()
			var wg sync.WaitGroup
			wg.Go(func() {
				got, err := m.Lease(t.Context(), frontier.LeaseRequest{Wait: time.Second})
				st, statErr := m.Stats(t.Context())
				if err != nil || statErr != nil || st.InFlight != len(got) {
					t.Errorf("Lease = %v, %v; %+v, %v", got, err, st, statErr)
				}
			})
			time.Sleep(time.Second)
			add(t, m, page)
			wg.Wait()
		})
	}
}
