package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
)

func TestCount(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "User-agent: examplebot\nDisallow: /private\n")
		case "/":
			fmt.Fprint(w, `<title>Green tea</title><a href="/black">black</a><a href="/private">private</a>`)
		case "/black":
			fmt.Fprint(w, `<title>Black Tea</title>`)
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	defer site.Close()
	t.Setenv("TMPDIR", t.TempDir())
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Politeness.Delay, cfg.Fetch.UserAgent = []string{site.URL}, 0, "examplebot/1.0"
	var out bytes.Buffer
	if err := count(t.Context(), cfg, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("1 black\n1 green\n2 tea\n2 pages (finished), 0 URLs remaining\n", out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
