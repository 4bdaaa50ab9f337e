package crawler

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// facts are the fields of a page that addFacts and keptHeaders set.
var facts = cmpopts.IgnoreFields(output.Page{}, "URL", "Status", "Depth", "FoundOn", "Source", "ContentType", "Bytes", "Links", "Canonical",
	"Directives", "FetchedAt", "DurationMS", "Attempt", "Hash", "Location", "Redirects", "Withheld")

func TestFactsOfPages(t *testing.T) {
	const content = `<html lang="de-AT"><title>T</title><meta name="Description" content=" a  b "><h1>One <b>b</b>ig</h1><h1></h1>
		<link rel="alternate" hreflang="en" href="en#x"><link rel="alternate" hreflang="x-default" href="http://Other.invalid">
		<link rel="alternate" hreflang="fr" href="mailto:x"><base href="/dir/"><p>two three`
	header := http.Header{"Etag": {`"1"`}, "Server": {"s"}, "Cache-Control": {"no-cache", "private"}, "Set-Cookie": {"id=1"}, "X-Other": {strings.Repeat("x", 2000)}}
	kept := map[string]string{"etag": `"1"`, "server": "s", "cache-control": "no-cache, private"}
	full := output.Page{Title: "T", H1: "One big", H1Count: 2, Description: "a b", Lang: "de-AT", Words: 4, Headers: kept, Encoding: "utf-8"}
	for _, tt := range []struct {
		name   string
		status int
		header http.Header
		body   string
		change func(*Config)
		want   func(s *site) output.Page
	}{
		{"a page", 200, nil, content, nil, func(s *site) output.Page {
			p := full
			p.Hreflang = []output.Hreflang{{Lang: "en", URL: s.url + "/dir/en"}, {Lang: "x-default", URL: "http://other.invalid/"}}
			return p
		}},
		{"noindex in the page", 200, nil, content + `<meta name=robots content=noindex>`, nil, func(*site) output.Page { return output.Page{} }},
		{"noindex in the header", 404, http.Header{"X-Robots-Tag": {"noindex"}}, content, nil, func(*site) output.Page { return output.Page{} }},
		{"noindex that is not obeyed", 200, http.Header{"X-Robots-Tag": {"noindex"}}, "<h1>One", func(c *Config) { c.Robots.ObeyNoindex = false },
			func(*site) output.Page { return output.Page{H1: "One", Words: 1, Headers: kept, Encoding: "utf-8"} }},
		{"an error", 404, nil, content, nil, func(*site) output.Page { return output.Page{Headers: kept} }},
		{"a redirect", 302, http.Header{"Location": {"/robots.txt"}}, "", nil, func(*site) output.Page { return output.Page{Headers: kept} }},
		{"other headers", 404, nil, "", func(c *Config) { c.Output.KeepHeader = []string{"X-OTHER", "missing"} },
			func(*site) output.Page {
				return output.Page{Headers: map[string]string{"x-other": strings.Repeat("x", escape.MaxDetail)}}
			}},
		{"no headers", 404, nil, "", func(c *Config) { c.Output.KeepHeader = nil }, func(*site) output.Page { return output.Page{} }},
		{"another encoding", 200, http.Header{"Content-Type": {"text/html; charset=windows-1251"}}, "<title>\xe9", func(c *Config) { c.Output.KeepHeader = nil },
			func(*site) output.Page { return output.Page{Title: "й", Encoding: "windows-1251"} }},
		{"UTF-8 in a header joined from two", 200, http.Header{"Content-Type": {"text/html; charset=utf-8,text/html"}}, "<!--" + strings.Repeat("-", 1024) + "--><title>é</title>\xe9",
			func(c *Config) { c.Output.KeepHeader = nil }, func(*site) output.Page { return output.Page{Title: "é", Words: 1, Encoding: "utf-8"} }},
		{"not HTML", 200, http.Header{"Content-Type": {"text/plain"}}, content, nil, func(*site) output.Page { return output.Page{Headers: kept} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", nil)
			s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
				for _, h := range []http.Header{header, tt.header} {
					maps.Copy(w.Header(), h)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			cfg := testConfig(t, s.url+"/")
			cfg.Limits.MaxPages = 1
			if tt.change != nil {
				tt.change(&cfg)
			}
			got, want := runCrawl(t, cfg, nil).pages[0], tt.want(s)
			if diff := cmp.Diff(want, got, facts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRedirectChain: a page has the redirects that led to it, even if the crawl stopped at each, and
// after a recrawl.
func TestRedirectChain(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/end": `<a href="/next">`, "/next": ""})
	for from, to := range map[string]string{"/": "/1", "/1": "/2", "/2": "/end"} {
		s.handle(from, http.RedirectHandler(to, http.StatusFound).ServeHTTP)
	}
	cfg := testConfig(t, s.url+"/")
	check := func() {
		t.Helper()
		got := make(map[string]string)
		for _, p := range readOutput[output.Page](t, cfg, "pages.jsonl") {
			got[strings.TrimPrefix(p.URL, s.url)] = strings.ReplaceAll(strings.Join(p.Redirects, " "), s.url, "")
		}
		want := map[string]string{"/": "", "/1": "/", "/2": "/ /1", "/end": "/ /1 /2", "/next": ""}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for n := 1; n <= 5; n++ {
		cfg.Limits.MaxPages = n
		runCrawl(t, cfg, &Options{Resume: n > 1})
	}
	check()
	cfg.Limits.MaxPages = 0
	runCrawl(t, cfg, &Options{Recrawl: true})
	check()
}

// A recrawl of a chain without end follows it no further than the first crawl.
func TestEndlessChainIsNotExtended(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	})
	cfg := testConfig(t, s.url+"/")
	for _, again := range []bool{false, true, true} {
		got := runCrawl(t, cfg, &Options{Recrawl: again})
		longest := 0
		for _, p := range got.pages {
			longest = max(longest, len(p.Redirects))
		}
		if longest != redirection.Max {
			t.Errorf("recrawl %t: a chain of %d redirects, want %d", again, longest, redirection.Max)
		}
	}
}

// The processes of a shared crawl know the redirects that others have followed.
func TestRedirectChainOfSharedCrawl(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"/end": "end"}
	for i := range 30 {
		pages[fmt.Sprint("/", i)] = "another page, so that both workers have work"
	}
	s := newSite(t, "127.0.0.1", pages)
	for from, to := range map[string]string{"/": "/r1", "/r1": "/r2", "/r2": "/end"} {
		s.handle(from, http.RedirectHandler(to, http.StatusFound).ServeHTTP)
	}
	urls := []string{s.url + "/"}
	for i := range 30 {
		urls = append(urls, fmt.Sprint(s.url, "/", i))
	}
	cfg := sharedConfig(t, urls...)
	for _, got := range together(t, workerConfig(t, cfg, "w1"), workerConfig(t, cfg, "w2")) {
		for _, p := range got.pages {
			if chain := strings.ReplaceAll(strings.Join(p.Redirects, " "), s.url, ""); p.URL == s.url+"/end" && chain != "/ /r1 /r2" {
				t.Errorf("%s has the chain %q", p.URL, chain)
			}
		}
	}
}

// A base URL of 8 KB does not make the line of a page large, and the links of the page are known.
func TestHreflangLimit(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<base href="/` + strings.Repeat("d", 7000) + `/">` + strings.Repeat(`<link rel=alternate hreflang=a href=x>`, 1000),
	})
	cfg := testConfig(t, s.url+"/")
	page := runCrawl(t, cfg, nil).pages[0]
	if len(page.Hreflang) != 64<<10/len(page.Hreflang[0].URL) || !slices.Equal(page.LimitsReached, []string{"hreflang-bytes"}) {
		t.Errorf("%d versions, limits %q", len(page.Hreflang), page.LimitsReached)
	}
}

// A page that has not changed has no facts, so that those of a withheld page stay unwritten.
func TestUnchangedPageHasNoFacts(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	s.handle("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "<meta name=robots content=noindex><h1>withheld")
	})
	cfg := testConfig(t, s.url+"/")
	for _, again := range []bool{false, true} {
		if page := runCrawl(t, cfg, &Options{Recrawl: again}).pages[0]; page.Headers != nil || again != (page.Status == http.StatusNotModified) {
			t.Errorf("recrawl %t: status %d, headers %q", again, page.Status, page.Headers)
		}
	}
}

func TestFullLinks(t *testing.T) {
	long := strings.Repeat("é", 500)
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a" rel="nofollow x"> first
		<b>link</b> &amp; </a><a href="/a#x">again</a><area href="/b"><iframe src="/c"></iframe><link rel="next" href="/d">
		<a href="/e" rel="` + long + `">` + long + `</a><meta http-equiv="refresh" content="9;url=/f"><a href="http://[">`})
	want := []output.Link{
		{URL: s.url + "/a", Text: "first link &", Rel: "nofollow x", Kind: "a"}, {URL: s.url + "/b", Kind: "area"}, {URL: s.url + "/c", Kind: "frame"},
		{URL: s.url + "/d", Rel: "next", Kind: "link"}, {URL: s.url + "/e", Text: long[:200], Rel: long[:200], Kind: "a"}, {URL: s.url + "/f", Kind: "meta"}, {URL: "http://[", Kind: "a"},
	}
	for _, kind := range []LinkList{LinksFull, LinksPlain} {
		cfg := testConfig(t, s.url+"/")
		cfg.Output.Links = kind
		runCrawl(t, cfg, nil)
		if kind == LinksPlain {
			for i := range want {
				want[i] = output.Link{URL: want[i].URL}
			}
		}
		lines := readOutput[output.Links](t, cfg, "links.jsonl")
		if diff := cmp.Diff([]output.Links{{URL: s.url + "/", To: want}}, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		if got := savedConfig(t, cfg).Output.Links; got != kind {
			t.Errorf("crawl.json has %q, want %q", got, kind)
		}
	}
}

// wantFacts compares the facts of pages of a folder with those that goquery finds in their files.
func wantFacts(t *testing.T, root string, pages []output.Page) {
	t.Helper()
	compared := 0
	for _, got := range pages {
		u, err := url.Parse(got.URL)
		must(t, err)
		name := filepath.Join(root, filepath.FromSlash(u.Path))
		body, err := os.ReadFile(name)
		if got.Status != http.StatusOK || !strings.HasPrefix(got.ContentType, "text/html") || err != nil {
			continue // a list of files
		}
		info, err := os.Stat(name)
		must(t, err)
		want := factsIn(t, u, body)
		want.Headers = map[string]string{"last-modified": info.ModTime().UTC().Format(http.TimeFormat)}
		if diff := cmp.Diff(want, got, facts, cmpopts.IgnoreFields(output.Page{}, "Unchanged", "DuplicateOf", "Encoding")); diff != "" {
			t.Errorf("%s (-goquery +crawl):\n%s", u.Path, diff)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("only %d pages have facts", compared)
	}
}

// factsIn returns the facts of a page. It shares no code with package extract.
func factsIn(t *testing.T, u *url.URL, body []byte) (page output.Page) {
	t.Helper()
	tree, err := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
	must(t, err)
	doc := goquery.NewDocumentFromNode(tree)
	line := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	ascii := func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) } // whitespace of a title in the HTML standard
	page.Title = strings.Join(strings.FieldsFunc(doc.Find("head > title").First().Text(), ascii), " ")
	page.H1 = line(visibleText(doc.Find("h1").First()))
	if n := doc.Find("h1").Length(); n > 1 {
		page.H1Count = n
	}
	page.Description = line(doc.Find(`meta[name="description" i]`).First().AttrOr("content", ""))
	page.Lang = doc.Find("html").AttrOr("lang", "")
	page.Words = len(strings.FieldsFunc(visibleText(doc.Selection), func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) }))
	doc.Find(`link[rel~="alternate" i][hreflang]`).Each(func(_ int, link *goquery.Selection) {
		if target, ok := reference(u, link.AttrOr("href", "")); ok {
			page.Hreflang = append(page.Hreflang, output.Hreflang{Lang: link.AttrOr("hreflang", ""), URL: target.String()})
		}
	})
	scripted, err := html.Parse(bytes.NewReader(body)) // noscript is text
	must(t, err)
	page.ImagesWithoutAlt = goquery.NewDocumentFromNode(scripted).Find(`img:not([alt], [role="none" i], [role="presentation" i], [aria-hidden="true" i])`).Length()
	return page
}

// visibleText returns the text of elements, with a space before and after each block.
func visibleText(s *goquery.Selection) string {
	var text strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Type == html.ElementNode && slices.Contains([]string{"script", "style", "title", "textarea", "iframe", "template"}, n.Data):
			text.WriteByte(' ')
		default:
			block := n.Type == html.ElementNode && !slices.Contains(inline, n.Data)
			if block {
				text.WriteByte(' ')
			}
			for child := range n.ChildNodes() {
				walk(child)
			}
			if block {
				text.WriteByte(' ')
			}
		}
	}
	for _, n := range s.Nodes {
		walk(n)
	}
	return text.String()
}

// inline are the elements of HTML that only format text.
var inline = strings.Fields("a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr q s samp small span strike strong sub sup time tt u var wbr")
