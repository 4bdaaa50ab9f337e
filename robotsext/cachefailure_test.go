package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// flakyCache is a Cache whose Store can be made to fail. The record that was
// there before stays.
type flakyCache struct {
	robotsext.Cache
	fail bool
}

func (c *flakyCache) Store(ctx context.Context, rec *robotsext.Record) error {
	if c.fail {
		return errors.New("disk full")
	}
	return c.Cache.Store(ctx, rec)
}

// evict has the host's Robots, which holds one record, forget the host.
func (h *host) evict() {
	h.t.Helper()
	recordFor(h.t, h.r, mustParse(h.t, "http://other.example/"))
}

// What was stored before a Store that failed is not believed any more.
func TestStoreFails(t *testing.T) {
	outdated := func(t *testing.T, age time.Duration) (*host, *flakyCache) {
		cache := &flakyCache{Cache: openCache(t, t.TempDir())}
		h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache, MaxRecords: 1}}, reply{status: 404})
		h.record()
		h.clock.advance(age)
		cache.fail = true
		h.now = robotsReply
		h.refresh()
		return h, cache
	}
	t.Run("ROB-CAC-17/then evicted", func(t *testing.T) {
		h, cache := outdated(t, time.Hour)
		cache.fail = false
		h.evict()
		wantDisallowed(t, h.check("/private"), 2)
		asked := len(h.asked)
		h.evict()
		wantDisallowed(t, h.check("/private"), 2)
		h.wantAsked(asked)
	})
	t.Run("ROB-CAC-17/the copy is lost", func(t *testing.T) {
		h, cache := outdated(t, 25*time.Hour)
		h.evict()
		cache.fail = false
		h.clock.advance(25 * time.Hour)
		h.wantCopyLost(true)
	})
	t.Run("ROB-CAC-17/for more origins than there is memory for", func(t *testing.T) {
		cache := &flakyCache{Cache: openCache(t, t.TempDir()), fail: true}
		h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache, MaxRecords: 1}}, robotsReply)
		h.evict()
		h.record()
		h.evict()
		cache.fail = false
		h.wantCopyLost(true)
	})
}

// A FileCache outlives the process, so it remembers itself that a Store failed.
func TestFileCacheStoreFails(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("ROB-CAC-17/record before %v", before), func(t *testing.T) {
			dir := t.TempDir()
			cache := openCache(t, dir)
			rec := &robotsext.Record{Origin: "http://h", Outcome: robotsext.OutcomeAllowAll, FetchedAt: newClock().now()}
			if before {
				wantOK(t, cache.Store(t.Context(), rec))
			}
			unwritable := *rec
			unwritable.ExpiresAt = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) // JSON has no form for that year
			if err := cache.Store(t.Context(), &unwritable); err == nil {
				t.Fatal("stored")
			}
			if got, err := openCache(t, dir).Load(t.Context(), "http://h"); err == nil {
				t.Errorf("loaded %v, want an error", got)
			}
			wantOK(t, cache.Store(t.Context(), rec))
			if got, err := openCache(t, dir).Load(t.Context(), "http://h"); err != nil || got == nil {
				t.Errorf("loaded %v, %v after a Store that went well", got, err)
			}
		})
	}
}

// A refresh starts from what the Cache knows, as any fetch does.
func TestRefreshLoadsFirst(t *testing.T) {
	cache := robotsext.NewMemoryCache(0, 0)
	a := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}}, reply{status: 404})
	a.record()
	a.clock.advance(25 * time.Hour)
	b := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}}, robotsReply)
	b.clock.set(a.clock.now())
	b.record()
	a.clock.advance(time.Hour)
	a.now = reply{status: 500}
	t.Run("ROB-STA-06", func(t *testing.T) { wantOutcome(t, a.refresh(), robotsext.OutcomeRules) }) // what b has fetched is fresh
	a.clock.advance(day)
	t.Run("ROB-STA-07", func(t *testing.T) { wantLetter(t, a.failFor(31*day), "C") })
}

// An absence without a status is stored too.
func TestStoredAbsence(t *testing.T) {
	t.Run("ROB-LOC-10", func(t *testing.T) {
		asked := 0
		options := cachedIn(t, t.TempDir())
		options.Fetch.Schemes = map[string]robotsext.Fetcher{"ftp": func(context.Context, *url.URL) (io.ReadCloser, error) {
			asked++
			return nil, fs.ErrNotExist
		}}
		for range 2 {
			wantOK(t, newRobots(t, &options).Check(t.Context(), mustParse(t, "ftp://example.com/a")))
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}
