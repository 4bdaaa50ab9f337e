package demosite

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

const agent = "politecrawl-test (politecrawl/0.1)"

// serve starts a site for one test.
func serve(t *testing.T, opts *Options) *Site {
	t.Helper()
	s, err := Start(opts)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// quick returns options without latency, so that tests are fast.
func quick() *Options {
	return &Options{latency: -1, CrawlDelay: 5 * time.Millisecond, robotsFailures: 1}
}

// alone returns the options quick for a machine that has one loopback address only.
func alone() *Options {
	opts := quick()
	opts.addresses = slices.Repeat([]string{"127.0.0.1"}, 8)
	return opts
}

// client is an HTTP client that does not follow redirects.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send sends one request and reads the response to its end.
func send(t *testing.T, c *http.Client, method, rawURL string, change ...func(*http.Request)) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, rawURL, nil)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	req.Header.Set("User-Agent", agent)
	for _, f := range change {
		f(req)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, body
}

// A courteous is a polite client, written by hand. It has a delay for each host, requests
// robots.txt first, and obeys Retry-After. The Expectation tells it what is allowed.
type courteous struct {
	t      *testing.T
	client *http.Client
	delay  map[string]time.Duration // by host, for those that ask for more
	least  time.Duration

	mu     sync.Mutex // guards clocks
	clocks map[string]*clock
}

// A clock holds the next request time of a host.
type clock struct {
	mu  sync.Mutex // held during a request
	due time.Time
}

func (c *courteous) clock(host string) *clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clocks[host] == nil {
		c.clocks[host] = &clock{}
	}
	return c.clocks[host]
}

// get sends a request when the host is due, and retries while the status is 503.
func (c *courteous) get(rawURL string) *http.Response {
	u, err := url.Parse(rawURL)
	if err != nil {
		c.t.Error(err)
		return nil
	}
	turn := c.clock(u.Host)
	turn.mu.Lock()
	defer turn.mu.Unlock()
	for {
		time.Sleep(time.Until(turn.due))
		resp, _ := send(c.t, c.client, http.MethodGet, rawURL)
		turn.due = time.Now().Add(max(c.least, c.delay[u.Host]))
		if resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
			return resp
		}
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			c.t.Errorf("503 of %s without Retry-After", rawURL)
			return resp
		}
		turn.due = time.Now().Add(time.Duration(seconds) * time.Second)
	}
}

// robots follows the redirects of a robots.txt.
func (c *courteous) robots(origin string) {
	next := origin + "/robots.txt"
	for range 6 {
		resp := c.get(next)
		if resp == nil || resp.Header.Get("Location") == "" {
			return
		}
		u, err := resp.Location()
		if err != nil {
			c.t.Error(err)
			return
		}
		next = u.String()
	}
}

// crawl fetches all expected URLs.
func (c *courteous) crawl(e Expectation) {
	var wg sync.WaitGroup
	for origin := range e.Robots {
		wg.Go(func() {
			c.robots(origin)
			for _, list := range [][]string{e.Sitemaps, e.Pages} {
				for _, u := range list {
					if at, _, _ := resolve(u, ""); at == origin {
						c.get(u)
					}
				}
			}
		})
	}
	wg.Wait()
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
