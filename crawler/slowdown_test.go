package crawler

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// ROB-POL-04, ROB-POL-05: a host that answers 429 with Retry-After is left alone for
// that long, asked more slowly after it, and at its usual pace again in the end.
// What the host saw is the judge.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	const (
		delay      = 100 * time.Millisecond
		retryAfter = 5 * time.Second
		pages      = 20
		refused    = 5 // the page that is answered so, once
	)
	site := map[string]string{}
	for i := range pages {
		site[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`<a href="/%d">next</a>`, i+1)
	}
	s := newSite(t, "127.0.0.1", site)
	inner, tired := s.mux, true
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == fmt.Sprintf("/%d", refused) && tired {
			tired = false // one request is in flight at a time
			w.Header().Set("Retry-After", fmt.Sprint(retryAfter.Seconds()))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		inner.ServeHTTP(w, r)
	})
	cfg := testConfig(t, s.url+"/0")
	cfg.Politeness.Delay, cfg.Fetch.Retries, cfg.Limits.MaxWait, cfg.Politeness.ResponseFactor = delay, 3, time.Minute, 0
	got := run(t, cfg, nil)
	if got.End != EndFinished || got.Statuses[200] != pages || got.Statuses[404] != 1 {
		t.Errorf("%+v", got.Summary)
	}
	requests := s.requests()
	gap := func(i int) time.Duration { return requests[i].began.Sub(requests[i-1].end) }
	after := 0 // the first request after the refusal
	for i := 1; i < len(requests); i++ {
		if requests[i-1].uri == fmt.Sprintf("/%d", refused) && after == 0 {
			after = i
		}
		if gap(i) < delay {
			t.Errorf("%s came after %v, the delay is %v", requests[i].uri, gap(i), delay)
		}
	}
	t.Logf("before: %v, after 429: %v, then: %v … %v", gap(after-1), gap(after), gap(after+1), gap(len(requests)-1))
	if gap(after) < retryAfter {
		t.Errorf("the host was asked again %v after it had asked for %v", gap(after), retryAfter)
	}
	// Twice the delay, and from each answer to the next a tenth less.
	for i, least := after+1, 2*delay*9/10; i < after+4; i, least = i+1, least*9/10 {
		if gap(i) < least {
			t.Errorf("request %d after the refusal came after %v, want %v: the host is to be spared", i-after, gap(i), least)
		}
	}
	// A busy machine makes any gap longer, but not each of the last.
	shortest := time.Hour
	for i := len(requests) - 6; i < len(requests); i++ {
		shortest = min(shortest, gap(i))
	}
	if shortest > 2*delay*9/10 {
		t.Errorf("the last requests came after %v or more: the host has long recovered, its delay is %v", shortest, delay)
	}
}
