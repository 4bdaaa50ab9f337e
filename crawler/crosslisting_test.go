package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// listingSitemap is a robots.txt that lists a sitemap.
func listingSitemap(url string) http.HandlerFunc { return page(200, "Sitemap: "+url+"\n") }

// The robots.txt of another origin of the server decides about its entries. It is requested after the sitemap,
// with the delay of the server.
func TestEntriesOfTheOtherScheme(t *testing.T) {
	const file = "http://example.com/maps/1.txt"
	for name, tt := range map[string]struct {
		robots http.HandlerFunc // of https
		counts bool
	}{
		"ROB-SMP-25/it lists the sitemap": {listingSitemap(file), true},
		"ROB-SMP-25/it lists another one": {listingSitemap("http://example.com/maps/2.txt"), false},
		"ROB-SMP-25/it does not exist":    {http.NotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			crawlServer(t, map[string]http.HandlerFunc{
				"http://example.com/robots.txt": listingSitemap(file), file: page(200, "https://example.com/x\n"), "https://example.com/robots.txt": tt.robots,
				"http://example.com/": page(200, "start"), "https://example.com/x": page(200, "x"),
			}, func(cfg *Config) { cfg.URLs = cfg.URLs[:1] }, func(t *testing.T, got *crawl, s *fakeServer) {
				if slices.Contains(got.paths(""), "https://example.com/x") != tt.counts {
					t.Errorf("pages %q", got.paths(""))
				}
				var rejected []string
				for _, r := range got.rejected {
					rejected = append(rejected, fmt.Sprint(r.URL, " ", r.Reason, " ", r.Detail))
				}
				if want := []string{"https://example.com/x not-authorized " + "the robots.txt of its origin is not known to list the sitemap"}; !tt.counts && !slices.Equal(rejected, want) || tt.counts && len(rejected) > 0 {
					t.Errorf("rejected %q", rejected)
				}
				if s.count("https://example.com/robots.txt") != 1 || s.count(file) != 1 {
					t.Errorf("requested %v", s.asked())
				}
				wantSpaced(t, s.requests(), time.Second)
			})
		})
	}
}

// An index is read for the host that lists it, and after that another host turns out to redirect to it. Children
// on the other host were skipped, and count now.
func TestIndexIsReadBeforeARedirectToIt(t *testing.T) {
	const a, b = "http://a.example", "http://b.example"
	crawlServer(t, map[string]http.HandlerFunc{
		a + "/robots.txt": listingSitemap(a + "/index.xml"), a + "/": redirect(b + "/"), a + "/pages.txt": redirect(b + "/pages.txt"),
		a + "/index.xml": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(20 * time.Second) // while b is crawled, and the robots.txt of a is used
			redirect(b+"/index.xml")(w, r)
		},
		b + "/robots.txt": listingSitemap(b + "/index.xml"), b + "/": page(200, "start"), b + "/pages.txt": page(200, b+"/x\n"), b + "/x": page(200, "x"),
		b + "/index.xml": page(200, "<sitemapindex><sitemap><loc>"+a+"/pages.txt</loc></sitemap></sitemapindex>"),
	}, func(cfg *Config) {
		cfg.URLs, cfg.Politeness.PerHost = []string{a + "/"}, 2
	}, func(t *testing.T, got *crawl, s *fakeServer) {
		if !slices.Contains(got.paths(""), b+"/x") || len(got.rejected) > 0 {
			t.Errorf("ROB-SMP-25: pages %q, rejected %+v, requested %v", got.paths(""), got.rejected, s.asked())
		}
	})
}

// A sitemap may name any number of hosts. The robots.txt of few of them is requested.
func TestEntriesOfManyOrigins(t *testing.T) {
	const file, most = "http://example.com/map.txt", 10
	pages := map[string]http.HandlerFunc{
		"http://example.com/robots.txt": listingSitemap(file), "http://example.com/": page(200, "start"),
		"http://10.example/robots.txt": listingSitemap(file), "http://10.example/": page(200, "ten"), "http://4.example/robots.txt": http.NotFound,
	}
	var list strings.Builder
	for i := range 50 {
		fmt.Fprintf(&list, "http://%d.example/\n", i)
	}
	pages[file] = page(200, list.String())
	crawlServer(t, pages, func(cfg *Config) {
		cfg.URLs, cfg.Scope.Kind = cfg.URLs[:1], ScopeAny
	}, func(t *testing.T, got *crawl, s *fakeServer) {
		robots := slices.DeleteFunc(s.requests(), func(r request) bool { return !strings.HasSuffix(r.uri, ".example/robots.txt") })
		if len(robots) != most {
			t.Errorf("ROB-SMP-25: %d requests for the robots.txt of hosts of entries, want %d", len(robots), most)
		}
		if !slices.Equal(got.paths(""), []string{"http://10.example/", "http://example.com/"}) || got.Rejected[output.NotAuthorized] != 49 {
			t.Errorf("%+v, pages %v", got.Summary, got.paths(""))
		}
	})
}
