package crawler

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A URL that exceeds a limit is skipped and listed. It is fetched when the limit is raised.
func TestURLBounds(t *testing.T) {
	long := "/" + strings.Repeat("x", 300)
	params := "/search?a" + strings.Repeat("&a=1", 20)
	const again = "/a/a/a/a/a/"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/b/b/b/b/b\n{site}" + params + "1\n{site}" + long + "1\n",
		"/": fmt.Sprintf(`<a href="%s">1</a><a href="%s">2</a><a href="%s">3</a><a href="/to">4</a><a href="/fine">5</a>
			<a href="/%s">6</a><a href="data:text/html,%[4]s">7</a><a href="http://%[4]s">8</a>`, long, params, again, strings.Repeat("y", 10_000)),
		long: "long", again: "again", "/search": "search", "/fine": "fine", "/b/b/b/b/b": "listed",
	})
	s.handle("/to", redirect(long+"2"))
	cfg := testConfig(t, s.url+"/")
	cfg.Scope.MaxURL, cfg.Scope.MaxParams, cfg.Scope.MaxRepeats = 250, 20, 3
	got := runCrawl(t, cfg, nil)
	if want := []string{"/", "/b/b/b/b/b", "/fine", "/to"}; !slices.Equal(got.paths(s.url), want) {
		t.Errorf("pages %v, want %v", got.paths(s.url), want)
	}
	for path, want := range map[string]output.Rejection{
		long:         {Reason: output.TooLong, Detail: fmt.Sprintf("it has %d bytes (max-url 250)", len(s.url+long))},
		long + "1":   {Reason: output.TooLong, Source: "sitemap"},
		long + "2":   {Reason: output.TooLong, Source: "redirect"},
		params:       {Reason: output.TooLong, Detail: "it has 21 parameters (max-params 20)"},
		params + "1": {Reason: output.TooLong, Source: "sitemap"},
		again:        {Reason: output.RepeatedSegment, Detail: "/a repeats more than 3 times in a row in its path (max-repeats)"},
		"/" + strings.Repeat("y", escape.MaxBytes-1): {Reason: output.TooLong, Source: "link"},
	} {
		r := got.refusal(t, s.url+path)
		if r.Reason != want.Reason || want.Detail != "" && r.Detail != want.Detail || want.Source != "" && r.Source != want.Source {
			t.Errorf("%s: %+v, want %+v", path, r, want)
		}
	}
	if got.Rejected[output.TooLong] != 6 || got.Rejected[output.InvalidURL] != 1 || len(got.rejected) != 8 { // http://yyy is none
		t.Errorf("%v", got.Rejected)
	}
	got = resume(t, cfg, func(c *Config) { c.Scope.MaxURL, c.Scope.MaxParams, c.Scope.MaxRepeats = 1000, 0, 0 })
	if got.Rejected[output.TooLong] != 1 || got.Rejected[output.RepeatedSegment] != 0 || got.Pages != 4+6 {
		t.Errorf("%v, %d pages: %v", got.Rejected, got.Pages, got.paths(s.url))
	}
}

// max-links counts distinct URLs. Repeated links in other spellings do not count.
func TestMaxLinksCountsDistinctURLs(t *testing.T) {
	t.Parallel()
	const distinct = 10
	every := func(spellings ...string) string {
		var page strings.Builder
		for _, spelling := range spellings {
			for i := range distinct {
				page.WriteString("<a href=\"" + strings.ReplaceAll(spelling, "N", strconv.Itoa(i)) + "\">x</a>")
			}
		}
		return page.String()
	}
	for _, tt := range []struct {
		name, page string
		max, left  int
	}{
		{"as many as the limit", every("/N"), distinct, 0},
		{"one more than the limit", every("/N"), distinct - 1, 1},
		{"no limit", every("/N"), 0, 0},
		{"one repeated 500,000 times", strings.Repeat("<a href=/1>", 500_000) + every("/N"), distinct, 0},
		{"fragments", every("/N", "/N#a", "/N#b", "/N#N"), distinct, 0},
		{"other spellings", every("/N", "N", "./N", "/./N", "{site}/N", "/x/../N?gone=1", "N?gone=2"), distinct, 0},
		{"other spellings of one beyond the limit", every("/N", "./N", "/N#a"), distinct - 1, 3},
		{"what is no page", every("mailto:N@a.test", "javascript:N()", "tel:N", "/N"), distinct, 0},
		{"a base before the links", "<base href=/b/../>" + every("N", "/N", "./N"), distinct, 0},
		{"a base behind the links", every("N") + "<base href=/b/>" + every("/b/N"), distinct, 0},
		{"a second link that may be followed", strings.Repeat("<a rel=nofollow href=/1>", distinct) + every("/N"), distinct, 0},
		{"the URL of the page itself", strings.Repeat("<a href=#1><a href=''>", distinct) + every("/N"), distinct + 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/": tt.page})
			for i := range distinct {
				s.page(fmt.Sprintf("/%d", i), "page")
				s.page(fmt.Sprintf("/b/%d", i), "page")
			}
			cfg := testConfig(t, s.url+"/")
			cfg.Limits.MaxLinks, cfg.Scope.DropParams = tt.max, []string{"gone"}
			got := runCrawl(t, cfg, nil)
			want, cut := distinct, []string(nil)
			if tt.left > 0 {
				want, cut = distinct-1, []string{"max-links"}
			}
			if p := got.pages[0]; p.LinksSkipped != tt.left || !slices.Equal(p.LimitsReached, cut) || p.Links != strings.Count(tt.page, "<a ") {
				t.Errorf("links %d, left %d, cut by %v; want %d left, cut by %v", p.Links, p.LinksSkipped, p.LimitsReached, tt.left, cut)
			}
			if got.Pages != 1+want || got.Truncated.Pages != len(cut) || got.Truncated.Limits["max-links"] != len(cut) {
				t.Errorf("%d pages, cut by %v, want %d pages", got.Pages, got.Truncated, 1+want)
			}
		})
	}
}

// A short page can have long links, by a long base URL.
func TestLinksOfALongBase(t *testing.T) {
	t.Parallel()
	const links = 4600
	base, page := strings.Repeat(strings.Repeat("x", 39)+"/", 100), new(strings.Builder)
	for i := range links {
		fmt.Fprintf(page, "<a href=%d>", i)
	}
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<base href="/` + base + `">` + page.String()})
	cfg := testConfig(t, s.url+"/")
	cfg.Limits.MaxPages, cfg.Scope.MaxRepeats = 1, 0
	got := runCrawl(t, cfg, nil)
	taken := links - got.pages[0].LinksSkipped
	if most := 16<<20/len(base) + 1; taken > most || taken < most*9/10 {
		t.Errorf("%d links of %d bytes were queued", taken, len(base))
	}
	if cut := got.pages[0].LimitsReached; !slices.Equal(cut, []string{"link-bytes"}) || got.Truncated.Limits["link-bytes"] != 1 {
		t.Errorf("cut by %v, in the summary %+v", cut, got.Truncated)
	}
}

// Texts of sites are truncated in the output. A base URL that is too long does not end the crawl.
func TestTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; x="+long)
		_, _ = fmt.Fprintf(w, `<title>%s</title><link rel=canonical href="/%[1]s"><a href="/no" rel="nofollow %[1]s">1</a><a href=/to>2</a><a href="http://[%.5000[1]s/">3</a>`, long)
	})
	s.handle("/to", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/"+long)
		w.WriteHeader(http.StatusFound)
	})
	s.page("/base", `<base href="http://[::1]/`+strings.Repeat("é", 3000)+`"><a href="/lost">lost</a>`)
	got := runCrawl(t, testConfig(t, s.url+"/", s.url+"/base"), nil)
	for _, p := range got.pages {
		if len(p.ContentType) > escape.MaxBytes || len(p.Title) > 1024 || len(p.Canonical) > weburl.MaxLength || len(p.Location) > weburl.MaxLength {
			t.Errorf("%+v", p)
		}
	}
	for _, r := range got.rejected {
		if len(r.URL)+len(r.Detail) > 1000 {
			t.Errorf("%+v", r)
		}
	}
	if got.Pages < 3 || got.End != EndFinished || got.Rejected[output.Nofollow] != 1 || got.Rejected[output.TooLong] != 1 || got.Rejected[output.InvalidURL] != 1 {
		t.Errorf("%+v", got.Summary)
	}
}

// The number of path segments is limited, in links and in sitemaps. A page with a URL of too
// many segments is listed as too long; its other links are followed.
func TestMaxPathSegments(t *testing.T) {
	most := strings.Repeat("/a/b", weburl.MaxSegments/2)
	tooMany := strings.Repeat("/a", 4000) // for which a parser would take long
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\n", "/map.txt": "{site}/listed" + most + "\n", "/": `<a href="` + most + `">0</a><a href="/linked` + most + `">1</a><a href="` + tooMany + `">2</a><a href="./` + tooMany[1:] + `">3</a><a href="/fine">4</a>`,
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Scope.MaxRepeats = 0
	got := runCrawl(t, cfg, nil)
	if want := []string{"/", most, "/fine"}; !slices.Equal(got.paths(s.url), want) {
		t.Errorf("pages %v, want %v", got.paths(s.url), want)
	}
	for _, r := range got.rejected {
		if r.Reason != output.TooLong || !strings.Contains(r.Detail, "segments") {
			t.Errorf("%+v", r)
		}
	}
	if len(got.rejected) < 3 {
		t.Errorf("%v", got.Rejected)
	}
	b := scope.New(scope.Host, scope.Bounds{MaxDepth: -1, MaxURL: Default().Scope.MaxURL})
	for url, want := range map[string]output.Reason{"https://a.test" + most: "", "https://a.test" + most + "/": output.TooLong} {
		if reason, detail := b.Exceeded(url, provenance.Provenance{Source: provenance.Sitemap}); reason != want {
			t.Errorf("%d segments: %s, %s", weburl.Segments(url), reason, detail)
		}
	}
}

// Texts of sites are truncated in each line. Otherwise a rule of 500 KB that disallows ten
// thousand links would need 5 GB, and an error may quote a response of 256 KiB.
func TestDetailsAreCut(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const most = 2 * escape.MaxDetail // a line has more than the text
		s := newSite(t, "127.0.0.1", map[string]string{
			"/robots.txt": "User-agent: *\nDisallow: /no" + strings.Repeat("*", 400_000) + "\n",
			"/":           "<a href=/no/1>1</a><a href=/no/2>2</a><a href=/odd>3</a><a href='http://[" + strings.Repeat("x", 8000) + "'>4</a>",
		})
		s.handle("/odd", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n", strings.Repeat("x", 100_000))
				_ = conn.Close()
			}
		})
		var log strings.Builder
		cfg := testConfig(t, s.url+"/")
		cfg.Fetch.Retries = 1
		runCrawl(t, cfg, &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		text := contentOf(t, filepath.Join(cfg.Output.Dir, "rejected.jsonl"))
		if n := strings.Count(string(text), "\n"); n != 4 {
			t.Errorf("%d lines, want 4", n)
		}
		for line := range strings.Lines(string(text) + log.String()) {
			if len(line) > most {
				t.Errorf("a line of %d bytes: %.300s…", len(line), line)
			}
		}
	})
}

// The URL where a link was found is truncated. A sitemap with a URL that is too long is not read, since each
// entry would repeat it.
func TestFoundOnIsCut(t *testing.T) {
	long := "/" + strings.Repeat("x", 3000)
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}" + long + ".txt\nSitemap: {site}/short.txt\n", long + ".txt": "{site}/of-long\n", "/short.txt": "{site}/of-short\n",
		"/": `<a href="` + long + `">long</a>`, long: `<a href="/next">next</a><a href="http://elsewhere.test/">out</a>`, "/next": "next", "/of-long": "no", "/of-short": "yes",
	})
	got := runCrawl(t, testConfig(t, s.url+"/"), nil)
	want := (s.url + long)[:provenance.MaxFoundOn] + "…"
	if via := got.refusal(t, "http://elsewhere.test/").FoundOn; via != want {
		t.Errorf("skipped, found in %.50s… of %d bytes", via, len(via))
	}
	for _, p := range got.pages {
		if p.URL == s.url+"/next" && p.FoundOn != want || p.URL == s.url+long && p.FoundOn != s.url+"/" {
			t.Errorf("%.50s… found in %.50s… of %d bytes", p.URL, p.FoundOn, len(p.FoundOn))
		}
	}
	if len(got.pages) != 4 || got.Sitemaps != 1 || s.count(long+".txt") > 0 || s.count("/of-short") != 1 {
		t.Errorf("%+v", got.Summary)
	}
}

// A counting frontier records the largest numbers of URLs that it was given, and queried for, at
// a time.
type counting struct {
	*frontier.Memory

	mu           sync.Mutex // guards both below
	added, asked int

	listed int // calls of Waiting
}

func (c *counting) Waiting(ctx context.Context, hosts ...frontier.Host) iter.Seq2[frontier.Item, error] {
	c.listed++
	return c.Memory.Waiting(ctx, hosts...)
}

func (c *counting) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	c.mu.Lock()
	c.added = max(c.added, len(items))
	c.mu.Unlock()
	return c.Memory.Add(ctx, items)
}

func (c *counting) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	c.mu.Lock()
	c.asked = max(c.asked, len(keys))
	c.mu.Unlock()
	return c.Memory.Known(ctx, keys)
}

// Entries of a long sitemap, and skipped URLs at the end, are processed in batches.
func TestLongSitemapsAreReadInBatches(t *testing.T) {
	const most = 1000 // lines of rejected.jsonl at a time
	const n = most + 7
	lost := newSite(t, "127.0.0.2", nil)
	lost.handle("/robots.txt", status(http.StatusServiceUnavailable))
	var inside, outside strings.Builder
	for i := range n {
		fmt.Fprintf(&outside, `<a href="%s/%d">later</a>`, lost.url, i)
		fmt.Fprintf(&inside, "{site}/no/%d\n", i)
		fmt.Fprintf(&outside, `<a href="http://h%d.test/">out</a>`, i)
	}
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.txt\n", "/map.txt": inside.String(), "/": outside.String(),
	})
	cfg := testConfig(t, s.url+"/", lost.url+"/")
	cfg.Robots.Retry = time.Hour
	f, rejected := &counting{Memory: frontier.NewMemory(nil)}, 0
	sink := onWrite(func(f *output.Results) { rejected = max(rejected, len(f.Rejected)) })
	got := runCrawl(t, cfg, &Options{Frontier: f, Formats: []output.Format{sink.format("")}})
	if got.Rejected[output.OutOfScope] != n || got.Rejected[output.Disallowed] != n || got.Rejected[output.RobotsUnreachable] != n+1 {
		t.Fatalf("%+v", got.Summary)
	}
	if f.added > discover.SeedBatch || f.asked > most || rejected > most {
		t.Errorf("at a time %d are added, %d asked about, %d written", f.added, f.asked, rejected)
	}
	if f.listed > 3 { // once for all hosts, and before the crawl ends because nothing is due
		t.Errorf("the frontier was listed %d times, want at most 3", f.listed)
	}
}

// A finished crawl does not list the frontier, since that takes long.
func TestFinishedCrawlDoesNotListTheFrontier(t *testing.T) {
	f := &counting{Memory: frontier.NewMemory(nil)}
	got := runCrawl(t, testConfig(t, newSite(t, "127.0.0.1", map[string]string{"/": ""}).url+"/"), &Options{Frontier: f})
	if got.End != EndFinished || f.listed != 0 {
		t.Errorf("%s, and the frontier was listed %d times", got.End, f.listed)
	}
}
