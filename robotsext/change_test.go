package robotsext_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestOnChange(t *testing.T) {
	type call struct{ before, after *robotsext.Record }
	rules := func(body string) reply { return reply{status: 200, body: lines(body)} }
	const first = "User-agent: a⏎User-agent: *⏎Disallow: /x⏎Disallow: /y⏎Crawl-delay: 5⏎Sitemap: https://e.com/s.xml"
	for _, test := range []struct {
		name          string
		before, after reply
		want          bool
	}{
		{"same text", rules(first), rules(first), false},
		{"comments, case, order, repetition", rules(first), rules("# new⏎Sitemap: https://e.com/s.xml⏎USER-AGENT: A⏎User-agent: *⏎Crawl-delay: 5⏎Disallow: /y⏎Disallow: /x⏎Disallow: /x"), false},
		{"groups split", rules(first), rules("User-agent: *⏎Crawl-delay: 5⏎Disallow: /x⏎Disallow: /y⏎User-agent: a⏎Disallow: /x⏎Disallow: /y⏎Crawl-delay: 5⏎Sitemap: https://e.com/s.xml"), false},
		{"rule added", rules(first), rules(first + "⏎Disallow: /z"), true},
		{"rule turned", rules("User-agent: *⏎Disallow: /x"), rules("User-agent: *⏎Allow: /x"), true},
		{"case of a path", rules("User-agent: *⏎Disallow: /x"), rules("User-agent: *⏎Disallow: /X"), true},
		{"delay", rules("User-agent: *⏎Crawl-delay: 5"), rules("User-agent: *⏎Crawl-delay: 6"), true},
		{"agent added", rules("User-agent: *⏎Disallow: /x"), rules("User-agent: *⏎User-agent: b⏎Disallow: /x"), true},
		{"sitemap added", rules(first), rules(first + "⏎Sitemap: https://e.com/t.xml"), true},
		{"gone", rules(first), reply{status: 404}, true},
		{"still gone", reply{status: 404}, reply{status: 410}, false},
		{"unreachable", rules(first), reply{status: 500}, true},
		{"still unreachable", reply{status: 500}, reply{status: 503}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var calls []call
			var order []string
			h := newHost(t, robotsext.Options{
				OnRecord: func(*robotsext.Record) { order = append(order, "record") },
				OnChange: func(before, after *robotsext.Record) {
					order = append(order, "change")
					calls = append(calls, call{before, after})
				},
			}, test.before)
			before := h.refresh()
			if len(calls) != 0 {
				t.Error("the first record was called a change")
			}
			h.now = test.after
			h.clock.advance(25 * time.Hour)
			after := h.refresh()
			if (len(calls) != 0) != test.want {
				t.Fatalf("called %d times, want called %v", len(calls), test.want)
			}
			if test.want && (calls[0] != call{before, after} || !slices.Equal(order, []string{"record", "record", "change"})) {
				t.Errorf("called with %+v, order %q", calls[0], order)
			}
		})
	}
}

func TestMemoryCache(t *testing.T) {
	t.Run("ROB-CAC-11/two crawlers", func(t *testing.T) {
		s := newSite(t, text(lines("User-agent: a⏎Disallow: /of-a⏎User-agent: b⏎Disallow: /of-b")))
		clock := newClock()
		cache := robotsext.NewMemoryCache(0, 0)
		a := newRobots(t, &robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}, Tokens: []string{"a"}, Now: clock.now})
		b := newRobots(t, &robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}, Tokens: []string{"b"}, Now: clock.now})
		wantDisallowed(t, a.Check(t.Context(), s.url("/of-a")), 2)
		wantDisallowed(t, b.Check(t.Context(), s.url("/of-b")), 4)
		s.wantAsked(t, robotsLine)
		clock.advance(25 * time.Hour)
		wantDisallowed(t, a.Check(t.Context(), s.url("/of-a")), 2)
		wantDisallowed(t, b.Check(t.Context(), s.url("/of-b")), 4) // a has fetched it for both
		s.wantAsked(t, robotsLine, robotsLine)
	})
	t.Run("ROB-CAC-17/evicted", func(t *testing.T) {
		cache := robotsext.NewMemoryCache(1, 0)
		for i, want := range []bool{false, true} {
			h := newHost(t, robotsext.Options{Cache: robotsext.CacheOptions{Backend: cache}}, reply{status: 500})
			recordFor(t, h.r, mustParse(t, fmt.Sprintf("http://%d.example/", i)))
			if rec := h.refresh(); rec.CopyLost != want {
				t.Errorf("after %d records: copy lost %v", i+1, rec.CopyLost)
			}
		}
	})
}
