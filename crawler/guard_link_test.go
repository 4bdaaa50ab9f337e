package crawler

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestGuardOfRelations: a Link header leads nowhere, whatever its relation and wherever it
// points, nor does a Refresh header; its canonical URL is written down. Of link elements
// those of a series are links, and are refused and listed as such.
func TestGuardOfRelations(t *testing.T) {
	inside, allowed := newSite(t, "127.0.0.1", nil), newSite(t, "127.0.0.3", nil)
	targets := []string{metadata, inside.url + "/", allowed.url + "/"}
	relations := []string{"canonical", "next", "prev", "alternate", "preload", "preconnect", "dns-prefetch", "describedby", "https://api.w.org/"}
	s := newSite(t, "127.0.0.2", nil)
	link := func(w http.ResponseWriter, path string) {
		for _, target := range targets {
			for _, rel := range relations {
				w.Header().Add("Link", fmt.Sprintf("<%s%s>; rel=%q", target, path, rel))
			}
		}
		w.Header().Set("Refresh", "0; url="+allowed.url+"/refresh")
	}
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		link(w, "header")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<link rel=next href="`+metadata+`next"><link rel=prev href="`+inside.url+`/prev"><a href="/more">more</a>`)
		for _, target := range targets {
			for _, rel := range relations[3:] {
				_, _ = fmt.Fprintf(w, `<link rel="%s" href="%selement">`, rel, target)
			}
			_, _ = fmt.Fprintf(w, `<link rel="canonical" href="%selement">`, target)
		}
	})
	for path, status := range map[string]int{"/robots.txt": 200, "/more": 404} {
		s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
			link(w, "header")
			w.WriteHeader(status)
		})
	}
	cfg := guardedConfig(t, s.url+"/")
	cfg.Fetch.AllowAddr = append(cfg.Fetch.AllowAddr, "127.0.0.3")
	got := run(t, cfg, nil)
	got.wantRefused(t, metadata+"next", "(cloud metadata)")
	got.wantRefused(t, inside.url+"/prev", "(loopback)")
	if len(got.rejected) != 2 || got.Rejected[output.Address] != 2 || got.Pages != 2 || got.Robots != 1 {
		t.Errorf("%+v; rejected %+v", got.Summary, got.rejected)
	}
	for _, p := range got.pages {
		if p.URL == s.url+"/" && p.Canonical != metadata+"header" {
			t.Errorf("canonical %q", p.Canonical)
		}
	}
	inside.wantUntouched(t)
	allowed.wantUntouched(t)
}
