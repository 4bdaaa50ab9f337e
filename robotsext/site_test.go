package robotsext_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/robotsext"
)

const agent = "testbot/1.0 (+https://example.com/testbot)"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a website on loopback that keeps a record of what it was asked: the
// judge in most tests here.
type site struct {
	*httptest.Server

	mu   sync.Mutex
	seen []*http.Request
	at   map[string]http.HandlerFunc // by path, before all else
}

// newSite serves robots at /robots.txt, a redirect to X at /to?X, and a page
// everywhere else.
func newSite(t *testing.T, robots http.HandlerFunc) *site {
	t.Helper()
	s := &site{at: map[string]http.HandlerFunc{"/robots.txt": robots}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, req)
		handler := s.at[req.URL.Path]
		s.mu.Unlock()
		switch {
		case handler != nil:
			handler(w, req)
		case req.URL.Path == "/to":
			http.Redirect(w, req, req.URL.RawQuery, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>%s</title>", req.URL.Path)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// serve has a path answered by a handler; nil means a page.
func (s *site) serve(path string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[path] = handler
}

// text serves a robots.txt.
func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, http.StatusText(code), code) }
}

// asked is what the site saw, as "GET /path?query".
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, req := range s.seen {
		lines = append(lines, req.Method+" "+req.RequestURI)
	}
	return lines
}

func (s *site) count(line string) int {
	n := 0
	for _, l := range s.asked() {
		if l == line {
			n++
		}
	}
	return n
}

// pages is what was asked besides robots.txt, sorted.
func (s *site) pages() []string {
	pages := slices.DeleteFunc(s.asked(), func(l string) bool { return l == robotsLine })
	slices.Sort(pages)
	return pages
}

const robotsLine = "GET /robots.txt"

func (s *site) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	if got := s.asked(); !slices.Equal(got, want) {
		t.Errorf("site was asked %q, want %q", got, want)
	}
}

func (s *site) wantCount(t *testing.T, line string, want int) {
	t.Helper()
	if got := s.count(line); got != want {
		t.Errorf("%s: %d times, want %d", line, got, want)
	}
}

// wantPages compares what was asked besides robots.txt, in any order.
func (s *site) wantPages(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := s.pages(); !slices.Equal(got, want) {
		t.Errorf("pages sent: %q, want %q", got, want)
	}
}

func (s *site) url(path string) *url.URL {
	u, err := url.Parse(s.URL + path)
	if err != nil {
		panic(err)
	}
	return u
}

func newRobots(t *testing.T, opts *robotsext.Options) *robotsext.Robots {
	t.Helper()
	if opts == nil {
		opts = &robotsext.Options{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	r, err := robotsext.New(agent, opts)
	wantOK(t, err)
	t.Cleanup(r.CloseIdleConnections)
	return r
}

// newLogged is newRobots with a log to look at.
func newLogged(t *testing.T) (*robotsext.Robots, *syncBuffer) {
	t.Helper()
	log := new(syncBuffer)
	return newRobots(t, &robotsext.Options{Logger: slog.New(slog.NewTextHandler(log, nil))}), log
}

// wantLogged wants the log to have a text so many times.
func wantLogged(t *testing.T, log *syncBuffer, text string, want int) {
	t.Helper()
	if n := strings.Count(log.String(), text); n != want {
		t.Errorf("logged %d times, want %d: %s", n, want, log)
	}
}

const (
	logReplaced    = "call Attach again after SetClient"
	logUnreachable = "refused until its robots.txt can be read"
)

// syncBuffer is a buffer that goroutines may share.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func recordFor(t *testing.T, r *robotsext.Robots, u *url.URL) *robotsext.Record {
	t.Helper()
	rec, err := r.Record(t.Context(), u)
	wantOK(t, err)
	return rec
}

// wantOK ends the test at an error.
func wantOK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	wantOK(t, err)
	return u
}

// lines reads the specification's notation for line ends.
func lines(s string) string { return strings.ReplaceAll(s, "⏎", "\n") }
