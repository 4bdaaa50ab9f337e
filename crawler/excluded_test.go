package crawler

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// sections is a site with two sections. Each page is linked, listed in a sitemap, or the target of
// a redirect. robots.txt and the sitemap match no expression of the tests.
func sections(t *testing.T) *site {
	t.Helper()
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/docs/listed\n{site}/blog/listed\n",
		"/docs/": `<a href=/docs/linked>1</a><a href=/docs/old>2</a><a href=/docs/moved>3</a><a href=/blog/linked>4</a><a href="/docs/search?q=1">5</a>`,
	})
	for _, section := range []string{"/docs", "/blog"} {
		for _, name := range []string{"/listed", "/linked", "/target", "/search", "/old"} {
			s.page(section+name, "page")
		}
	}
	s.handle("/docs/moved", redirect("/blog/target"))
	return s
}

// Links, redirects and sitemap entries are fetched if they match one of include, and none of
// exclude. The others are listed with the expression, and a plan counts its entries alike.
func TestIncludeAndExclude(t *testing.T) {
	everything := []string{"/docs/", "/docs/linked", "/docs/listed", "/docs/moved", "/docs/old", "/docs/search?q=1", "/blog/linked", "/blog/listed", "/blog/target"}
	for _, tt := range []struct {
		name             string
		include, exclude []string
		skipped          map[string]string // detail by path
	}{
		{"no expression", nil, nil, nil},
		{"one section", []string{`/docs/`}, nil, map[string]string{
			"/blog/linked": "matches no --include", "/blog/listed": "matches no --include", "/blog/target": "matches no --include",
		}},
		{"several sections", []string{`/docs/`, `/blog/l`}, nil, map[string]string{"/blog/target": "matches no --include"}},
		{"exclude applies to the query", nil, []string{`[?&]q=\d`}, map[string]string{"/docs/search?q=1": `matches --exclude "[?&]q=\d"`}},
		{"exclude wins", []string{`/docs/`, `/blog/`}, []string{`old$`, `/(linked|listed)$`}, map[string]string{
			"/docs/old": `matches --exclude "old$"`, "/docs/linked": `matches --exclude "/(linked|listed)$"`, "/docs/listed": `matches --exclude "/(linked|listed)$"`,
			"/blog/linked": `matches --exclude "/(linked|listed)$"`, "/blog/listed": `matches --exclude "/(linked|listed)$"`,
		}},
		{"the URL from its scheme on", []string{`^http://127\.0\.0\.1:\d+/docs/`}, []string{`^https:`}, map[string]string{
			"/blog/linked": "matches no --include", "/blog/listed": "matches no --include", "/blog/target": "matches no --include",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sections(t)
			cfg := testConfig(t, s.url+"/docs/")
			cfg.Scope.Include, cfg.Scope.Exclude = tt.include, tt.exclude
			_, plan := makePlan(t, cfg, nil)
			got := runCrawl(t, cfg, nil)

			want := []string{"/map.txt", "/map.txt"} // by the plan and by the crawl
			for _, path := range everything {
				if _, skipped := tt.skipped[path]; !skipped {
					want = append(want, path)
				}
			}
			if diff := cmp.Diff(sorted(want), sorted(s.asked())); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			details, listed := make(map[string]string), 0
			for _, r := range got.rejected {
				details[strings.TrimPrefix(r.URL, s.url)] = r.Detail
				if r.Reason != output.Excluded {
					t.Errorf("%+v", r)
				}
				if r.Source == "sitemap" {
					listed++
				}
			}
			if diff := cmp.Diff(tt.skipped, details); diff != "" && len(details)+len(tt.skipped) > 0 {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if got.Rejected[output.Excluded] != len(tt.skipped) || plan.Rejected[output.Excluded] != listed || plan.Pages != 3-listed {
				t.Errorf("the crawl counts %v, the plan %d pages and %v, want %d and %d", got.Rejected, plan.Pages, plan.Rejected, len(tt.skipped), listed)
			}
		})
	}
}

// Changed expressions of a resumed crawl apply to all URLs that were not fetched: the skipped
// ones, and those that were queued before. A recrawl requests the URLs that match, and lists the others.
func TestResumeWithOtherExpressions(t *testing.T) {
	s := sections(t)
	cfg := testConfig(t, s.url+"/docs/")
	cfg.Scope.Include = []string{"/docs/"}
	cfg.Limits.MaxPages = 1
	runCrawl(t, cfg, nil)
	cfg.Limits.MaxPages = 0
	for _, step := range []struct {
		include, exclude []string
		fetched          []string // by this step
		skipped          int
		recrawl          bool
	}{
		{[]string{"/docs/"}, []string{"l[a-z]+ed", "moved"}, []string{"/docs/old", "/docs/search?q=1"}, 5, false}, // queued before
		{nil, []string{"blog", "moved"}, []string{"/docs/linked", "/docs/listed"}, 3, false},
		{nil, []string{"blog", "moved"}, nil, 3, false},
		{nil, nil, []string{"/blog/linked", "/blog/listed", "/blog/target", "/docs/moved"}, 0, false},
		{[]string{"docs"}, nil, nil, 0, false},
		{nil, []string{"blog"}, []string{"/docs/", "/docs/linked", "/docs/listed", "/docs/moved", "/docs/old", "/docs/search?q=1"}, 3, true},
		{nil, nil, []string{"/blog/linked", "/blog/listed", "/blog/target", "/docs/", "/docs/linked", "/docs/listed", "/docs/moved", "/docs/old", "/docs/search?q=1"}, 0, true},
	} {
		before := len(s.asked())
		cfg.Scope.Include, cfg.Scope.Exclude = step.include, step.exclude
		got := runCrawl(t, cfg, &Options{Resume: !step.recrawl, Recrawl: step.recrawl})
		asked := slices.DeleteFunc(sorted(s.asked()[before:]), func(path string) bool { return path == "/map.txt" })
		if diff := cmp.Diff(step.fetched, asked); diff != "" {
			t.Errorf("include %q, exclude %q: requests (-want +got):\n%s", step.include, step.exclude, diff)
		}
		if got.Rejected[output.Excluded] != step.skipped || len(got.rejected) != step.skipped || got.End != EndFinished {
			t.Errorf("include %q, exclude %q: %s, %v, %+v; want %d skipped", step.include, step.exclude, got.End, got.Rejected, got.rejected, step.skipped)
		}
		bounds, err := cfg.Scope.bounds()
		must(t, err)
		for _, r := range got.rejected {
			if want := bounds.Excluded(r.URL); r.Detail != want {
				t.Errorf("include %q, exclude %q: %+v, want %q", step.include, step.exclude, r, want)
			}
		}
	}
}

// A resumed crawl does not write excluded URLs again, although their lines have only the beginning
// of a long expression, and no password in it.
func TestResumeWithALongExpression(t *testing.T) {
	for name, text := range map[string]string{"long": "/blog/|" + strings.Repeat("x", 2*escape.MaxDetail), "password": "/blog/|http://user:password@h/"} {
		t.Run(name, func(t *testing.T) {
			s := sections(t)
			cfg := testConfig(t, s.url+"/docs/")
			cfg.Scope.Exclude = []string{text}
			runCrawl(t, cfg, nil)
			before := contentOf(t, filepath.Join(cfg.Output.Dir, results.JournalFile))
			got := runCrawl(t, cfg, &Options{Resume: true})
			if diff := cmp.Diff(string(before), string(contentOf(t, filepath.Join(cfg.Output.Dir, results.JournalFile)))); diff != "" || got.Rejected[output.Excluded] != 3 {
				t.Errorf("%v, journal (-before +after):\n%s", got.Rejected, diff)
			}
		})
	}
}

// A start URL may redirect to an excluded URL. Its host does not belong to the crawl until the
// expression is changed.
func TestExcludedTargetOfAStartURL(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/listed\n", "/listed": "listed", "/": "www", "/other": "other"})
	bare := newSite(t, "127.0.0.1", map[string]string{"/page": fmt.Sprintf(`<a href="%s/other">other</a>`, www.url)})
	bare.handle("/", redirect(www.url+"/"))
	cfg := testConfig(t, bare.url+"/", bare.url+"/page")
	cfg.Scope.Exclude = []string{`^http://127\.0\.0\.2:\d+/$`}
	got := runCrawl(t, cfg, nil)
	if len(www.requests()) > 0 || len(got.AddedHosts) > 0 {
		t.Errorf("requested %v, joined %v", www.requests(), got.AddedHosts)
	}
	if target, other := got.refusal(t, www.url+"/"), got.refusal(t, www.url+"/other"); target.Reason != output.Excluded || other.Reason != output.OutOfScope {
		t.Errorf("%+v, %+v", target, other)
	}
	got = resume(t, cfg, func(c *Config) { c.Scope.Exclude = nil })
	if diff := cmp.Diff([]string{"/", "/listed", "/other"}, got.paths(www.url)); diff != "" || len(got.rejected) > 0 || !slices.Equal(got.AddedHosts, []string{www.url}) {
		t.Errorf("joined %v, rejected %+v, pages (-want +got):\n%s", got.AddedHosts, got.rejected, diff)
	}
}

// manual is a site with directories, a sitemap, and links and redirects out of /docs/.
func manual(t *testing.T, address string) *site {
	t.Helper()
	s := newSite(t, address, map[string]string{
		"/robots.txt": "Sitemap: {site}/maps/all.txt\n", "/maps/all.txt": "{site}/docs/listed\n{site}/blog/listed\n{site}/manual/listed\n",
		"/docs/index.html": `<a href=a/b>1</a><a href=../blog/linked>2</a><a href=/docs>3</a><a href="/docs.html">4</a><a href=moved>5</a><a href="/blog/x?to=/docs/">6</a><a href=/manual/linked>7</a>`,
		"/docs/a/b":        "deep", "/docs/listed": "listed",
		"/manual/": "<a href=linked>1</a>", "/manual/linked": "linked", "/manual/listed": "listed",
	})
	s.handle("/docs/moved", redirect("/blog/target"))
	s.handle("/go/manual", redirect("/manual/"))
	s.page("/login", `<a href=/docs/a/b>1</a><a href=/help>2</a>`)
	s.handle("/docs/private/", redirect("/login?from=private"))
	s.handle("/docs/expired", redirect("/login"))
	s.handle("/go/deep", redirect("/manual/deep/"))
	s.handle("/manual/deep/", redirect("/manual/"))
	return s
}

// With scope path, a crawl stays in the directories of its start URLs, and reads the sitemaps of
// their hosts. A redirect of a start URL adds the directory of its target, also after a resume.
func TestScopePath(t *testing.T) {
	inDocs := []string{"/docs/a/b", "/docs/index.html", "/docs/listed", "/docs/moved"}
	inBoth := append([]string{"/go/manual", "/manual/", "/manual/linked", "/manual/listed"}, inDocs...)
	outside := []string{"/blog/linked", "/blog/listed", "/blog/target", "/blog/x?to=/docs/", "/docs", "/docs.html"}
	for _, tt := range []struct {
		name           string
		starts         []string
		pages, skipped []string
		joined         []string
	}{
		{"one directory", []string{"/docs/index.html"}, inDocs, append([]string{"/manual/linked", "/manual/listed"}, outside...), nil},
		{"a redirect to another", []string{"/docs/index.html", "/go/manual"}, inBoth, outside, []string{"/manual/"}},
		{"redirects above its directory", []string{"/docs/private/", "/docs/expired"}, []string{"/docs/a/b", "/docs/expired", "/docs/listed", "/docs/private/", "/login", "/login?from=private"}, []string{"/blog/listed", "/help", "/manual/listed"}, nil},
		{
			"redirects above a directory that joined", []string{"/docs/index.html", "/go/deep"}, append([]string{"/go/deep", "/manual/deep/", "/manual/"}, inDocs...),
			append([]string{"/manual/linked", "/manual/listed"}, outside...), []string{"/manual/deep/"},
		},
		{"start URLs in one directory", []string{"/docs/index.html", "/docs/a/b", "/docs/listed"}, inDocs, append([]string{"/manual/linked", "/manual/listed"}, outside...), nil},
	} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, resumed %v", tt.name, killed), func(t *testing.T) {
				s := manual(t, "127.0.0.1")
				var starts []string
				for _, path := range tt.starts {
					starts = append(starts, s.url+path)
				}
				cfg := testConfig(t, starts...)
				cfg.Scope.Kind = ScopePath
				_, plan := makePlan(t, cfg, nil)
				if len(plan.Origins) != 1 || len(plan.Others) > 0 || plan.Rejected[output.OutOfScope] != 2 {
					t.Errorf("plan: %+v, others %+v, %v", plan.Origins, plan.Others, plan.Rejected)
				}
				if killed {
					cfg.Limits.MaxPages = len(tt.starts) // the redirects too
				}
				got := runCrawl(t, cfg, nil)
				if killed {
					got = resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
				}
				if diff := cmp.Diff(sorted(tt.pages), got.paths(s.url)); diff != "" {
					t.Errorf("pages (-want +got):\n%s", diff)
				}
				for _, path := range tt.skipped {
					if r := got.refusal(t, s.url+path); r.Reason != output.OutOfScope || s.count(path) > 0 {
						t.Errorf("%s: requested %d times, %+v", path, s.count(path), r)
					}
				}
				var joined []string
				for _, path := range tt.joined {
					joined = append(joined, s.url+path)
				}
				if len(got.rejected) != len(tt.skipped) || !slices.Equal(got.AddedHosts, joined) {
					t.Errorf("rejected %+v, joined %v", got.rejected, got.AddedHosts)
				}
			})
		}
	}
}

// With scope path, a redirect of a start URL does not add a directory that contains the start
// directory of another worker, even if this worker has not received it.
func TestSharedRedirectAboveADirectory(t *testing.T) {
	t.Parallel()
	s := manual(t, "127.0.0.1")
	cfg := sharedConfig(t, s.url+"/go/there")
	cfg.Scope.Kind = ScopePath
	got := runCrawl(t, workerConfig(t, cfg, "w1"), &Options{OnStart: func() {
		other := byHand(t, cfg, "w2")
		s.handle("/go/there", func(w http.ResponseWriter, r *http.Request) {
			tells(t, other, `{"joined":%q}`, s.url+"/manual/deep/")
			http.Redirect(w, r, "/manual/", http.StatusFound)
		})
	}})
	if r := got.refusal(t, s.url+"/manual/linked"); r.Reason != output.OutOfScope || s.count("/manual/") != 1 || s.count("/manual/linked") > 0 {
		t.Errorf("requested %v, %+v", s.asked(), r)
	}
}

// With scope path, a worker of a shared crawl receives the directories of others, not their
// whole hosts.
func TestSharedScopePath(t *testing.T) {
	t.Parallel()
	s := manual(t, "127.0.0.1")
	cfg := sharedConfig(t, s.url+"/docs/index.html")
	cfg.Scope.Kind = ScopePath
	first := workerConfig(t, cfg, "w1")
	got := runCrawl(t, first, nil)
	if r := got.refusal(t, s.url+"/manual/linked"); r.Reason != output.OutOfScope {
		t.Errorf("%+v", r)
	}
	second := workerConfig(t, cfg, "w2")
	second.URLs = append(slices.Clone(cfg.URLs), s.url+"/go/manual")
	runCrawl(t, second, nil)
	got = again(t, first, Options{Resume: true}) // it queues what it skipped
	all := []*crawl{got, {pages: readOutput[output.Page](t, second, "pages.jsonl")}}
	want := []string{"/docs/a/b", "/docs/index.html", "/docs/listed", "/docs/moved", "/go/manual", "/manual/", "/manual/linked", "/manual/listed"}
	for i := range want {
		want[i] = s.url + want[i]
	}
	if diff := cmp.Diff(want, allPages(all)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(s.asked(), func(path string) bool { return strings.HasPrefix(path, "/blog/") || path == "/docs" }) {
		t.Errorf("requested %v", s.asked())
	}
	later := newCrawler(t, workerConfig(t, cfg, "w3"), nil)
	must(t, later.open())
	defer func() { must(t, later.run.Close()) }()
	for path, want := range map[string]bool{"/docs/x": true, "/manual/x": true, "/blog/x": false, "/": false} {
		u, err := weburl.Parse(s.url + path)
		must(t, err)
		if later.scope.Holds(u) != want {
			t.Errorf("a later worker has %s in its scope: %v", path, !want)
		}
	}
}
