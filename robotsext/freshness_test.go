package robotsext_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestLifetime(t *testing.T) {
	const (
		date   = "Thu, 01 Oct 2026 12:00:00 GMT"
		hourOn = "Thu, 01 Oct 2026 13:00:00 GMT"
		early  = "Thu, 01 Oct 2026 11:00:00 GMT"
		floor  = 5 * time.Minute
	)
	week := robotsext.Options{Cache: robotsext.CacheOptions{MaxAge: 7 * day}}
	tests := []struct {
		id     string
		opts   robotsext.Options
		header http.Header
		want   time.Duration
	}{
		{"ROB-CAC-01/nothing said", robotsext.Options{}, nil, day},
		{"ROB-CAC-03/lower", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=600"}}, 10 * time.Minute},
		{"ROB-CAC-03/quoted", robotsext.Options{}, http.Header{"Cache-Control": {`Max-Age="600"`}}, 10 * time.Minute},
		{"ROB-CAC-03/among others", robotsext.Options{}, http.Header{"Cache-Control": {`private="a, max-age=1", public`, ` max-age = 600`}}, 10 * time.Minute},
		{"ROB-CAC-03/escaped quotation mark", robotsext.Options{}, http.Header{"Cache-Control": {`private="a\", max-age=1", max-age=600`}}, 10 * time.Minute},
		{"ROB-CAC-03/before Expires", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=600"}, "Date": {date}, "Expires": {hourOn}}, 10 * time.Minute},
		{"ROB-CAC-04/default ceiling", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=604800"}}, day},
		{"ROB-CAC-04/ceiling of a week", week, http.Header{"Cache-Control": {"max-age=604800"}}, 7 * day},
		{"ROB-CAC-04/ceiling of a week, nothing said", week, nil, day},
		{"ROB-CAC-04/ceiling of an hour", robotsext.Options{Cache: robotsext.CacheOptions{MaxAge: time.Hour}}, nil, time.Hour},
		{"ROB-CAC-05/max-age 0", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=0"}}, floor},
		{"ROB-CAC-05/floor of a minute", robotsext.Options{Cache: robotsext.CacheOptions{MinAge: time.Minute}}, http.Header{"Cache-Control": {"max-age=0"}}, time.Minute},
		{"ROB-CAC-05/no floor", robotsext.Options{Cache: robotsext.CacheOptions{MinAge: -1}}, http.Header{"Cache-Control": {"max-age=0"}}, 0},
		{"ROB-CAC-06/no-cache", robotsext.Options{}, http.Header{"Cache-Control": {"no-cache, max-age=3600"}}, floor},
		{"ROB-CAC-06/no-store", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=3600", "No-Store"}}, floor},
		{"ROB-CAC-07/Expires", robotsext.Options{}, http.Header{"Date": {date}, "Expires": {hourOn}}, time.Hour},
		{"ROB-CAC-07/Expires without Date", robotsext.Options{}, http.Header{"Expires": {hourOn}}, time.Hour},
		{"ROB-CAC-07/by the site's clock", robotsext.Options{}, http.Header{"Date": {early}, "Expires": {date}}, time.Hour},
		{"ROB-CAC-07/past", robotsext.Options{}, http.Header{"Date": {date}, "Expires": {early}}, floor},
		{"ROB-CAC-07/invalid", robotsext.Options{}, http.Header{"Expires": {"0"}}, floor},
		{"ROB-CAC-08/Age", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=3600"}, "Age": {"3000"}}, 10 * time.Minute},
		{"ROB-CAC-08/Age before the ceiling", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=604800"}, "Age": {"86400"}}, day},
		{"ROB-CAC-08/older than its lifetime", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=3600"}, "Age": {"99999999999999999999"}}, floor},
		{"ROB-CAC-08/bad Age", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=3600"}, "Age": {"x"}}, time.Hour},
		{"ROB-CAC-09/s-maxage", robotsext.Options{}, http.Header{"Cache-Control": {"s-maxage=1"}}, day},
		{"ROB-CAC-09/private", robotsext.Options{}, http.Header{"Cache-Control": {"private"}}, day},
		{"ROB-CAC-09/Last-Modified", robotsext.Options{}, http.Header{"Date": {date}, "Last-Modified": {early}}, day},
		{"ROB-CAC-10/negative", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=-1"}}, floor},
		{"ROB-CAC-10/fraction", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=3600.5"}}, floor},
		{"ROB-CAC-10/empty", robotsext.Options{}, http.Header{"Cache-Control": {"max-age"}}, floor},
		{"ROB-CAC-10/overflow", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=99999999999999999999"}}, day},
		{"ROB-CAC-10/overflow of nanoseconds", week, http.Header{"Cache-Control": {"max-age=9223372036854775"}}, 7 * day},
		{"ROB-CAC-10/duplicate", robotsext.Options{}, http.Header{"Cache-Control": {"max-age=600, max-age=1200"}}, 10 * time.Minute},
	}
	for _, test := range tests {
		for _, status := range []int{200, 404} { // ROB-CAC-12
			t.Run(fmt.Sprintf("%s/%d", test.id, status), func(t *testing.T) {
				h := newHost(t, test.opts, reply{status: status, header: test.header, body: private})
				rec := h.record()
				// Transit takes microseconds of the real clock here.
				if got := rec.ExpiresAt.Sub(h.clock.now()); got > test.want || got < test.want-time.Second {
					t.Errorf("used for %s, want %s", got, test.want)
				}
			})
		}
	}
}

func TestRetryAfterValue(t *testing.T) {
	now := time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
	const (
		noon     = "Thu, 01 Oct 2026 12:00:00 GMT"
		inAnHour = "Thu, 01 Oct 2026 13:00:00 GMT"
		hourAgo  = "Thu, 01 Oct 2026 11:00:00 GMT"
	)
	for _, test := range []struct {
		name   string
		values []string
		date   string
		want   time.Duration
	}{
		{"none", nil, noon, 0},
		{"seconds", []string{"120"}, noon, 2 * time.Minute},
		{"decimals are rounded up", []string{"5.5"}, noon, 6 * time.Second},
		{"whole decimals", []string{"5.0"}, noon, 5 * time.Second},
		{"less than a second", []string{"0.001"}, noon, time.Second},
		{"decimals above the cap", []string{"86399.5"}, noon, day},
		{"a week", []string{"604800"}, noon, day},
		{"too large a number", []string{"99999999999999999999.9"}, noon, day},
		{"two decimal points", []string{"1.2.3"}, noon, 0},
		{"merged fields", []string{"5,5"}, noon, 5 * time.Second},
		{"merged fields, the longest first", []string{"60, 30"}, noon, time.Minute},
		{"merged fields, the longest last", []string{"30 , 60"}, noon, time.Minute},
		{"merged fields, one unreadable", []string{"soon,30"}, noon, 30 * time.Second},
		{"negative", []string{"-5"}, noon, 0},
		{"negative decimals", []string{"-5.5"}, noon, 0},
		{"exponent", []string{"1e3"}, noon, 0},
		{"infinite", []string{"Inf"}, noon, 0},
		{"word", []string{"soon"}, noon, 0},
		{"date", []string{inAnHour}, noon, time.Hour},
		{"past date", []string{hourAgo}, noon, 0},
		{"the server's clock is an hour slow", []string{noon}, hourAgo, time.Hour},
		{"the server's clock is an hour fast", []string{"Thu, 01 Oct 2026 13:01:00 GMT"}, inAnHour, time.Minute},
		{"no Date", []string{inAnHour}, "", time.Hour},
		{"unreadable Date", []string{inAnHour}, "today", time.Hour},
		{"seconds and a slow clock", []string{"60"}, hourAgo, time.Minute},
		{"Date centuries ago", []string{noon}, "Mon, 01 Jan 0001 00:00:00 GMT", day},
		{"several fields, the longest first", []string{"60", "30"}, noon, time.Minute},
		{"several fields, the longest last", []string{"30", inAnHour}, noon, time.Hour},
		{"several fields, one unreadable", []string{"soon", "30"}, noon, 30 * time.Second},
	} {
		t.Run("ROB-POL-04/"+test.name, func(t *testing.T) {
			h := http.Header{"Retry-After": test.values}
			if test.date != "" {
				h.Set("Date", test.date)
			}
			if got := robotsext.RetryAfter(h, now); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestReuse(t *testing.T) {
	for _, test := range []struct {
		id string
		reply
		life time.Duration
	}{
		{"ROB-CAC-01", robotsReply, day},
		{"ROB-CAC-12/404", reply{status: 404}, day},
		{"ROB-CAC-12/loop", reply{status: 301, header: http.Header{"Location": {"/robots.txt"}}}, day},
		{"ROB-CAC-03", reply{status: 200, header: http.Header{"Cache-Control": {"max-age=600"}}}, 10 * time.Minute},
		{"ROB-CAC-05", reply{status: 200, header: http.Header{"Cache-Control": {"max-age=0"}}}, 5 * time.Minute},
	} {
		t.Run("ROB-CAC-18/"+test.id, func(t *testing.T) {
			h := newHost(t, robotsext.Options{}, test.reply)
			h.record()
			h.clock.advance(test.life - time.Minute)
			h.record()
			h.wantAsked(1)
			h.clock.advance(2 * time.Minute)
			h.record()
			h.wantAsked(2)
		})
	}
	t.Run("ROB-CAC-16", func(t *testing.T) {
		r := newRobots(t, &robotsext.Options{Now: newClock().now, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				return reply{status: 301, header: http.Header{"Location": {"/r.txt"}, "Cache-Control": {"max-age=1"}}}.RoundTrip(req)
			}
			return reply{status: 200, header: http.Header{"Cache-Control": {"max-age=600"}}}.RoundTrip(req)
		})})
		rec := recordFor(t, r, mustParse(t, "http://example.com/"))
		if got := rec.ExpiresAt.Sub(rec.FetchedAt).Round(time.Second); got != 10*time.Minute {
			t.Errorf("used for %s", got)
		}
	})
	for name, test := range map[string]struct {
		maxAge, age string
		want        time.Duration
	}{
		"transit": {"600", "0", 10*time.Minute - 2*time.Second},
		"transit longer than the lifetime, and the longest Age": {"1", "99999999999999999999", 5 * time.Minute},
	} {
		t.Run("ROB-CAC-08/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := recordBy(t, roundTripper(func(req *http.Request) (*http.Response, error) {
					time.Sleep(2 * time.Second)
					return reply{status: 200, header: http.Header{"Cache-Control": {"max-age=" + test.maxAge}, "Age": {test.age}}}.RoundTrip(req)
				}))
				if got := rec.ExpiresAt.Sub(rec.FetchedAt); got != test.want {
					t.Errorf("used for %s, want %s", got, test.want)
				}
			})
		})
	}
	t.Run("clock set back", func(t *testing.T) {
		h := newHost(t, robotsext.Options{}, robotsReply)
		h.record()
		h.clock.advance(-time.Hour)
		h.record()
		h.wantAsked(2)
	})
}
