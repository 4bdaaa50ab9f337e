package plan

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

var program = clitest.Only(Command)

func TestMain(m *testing.M) { program.Main(m) }

// newSite starts a site with pages in a sitemap, some of them disallowed. It returns its URL, and
// the paths of the requests but those for robots.txt.
func newSite(t *testing.T) (url string, requested func() []string) {
	var mu sync.Mutex
	var paths []string // guarded by mu
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		own := "http://" + r.Host
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = fmt.Fprintf(w, "Sitemap: %s/map.txt\nUser-agent: *\nCrawl-delay: 0.2\nDisallow: /private/\n", own)
			return
		case "/map.txt":
			_, _ = fmt.Fprintf(w, "%s/a\n%s/b\n%s/private/x\n%s/private/y\nhttp://127.0.0.9:1/\n", own, own, own, own)
		default:
			http.NotFound(w, r)
		}
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
	})
	return site.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return paths
	}
}

// TestPlan holds the whole text against what a person is to read, and that nothing
// but robots.txt and the sitemap was asked for.
func TestPlan(t *testing.T) {
	site, requested := newSite(t)
	t.Chdir(t.TempDir())
	got := program.Run(t, "plan", site, "--delay", "0s")
	if got.Code != cli.ExitDone || !strings.HasPrefix(got.Stderr, "reading robots.txt and sitemaps of 1 host;") {
		t.Fatalf("%+v", got)
	}
	clitest.WantEqual(t, "requested", []string{"/map.txt"}, requested())
	if list, err := os.ReadDir("."); err != nil || len(list) > 0 {
		t.Errorf("it has written %v, %v", list, err)
	}
	own := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	text := own.ReplaceAllString(got.Out, "127.0.0.1:8080")
	clitest.WantParts(t, text,
		"a crawl would fetch 3 pages of 1 origin in ", "skipped       3 of 6 URLs (disallowed: 2, not-authorized: 1)",
		`disallowed    2 URLs by line 4 of http://127.0.0.1:8080/robots.txt, "Disallow: /private/": /private/x /private/y`,
		"200ms (Crawl-delay)", "1 read, with 5 entries", "5, 2 of them for robots.txt and sitemaps", "pages that are found only by links")
}

func TestPlanJSON(t *testing.T) {
	site, _ := newSite(t)
	got := program.Run(t, "plan", site, "--delay", "0s", "--format", "json", "--quiet")
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Fatalf("%+v", got)
	}
	plan := clitest.JSON[plan.Plan](t, got.Out)
	if plan.Pages != 3 || plan.URLs != 6 || plan.CrawlEnd != crawler.EndFinished || len(plan.Origins) != 1 || plan.CrawlDuration <= 0 {
		t.Errorf("%+v", plan)
	}
	// A script gets a list where there is nothing, too.
	if got := program.Run(t, "plan", "http://10.0.0.1/", "--format", "json", "--quiet"); strings.Contains(got.Out, "null") || !strings.Contains(got.Out, `"files":[]`) {
		t.Errorf("%+v", got)
	}
}

func TestPlanUnreachable(t *testing.T) {
	site := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	got := program.Run(t, "plan", site.URL, "--max-wait", "0s", "--quiet")
	if got.Code != cli.ExitLater || !strings.Contains(got.Out, "/robots.txt is unreachable: ") || !strings.Contains(got.Out, "without hosts that allow no request yet") {
		t.Errorf("%+v", got)
	}
}

// TestPlanOfNoHost holds that no host is counted where none could be asked.
func TestPlanOfNoHost(t *testing.T) {
	if got := program.Run(t, "plan", "http://10.0.0.1/", "--quiet"); !strings.HasPrefix(got.Out, "a crawl would fetch 0 pages in 0s\n") {
		t.Errorf("%+v", got)
	}
	site, _ := newSite(t)
	got := program.Run(t, "plan", site, "http://10.0.0.1/", "--delay", "0s", "--quiet")
	if !strings.HasPrefix(got.Out, "a crawl would fetch 3 pages of 2 origins in ") {
		t.Errorf("%+v", got)
	}
}

func TestPlanMisuse(t *testing.T) {
	for _, args := range [][]string{{"plan"}, {"plan", "example.com"}, {"plan", "http://h/", "--concurrency", "0"}} {
		if got := program.Run(t, args...); got.Code != cli.ExitMisuse || got.Out != "" || got.Stderr == "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
