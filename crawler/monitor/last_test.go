package monitor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestLastUpdate holds that what viewers see last of a crawl is how it ended, not how it
// was when it was looked at before; and that so does who comes between that and the end of
// the process.
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
	s, err := Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir, cfg.Fetch.AllowAddr = []string{site.URL + "/"}, filepath.Join(t.TempDir(), "crawl"), []string{"127.0.0.0/8"}
	cfg.Politeness.Delay, cfg.Limits.MaxHostPages = 0, most
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{Formats: []output.Format{s.Format()}, Begun: func() { s.Begin(c) }})
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
	v := view(t, s)
	const others = pages + 1 - most // of /, and the pages that it links to
	until(v, "now", func(o overview) bool { return o.Pages == most-1 && o.Pending == others })
	close(open)
	sum := <-over
	if sum.Rejected[output.HostFull] != others || sum.Left != 0 {
		t.Fatalf("%+v", sum)
	}
	late := view(t, s)
	s.End(sum)
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
			into(t, e, "now", &now)
			into(t, e, "hosts", &hosts)
		}
		if now.State != ended || now.Left+now.Pending+now.Later+now.Flying != 0 || now.Pages != most {
			t.Errorf("who %s: %+v", name, now)
		}
		if len(hosts) != 1 || hosts[0].Waiting+hosts[0].Flying != 0 || hosts[0].Done != most {
			t.Errorf("who %s: hosts %+v", name, hosts)
		}
	}
}

// TestEndOfACrawlThatDidNotBegin holds that who waits for one is told.
func TestEndOfACrawlThatDidNotBegin(t *testing.T) {
	for _, sum := range []*crawler.Summary{nil, {End: crawler.EndFailed}} {
		s, err := Listen("127.0.0.1:0", nil)
		if err != nil {
			t.Fatal(err)
		}
		v := view(t, s)
		until(v, "now", func(o overview) bool { return o.State == "beginning" })
		s.End(sum)
		if last := until(v, "ended", func(ending) bool { return true }); sum != nil && last.End != string(sum.End) {
			t.Errorf("it ended %q", last.End)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
