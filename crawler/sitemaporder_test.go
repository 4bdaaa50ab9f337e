package crawler

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
)

// urlset returns a sitemap. Each entry is a path, and optionally a date.
func urlset(entries ...string) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for _, e := range entries {
		path, date, _ := strings.Cut(e, " ")
		fmt.Fprintf(&b, "<url><loc>{site}%s</loc><lastmod>%s</lastmod></url>\n", path, date)
	}
	return b.String() + "</urlset>"
}

// ROB-SMP-16: pages are requested in the order of lastmod, however near the dates are.
func TestSitemapEntriesAreSortedByLastMod(t *testing.T) {
	for name, c := range map[string]struct {
		order SitemapOrder
		maps  []string
		want  []string
	}{
		"old pages, days and seconds apart": {
			ByLastMod, []string{urlset("/2 2019-03-02", "/5 2019-02-27T10:00:00Z", "/1 2019-03-03", "/4 2019-02-27T10:00:01Z", "/3 2019-03-01")},
			[]string{"/1", "/2", "/3", "/4", "/5"},
		},
		"undated and future pages are last, as listed": {
			ByLastMod, []string{urlset("/2", "/3 2999-01-01", "/4 yesterday", "/1 2019-03-03")}, []string{"/1", "/2", "/3", "/4"},
		},
		"equal dates as listed": {ByLastMod, []string{urlset("/2 2019-03-02", "/3 2019-03-02", "/1 2020-03-02")}, []string{"/1", "/2", "/3"}},
		"several files": {
			ByLastMod, []string{urlset("/4 2010-01-01", "/2 2021-01-01", "/5 2010-01-01"), urlset("/3 2016-01-01", "/6", "/1 2025-01-01")},
			[]string{"/1", "/2", "/3", "/4", "/5", "/6"},
		},
		"as listed": {AsListed, []string{urlset("/1 2019-03-02", "/2 2019-03-03", "/3")}, []string{"/1", "/2", "/3"}},
	} {
		t.Run(name, func(t *testing.T) {
			pages := map[string]string{"/robots.txt": "", "/": "start"}
			for i, text := range c.maps {
				pages["/robots.txt"] += fmt.Sprintf("Sitemap: {site}/%d.xml\n", i)
				pages[fmt.Sprintf("/%d.xml", i)] = text
			}
			for _, path := range c.want {
				pages[path] = path
			}
			s := newSite(t, "127.0.0.1", pages)
			cfg := testConfig(t, s.url)
			cfg.Sitemaps.Order, cfg.Limits.Concurrency = c.order, 1
			runCrawl(t, cfg, nil)
			var got []string
			for _, uri := range s.asked() {
				if uri != "/" && uri != "/robots.txt" && !strings.HasSuffix(uri, ".xml") {
					got = append(got, uri)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A sitemap is sorted as a whole, up to the entries that the protocol allows. If it breaks off, those that
// arrived count.
func TestBrokenOffSitemapIsSortedByLastMod(t *testing.T) {
	const n = 3*discover.SeedBatch + 7
	first, entries := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf("/p/%d %s", i, first.Add(time.Duration(i)*time.Minute).Format(time.RFC3339))
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/": "start", "/robots.txt": "Sitemap: {site}/map.xml\n"})
	body := strings.ReplaceAll(strings.TrimSuffix(urlset(entries...), "</urlset>"), "{site}", s.url)
	s.handle("/map.xml", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1000)) // it breaks off
		_, _ = io.WriteString(w, body)
	})
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries, cfg.Limits.MaxPages = 0, 2
	var mu sync.Mutex // guards added
	var added, want []string
	runCrawl(t, cfg, &Options{Frontier: &hooked{Frontier: frontier.NewMemory(nil), add: func(items []frontier.Item) error {
		mu.Lock()
		defer mu.Unlock()
		for _, it := range items {
			if _, path, ok := strings.Cut(it.URL, "/p/"); ok {
				added = append(added, path)
			}
		}
		return nil
	}}})
	for i := range n {
		want = append(want, strconv.Itoa(n-1-i))
	}
	if !slices.Equal(added, want) {
		t.Errorf("%d entries are added, want %d in the order of lastmod", len(added), n)
	}
}

func TestParseSince(t *testing.T) {
	for in, want := range map[string]string{
		"": "0001-01-01T00:00:00Z", "2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T12:00:00+02:00": "2026-01-31T10:00:00Z",
	} {
		if got, err := parseSince(in); err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("parseSince(%q) = %v, %v; want %s", in, got, err, want)
		}
	}
	if _, err := parseSince("yesterday"); err == nil {
		t.Error("parseSince(yesterday) succeeded")
	}
}
