package sitemap

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// sitemapSite serves files by path, {own} in them being itself, and keeps a list
// of what it was asked for.
type sitemapSite struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newSitemapSite(t *testing.T, files map[string]string) *sitemapSite {
	t.Helper()
	s := &sitemapSite{}
	s.Server = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.Path)
		s.mu.Unlock()
		if !strings.HasPrefix(r.UserAgent(), "politecrawl/") {
			t.Errorf("asked as %q", r.UserAgent())
		}
		body, ok := files[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(body, "503"):
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		default:
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "{own}", "http://"+r.Host))
		}
	})
	return s
}

// list runs "sitemap" on s and takes its URL out of the output.
func (s *sitemapSite) list(t *testing.T, path string, args ...string) clitest.Result {
	t.Helper()
	got := run(t, append([]string{"sitemap", s.URL + path, "--delay", "0s"}, args...)...)
	got.Out = strings.ReplaceAll(got.Out, s.URL, "")
	got.Stderr = strings.ReplaceAll(got.Stderr, s.URL, "")
	return got
}

// forget returns what s was asked for since the last time.
func (s *sitemapSite) forget() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *sitemapSite) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	clitest.WantEqual(t, "asked for", want, s.forget())
}

func sitemapOf(urls ...string) string {
	var b strings.Builder
	for _, u := range urls {
		b.WriteString("<url><loc>" + u + "</loc></url>\n")
	}
	return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n" + b.String() + "</urlset>"
}

func indexOf(urls ...string) string {
	return strings.NewReplacer("urlset", "sitemapindex", "url>", "sitemap>").Replace(sitemapOf(urls...))
}

// A URL that is the root of a site stands for all its sitemaps.
func TestSitemapSite(t *testing.T) {
	s := newSitemapSite(t, map[string]string{
		"/robots.txt":  "Sitemap: {own}/index.xml\nSitemap: {own}/closed.xml\nUser-agent: *\nDisallow: /closed\n",
		"/index.xml":   indexOf("{own}/a.xml", "{own}/gone.xml"),
		"/a.xml":       sitemapOf("{own}/1", "http://127.0.0.9:1/2", "{own}/closed/3"),
		"/closed.xml":  sitemapOf("{own}/4"),
		"/dir/map.xml": sitemapOf("{own}/dir/5", "{own}/6"),
		"/page":        "<!doctype html><title>page</title>",
	})
	t.Run("ROB-SMP-04/ROB-SMP-18/all", func(t *testing.T) {
		for _, root := range []string{"", "/"} {
			want := clitest.Result{
				Code: cli.ExitFailed, Out: "/1\n/closed/3\n",
				Stderr: root + " is the root of a site: reading the sitemaps in /robots.txt\n" +
					"/a.xml: 1 entry skipped, the first: line 3: the sitemap is not authorized to list this URL, entry skipped: \"http://127.0.0.9:1/2\": " +
					"the robots.txt of its origin is not known to list the sitemap; --check lists all\n" +
					"politecrawl: sitemap: /gone.xml: status 404\n" +
					`politecrawl: sitemap: /closed.xml is disallowed by "Disallow: /closed", line 4 of /robots.txt, for user agent "*"` + "\n",
			}
			clitest.WantEqual(t, "the result", want, s.list(t, root))
			s.wantAsked(t, "/robots.txt", "/index.xml", "/a.xml", "/gone.xml")
		}
	})
	t.Run("check", func(t *testing.T) {
		got := s.list(t, "/", "--check")
		want := `/a.xml:3:1: the sitemap is not authorized to list this URL, entry skipped: "http://127.0.0.9:1/2": the robots.txt of its origin is not known to list the sitemap; list the sitemap in the robots.txt of that origin, or remove the entry [ROB-SMP-18]
/gone.xml: missing: status 404 [ROB-SMP-24]
/closed.xml: disallowed: /closed.xml is disallowed by "Disallow: /closed", line 4 of /robots.txt, for user agent "*" [ROB-SMP-04]
`
		if diff := cmp.Diff(want, got.Out); diff != "" || got.Code != cli.ExitFindings {
			t.Errorf("exit code %d (-want +got):\n%s", got.Code, diff)
		}
	})
	t.Run("stats", func(t *testing.T) {
		clitest.WantParts(t, s.list(t, "/", "--stats").Out,
			"files     2 read (sitemapindex: 1, urlset: 1), 2 unreadable or incomplete\n", "entries   2, and 1 that the sitemap is not authorized to list\n")
	})
	t.Run("json", func(t *testing.T) {
		first, _, _ := strings.Cut(s.list(t, "/", "--format", "json").Out, "\n")
		if want := `{"loc":"/1","priority":0.5,"sitemap":"/a.xml","line":2}`; first != want {
			t.Errorf("got  %s\nwant %s", first, want)
		}
	})
	t.Run("ROB-SMP-20/max-files", func(t *testing.T) {
		got := s.list(t, "/", "--max-files", "1")
		if got.Code != cli.ExitFailed || got.Out != "" || !strings.Contains(got.Stderr, "/a.xml: too many sitemap files") || !strings.Contains(got.Stderr, "(--max-files)") {
			t.Errorf("got %+v", got)
		}
	})
	s.forget()
	t.Run("one sitemap", func(t *testing.T) {
		for policy, want := range map[string]string{"listed": "/dir/5\n/6\n", "directory": "/dir/5\n", "any": "/dir/5\n/6\n"} {
			got := s.list(t, "/dir/map.xml", "--policy", policy)
			if skips := policy == "directory"; got.Code != cli.ExitDone || got.Out != want || skips != strings.HasPrefix(got.Stderr, "/dir/map.xml: 1 entry skipped, the first: line 3: ") {
				t.Errorf("%s: got %+v", policy, got)
			}
			s.wantAsked(t, "/robots.txt", "/dir/map.xml")
		}
		got := s.list(t, "/dir/map.xml", "--policy", "directory", "--check")
		if got.Code != cli.ExitFindings || !strings.HasSuffix(got.Out, `entry skipped: "/6": it is outside the directory of the sitemap; list the sitemap in the robots.txt of that origin, or remove the entry [ROB-SMP-19]`+"\n") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("ROB-SMP-04/disallowed", func(t *testing.T) {
		s.list(t, "/closed.xml").WantRefusal(t, cli.ExitFindings, `/closed.xml is disallowed by "Disallow: /closed"`)
	})
	t.Run("a page", func(t *testing.T) {
		s.list(t, "/page").WantRefusal(t, cli.ExitFindings, "/page is not a sitemap; to read the sitemaps of the site, give its root, /")
		if got := s.list(t, "/page", "--check"); got.Code != cli.ExitFindings || !strings.HasSuffix(got.Out, "[ROB-SMP-11]\n") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("not there", func(t *testing.T) {
		s.list(t, "/absent.xml").WantRefusal(t, cli.ExitFailed, "/absent.xml: status 404")
	})
}

func TestSitemapSiteWithoutList(t *testing.T) {
	s := newSitemapSite(t, map[string]string{"/sitemap.xml": sitemapOf("{own}/1")})
	got := s.list(t, "/")
	if got.Code != cli.ExitFindings || got.Out != "" || !strings.HasSuffix(got.Stderr, "politecrawl: sitemap: /robots.txt lists no sitemap; --probe requests /sitemap.xml\n") {
		t.Errorf("got %+v", got)
	}
	s.wantAsked(t, "/robots.txt")
	t.Run("ROB-SMP-10", func(t *testing.T) {
		if got := s.list(t, "/", "--probe"); got.Code != cli.ExitDone || got.Out != "/1\n" {
			t.Errorf("got %+v", got)
		}
		s.wantAsked(t, "/robots.txt", "/sitemap.xml")
		none := newSitemapSite(t, nil)
		if got := none.list(t, "/", "--probe"); got.Code != cli.ExitFindings || !strings.HasSuffix(got.Stderr, "lists no sitemap; and there is no /sitemap.xml\n") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestSitemapSiteUnreachable(t *testing.T) {
	down := newSitemapSite(t, map[string]string{"/robots.txt": "503"})
	for _, path := range []string{"/", "/sitemap.xml"} {
		got := down.list(t, path)
		if got.Code != cli.ExitLater || got.Out != "" || !strings.Contains(got.Stderr, " yet: /robots.txt is unreachable: status 503; retry after ") {
			t.Errorf("%s: got %+v", path, got)
		}
		down.wantAsked(t, "/robots.txt")
	}
	t.Run("ROB-POL-04", func(t *testing.T) {
		busy := newSitemapSite(t, map[string]string{"/sitemap.xml": "503"})
		for _, flag := range []string{"--stats=false", "--check"} {
			got := busy.list(t, "/sitemap.xml", flag)
			got.WantRefusal(t, cli.ExitFailed, "/sitemap.xml: status 503; retry after ")
			busy.wantAsked(t, "/robots.txt", "/sitemap.xml")
		}
	})
}

// A site that says no time is to be asked again when a crawler would, and not when the
// command would have, for which somebody waits.
func TestSitemapSiteSaysNoTime(t *testing.T) {
	down := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	soon := time.Now().Add(50 * time.Second)
	got := run(t, "sitemap", down.URL+"/", "--delay", "0s")
	_, text, _ := strings.Cut(strings.TrimSpace(got.Stderr), "retry after ")
	if again, err := time.Parse("2006-01-02 15:04:05 -07:00", text); err != nil || again.Before(soon) || again.After(soon.Add(time.Minute)) {
		t.Errorf("it may be asked again at %v, %v: %+v", again, err, got)
	}
}

// The first interrupt ends the listing with what there is.
func TestSitemapInterrupted(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		own := "http://" + r.Host
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = io.WriteString(w, "Sitemap: "+own+"/1.xml\nSitemap: "+own+"/2.xml\n")
		case "/1.xml":
			_, _ = io.WriteString(w, sitemapOf(own+"/a"))
		default:
			<-r.Context().Done()
		}
	})
	cmd := program.Process(t, "sitemap", site.URL, "--delay", "0s")
	out := clitest.Must(cmd.StdoutPipe())(t)
	clitest.OK(t, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != site.URL+"/a\n" {
		t.Errorf("%q, %v", line, err)
	}
	clitest.OK(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// A fetched sitemap is read and checked as a file is.
func TestSitemapOfSiteIsStrict(t *testing.T) {
	s := newSitemapSite(t, map[string]string{
		"/robots.txt": "User-agent: *\n",
		"/map.xml":    "\n<?xml version='1.0'?>\n<urlset><url><loc>{own}/1</loc></url></urlset>",
		"/feed.xml":   `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry><entry xml:base="b/"><link href="c"/></entry></feed>`,
	})
	for _, tt := range []struct {
		name string
		path string
		args []string
		want clitest.Result
	}{
		{"ROB-SMP-21/the base of a feed is its URL", "/feed.xml", nil, clitest.Result{Out: "/a\n/b/c\n"}},
		{"ROB-SMP-22/reading", "/map.xml", nil, clitest.Result{Out: "/1\n"}},
		{"ROB-SMP-26/check", "/map.xml", []string{"--check"}, clitest.Result{Code: cli.ExitFindings, Out: "/map.xml:2:1: an XML parser rejects the file: " +
			"XML declaration not at the start of the document; remove it, or what is before it [ROB-SMP-26]\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clitest.WantEqual(t, "the result", tt.want, s.list(t, tt.path, tt.args...))
		})
	}
}

// A finding about a location does not show its password.
func TestSitemapCheckHidesPasswords(t *testing.T) {
	for _, body := range []string{
		"https://user:secret@example.com/a b\n",
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://user:sec ret@example.com/</loc></url></urlset>`,
	} {
		got := runWith(t, body, "sitemap", "--check", "-")
		if got.Code != cli.ExitFindings || strings.Contains(got.Out, "user:") {
			t.Errorf("got %+v", got)
		}
	}
}
