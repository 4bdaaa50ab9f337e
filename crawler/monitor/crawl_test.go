package monitor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// watched starts a monitored crawl of a site. It returns the summary at the end.
func watched(t *testing.T, url string, change func(*crawler.Config)) (*Server, <-chan *crawler.Summary) {
	t.Helper()
	s, err := Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir, cfg.Fetch.AllowAddr = []string{url + "/"}, filepath.Join(t.TempDir(), "crawl"), []string{"127.0.0.0/8"}
	cfg.Politeness.Delay = 0
	change(&cfg)
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{Formats: []output.Format{s.Format()}, OnStart: func() { s.SetCrawl(c) }})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan *crawler.Summary)
	go func() {
		sum, err := c.Run(t.Context())
		if err != nil {
			t.Error(err)
		}
		over <- sum
	}()
	return s, over
}

// TestLastUpdate: the last update for viewers shows the end of the crawl, also for viewers who
// connect later.
func TestLastUpdate(t *testing.T) {
	const pages, most = 63, 6
	open := make(chan struct{}) // the last page that is fetched, to a viewer who has seen what is left
	asked := 0                  // one request at a time
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(rw, r)
			return
		}
		if asked++; asked == most {
			<-open
		}
		rw.Header().Set("Content-Type", "text/html")
		for i := range pages {
			fmt.Fprintf(rw, `<a href="/%d">%d</a>`, i, i)
		}
	}))
	defer site.Close()
	s, over := watched(t, site.URL, func(cfg *crawler.Config) { cfg.Limits.MaxHostPages = most })
	v := view(t, s)
	const others = pages + 1 - most // of /, and the pages that it links to
	until(v, "status", func(o overview) bool { return o.Pages == most-1 && o.Remaining-o.InFlight == others })
	close(open)
	sum := <-over
	if sum.Rejected[output.MaxHostPages] != others || sum.Remaining != 0 {
		t.Fatalf("%+v", sum)
	}
	late := view(t, s)
	s.Finish(sum)
	for name, v := range map[string]*viewer{"was there": v, "came late": late} {
		var now overview
		var hosts []hostRow
		for {
			e, err := v.next()
			if err != nil {
				t.Fatal(err)
			}
			if e.name == "ended" {
				break
			}
			into(t, e, "status", &now)
			into(t, e, "hosts", &hosts)
		}
		if now.State != ended || now.Remaining+now.Scheduled+now.InFlight != 0 || now.Pages != most {
			t.Errorf("who %s: %+v", name, now)
		}
		if len(hosts) != 1 || hosts[0].Waiting+hosts[0].InFlight != 0 || hosts[0].Done != most {
			t.Errorf("who %s: hosts %+v", name, hosts)
		}
	}
}

// TestEndOfACrawlThatDidNotBegin: viewers see the end of a crawl that did not start.
func TestEndOfACrawlThatDidNotBegin(t *testing.T) {
	for _, sum := range []*crawler.Summary{nil, {End: crawler.EndFailed}} {
		s, err := Listen("127.0.0.1:0", nil)
		if err != nil {
			t.Fatal(err)
		}
		v := view(t, s)
		until(v, "status", func(o overview) bool { return o.State == "beginning" })
		s.Finish(sum)
		if last := until(v, "status", func(o overview) bool { return o.State == ended }); sum != nil && last.End != string(sum.End) {
			t.Errorf("it ended %q", last.End)
		}
		until(v, "ended", func(struct{}) bool { return true })
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSkippedURLsAppearAtOnce: the live page counts and lists a skipped URL at once, and once: its line at the
// end is not new.
func TestSkippedURLsAppearAtOnce(t *testing.T) {
	w := newTestWatch(new(monitortest.Crawl))
	first, second := output.Rejection{URL: "http://h/1", Reason: output.Nofollow}, output.Rejection{URL: "http://h/2", Reason: output.Nofollow}
	at := first
	at.WasProvisional = true
	for _, found := range []*output.Results{{Provisional: []*output.Rejection{&first}}, {Rejected: []*output.Rejection{&at, &second}}} {
		if err := w.Write(found); err != nil {
			t.Fatal(err)
		}
	}
	rows, n := w.rejections.list(), testutil.ToFloat64(w.metrics.rejected.WithLabelValues(string(output.Nofollow)))
	if len(rows) != 2 || rows[0].URL.Text != second.URL || rows[1].URL.Text != first.URL || n != 2 {
		t.Errorf("%v are counted, rows %+v", n, rows)
	}
}
