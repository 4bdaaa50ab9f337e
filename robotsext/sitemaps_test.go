package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// files serves a robots.txt and sitemaps by path; {own} in a text is the site.
func files(t *testing.T, texts map[string]string) *site {
	t.Helper()
	s := newSite(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, req)
		s.mu.Unlock()
		text, ok := texts[req.URL.Path]
		if !ok {
			http.NotFound(w, req)
			return
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			http.Redirect(w, req, target, http.StatusFound)
			return
		}
		text = strings.ReplaceAll(text, "{own}", s.URL)
		if strings.HasSuffix(req.URL.Path, ".gz") {
			text = string(zip([]byte(text)))
		}
		fmt.Fprint(w, text)
	})
	return s
}

func urlset(urls ...string) string {
	return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + locs("url", urls) + `</urlset>`
}

func index(urls ...string) string {
	return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + locs("sitemap", urls) + `</sitemapindex>`
}

func locs(element string, urls []string) string {
	var b strings.Builder
	for _, u := range urls {
		fmt.Fprintf(&b, "<%s><loc>%s</loc></%s>", element, u, element)
	}
	return b.String()
}

// gather runs a walk to its end.
func gather(walk iter.Seq2[sitemap.Entry, error]) (pages []string, errs []error) {
	for entry, err := range walk {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pages = append(pages, entry.Loc)
	}
	return pages, errs
}

func TestSitemaps(t *testing.T) {
	s := files(t, map[string]string{
		"/robots.txt":      "Sitemap: {own}/index.xml\nSitemap: {own}/plain.xml\nSitemap: {own}/private/map.xml\nSitemap: {own}/gone.xml\nUser-agent: *\nDisallow: /private\n",
		"/index.xml":       index("{own}/a.xml.gz", "{own}/index.xml", "{own}/a.xml.gz", "{own}/moved.xml"),
		"/a.xml.gz":        urlset("{own}/1", "{own}/2"),
		"/plain.xml":       urlset("{own}/3", "{own}/private/4"),
		"/moved.xml":       "-> /private/map.xml",
		"/private/map.xml": urlset("{own}/hidden"),
	})
	pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/any")))
	t.Run("ROB-SMP-01/ROB-SMP-23", func(t *testing.T) {
		want := []string{s.URL + "/1", s.URL + "/2", s.URL + "/3", s.URL + "/private/4"}
		if !slices.Equal(pages, want) {
			t.Errorf("pages %q, want %q", pages, want)
		}
	})
	t.Run("ROB-SMP-04/ROB-GEN-04", func(t *testing.T) {
		if n := s.count("GET /private/map.xml"); n != 0 {
			t.Error("a disallowed sitemap was fetched")
		}
		if len(errs) != 3 {
			t.Fatalf("errors %v, want 3", errs)
		}
		wantDisallowed(t, errs[0], 6) // the redirect of /moved.xml
		wantDisallowed(t, errs[1], 6)
		if e, ok := errors.AsType[*robotsext.SitemapError](errs[1]); !ok || e.URL != s.URL+"/private/map.xml" {
			t.Errorf("error %v does not name its file", errs[1])
		}
	})
	t.Run("ROB-SMP-24", func(t *testing.T) {
		if e, ok := errors.AsType[*robotsext.SitemapError](errs[2]); !ok || e.URL != s.URL+"/gone.xml" || !strings.Contains(e.Error(), "404") {
			t.Errorf("error %v", errs[2])
		}
	})
	t.Run("ROB-SMP-05/ROB-SMP-20", func(t *testing.T) {
		for _, line := range []string{"GET /index.xml", "GET /a.xml.gz", "GET /plain.xml", robotsLine} {
			if n := s.count(line); n != 1 {
				t.Errorf("%s: %d times", line, n)
			}
		}
	})
}

func TestSitemapOfOtherOrigin(t *testing.T) {
	hidden := files(t, map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n", "/map.xml": urlset("http://example.com/")})
	open := files(t, map[string]string{"/dir/map.xml": urlset("{own}/dir/below", "{own}/above", "http://third.example/x")})
	s := files(t, map[string]string{"/robots.txt": "Sitemap: " + hidden.URL + "/map.xml\nSitemap: " + open.URL + "/dir/map.xml\n"})
	pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
	t.Run("ROB-SMP-04", func(t *testing.T) {
		if len(errs) != 1 {
			t.Fatalf("errors %v", errs)
		}
		wantDisallowed(t, errs[0], 2)
		hidden.wantAsked(t, robotsLine)
	})
	t.Run("ROB-SMP-18", func(t *testing.T) {
		if want := []string{open.URL + "/dir/below"}; !slices.Equal(pages, want) {
			t.Errorf("pages %q, want %q", pages, want)
		}
	})
}

func TestSitemapPolicy(t *testing.T) {
	s := files(t, map[string]string{
		"/robots.txt":          "Sitemap: {own}/catalog/sitemap.xml\n",
		"/catalog/sitemap.xml": urlset("{own}/catalog/show", "{own}/catalog/../image", "{own}/image/show", "https://example.com/catalog/show", "http://third.example/catalog/x"),
	})
	all := []string{s.URL + "/catalog/show", s.URL + "/catalog/../image", s.URL + "/image/show", "https://example.com/catalog/show", "http://third.example/catalog/x"}
	for _, test := range []struct {
		id     string
		policy sitemap.Policy
		want   []string
	}{
		{"ROB-SMP-18/listed", sitemap.Listed, all[:3]},
		{"ROB-SMP-19/directory", sitemap.Directory, all[:1]},
		{"ROB-SMP-18/any", sitemap.Any, all},
	} {
		t.Run(test.id, func(t *testing.T) {
			var left []string
			var done []robotsext.SitemapFile
			r := newRobots(t, &robotsext.Options{
				Sitemaps: robotsext.SitemapOptions{
					Delay: -1, Policy: test.policy,
					OnFile: func(f robotsext.SitemapFile) { done = append(done, f) },
					OnFinding: func(file string, f sitemap.Finding) {
						if file != s.URL+"/catalog/sitemap.xml" || f.Kind != sitemap.OutOfScope || f.Line != 1 {
							t.Errorf("%s: %+v", file, f)
						}
						left = append(left, f.Text)
					},
				},
			})
			pages, errs := gather(r.Sitemaps(t.Context(), s.url("/")))
			if !slices.Equal(pages, test.want) || len(errs) != 0 {
				t.Errorf("pages %q, errors %v; want %q", pages, errs, test.want)
			}
			slices.Sort(left)
			if want := missing(all, pages); !slices.Equal(left, want) {
				t.Errorf("told as left out: %q, want %q", left, want)
			}
			if len(done) != 1 || done[0].OutOfScope != len(left) {
				t.Errorf("files %+v", done)
			}
		})
	}
}

// missing is what of all is not in some, sorted.
func missing(all, some []string) []string {
	rest := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
	slices.Sort(rest)
	return rest
}

func TestSitemapWalkEnds(t *testing.T) {
	t.Run("ROB-SMP-20/depth", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "Sitemap: {own}/0.xml\n",
			"/0.xml":      index("{own}/1.xml"),
			"/1.xml":      index("{own}/2.xml"),
			"/2.xml":      index("{own}/3.xml"),
			"/3.xml":      urlset("{own}/deep"),
		})
		pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(pages) != 0 || len(errs) != 1 || !errors.Is(errs[0], robotsext.ErrSitemapDepth) {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
		s.wantAsked(t, robotsLine, "GET /0.xml", "GET /1.xml", "GET /2.xml")
	})
	t.Run("ROB-SMP-20/budget", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "Sitemap: {own}/0.xml\nSitemap: {own}/5.xml\nSitemap: {own}/6.xml\n",
			"/0.xml":      index("{own}/1.xml", "{own}/2.xml", "{own}/3.xml"),
			"/1.xml":      urlset("{own}/a"),
			"/2.xml":      urlset("{own}/b"),
		})
		pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{MaxFiles: 2, Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(pages) != 1 || len(errs) != 1 || !errors.Is(errs[0], robotsext.ErrSitemapBudget) {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
		s.wantAsked(t, robotsLine, "GET /0.xml", "GET /1.xml")
	})
	t.Run("left", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "Sitemap: {own}/0.xml\nSitemap: {own}/1.xml\n",
			"/0.xml":      urlset("{own}/a", "{own}/b"),
			"/1.xml":      urlset("{own}/c"),
		})
		for entry, err := range newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")) {
			if err != nil || entry.Loc != s.URL+"/a" {
				t.Error(entry, err)
			}
			break
		}
		s.wantAsked(t, robotsLine, "GET /0.xml")
	})
	t.Run("ROB-SMP-22/broken file", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "Sitemap: {own}/0.xml\nSitemap: {own}/1.xml\n",
			"/0.xml":      strings.Replace(urlset("{own}/a"), "</urlset>", "</wrong>", 1),
			"/1.xml":      urlset("{own}/b"),
		})
		pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(errs) != 1 || len(pages) == 0 || pages[len(pages)-1] != s.URL+"/b" {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
	})
	t.Run("ROB-SMP-09/no robots.txt", func(t *testing.T) {
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			w.WriteHeader(404)
			fmt.Fprintf(w, "Sitemap: http://%s/map.xml", req.Host)
		})
		pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(pages)+len(errs) != 0 {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
		s.wantAsked(t, robotsLine) // ROB-SMP-10: nothing is guessed
	})
	t.Run("ROB-SMP-09/unreachable", func(t *testing.T) {
		s := newSite(t, status(500))
		_, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(errs) != 1 {
			t.Fatalf("errors %v", errs)
		}
		wantLater(t, errs[0])
	})
	t.Run("ROB-SMP-09/redirected robots.txt", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "-> /r.txt",
			"/r.txt":      "Sitemap: {own}/0.xml\n",
			"/0.xml":      urlset("{own}/a"),
		})
		pages, errs := gather(newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(t.Context(), s.url("/")))
		if len(pages) != 1 || len(errs) != 0 {
			t.Errorf("pages %q, errors %v", pages, errs)
		}
	})
	t.Run("context", func(t *testing.T) {
		s := files(t, map[string]string{
			"/robots.txt": "Sitemap: {own}/0.xml\nSitemap: {own}/1.xml\n",
			"/0.xml":      urlset("{own}/a"),
			"/1.xml":      urlset("{own}/b"),
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var errs []error
		for _, err := range newRobots(t, &robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}).Sitemaps(ctx, s.url("/")) {
			cancel()
			if err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) != 1 || !errors.Is(errs[0], context.Canceled) {
			t.Errorf("errors %v, want the context's", errs)
		}
	})
}
