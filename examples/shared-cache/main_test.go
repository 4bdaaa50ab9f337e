package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/robotsext"
)

// TestMain runs the program if its arguments are in the environment.
func TestMain(m *testing.M) {
	if args := os.Getenv("ARGS"); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		return
	}
	os.Exit(m.Run())
}

// newSite serves a robots.txt and counts the requests for it.
func newSite(t *testing.T) (site *httptest.Server, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	}))
	t.Cleanup(site.Close)
	return site, requests
}

// process runs the program in a process of its own and returns its output.
func process(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "ARGS="+strings.Join(args, " "))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestSecondProcessUsesRecord(t *testing.T) {
	redis := redistest.Start(t)
	site, requests := newSite(t)
	checks := "allowed " + site.URL + "/page\n" + site.URL + "/private/page is disallowed by"
	for i, want := range []string{"requested " + site.URL + "/robots.txt\n" + checks, checks} {
		if got := process(t, redis.Addr, site.URL+"/page", site.URL+"/private/page"); !strings.HasPrefix(got, want) {
			t.Errorf("process %d: %q does not begin with %q", i+1, got, want)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests for robots.txt, want 1", n)
	}
	if ttl := redis.Do(t, "TTL", keyPrefix+site.URL); ttl != ":-1" {
		t.Errorf("the key expires: %s", ttl)
	}
}

// A failure of Redis, or a damaged record, costs a request, but allows nothing.
func TestFailures(t *testing.T) {
	redis := redistest.Start(t)
	site, requests := newSite(t)
	private, err := url.Parse(site.URL + "/private/page")
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, c redisCache, want int32) {
		t.Helper()
		robots, err := robotsext.New("examplebot/1.0", &robotsext.Options{Cache: robotsext.CacheOptions{Backend: c}})
		if err != nil {
			t.Fatal(err)
		}
		defer robots.CloseIdleConnections()
		requests.Store(0)
		start := time.Now()
		var blocked *robotsext.BlockedError
		if err := robots.Check(t.Context(), private); !errors.As(err, &blocked) || blocked.Reason != robotsext.Disallowed {
			t.Errorf("error %v", err)
		}
		if passed := time.Since(start); passed > 10*redisTimeout {
			t.Errorf("the check took %s", passed)
		}
		if n := requests.Load(); n != want {
			t.Errorf("%d requests for robots.txt, want %d", n, want)
		}
	}
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{redis.Addr}, DisableCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c := redisCache{client}
	if rec, err := c.Load(context.Background(), "https://example.com"); rec != nil || err != nil {
		t.Errorf("a record that was never stored: %v, error %v", rec, err)
	}
	check(t, c, 1)
	check(t, c, 0)
	redis.Do(t, "SET", keyPrefix+site.URL, `{"origin"`)
	check(t, c, 1)
	check(t, c, 0) // it was replaced
	redis.Do(t, "CONFIG", "SET", "maxmemory", "1")
	check(t, c, 0)
	redis.Do(t, "DEL", keyPrefix+site.URL)
	check(t, c, 1) // cannot be stored
	redis.Kill()
	check(t, c, 1)
}
