package crawler

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A site is a host on loopback that records its requests.
type site struct {
	url  string // without a slash at the end
	mux  *http.ServeMux
	seen struct {
		sync.Mutex
		requests []request
	}
}

// A request is a request to a site.
type request struct {
	method      string
	uri         string // as sent
	began, end  time.Time
	conditional bool // If-None-Match or If-Modified-Since
	header      http.Header
	host        string // as sent
}

// newSite serves pages (HTML by path; a path that is missing is a 404) on an
// address of 127.0.0.0/8.
func newSite(t *testing.T, address string, pages map[string]string) *site {
	t.Helper()
	s := &site{mux: http.NewServeMux()}
	for path, body := range pages {
		s.page(path, body)
	}
	server := &httptest.Server{Listener: listen(t, address), Config: &http.Server{Handler: http.HandlerFunc(s.serve)}}
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// page serves body at path. {site} in it is replaced with the site's URL.
func (s *site) page(path, body string) {
	s.handle(path, func(w http.ResponseWriter, r *http.Request) {
		kind := "text/html; charset=utf-8"
		if strings.HasSuffix(path, ".txt") || strings.HasSuffix(path, ".xml") {
			kind = "text/plain"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "{site}", "http://"+r.Host))
	})
}

func (s *site) handle(path string, h http.HandlerFunc) {
	if strings.HasSuffix(path, "/") {
		path += "{$}"
	}
	s.mux.HandleFunc(path, h)
}

// serve records a request when it arrives: its client may end before the handler does.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	s.seen.Lock()
	n := len(s.seen.requests)
	s.seen.requests = append(s.seen.requests, request{
		method: r.Method, uri: r.RequestURI, began: time.Now(),
		conditional: r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "", header: r.Header.Clone(), host: r.Host,
	})
	s.seen.Unlock()
	s.mux.ServeHTTP(w, r)
	s.seen.Lock()
	defer s.seen.Unlock()
	s.seen.requests[n].end = time.Now()
}

// requests returns the requests to the site, in order.
func (s *site) requests() []request {
	s.seen.Lock()
	defer s.seen.Unlock()
	out := slices.Clone(s.seen.requests)
	slices.SortFunc(out, func(a, b request) int { return a.began.Compare(b.began) })
	return out
}

// asked returns the requested URIs, in order, without robots.txt.
func (s *site) asked() []string {
	var uris []string
	for _, r := range s.requests() {
		if r.uri != "/robots.txt" {
			uris = append(uris, r.uri)
		}
	}
	return uris
}

// count returns the number of requests for a URI.
func (s *site) count(uri string) int {
	n := 0
	for _, r := range s.requests() {
		if r.uri == uri {
			n++
		}
	}
	return n
}

// A crawl is a finished crawl of a test, with the contents of its files.
type crawl struct {
	*Summary
	pages    []output.Page
	rejected []output.Rejection
	notices  []string
}

// testConfig returns a configuration for loopback, without delays.
func testConfig(t testing.TB, urls ...string) Config {
	t.Helper()
	cfg := Default()
	cfg.URLs, cfg.Output.Dir = urls, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Limits.MaxWait, cfg.Robots.Retry = 0, 0, 50*time.Millisecond
	cfg.Fetch.Timeout, cfg.Robots.Timeout = 30*time.Second, 30*time.Second
	cfg.Fetch.Retries = 0
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	return cfg
}

// newCrawler returns a crawl. In a bubble it connects to the sites of the bubble.
func newCrawler(t *testing.T, cfg Config, opts *Options) *Crawler {
	t.Helper()
	c, err := New(cfg, connected(t, &cfg, opts))
	must(t, err)
	return c
}

// runCrawl crawls to the end and reads the files.
func runCrawl(t *testing.T, cfg Config, opts *Options) *crawl {
	t.Helper()
	return runChanged(t, cfg, opts, func(*Crawler) {})
}

// runChanged is like run, but changes the Crawler before it starts.
func runChanged(t *testing.T, cfg Config, opts *Options, change func(*Crawler)) *crawl {
	t.Helper()
	var mu sync.Mutex
	got := &crawl{}
	if opts == nil {
		opts = &Options{}
	}
	told := opts.OnNotice
	opts.OnNotice = func(line string) {
		if told != nil {
			told(line)
		}
		mu.Lock()
		defer mu.Unlock()
		got.notices = append(got.notices, line)
	}
	c := newCrawler(t, cfg, opts)
	change(c)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var err error
	if got.Summary, err = c.Run(ctx); err != nil {
		t.Fatal(err)
	}
	got.pages = readOutput[output.Page](t, cfg, "pages.jsonl")
	got.rejected = readOutput[output.Rejection](t, cfg, "rejected.jsonl")
	if len(got.pages) != got.Pages {
		t.Errorf("the summary says %d pages, %s has %d", got.Pages, "pages.jsonl", len(got.pages))
	}
	if opts.Frontier == nil { // a frontier may have the robots.txt of another crawl
		if _, differences := verify(t, cfg.Output.Dir); len(differences) > 0 {
			t.Errorf("the record of permissions does not agree: %q", differences)
		}
	}
	return got
}

func readOutput[T any](t *testing.T, cfg Config, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(cfg.Output.Dir, name))
	must(t, err)
	defer func() { _ = f.Close() }()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v: %s", name, err, lines.Text())
		}
		out = append(out, v)
	}
	must(t, lines.Err())
	return out
}

// paths returns the fetched URLs below base, sorted.
func (c *crawl) paths(base string) []string {
	var paths []string
	for _, p := range c.pages {
		if path, ok := strings.CutPrefix(p.URL, base); ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// wantPages checks the fetched URLs of a site.
func (c *crawl) wantPages(t *testing.T, s *site, paths ...string) {
	t.Helper()
	if diff := cmp.Diff(paths, c.paths(s.url)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// refusal returns the line of rejected.jsonl for a URL.
func (c *crawl) refusal(t *testing.T, url string) output.Rejection {
	t.Helper()
	var found []output.Rejection
	for _, r := range c.rejected {
		if r.URL == url {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		t.Fatalf("rejected.jsonl has %d lines about %s, want 1; it holds %+v", len(found), url, c.rejected)
	}
	return found[0]
}

// waitFor waits until a condition holds, for at most a minute. The checks after it then fail.
func waitFor(holds func() bool) {
	for end := time.Now().Add(time.Minute); !holds() && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// page returns a response with a body, in which {site} is replaced, and header fields: a name and a value each.
func page(status int, body string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(fields); i += 2 {
			w.Header().Add(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, strings.ReplaceAll(body, "{site}", "http://"+r.Host))
	}
}

// wantSpaced checks that the server never had concurrent requests, and the delay between them.
func wantSpaced(t *testing.T, requests []request, least time.Duration) {
	t.Helper()
	for i, r := range requests[1:] {
		if gap := r.began.Sub(requests[i].end); gap < least {
			t.Errorf("%s came %v after %s, want %v", r.uri, gap, requests[i].uri, least)
		}
	}
}

// resume resumes the crawl of cfg to its end.
func resume(t *testing.T, cfg Config, change func(*Config)) *crawl {
	t.Helper()
	saved := savedConfig(t, cfg)
	if diff := cmp.Diff(cfg, saved); diff != "" {
		t.Errorf("saved configuration (-want +got):\n%s", diff)
	}
	if change != nil {
		change(&saved)
	}
	return runCrawl(t, saved, &Options{Resume: true})
}

// chain returns a site of n pages, each with a link to the next and others.
func chain(t *testing.T, n int) *site {
	pages := map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"}
	for i := range n {
		path := fmt.Sprintf("/%d", i)
		pages[path] = fmt.Sprintf(`page %d <a href="/%d">next</a><a href="/no/%d">no</a><a href="http://elsewhere.invalid/%d">out</a>`, i, min(i+1, n-1), i, i)
	}
	return newSite(t, "127.0.0.1", pages)
}

// again crawls the directory of cfg again.
func again(t *testing.T, cfg Config, opts Options) *crawl {
	t.Helper()
	saved := savedConfig(t, cfg)
	return runCrawl(t, saved, &opts)
}

// status returns a response with a status and no body.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// redirect returns a redirect.
func redirect(to string) http.HandlerFunc {
	return http.RedirectHandler(to, http.StatusFound).ServeHTTP
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contentOf reads a file.
func contentOf(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return text
}

// savedConfig returns the configuration in crawl.json.
func savedConfig(t *testing.T, cfg Config) Config {
	t.Helper()
	saved, err := LoadConfig(cfg.Output.Dir)
	must(t, err)
	return saved
}

// refuses checks that a crawl does not start, and that its files are unchanged.
func refuses(t *testing.T, cfg Config, opts *Options, class error, text string) {
	t.Helper()
	name := filepath.Join(cfg.Output.Dir, "pages.jsonl")
	before, _ := os.ReadFile(name)
	c := newCrawler(t, cfg, opts)
	if sum, err := c.Run(t.Context()); sum != nil || !errors.Is(err, class) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v, want %v with %q", err, class, text)
	}
	if after, _ := os.ReadFile(name); !bytes.Equal(after, before) {
		t.Errorf("%s had %d bytes, and has %d", name, len(before), len(after))
	}
}

// stoppedChain returns a chain of n pages, and the configuration of a crawl that was stopped
// after some of them.
func stoppedChain(t *testing.T, n, after int) (*site, Config) {
	t.Helper()
	s := chain(t, n)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxPages, cfg.Limits.Concurrency = after, 1
	runCrawl(t, cfg, nil)
	return s, cfg
}

var errFrontierFails = errors.New("the frontier fails")

// A hooked frontier calls a function before some of its methods, unless it is nil. An error of the function is
// that of the method.
type hooked struct {
	frontier.Frontier
	add    func(items []frontier.Item) error
	known  func(keys []frontier.Key) error
	finish func(outcomes []frontier.Outcome) error
	host   func(h frontier.Host) error
	update func(u frontier.HostUpdate) error
}

// hook calls a hook with its argument.
func hook[T any](f func(T) error, arg T) error {
	if f == nil {
		return nil
	}
	return f(arg)
}

func (f *hooked) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	if err := hook(f.add, items); err != nil {
		return nil, err
	}
	return f.Frontier.Add(ctx, items)
}

func (f *hooked) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	if err := hook(f.known, keys); err != nil {
		return nil, err
	}
	return f.Frontier.Known(ctx, keys)
}

func (f *hooked) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) ([]error, error) {
	if err := hook(f.finish, outcomes); err != nil {
		return nil, err
	}
	return f.Frontier.Finish(ctx, outcomes, note)
}

func (f *hooked) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	if err := hook(f.host, h); err != nil {
		return frontier.HostRecord{}, err
	}
	return f.Frontier.Host(ctx, h)
}

func (f *hooked) UpdateHost(ctx context.Context, h frontier.Host, u frontier.HostUpdate) error {
	if err := hook(f.update, u); err != nil {
		return err
	}
	return f.Frontier.UpdateHost(ctx, h, u)
}
