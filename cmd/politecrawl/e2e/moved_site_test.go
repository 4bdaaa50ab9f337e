package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// movedSites are three hosts: {a} is the one that people type, {b} has the pages, {c} has files of both. A path
// has a text, or "-> URL" for a redirect; the path * stands for all others.
type movedSites struct {
	names *strings.Replacer // from names to URLs
	back  *strings.Replacer

	mu   sync.Mutex
	seen []string
}

func newMovedSites(t *testing.T, pages map[string]string) *movedSites {
	t.Helper()
	s := &movedSites{}
	var names, back []string
	for i, host := range []string{"a", "b", "c"} {
		server := serveAt(t, fmt.Sprintf("127.0.0.%d", i+1), func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, pages, "{"+host+"}") })
		names, back = append(names, "{"+host+"}", server.URL), append(back, server.URL, host)
	}
	s.names, s.back = strings.NewReplacer(names...), strings.NewReplacer(back...)
	return s
}

func (s *movedSites) serve(w http.ResponseWriter, r *http.Request, pages map[string]string, host string) {
	s.mu.Lock()
	s.seen = append(s.seen, r.Method+" "+strings.Trim(host, "{}")+r.URL.Path)
	s.mu.Unlock()
	body, ok := pages[host+r.URL.Path]
	if !ok {
		body, ok = pages[host+"*"]
	}
	to, redirects := strings.CutPrefix(s.names.Replace(body), "-> ")
	switch {
	case !ok:
		http.NotFound(w, r)
	case redirects:
		http.Redirect(w, r, strings.ReplaceAll(to, "*", r.URL.Path), http.StatusMovedPermanently)
	default:
		_, _ = io.WriteString(w, to)
	}
}

// requests returns the requests since the last call, sorted.
func (s *movedSites) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = nil
	slices.Sort(seen)
	return seen
}

const (
	urlsetOfB = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{b}/x</loc></url><url><loc>{b}/y</loc></url></urlset>`
	indexOfB  = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>{b}/sm/1.xml</loc></sitemap></sitemapindex>`
)

// The commands sitemap, plan and crawl, and Robots.Sitemaps list the same pages of a site behind a redirect, and
// request each file once.
func TestMovedSite(t *testing.T) {
	for name, pages := range map[string]map[string]string{
		"ROB-SMP-25/everything is redirected": {"{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {b}/sm/1.xml\n", "{b}/sm/1.xml": urlsetOfB},
		"ROB-SMP-25/both hosts list it": {
			"{a}/robots.txt": "Sitemap: {b}/sm/1.xml\n", "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {b}/sm/1.xml\n", "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/both hosts list the one that redirects": {
			"{a}/robots.txt": "Sitemap: {a}/sm/1.xml\n", "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {a}/sm/1.xml\n", "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/each host lists its own URL of it": {
			"{a}/robots.txt": "Sitemap: {a}/sm/1.xml\n", "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {b}/sm/1.xml\n", "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/an index that redirects": {
			"{a}/robots.txt": "Sitemap: {a}/index.xml\n", "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {b}/index.xml\n", "{b}/index.xml": indexOfB, "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/an index of the other host's sitemaps": {
			"{a}/robots.txt": "Sitemap: {a}/index.xml\n", "{a}/index.xml": indexOfB, "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {a}/index.xml\n", "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/an index that redirects, of children that redirect": {
			"{a}/robots.txt": "Sitemap: {a}/i/index.xml\n", "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {b}/i/index.xml\n",
			"{b}/i/index.xml": strings.ReplaceAll(indexOfB, "{b}", "{a}"), "{b}/sm/1.xml": urlsetOfB,
		},
		"ROB-SMP-25/the host that redirects has it": {
			"{a}/robots.txt": "Sitemap: {a}/sm/1.xml\n", "{a}/sm/1.xml": urlsetOfB, "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {a}/sm/1.xml\n",
		},
		"ROB-SMP-25/a third host has it": {
			"{a}/robots.txt": "Sitemap: {c}/sm/1.xml\n", "{c}/sm/1.xml": urlsetOfB, "{a}*": "-> {b}*", "{b}/robots.txt": "Sitemap: {c}/sm/1.xml\n",
		},
		"ROB-SMP-25/a third host has it, and the robots.txt redirects": {
			"{a}*": "-> {b}*", "{c}/sm/1.xml": urlsetOfB, "{b}/robots.txt": "Sitemap: {c}/sm/1.xml\n",
		},
	} {
		for _, path := range []string{"/", "/x", "/y"} {
			pages["{b}"+path] = path
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMovedSites(t, pages)
			want := []string{"b/x", "b/y"}
			root := s.names.Replace("{a}/")
			once := func(what string, own int) {
				t.Helper()
				requests := s.requests()
				count := make(map[string]int)
				for _, r := range requests {
					count[r]++
				}
				if pages["{a}/robots.txt"] == "" { // a redirect does not stand for a request of b for its own (ROB-FET-06)
					count["GET b/robots.txt"]--
				}
				for r, n := range count {
					if n > 1 {
						t.Errorf("%s: %s %d times: %v", what, r, n, requests)
					}
				}
				if n := slices.IndexFunc(requests, func(r string) bool { return strings.HasPrefix(r, "GET b/x") }); n >= 0 != (own > 0) {
					t.Errorf("%s: requested %v", what, requests)
				}
			}

			got := run(t, "sitemap", root, "--delay", "0s")
			listed := strings.Fields(s.back.Replace(got.Out))
			if slices.Sort(listed); !slices.Equal(listed, want) || got.Code != cli.ExitDone {
				t.Errorf("sitemap: %+v", got)
			}
			once("sitemap", 0)

			r := clitest.Must(robotsext.New("testbot/1.0", &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}))(t)
			defer r.CloseIdleConnections()
			u := clitest.Must(url.Parse(root))(t)
			listed = nil
			for entry, err := range r.Sitemaps(t.Context(), u) {
				if err != nil {
					t.Errorf("Robots.Sitemaps: %v", err)
				}
				listed = append(listed, s.back.Replace(entry.Loc))
			}
			if !slices.Equal(listed, want) {
				t.Errorf("Robots.Sitemaps: %v", listed)
			}
			once("Robots.Sitemaps", 0)

			got = run(t, "plan", root, "--delay", "10ms", "--format", "json")
			if got.Code != cli.ExitDone {
				t.Fatalf("plan: %+v", got)
			}
			p := clitest.JSON[plan.Plan](t, got.Out)
			if p.Pages != 4 || p.Entries != 2 || len(p.Rejected) > 0 {
				t.Errorf("plan: %s", got.Out)
			}
			once("plan", 0)

			dir := filepath.Join(t.TempDir(), "crawl")
			for _, command := range [][]string{{"crawl", root, "--delay", "10ms", "--output", dir}, {"crawl", "--delay", "10ms", "--recrawl", dir}} {
				if got = run(t, command...); got.Code != cli.ExitDone {
					t.Fatalf("%v: %+v", command, got)
				}
				var pages []string
				for _, p := range jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")) {
					pages = append(pages, s.back.Replace(p.URL))
				}
				slices.Sort(pages)
				clitest.WantEqual(t, fmt.Sprint(command), []string{"a/", "b/", "b/x", "b/y"}, pages)
				entries := jsonLines[output.Entry](t, filepath.Join(dir, "entries.jsonl"))
				rejected := jsonLines[output.Rejection](t, filepath.Join(dir, "rejected.jsonl"))
				if len(entries) != 2 || len(rejected) > 0 {
					t.Errorf("%v: entries %+v, rejected %+v", command, entries, rejected)
				}
				once(strings.Join(command, " "), 1)
			}
		})
	}
}
