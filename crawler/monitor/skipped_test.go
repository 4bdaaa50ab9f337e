package monitor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestSkippedURLsAreShownAtOnce holds that the live page counts and lists a skipped URL when
// the crawl skips it, once. A URL that is fetched after all leaves the list.
func TestSkippedURLsAreShownAtOnce(t *testing.T) {
	gates := map[string]chan struct{}{"/gate1": make(chan struct{}), "/gate2": make(chan struct{})}
	open1, open2 := sync.OnceFunc(func() { close(gates["/gate1"]) }), sync.OnceFunc(func() { close(gates["/gate2"]) })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/":
			fmt.Fprint(w, `<a href="http://other.invalid/">1</a><a href="http://other.invalid/2">2</a><a rel=nofollow href=/no>3</a><a rel=nofollow href=/later>4</a>
				<a href=/gate1>5</a><a href=/more>6</a><a href=/next>7</a><a href=/gate2>8</a>`)
		case "/more":
			fmt.Fprint(w, "<a href=/later>followed</a>")
		default:
			if gate := gates[r.URL.Path]; gate != nil {
				<-gate
			}
		}
	}))
	defer site.Close()
	defer open1()
	defer open2()
	s, err := Listen("127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir, cfg.Fetch.AllowAddr = []string{site.URL + "/"}, filepath.Join(t.TempDir(), "crawl"), []string{"127.0.0.0/8"}
	cfg.Politeness.Delay, cfg.Limits.Workers = 0, 1
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
	metrics := func(when string, rejected, withdrawn map[output.Reason]int) {
		t.Helper()
		for _, reason := range []output.Reason{output.OutOfScope, output.Nofollow} {
			r, w := testutil.ToFloat64(s.watch.metrics.rejected.WithLabelValues(string(reason))), testutil.ToFloat64(s.watch.metrics.withdrawn.WithLabelValues(string(reason)))
			if int(r) != rejected[reason] || int(w) != withdrawn[reason] {
				t.Errorf("%s: %v rejected as %s, %v withdrawn, want %d and %d", when, r, reason, w, rejected[reason], withdrawn[reason])
			}
		}
	}
	v := view(t, s)
	var now overview
	var listed []rejectionRow
	shows := func(pages int, urls ...string) bool {
		var rows []string
		for _, row := range listed {
			rows = append(rows, strings.TrimPrefix(row.URL.Text, site.URL))
		}
		slices.Sort(rows)
		return now.Pages == pages && now.Rejected == len(urls) && slices.Equal(rows, urls)
	}
	wait := func(pages int, urls ...string) {
		t.Helper()
		for !shows(pages, urls...) {
			e, err := v.next()
			if err != nil {
				t.Fatalf("%v; last seen: %+v, %+v", err, now, listed)
			}
			into(t, e, "now", &now)
			into(t, e, "rejections", &listed)
		}
	}
	found := map[output.Reason]int{output.OutOfScope: 2, output.Nofollow: 2}

	wait(1, "/later", "/no", "http://other.invalid/", "http://other.invalid/2")
	metrics("at the first page", found, nil)
	open1()
	wait(4, "/no", "http://other.invalid/", "http://other.invalid/2")
	metrics("when one was fetched after all", found, map[output.Reason]int{output.Nofollow: 1})
	open2()
	sum := <-over
	s.End(sum)
	metrics("in the end", found, map[output.Reason]int{output.Nofollow: 1})
	if sum.Rejected[output.OutOfScope] != 2 || sum.Rejected[output.Nofollow] != 1 || sum.Pages != 6 {
		t.Errorf("%+v", sum)
	}
}
