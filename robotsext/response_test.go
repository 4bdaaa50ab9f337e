package robotsext_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// givenCache loads what it is given.
type givenCache struct{ rec *robotsext.Record }

func (c givenCache) Load(context.Context, robotsext.Origin) (*robotsext.Record, error) {
	return c.rec, nil
}
func (c givenCache) Store(context.Context, *robotsext.Record) error { return nil }

// A Cache of the caller's may load what no Robots ever stored.
func TestUntrustedRecord(t *testing.T) {
	now := newClock().now()
	years := now.Add(10 * 365 * day)
	for _, test := range []struct {
		name  string
		rec   robotsext.Record
		fetch bool // before anything is allowed
		lost  bool
	}{
		{"good", robotsext.Record{Outcome: robotsext.OutcomeAllowAll, FetchedAt: now, ExpiresAt: now.Add(time.Hour)}, false, false},
		{"no outcome", robotsext.Record{FetchedAt: now, ExpiresAt: years}, true, true},
		{"unknown outcome", robotsext.Record{Outcome: 9, FetchedAt: now, ExpiresAt: years}, true, true},
		{"never fetched", robotsext.Record{Outcome: robotsext.OutcomeAllowAll, ExpiresAt: years}, true, true},
		{"of another origin", robotsext.Record{Origin: "http://other.example", Outcome: robotsext.OutcomeAllowAll, FetchedAt: now, ExpiresAt: years}, true, true},
		{"from the future", robotsext.Record{Outcome: robotsext.OutcomeAllowAll, FetchedAt: years, ExpiresAt: years.Add(day)}, true, false},
		{"allowed by 500", robotsext.Record{Outcome: robotsext.OutcomeAllowAll, Status: 500, FetchedAt: now, ExpiresAt: now.Add(time.Hour)}, true, true},
		{"for years", robotsext.Record{Outcome: robotsext.OutcomeAllowAll, FetchedAt: now.Add(-25 * time.Hour), ExpiresAt: years}, true, false},
		{"outage without a copy that holds", robotsext.Record{Outcome: robotsext.OutcomeRules, FetchedAt: now, FailingSince: now, RetryAt: years, ExpiresAt: years}, true, true},
		{"unreachable for no reason", robotsext.Record{Outcome: robotsext.OutcomeUnreachable, FetchedAt: now, ExpiresAt: years}, true, false},
	} {
		t.Run("ROB-CAC-17/"+test.name, func(t *testing.T) {
			if test.rec.Origin == "" {
				test.rec.Origin = "http://example.com"
			}
			h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: givenCache{&test.rec}}}, reply{status: 500})
			err := h.check("/a")
			if (len(h.asked) == 1) != test.fetch {
				t.Errorf("asked %d times", len(h.asked))
			}
			if !test.fetch {
				wantOK(t, err)
				return
			}
			wantLater(t, err)
			if rec := h.record(); rec.CopyLost != test.lost {
				t.Errorf("copy lost %v, want %v", rec.CopyLost, test.lost)
			}
		})
	}
	t.Run("ROB-STA-05/outage longer than its time", func(t *testing.T) {
		h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: givenCache{&robotsext.Record{
			Origin: "http://example.com", Outcome: robotsext.OutcomeAllowAll, FetchedAt: now,
			FailingSince: now.Add(-time.Hour), Outage: 40 * day, RetryAt: years, ExpiresAt: years,
		}}}}, reply{status: 500})
		wantLater(t, h.check("/a"))
		if rec := h.record(); rec.Outage != time.Hour || rec.RetryAt.After(now.Add(day)) {
			t.Errorf("outage of %s, next try %s", rec.Outage, rec.RetryAt)
		}
	})
}

// Whatever a site answers comes to one of three outcomes, and to times that are
// within bounds.
func FuzzResponse(f *testing.F) {
	f.Add(200, "max-age=600, private=\"a,b\"", "", "", "", "", "User-agent: *\nDisallow: /\n")
	f.Add(206, "no-cache", "", "bytes 0-3/4", "", "", "abcd")
	f.Add(503, "", "120", "", "", "", "")
	f.Add(429, "", "Thu, 01 Oct 2026 15:00:00 GMT", "", "", "", "")
	f.Add(301, "", "", "", "//h/r.txt#x", "", "")
	f.Add(302, "", "", "", "http://[::1%25a]/", "", "")
	f.Add(200, "max-age=99999999999999999999", "", "", "", "gzip", string(zip([]byte(private))))
	f.Add(200, "s-maxage=\"", "", "", "", "identity, x-gzip", "x")
	f.Fuzz(func(t *testing.T, status int, cacheControl, retryAfter, contentRange, loc, encoding, body string) {
		synctest.Test(t, func(t *testing.T) { // a redirect waits for its Retry-After
			site := reply{status: status, body: body, header: http.Header{
				"Cache-Control": {cacheControl}, "Retry-After": {retryAfter}, "Content-Range": {contentRange},
				"Location": {loc}, "Content-Encoding": {encoding}, "Age": {retryAfter}, "Expires": {retryAfter},
			}}
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(site.RoundTrip)})
			rec := recordFor(t, r, mustParse(t, "http://example.com/"))
			isWithinBounds(t, rec)
		})
	})
}

// isWithinBounds holds that a record that was just made is one of the three outcomes, with
// times within bounds.
func isWithinBounds(t *testing.T, rec *robotsext.Record) {
	t.Helper()
	now := time.Now()
	switch rec.Outcome {
	case robotsext.OutcomeRules, robotsext.OutcomeAllowAll:
		if life := rec.ExpiresAt.Sub(now); life < 5*time.Minute || life > day || rec.Err != nil {
			t.Fatalf("used for %s, error %v", life, rec.Err)
		}
		if len(rec.Body) > 512_000 || (rec.File == nil) != (rec.Outcome == robotsext.OutcomeAllowAll) {
			t.Fatalf("%d bytes, file %v", len(rec.Body), rec.File)
		}
	case robotsext.OutcomeUnreachable:
		if wait := rec.RetryAt.Sub(now); wait < time.Minute || wait > day || rec.Err == nil || rec.File != nil {
			t.Fatalf("next try after %s, error %v", wait, rec.Err)
		}
	default:
		t.Fatalf("outcome %v", rec.Outcome)
	}
	if len(rec.RedirectChain) == 0 || len(rec.RedirectChain) > 6 {
		t.Fatalf("chain of %d", len(rec.RedirectChain))
	}
}
