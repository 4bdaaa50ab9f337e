package robotsext_test

import (
	"fmt"
	"net/http"
	"testing"
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
	fresh := func(seconds string) http.Header { return http.Header{"Cache-Control": {"max-age=" + seconds}} }
	moved := reply{status: 301, header: fresh("1")}
	moved.header.Set("Location", "/r.txt")
	aged := fresh("1")
	aged.Set("Age", "99999999999999999999")
	for name, test := range map[string]struct {
		answers map[string][]reply // each takes a second
		want    time.Duration      // from the end
	}{
		"ROB-CAC-16/of the last response":                                  {map[string][]reply{"/robots.txt": {moved}, "/r.txt": {{status: 200, header: fresh("600")}}}, 10*time.Minute - time.Second},
		"ROB-CAC-08/transit longer than the lifetime, and the longest Age": {map[string][]reply{"/robots.txt": {{status: 200, header: aged}}}, 5 * time.Minute},
	} {
		onWeb(t, name, test.answers, func(t *testing.T, w *web) {
			rec := recordFor(t, w.robots(robotsext.Options{}), rootA)
			if got := rec.ExpiresAt.Sub(rec.FetchedAt); got != test.want {
				t.Errorf("used for %s, want %s", got, test.want)
			}
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
