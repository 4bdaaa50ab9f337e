package robotsext_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestEviction(t *testing.T) {
	visit := func(t *testing.T, cache robotsext.CacheOptions, body string) (asked func(host string) int) {
		t.Helper()
		fetches := map[string]int{}
		r := newRobots(t, &robotsext.Options{Cache: cache, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			fetches[req.URL.Host]++
			return reply{status: 200, body: body}.RoundTrip(req)
		})})
		return func(host string) int {
			recordFor(t, r, mustParse(t, "http://"+host+".example/"))
			return fetches[host+".example"]
		}
	}
	t.Run("ROB-CAC-17/by number", func(t *testing.T) {
		asked := visit(t, robotsext.CacheOptions{MaxRecords: 2}, private)
		var got []int
		for _, host := range []string{"a", "b", "a", "c", "c", "a", "b"} { // b is the least recently used when c comes
			got = append(got, asked(host))
		}
		if want := []int{1, 1, 1, 1, 1, 1, 2}; !slices.Equal(got, want) {
			t.Errorf("fetched %d times, want %d", got, want)
		}
	})
	for name, body := range map[string]string{
		"text":          private + strings.Repeat("# a comment\n", 10_000),
		"rules":         private + strings.Repeat("Disallow: /*b\n", 2000),
		"rules, all CR": "User-agent: *\r" + strings.Repeat("Disallow: /*b\r", 2000),
	} {
		t.Run("ROB-CAC-17/by bytes/"+name, func(t *testing.T) {
			asked := visit(t, robotsext.CacheOptions{MaxBytes: 1 << 20}, body)
			for i := range 10 {
				asked(fmt.Sprint(i))
			}
			if asked("9") != 1 || asked("0") != 2 {
				t.Error("the bound on bytes does not hold, or the newest record went")
			}
		})
	}
}

// A slot is not evicted while somebody finds out: who asks then waits for that.
func TestLookupInFlightIsNotEvicted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		asked := 0
		r := newRobots(t, &robotsext.Options{Cache: robotsext.CacheOptions{MaxRecords: 1}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "slow.example" {
				asked++
				<-answer
			}
			return robotsReply.RoundTrip(req)
		})})
		var wg sync.WaitGroup
		ask := func() {
			wg.Go(func() { wantDisallowed(t, r.Check(t.Context(), mustParse(t, "http://slow.example/private")), 2) })
			synctest.Wait()
		}
		ask()
		for _, host := range []string{"a.example", "b.example"} {
			wantDisallowed(t, r.Check(t.Context(), mustParse(t, "http://"+host+"/private")), 2)
		}
		ask()
		close(answer)
		wg.Wait()
		if asked != 1 {
			t.Errorf("ROB-FET-03: asked %d times at once", asked)
		}
	})
}

// Only a record that is thrown away makes others doubtful, not the slot of an
// origin that merely answered for another.
func TestEvictionOfNothing(t *testing.T) {
	r := newRobots(t, &robotsext.Options{Cache: robotsext.CacheOptions{MaxRecords: 1}, Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		if req.URL.Host == "first.example" {
			return reply{status: 302, header: http.Header{"Location": {"http://elsewhere.example/robots.txt"}}}.RoundTrip(req)
		}
		return reply{status: 500}.RoundTrip(req)
	})})
	record := func(host string) *robotsext.Record { return recordFor(t, r, mustParse(t, "http://"+host+"/")) }
	record("first.example") // evicts the slot of elsewhere.example
	if rec := record("other.example"); rec.CopyLost {
		t.Error("ROB-CAC-17: a copy counts as lost though nothing was forgotten")
	}
	if rec := record("third.example"); !rec.CopyLost {
		t.Error("ROB-CAC-17: the record of first.example was forgotten")
	}
}

// What a site makes us remember besides its rules is bounded, and counted.
func TestRedirectsInMemory(t *testing.T) {
	long := func(n int) reply {
		return reply{status: 302, header: http.Header{"Location": {"http://elsewhere.example/" + strings.Repeat("a", n)}}}
	}
	t.Run("ROB-FET-05/long URL", func(t *testing.T) {
		requests := 0
		rec := recordBy(t, roundTripper(func(req *http.Request) (*http.Response, error) {
			requests++
			return long(100_000 + requests).RoundTrip(req)
		}))
		if rec.Outcome != robotsext.OutcomeAllowAll || requests != 6 || len(rec.RedirectChain) != 6 {
			t.Errorf("%v after %d requests, chain of %d", rec.Outcome, requests, len(rec.RedirectChain))
		}
		for _, u := range rec.RedirectChain {
			if len(u) > 3000 {
				t.Errorf("a URL of %d bytes was kept", len(u))
			}
		}
	})
	t.Run("ROB-FET-15/long error", func(t *testing.T) {
		rec := recordBy(t, reply{status: 302, header: http.Header{"Location": {"gopher://" + strings.Repeat("a", 100_000)}}})
		if rec.Outcome != robotsext.OutcomeUnreachable || rec.Err == nil || len(rec.Err.Error()) > 3000 {
			t.Errorf("%v with an error of %d bytes", rec.Outcome, len(rec.Err.Error()))
		}
	})
	asked := map[string]int{}
	transport := func(n int) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			asked[req.URL.Host]++
			return long(n + asked["elsewhere.example"]%5).RoundTrip(req)
		})
	}
	for name, bytes := range map[string]int{"much": 1900, "little": 10} {
		t.Run("ROB-CAC-17/counted/"+name, func(t *testing.T) {
			clear(asked)
			r := newRobots(t, &robotsext.Options{Cache: robotsext.CacheOptions{MaxBytes: 64 << 10}, Transport: transport(bytes)})
			for i := range 11 {
				recordFor(t, r, mustParse(t, fmt.Sprintf("http://%d.example/", i%10)))
			}
			if again := asked["0.example"] == 2; again != (name == "much") {
				t.Errorf("fetched again: %v", again)
			}
		})
	}
}
