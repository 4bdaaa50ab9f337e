package crawler

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A counting frontier knows how much it was given, and asked about, at a time.
type counting struct {
	*frontier.Memory

	mu           sync.Mutex // guards both below
	added, asked int

	listed int // calls of Waiting
}

func (c *counting) Waiting(ctx context.Context, hosts ...frontier.Host) iter.Seq2[frontier.Item, error] {
	c.listed++
	return c.Memory.Waiting(ctx, hosts...)
}

func (c *counting) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	c.mu.Lock()
	c.added = max(c.added, len(items))
	c.mu.Unlock()
	return c.Memory.Add(ctx, items)
}

func (c *counting) Known(ctx context.Context, urls []string) ([]bool, error) {
	c.mu.Lock()
	c.asked = max(c.asked, len(urls))
	c.mu.Unlock()
	return c.Memory.Known(ctx, urls)
}

// widest is a sink that knows how many rejections it was given at a time.
type widest struct {
	askedSink
	rejected int
}

func (w *widest) Write(f *output.Found) error {
	w.rejected = max(w.rejected, len(f.Rejected))
	return nil
}

// A sitemap of any length, and the URLs that are skipped until the end, are dealt with some
// at a time.
func TestLongSitemapsAreReadInBatches(t *testing.T) {
	const most = 1000 // lines of rejected.jsonl at a time
	const n = 3*most + 7
	lost := newSite(t, "127.0.0.2", nil)
	lost.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	var inside, outside strings.Builder
	for i := range n {
		fmt.Fprintf(&outside, `<a href="%s/%d">later</a>`, lost.url, i)
		fmt.Fprintf(&inside, "{site}/no/%d\n", i)
		fmt.Fprintf(&outside, `<a href="http://h%d.test/">out</a>`, i)
	}
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.txt\n", "/map.txt": inside.String(), "/": outside.String(),
	})
	cfg := testConfig(t, s.url+"/", lost.url+"/")
	cfg.Robots.Retry = time.Hour
	f, w := &counting{Memory: frontier.NewMemory(nil)}, new(widest)
	got := run(t, cfg, &Options{Frontier: f, Formats: []output.Format{{Open: func(string, []byte) (output.Sink, error) { return w, nil }}}})
	if got.Rejected[output.OutOfScope] != n || got.Rejected[output.Disallowed] != n || got.Rejected[output.Later] != n+1 {
		t.Fatalf("%+v", got.Summary)
	}
	if f.added > seedBatch || f.asked > most || w.rejected > most {
		t.Errorf("at a time %d are added, %d asked about, %d written", f.added, f.asked, w.rejected)
	}
	if f.listed != 1 {
		t.Errorf("the frontier was listed %d times, want once for all hosts", f.listed)
	}
}

// Listing a large frontier takes long, so a crawl that has left nothing does not.
func TestFinishedCrawlDoesNotListTheFrontier(t *testing.T) {
	f := &counting{Memory: frontier.NewMemory(nil)}
	got := run(t, testConfig(t, newSite(t, "127.0.0.1", map[string]string{"/": ""}).url+"/"), &Options{Frontier: f})
	if got.End != EndFinished || f.listed != 0 {
		t.Errorf("%s, and the frontier was listed %d times", got.End, f.listed)
	}
}
