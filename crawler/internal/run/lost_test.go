package run

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
)

// A site counts the requests for each of its pages.
type site struct {
	mu    sync.Mutex // guards asked
	asked map[string]int
	pages map[string]string
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	return answering(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(s.pages[r.URL.Path])) }).RoundTrip(r)
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// listing returns a site whose sitemap lists a page.
func listing() *site {
	return &site{asked: make(map[string]int), pages: map[string]string{
		"/robots.txt": "Sitemap: http://a.test/map.txt\n", "/map.txt": "http://a.test/a\n", "/": "start", "/a": "a",
	}}
}

// A page whose lease was lost before its commit does not count for limits, files and traps. The
// process with the new lease fetches it.
func TestPageOfALostLease(t *testing.T) {
	s := listing()
	set := testSettings(t, s, "http://a.test/")
	set.Limits.MaxPages, set.Visit.Discover.MaxEntries = 2, 1
	c := opened(t, set, frontier.NewMemory(nil))
	c.parts.Member = &losingMember{Member: c.parts.Member, requests: s.count, lost: make(map[string]bool)}
	_, err := worked(t, c)
	must(t, err)
	if got := c.tally.(*counts); got.pages != 2 || got.entries != 1 || s.count("/") != 2 || s.count("/map.txt") != 2 || got.rejected > 0 {
		t.Errorf("%+v, requested %v", got, s.asked)
	}
}

// A losingMember loses the lease of the first request for the start page and for the sitemap.
type losingMember struct {
	cluster.Member
	requests func(path string) int // that the site has seen
	lost     map[string]bool       // paths whose first lease is
}

func (m *losingMember) Lost(frontier.LeaseID) bool {
	for _, path := range []string{"/", "/map.txt"} {
		if m.requests(path) == 1 && !m.lost[path] {
			m.lost[path] = true
			return true
		}
	}
	return false
}

// A Retry-After applies even if the lease of the URL was lost.
func TestRetryAfterOfALostLeaseHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, testSettings(t, answering(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}), "http://a.test/"), frontier.NewMemory(nil))
		defer c.parts.Lifecycle.Abort()
		c.parts.Member = lostMember{c.parts.Member}
		visited(t, c, leased(t, c))
		host, err := c.parts.Frontier.Host(t.Context(), "a.test")
		must(t, err)
		if wait := time.Until(host.BlockedUntil); wait < 59*time.Minute {
			t.Errorf("the server gets no request for %v, want an hour", wait)
		}
		must(t, c.Close())
	})
}

// A lostMember has lost every lease.
type lostMember struct{ cluster.Member }

func (lostMember) Lost(frontier.LeaseID) bool { return true }

// If an error of our own ends a page, its share of the limits is returned.
func TestInternalErrorReturnsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := false
		set := testSettings(t, answering(func(w http.ResponseWriter, r *http.Request) {
			fails = r.URL.Path == "/"
			w.WriteHeader(map[bool]int{true: http.StatusTooManyRequests, false: http.StatusNotFound}[fails])
		}), "http://a.test/")
		set.Limits.MaxPages = 1
		c := opened(t, set, &failingHost{frontier.NewMemory(nil), &fails})
		defer c.parts.Lifecycle.Abort()
		if got := visited(t, c, leased(t, c)); got != frontier.Defer {
			t.Fatal(got) // it has gone to robots.txt
		}
		if _, _, err := c.visitor.Visit(t.Context(), leased(t, c)); !errors.Is(err, errFrontierFails) {
			t.Fatalf("%v, want %v", err, errFrontierFails)
		}
		fails = false
		if share, err := c.parts.Limits.Take(t.Context(), c.parts.Frontier, "a.test"); share != quota.Granted || err != nil {
			t.Errorf("the next page: %v, %v", share, err)
		}
		must(t, c.Close())
	})
}

var errFrontierFails = errors.New("the frontier fails")

// A failingHost is a frontier whose Host fails.
type failingHost struct {
	frontier.Frontier
	fails *bool
}

func (f *failingHost) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	if *f.fails {
		return frontier.HostRecord{}, errFrontierFails
	}
	return f.Frontier.Host(ctx, h)
}

// A lease that ends while the entries of its sitemap are added leaves no lines: the process that has the next lease
// reads the sitemap.
func TestLeaseLostWhileASitemapIsAdded(t *testing.T) {
	s, f := listing(), &slowFrontier{Memory: frontier.NewMemory(nil)}
	c := opened(t, testSettings(t, s, "http://a.test/"), f)
	c.parts.Member = &slowMember{Member: c.parts.Member, frontier: f}
	_, err := worked(t, c)
	must(t, err)
	if got := c.tally.(*counts); got.sitemaps != 1 || got.entries != 1 || s.count("/map.txt") != 2 || s.count("/a") != 1 {
		t.Errorf("%+v, requested %v; want the sitemap read twice and listed once", got, s.asked)
	}
}

// A slowFrontier notes when the first entry of a sitemap is added.
type slowFrontier struct {
	*frontier.Memory
	added atomic.Bool
}

func (f *slowFrontier) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	if slices.ContainsFunc(items, func(i frontier.Item) bool { return strings.HasSuffix(i.URL, "/a") }) {
		f.added.Store(true)
	}
	return f.Memory.Add(ctx, items)
}

// A slowMember loses the first lease that is requested after that.
type slowMember struct {
	cluster.Member
	frontier *slowFrontier
	lost     atomic.Bool
}

func (m *slowMember) Lost(frontier.LeaseID) bool {
	return m.frontier.added.Load() && !m.lost.Swap(true)
}
