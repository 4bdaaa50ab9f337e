package crawler

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A host that joins the scope in one worker joins it in all, also for URLs that another has
// skipped.
func TestSharedScopeGrows(t *testing.T) {
	t.Parallel()
	target := newSite(t, "127.0.0.3", map[string]string{"/deep": "deep"})
	left, joined := make(chan struct{}), make(chan struct{})
	target.handle("/", func(http.ResponseWriter, *http.Request) { close(joined) })
	links := newSite(t, "127.0.0.1", map[string]string{"/": fmt.Sprintf(`<a href="%s/deep">elsewhere</a><a href="/busy">on</a>`, target.url)})
	links.handle("/busy", func(_ http.ResponseWriter, r *http.Request) {
		close(left)
		select {
		case <-joined:
		case <-r.Context().Done():
		}
	})
	redirects := newSite(t, "127.0.0.2", nil)
	redirects.handle("/go", redirect(target.url+"/"))
	cfg := sharedConfig(t, links.url+"/")
	cfg.Fetch.Timeout = time.Minute
	one, two := workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")
	one.Limits.Concurrency = 1
	two.URLs = append(slices.Clone(cfg.URLs), redirects.url+"/go")
	all := make([]*crawl, 2)
	second := make(chan struct{})
	go func() {
		defer close(second)
		<-left
		all[1] = runCrawl(t, two, nil)
	}()
	all[0] = runCrawl(t, one, nil)
	<-second
	if got := allPages(all); !slices.Equal(got, []string{links.url + "/", links.url + "/busy", redirects.url + "/go", target.url + "/", target.url + "/deep"}) {
		t.Errorf("pages %v", got)
	}
	for _, c := range all {
		for _, r := range c.rejected {
			t.Errorf("%s skipped: %+v", c.Output, r)
		}
	}
}

// A host that joined the scope by a start URL belongs to it for later workers too.
func TestHostJoinedBefore(t *testing.T) {
	t.Parallel()
	target := newSite(t, "127.0.0.3", map[string]string{"/": "target", "/deep": "deep"})
	links := newSite(t, "127.0.0.1", map[string]string{"/": fmt.Sprintf(`<a href="%s/deep">elsewhere</a>`, target.url)})
	redirects := newSite(t, "127.0.0.2", nil)
	redirects.handle("/go", redirect(target.url+"/"))
	cfg := sharedConfig(t, redirects.url+"/go")
	runCrawl(t, workerConfig(t, cfg, "w1"), nil)
	later := workerConfig(t, cfg, "w2")
	later.URLs = append(slices.Clone(cfg.URLs), links.url+"/")
	got := runCrawl(t, later, nil)
	if !slices.Equal(got.paths(""), []string{links.url + "/", target.url + "/deep"}) || len(got.rejected) > 0 {
		t.Errorf("pages %v, skipped: %+v", got.paths(""), got.rejected)
	}
}

// The sitemaps of a host that joins are read even if its robots.txt was fetched before, and the
// worker that added the host was killed.
func TestSitemapsReadByOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", map[string]string{"/": "page"})
	brought := newSite(t, "127.0.0.2", map[string]string{"/map.txt": "{site}/listed\n", "/listed": "listed"})
	now := time.Now()
	data, err := json.Marshal(&robotsext.Record{
		Origin: robotsext.Origin(brought.url), Outcome: robotsext.OutcomeRules, Status: http.StatusOK,
		Body: fmt.Appendf(nil, "Sitemap: %s/map.txt\n", brought.url), FetchedAt: now, ExpiresAt: now.Add(time.Hour),
	})
	must(t, err)
	cfg := sharedConfig(t, s.url+"/")
	got := runCrawl(t, workerConfig(t, cfg, "w1"), &Options{OnStart: func() {
		other := byHand(t, cfg, "w2")
		must(t, other.UpdateHost(t.Context(), weburl.ServerOf(brought.url), frontier.HostUpdate{Robots: map[string]frontier.Robots{brought.url: {Data: data}}}))
		tells(t, other, `{"joined":%q}`, brought.url+"/")
	}})
	if got.End != EndFinished || !slices.Equal(got.paths(""), []string{s.url + "/", brought.url + "/listed"}) {
		t.Errorf("%+v, pages %v", got.Summary, got.paths(""))
	}
}

// The sitemaps of a host are in the frontier before its first page is requested, even if this
// worker has not received the event that the host joined.
func TestSitemapsOfAHostThatJustJoined(t *testing.T) {
	t.Parallel()
	s := newSite(t, "127.0.0.1", map[string]string{"/": "page"})
	brought := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": ""})
	cfg := sharedConfig(t, s.url+"/")
	got := runCrawl(t, workerConfig(t, cfg, "w1"), &Options{OnStart: func() {
		other := byHand(t, cfg, "w2")
		brought.handle("/", func(http.ResponseWriter, *http.Request) {
			known, err := other.Known(t.Context(), []frontier.Key{{Kind: provenance.KindSitemap, URL: brought.url + "/map.txt"}})
			if err != nil || !known[0] {
				t.Errorf("the sitemap is not in the frontier: %v, %v", known, err)
			}
		})
		tells(t, other, `{"joined":%q}`, brought.url+"/")
		start := provenance.Provenance{Source: provenance.Start, FromStart: true}
		items := []frontier.Item{{URL: brought.url + "/", Host: weburl.ServerOf(brought.url), Priority: provenance.PriorityStart, Meta: start.Encode()}}
		if _, err := other.Add(t.Context(), items); err != nil {
			t.Fatal(err)
		}
	}})
	if got.Pages != 2 || brought.count("/") != 1 {
		t.Errorf("%+v, asked for %v", got.Summary, brought.asked())
	}
}

// A long redirect of a start URL does not end the crawl.
func TestLongRedirectOfAStart(t *testing.T) {
	t.Parallel()
	good := wide(t, "127.0.0.1", 10)
	target := newSite(t, "127.0.0.3", nil)
	target.handle("/x", page(200, "here", "Content-Type", "text/html"))
	bad := newSite(t, "127.0.0.2", nil)
	bad.handle("/go", page(302, "", "Location", target.url+"/x?"+strings.Repeat("a&", 700)))
	cfg := sharedConfig(t, good.url+"/", bad.url+"/go")
	got := runCrawl(t, workerConfig(t, cfg, "w1"), nil)
	if got.End != EndFinished || got.Pages != 11+1+1 {
		t.Errorf("%+v", got.Summary)
	}
}
