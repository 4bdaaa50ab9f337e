package demosite

import (
	"io"
	"net/http"
	"slices"
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

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
