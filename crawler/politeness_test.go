package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// ROB-POL-02: with several in flight the delay counts from start to start, also
// for those that waited for robots.txt together, and by the Crawl-delay in it.
func TestROB_POL_02(t *testing.T) {
	const delay = 300 * time.Millisecond
	tests := []struct {
		name, robots string
		slow         time.Duration // robots.txt
		perHost      int
		configured   time.Duration
	}{
		{"configured, robots.txt slow", "", 2 * delay, 4, delay},
		{"Crawl-delay", "User-agent: *\nCrawl-delay: 0.3\n", 0, 4, 0},
		{"one in flight", "User-agent: *\nCrawl-delay: 0.3\n", 0, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var starts []string
			s := newSite(t, "127.0.0.1", nil)
			s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(tt.slow) // the site is slow; nothing waits for this to be over
				_, _ = fmt.Fprint(w, tt.robots)
			})
			for i := range 6 {
				path := fmt.Sprint("/", i)
				s.page(path, "page")
				starts = append(starts, s.url+path)
			}
			cfg := testConfig(t, starts...)
			cfg.Politeness.Delay, cfg.Politeness.PerHost = tt.configured, tt.perHost
			got := run(t, cfg, nil)
			requests := s.requests()
			if got.Pages != 6 || len(requests) != 7 || requests[0].uri != "/robots.txt" {
				t.Fatalf("%+v, requests %+v", got.Summary, requests)
			}
			for i, r := range requests[1:] {
				before := requests[i]
				if tt.perHost == 1 {
					if gap := r.began.Sub(before.end); gap < delay {
						t.Errorf("%s came %v after the end of %s", r.uri, gap, before.uri)
					}
					continue
				}
				// The site sees when requests arrive, not when they were sent.
				if gap := r.began.Sub(before.began); gap < delay/2 {
					t.Errorf("%s came %v after the start of %s", r.uri, gap, before.uri)
				}
			}
		})
	}
}

// A page that is the robots.txt itself is one request, not two.
func TestRobotsTxtAsAPage(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n"})
	got := run(t, testConfig(t, s.url+"/robots.txt"), nil)
	if got.Pages != 1 || len(s.requests()) > 2 {
		t.Errorf("%+v, requests %+v", got.Summary, s.requests())
	}
}

func TestLongRetryAfterEndsTheCrawlAsLater(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	cfg := testConfig(t, s.url)
	cfg.Fetch.Retries = 3
	if got := run(t, cfg, nil); got.End != EndLater || got.Left != 1 || time.Until(got.NextDue) < 50*time.Minute || s.count("/") != 1 {
		t.Errorf("%+v", got.Summary)
	}
}

// A host that came back is not waiting any more, however long its delay.
func TestRecoveredHostIsNotLater(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="/a">a</a>`, "/a": "a", "/map.txt": "{site}/only\n", "/only": "only",
	})
	var asked atomic.Int32
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = fmt.Fprintf(w, "Sitemap: http://%s/map.txt\n", r.Host)
	})
	cfg := testConfig(t, s.url)
	cfg.Politeness.Delay, cfg.Limits.MaxWait = 300*time.Millisecond, 150*time.Millisecond
	got := run(t, cfg, nil)
	if diff := cmp.Diff([]string{"/", "/a", "/only"}, got.paths(s.url)); diff != "" || got.End != EndFinished || len(got.rejected) != 0 {
		t.Errorf("end %s, rejected %+v, pages (-want +got):\n%s", got.End, got.rejected, diff)
	}
}

func TestLaterStaysListedWhenLinkedAgain(t *testing.T) {
	bad := newSite(t, "127.0.0.2", nil)
	bad.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	good := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="` + bad.url + `/">bad</a>`})
	cfg := testConfig(t, bad.url, good.url)
	cfg.Robots.Retry, cfg.Politeness.Delay = time.Hour, 50*time.Millisecond
	got := run(t, cfg, nil)
	if r := got.refusal(t, bad.url+"/"); r.Reason != output.Later || got.End != EndLater {
		t.Errorf("end %s, %+v", got.End, r)
	}
}

// ROB-POL-04: a redirect may say when to come, too.
func TestROB_POL_04_redirect(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/there": "x"})
	s.handle("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		http.Redirect(w, r, "/there", http.StatusFound)
	})
	run(t, testConfig(t, s.url), nil)
	requests := s.requests()
	if last := requests[len(requests)-1]; last.uri != "/there" || last.began.Sub(requests[len(requests)-2].end) < time.Second {
		t.Errorf("requests %+v", requests)
	}
}

func TestAnswersThatConfuseTheLayersAbove(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":       `<a href="/sale">1</a><a href="/map.xml.gz">2</a><a href="/moved.xml.gz">3</a><a href="http://[broken/">4</a>`,
		"/target": "target",
	})
	location := func(from, to string) {
		s.handle(from, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{to}
			w.WriteHeader(http.StatusFound)
		})
	}
	location("/sale", "/sale-100%")
	location("/moved.xml.gz", "/target")
	s.handle("/map.xml.gz", http.NotFound)
	s.handle("/sale-100%", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "sale") })
	got := run(t, testConfig(t, s.url), nil)
	if diff := cmp.Diff([]string{"/", "/map.xml.gz", "/moved.xml.gz", "/sale", "/sale-100%25", "/target"}, got.paths(s.url)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := got.refusal(t, "http://[broken/"); r.Reason != output.Invalid || r.Detail == "" || len(got.rejected) != 1 {
		t.Errorf("rejected %+v", got.rejected)
	}
}

// ROB-LOC-16: a URL with a port that cannot exist is invalid, wherever it enters the crawl.
func TestROB_LOC_16_ImpossiblePortsAreInvalid(t *testing.T) {
	for _, port := range []string{"0", "000", "65536"} {
		t.Run(port, func(t *testing.T) {
			link, listed, target := "http://127.0.0.1:"+port+"/link", "http://127.0.0.1:"+port+"/listed", "http://127.0.0.1:"+port+"/target"
			s := newSite(t, "127.0.0.1", map[string]string{
				"/robots.txt": "Sitemap: {site}/map.xml\nSitemap: http://127.0.0.1:" + port + "/map.xml\n",
				"/map.xml":    "<urlset><url><loc>" + listed + "</loc></url></urlset>",
				"/":           `<a href="` + link + `">1</a><a href="/moved">2</a>`,
			})
			s.handle("/moved", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", target)
				w.WriteHeader(http.StatusFound)
			})
			cfg := testConfig(t, s.url)
			cfg.Scope.Kind = ScopeAny
			got := run(t, cfg, nil)
			if diff := cmp.Diff([]string{"/", "/moved"}, got.paths(s.url)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if r := got.refusal(t, link); r.Reason != output.Invalid || !strings.Contains(r.Detail, "port") {
				t.Errorf("link: %+v", r)
			}
			for _, r := range got.rejected {
				if r.Reason != output.Invalid {
					t.Errorf("rejected as %s: %+v", r.Reason, r)
				}
			}
			if err := testConfig(t, "http://127.0.0.1:"+port+"/").Validate(); !errors.Is(err, ErrConfig) {
				t.Errorf("start URL: %v", err)
			}
		})
	}
}

func TestAbortAloneEndsRun(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	asked := make(chan struct{})
	s.handle("/robots.txt", func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	c, err := New(testConfig(t, s.url), nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-asked
		c.Abort()
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if sum, err := c.Run(ctx); err != nil || sum.End != EndInterrupted || sum.Left != 1 || ctx.Err() != nil {
		t.Errorf("Run = %+v, %v", sum, err)
	}
}

func TestInterruptAtAnyMomentIsNoRace(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	for i := range 30 {
		c, err := New(testConfig(t, s.url), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
		if sum, err := c.Run(ctx); err != nil || sum.End != EndInterrupted && sum.End != EndFinished {
			t.Errorf("Run = %+v, %v", sum, err)
		}
		cancel()
	}
}

// The redirect of a start URL brings its host into the scope, and nothing past
// max-depth with it.
func TestJoinKeepsMaxDepth(t *testing.T) {
	www := newSite(t, "127.0.0.2", map[string]string{"/": "www", "/early": "too deep"})
	blog := newSite(t, "127.0.0.3", map[string]string{"/": `<a href="` + www.url + `/early">early</a>`})
	bare := newSite(t, "127.0.0.1", nil)
	bare.handle("/", func(w http.ResponseWriter, r *http.Request) {
		waitFor(func() bool { return blog.count("/") > 0 }) // the other host was read
		http.Redirect(w, r, www.url+"/", http.StatusFound)
	})
	cfg := testConfig(t, bare.url, blog.url)
	cfg.Scope.MaxDepth = 0
	got := run(t, cfg, nil)
	if r := got.refusal(t, www.url+"/early"); r.Reason != output.TooDeep || www.count("/early") != 0 {
		t.Errorf("%+v", r)
	}
}

func TestSitemapRedirectChainIsListedByItsURL(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "x", "/robots.txt": "Sitemap: {site}/m/0\n"})
	s.mux.HandleFunc("/m/{n}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		http.Redirect(w, r, fmt.Sprintf("/m/%d", n+1), http.StatusFound)
	})
	got := run(t, testConfig(t, s.url), nil)
	if r := got.refusal(t, fmt.Sprintf("%s/m/%d", s.url, maxHops+1)); r.Reason != output.TooManyHops || strings.Contains(r.URL, "#") {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(got.paths(s.url), []string{"/"}) {
		t.Errorf("pages %v", got.paths(s.url))
	}
}

// A host that others lead to, by sitemaps, redirects, links and a robots.txt that moves
// there, has one clock all the same, and its own robots.txt comes first.
func TestThirdHostIsSpared(t *testing.T) {
	const delay = 50 * time.Millisecond
	victim := newSite(t, "127.0.0.9", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n", "/others.txt": "", "/map.txt": "", "/page": "page"})
	var starts []string
	for i := range 3 {
		var list, links strings.Builder
		for j := range 4 {
			fmt.Fprintf(&list, "Sitemap: %s/map.txt?%d-%d\nSitemap: %[1]s/no?%[2]d-%d\n", victim.url, i, j)
			fmt.Fprintf(&links, "<a href='/to?%d-%d'>1</a><a href='%s/page?link-%[1]d-%[2]d'>2</a><a href='%[3]s/no?%[1]d-%d'>3</a>", i, j, victim.url)
		}
		s := newSite(t, fmt.Sprintf("127.0.0.%d", i+1), map[string]string{"/": links.String()})
		s.handle("/to", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, victim.url+"/page?"+r.URL.RawQuery, http.StatusFound)
		})
		s.page("/robots.txt", list.String())
		starts = append(starts, s.url+"/")
	}
	moved := newSite(t, "127.0.0.4", map[string]string{"/": "page"})
	moved.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, victim.url+"/others.txt", http.StatusFound)
	})
	cfg := testConfig(t, append(starts, moved.url+"/")...)
	cfg.Politeness.Delay, cfg.Scope.Kind = delay, ScopeAny
	run(t, cfg, nil)
	requests := victim.requests()
	if len(requests) != 12+24+2 {
		t.Errorf("%d requests", len(requests))
	}
	for i, r := range requests {
		if strings.HasPrefix(r.uri, "/no") || strings.HasPrefix(r.uri, "/robots.txt") && i > 1 {
			t.Errorf("request %d is for %s", i, r.uri)
		}
		if i > 0 && r.began.Sub(requests[i-1].end) < delay {
			t.Errorf("%s is asked for %v after %s", r.uri, r.began.Sub(requests[i-1].end), requests[i-1].uri)
		}
	}
}
