package robotsext_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// web is any number of sites in a bubble of fake time. Every answer but an error
// takes a second.
type web struct {
	t       *testing.T
	start   time.Time
	answers map[string][]reply      // by URL, one after the other; the last stays
	others  func(path string) reply // for all other URLs; nil means 404

	mu   sync.Mutex
	sent []string // "seconds URL", without the http:// of a.example

	files    []robotsext.SitemapFile // that were read
	findings []finding
}

type finding struct {
	file string
	kind sitemap.Kind
	text string
}

// siteA is left out in the names of its URLs.
const siteA = "http://a.example"

// inBubble runs a subtest with fake time.
func inBubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// onWeb runs a subtest in a bubble.
func onWeb(t *testing.T, name string, answers map[string][]reply, test func(t *testing.T, w *web)) {
	t.Helper()
	inBubble(t, name, func(t *testing.T) { test(t, &web{t: t, start: time.Now(), answers: answers}) })
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(req.URL.String(), siteA)
	w.mu.Lock()
	w.sent = append(w.sent, fmt.Sprintf("%.0f %s", time.Since(w.start).Seconds(), name))
	queue := w.answers[name]
	if len(queue) > 1 {
		w.answers[name] = queue[1:]
	}
	w.mu.Unlock()
	switch {
	case len(queue) > 0:
	case w.others != nil:
		queue = []reply{w.others(name)}
	default:
		return reply{status: 404}.RoundTrip(req)
	}
	resp, err := queue[0].RoundTrip(req)
	if err == nil {
		time.Sleep(time.Second)
	}
	return resp, err
}

func (w *web) robots(opts robotsext.Options) *robotsext.Robots {
	opts.Transport = w
	opts.Sitemaps.OnFile = func(f robotsext.SitemapFile) { w.files = append(w.files, f) }
	opts.Sitemaps.OnFinding = func(file string, f sitemap.Finding) {
		w.findings = append(w.findings, finding{strings.TrimPrefix(file, siteA), f.Kind, strings.TrimPrefix(f.Text, siteA)})
	}
	return newRobots(w.t, &opts)
}

// sitemaps reads the sitemaps of a.example.
func (w *web) sitemaps(opts robotsext.Options) (pages []string, errs []error) {
	return gather(w.robots(opts).Sitemaps(w.t.Context(), rootA))
}

func (w *web) wantSent(want ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.sent, want) {
		w.t.Errorf("sent %q, want %q", w.sent, want)
	}
}

// count is how often a URL was requested.
func (w *web) count(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, line := range w.sent {
		if strings.HasSuffix(line, " "+name) {
			n++
		}
	}
	return n
}

// after wants so many seconds to have passed.
func (w *web) after(least, most time.Duration) {
	w.t.Helper()
	if took := time.Since(w.start); took < least || took > most {
		w.t.Errorf("took %s, want %s to %s", took, least, most)
	}
}

func ok(body string) []reply { return []reply{{status: 200, body: body}} }

func robotsListing(urls ...string) []reply {
	var b strings.Builder
	for _, u := range urls {
		fmt.Fprintf(&b, "Sitemap: %s\n", u)
	}
	return ok(b.String())
}

var rootA = &url.URL{Scheme: "http", Host: "a.example", Path: "/"}

func short(urls []string) []string {
	var names []string
	for _, u := range urls {
		names = append(names, strings.TrimPrefix(u, siteA))
	}
	return names
}

func wantPages(t *testing.T, got []string, want ...string) {
	t.Helper()
	if got = short(got); !slices.Equal(got, want) {
		t.Errorf("pages %q, want %q", got, want)
	}
}
