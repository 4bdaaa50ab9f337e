package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// An error of Options.Fetch.Wait is ours: it says nothing of the site.
func TestWaitFails(t *testing.T) {
	closed := errors.New("closed")
	for name, known := range map[string]bool{"ROB-STA-04/nothing known": false, "ROB-STA-04/copy known": true} {
		t.Run(name, func(t *testing.T) {
			var refused error
			recorded := 0
			h := cachedHost(t, robotsReply)
			open := func() {
				opts := cachedIn(t, h.dir)
				opts.OnRecord = func(*robotsext.Record) { recorded++ }
				opts.Fetch.Wait = func(context.Context, *url.URL) (func(), error) { return nil, refused }
				h.open(opts)
			}
			open()
			fetches := 0
			if known {
				h.record()
				fetches++
			}
			refused = closed
			for range 33 { // days: longer than any outage
				h.clock.advance(day)
				blocked := wantLater(t, h.check("/a"))
				if wait := blocked.RetryAt.Sub(h.clock.now()); !errors.Is(&blocked, closed) || wait <= 0 || wait > time.Minute {
					t.Fatalf("%v, in %s", &blocked, wait)
				}
			}
			if recorded != fetches || len(h.asked) != fetches {
				t.Errorf("%d records, %d requests; want %d", recorded, len(h.asked), fetches)
			}
			refused = nil
			wantDisallowed(t, h.check("/private"), 2) // at once
			refused = closed
			h.clock.advance(25 * time.Hour)
			_ = h.check("/a")
			open()
			refused = nil
			wantDisallowed(t, h.check("/private"), 2)
			if len(h.cacheFiles()) != 1 {
				t.Errorf("files %q", h.cacheFiles())
			}
		})
	}
	t.Run("ROB-STA-06/the copy is fresh", func(t *testing.T) {
		var refused error
		h := newHost(t, robotsext.Options{Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) { return nil, refused }}}, robotsReply)
		good := h.record()
		refused = closed
		if rec := h.refresh(); rec != good {
			t.Errorf("got %+v", rec)
		}
	})
	t.Run("ROB-STA-04/at a redirect", func(t *testing.T) {
		r := newRobots(t, &robotsext.Options{
			Transport: reply{status: 302, header: map[string][]string{"Location": {"http://other.example/r"}}},
			Fetch: robotsext.FetchOptions{Wait: func(_ context.Context, u *url.URL) (func(), error) {
				if u.Host == "other.example" {
					return nil, closed
				}
				return nil, nil
			}},
		})
		rec, err := r.Record(t.Context(), mustParse(t, "http://example.com/"))
		if err != nil || rec.Outcome != robotsext.OutcomeUnreachable || !rec.FailingSince.IsZero() || !errors.Is(rec.Err, closed) {
			t.Errorf("got %+v, %v", rec, err)
		}
	})
}

type goexitCache struct{ end func() }

func (c goexitCache) Load(context.Context, robotsext.Origin) (*robotsext.Record, error) {
	return nil, nil
}

func (c goexitCache) Store(context.Context, *robotsext.Record) error { c.end(); return nil }

// A refresh that fails under a fresh copy changes nothing, but what the site says
// to it is heeded.
func TestRefreshAnsweredWithRetryAfter(t *testing.T) {
	setup := func(t *testing.T, onRecord func(*robotsext.Record)) *host {
		h := newHost(t, robotsext.Options{OnRecord: onRecord}, robotsReply)
		h.record()
		h.clock.advance(20 * time.Hour)
		h.now = reply{status: 503, header: http.Header{"Retry-After": {"21600"}}} // 6 h
		return h
	}
	t.Run("ROB-POL-04/ROB-STA-06", func(t *testing.T) {
		h := setup(t, nil)
		want := h.clock.now().Add(6 * time.Hour)
		rec := h.refresh()
		if rec.Outcome != robotsext.OutcomeRules || !rec.RetryAt.Equal(want) || !rec.FailingSince.IsZero() {
			t.Errorf("got %+v", rec)
		}
		h.clock.advance(3 * time.Hour)
		wantOutcome(t, h.refresh(), robotsext.OutcomeRules)
		wantDisallowed(t, h.check("/private"), 2)
		h.clock.advance(2 * time.Hour) // it has expired
		if blocked := wantLater(t, h.check("/a")); !blocked.RetryAt.Equal(want) {
			t.Errorf("to be asked again at %s, want %s", blocked.RetryAt, want)
		}
		h.wantAsked(2)
		h.clock.set(want)
		h.now = robotsReply
		wantDisallowed(t, h.check("/private"), 2)
		h.wantAsked(3)
	})
	inBubble(t, "ROB-POL-04/pages", func(t *testing.T) {
		var robots http.RoundTripper = robotsReply
		start := time.Now()
		var page time.Duration
		r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				return robots.RoundTrip(req)
			}
			page = time.Since(start)
			return reply{status: 200}.RoundTrip(req)
		})})
		u := mustParse(t, "http://example.com/a")
		wantOK(t, r.Check(t.Context(), u))
		robots = reply{status: 503, header: http.Header{"Retry-After": {"120"}}}
		if _, err := r.Refresh(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		if err := c.Visit(u.String()); err != nil || page != 2*time.Minute {
			t.Errorf("%v; page sent after %s, want 2m", err, page)
		}
	})
	t.Run("ROB-STA-06/OnRecord", func(t *testing.T) {
		var recorded []robotsext.Outcome
		h := setup(t, func(rec *robotsext.Record) { recorded = append(recorded, rec.Outcome) })
		h.refresh()
		if want := []robotsext.Outcome{robotsext.OutcomeRules, robotsext.OutcomeRules}; !slices.Equal(recorded, want) {
			t.Errorf("recorded %v, want %v: one for each fetch", recorded, want)
		}
	})
}

// Records hold no monotonic clock readings, which stand still while a machine
// sleeps and mean nothing to another process.
func TestTimesAreWallClock(t *testing.T) {
	rec := fetched(t, newSite(t, text(private)))
	for _, at := range []time.Time{rec.FetchedAt, rec.ExpiresAt} {
		if strings.Contains(at.String(), "m=") {
			t.Errorf("%s has a monotonic reading", at)
		}
	}
}
