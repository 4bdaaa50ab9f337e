package robotsext_test

import (
	"context"
	"errors"
	"net/url"
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
				good := h.record()
				fetches++
				refused = closed
				if rec := h.refresh(); rec != good { // ROB-STA-06: the copy is fresh
					t.Errorf("got %+v", rec)
				}
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
	t.Run("ROB-STA-04/at a redirect", func(t *testing.T) {
		r := newRobots(t, &robotsext.Options{
			Transport: redirect("http://other.example/r"),
			Fetch: robotsext.FetchOptions{Wait: func(_ context.Context, u *url.URL) (func(), error) {
				if u.Host == "other.example" {
					return nil, closed
				}
				return nil, nil
			}},
		})
		rec := recordFor(t, r, rootA)
		if rec.Outcome != robotsext.OutcomeUnreachable || !rec.FailingSince.IsZero() || !errors.Is(rec.Err, closed) {
			t.Errorf("got %+v", rec)
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
	answers := map[string][]reply{"/robots.txt": {robotsReply, retryAfter(503, 21600, ""), robotsReply}, "/a": ok("")} // 6 h
	onWeb(t, "ROB-POL-04/ROB-STA-06", answers, func(t *testing.T, w *web) {
		recorded := 0
		r := w.robots(robotsext.Options{OnRecord: func(rec *robotsext.Record) { recorded++; wantOutcome(t, rec, robotsext.OutcomeRules) }})
		refresh := func() *robotsext.Record {
			rec, err := r.Refresh(t.Context(), rootA)
			wantOK(t, err)
			wantOutcome(t, rec, robotsext.OutcomeRules)
			return rec
		}
		refresh()
		time.Sleep(20 * time.Hour)
		want := time.Now().Add(6*time.Hour + time.Second)
		if rec := refresh(); !rec.RetryAt.Equal(want) || !rec.FailingSince.IsZero() {
			t.Errorf("got %+v", rec)
		}
		time.Sleep(3 * time.Hour)
		refresh()
		wantDisallowed(t, r.Check(t.Context(), mustParse(t, siteA+"/private")), 2)
		time.Sleep(2 * time.Hour) // it has expired
		if blocked := wantLater(t, r.Check(t.Context(), rootA)); !blocked.RetryAt.Equal(want) {
			t.Errorf("to be asked again at %s, want %s", blocked.RetryAt, want)
		}
		if len(w.sent) != 2 || recorded != 2 {
			t.Errorf("sent %q, %d records", w.sent, recorded)
		}
		time.Sleep(time.Until(want))
		wantDisallowed(t, r.Check(t.Context(), mustParse(t, siteA+"/private")), 2)
		w.wantSent("0 /robots.txt", "72001 /robots.txt", "93602 /robots.txt")
	})
	onWeb(t, "ROB-POL-04/pages", map[string][]reply{"/robots.txt": {robotsReply, retryAfter(503, 120, "")}, "/a": ok("")}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		for range 2 {
			_, err := r.Refresh(t.Context(), rootA)
			wantOK(t, err)
		}
		c := colly.NewCollector(r.Attach)
		r.ObeyCrawlDelay(c, 0)
		wantOK(t, c.Visit(siteA+"/a"))
		w.wantSent("0 /robots.txt", "1 /robots.txt", "122 /a")
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
