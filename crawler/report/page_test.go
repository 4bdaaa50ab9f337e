package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// hostile are texts that try to become markup.
var hostile = []string{
	`<script>window.ran=1</script>`,
	`"><img src=x onerror="window.ran=1">`,
	`'><svg onload=window.ran=1>`,
	`</title></style></script><script>window.ran=1</script>`,
	`javascript:window.ran=1`,
	`https://example.com/"onmouseover="window.ran=1`,
	`{{.Policy}}<!--`,
	"\u202e\u0000\x1b[31m\u2028" + `<base href="https://evil.example/">`,
	`<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
	`<link rel=stylesheet href=https://evil.example/x.css><iframe src=https://evil.example/>`,
	"\u202e\u2028gpj.exe", // which may stand in a URL
	strings.Repeat(`<b>`, 5000),
}

// hostileCrawl has each text wherever a site can put one.
func hostileCrawl() *crawl {
	c := everything()
	config := c.state["config"].(map[string]any)
	config["user-agent"] = hostile[0]
	for i, text := range hostile {
		url := "https://example.com/?" + text
		origin := "https://" + strings.NewReplacer("/", "", "\x00", "").Replace(text)
		for _, u := range []string{url, text} {
			c.pages = append(c.pages,
				output.Page{
					URL: u, Status: 200, Title: text, FoundOn: text, Source: text, Location: text, ContentType: text, Canonical: text,
					Directives: []output.Directive{{Rule: text, Source: text}}, Withheld: text,
					Hash: "e", DurationMS: 99_999, Bytes: 1 << 30, Links: i,
					H1: text, Description: text, Lang: text, Hreflang: []output.Hreflang{{Lang: text, URL: text}}, Redirects: []string{text, u},
					Headers: map[string]string{"x-" + text: text}, Fields: map[string]any{text: []string{text, text}}, Malformed: text,
				},
				output.Page{URL: u + "/404", Status: 404, FoundOn: text, Source: text},
				output.Page{URL: u + "/301", Status: 301, Location: text, FoundOn: text, Source: "redirect"},
				output.Page{URL: u + "/unlisted", Status: 200, ContentType: "text/html", FoundOn: text, Source: text})
			for _, reason := range []output.Reason{output.Disallowed, output.Failed, output.NotAuthorized, output.Reason(text)} {
				c.rejected = append(c.rejected, output.Rejection{
					URL: u + "/no/" + string(reason), Reason: reason, Rule: "Disallow: " + text, Line: 2, RobotsURL: example + "/robots.txt", Group: text,
					FoundOn: text, Source: text, Detail: text,
				})
			}
			c.rejected = append(c.rejected, output.Rejection{ // by a line that is not there any more
				URL: u + "/gone", Reason: output.Disallowed, Rule: "Disallow: " + text, Line: 1000 + i, RobotsURL: example + "/robots.txt", FoundOn: text, Source: text,
			})
			for _, path := range []string{"", "/404", "/301", "/no/disallowed", "/no/failed", "/no/not-authorized", "/nowhere"} {
				c.entries = append(c.entries, output.Entry{URL: u + path, Sitemap: text, LastMod: day.AddDate(50, 0, 0)})
			}
			evil := usage.Statement{Kind: usage.Kind(text), Source: usage.Source{Kind: usage.SourceKind(text)}, Raw: text, Values: map[usage.Purpose]usage.Value{usage.Search: usage.Disallowed}}
			c.permissions = append(c.permissions, permission(u, inRobots(usage.KindContentSignal, "search=yes"), evil))
			c.links = append(c.links, output.Links{
				URL: text, To: []output.Link{{URL: u + "/404", Text: text, Rel: text, Kind: text}, {URL: u, Text: text, Kind: "a"}},
				Resources: []output.Link{{URL: u + "/logo.png", Text: text, Kind: "img"}},
			})
			c.checks = append(c.checks, output.Check{
				URL: u + "/logo.png", Result: output.CheckBroken, Kind: "img", FoundOn: text, Status: 404, Location: text, Detail: text, ContentType: text, Canonical: text, Noindex: text,
			})
		}
		c.sitemaps = append(c.sitemaps, output.Sitemap{URL: text, Status: 200, Origin: text, FoundOn: text, Detail: text, FetchedAt: day})
		c.robots = append(c.robots,
			robotsLine{Origin: origin, Outcome: text, Error: text, Chain: []string{text, text}, FetchedAt: at(1), FailingSince: at(1)},
			robotsLine{Origin: origin, Outcome: "rules", Chain: []string{text}, FetchedAt: at(2)},
			robotsLine{Origin: origin, Outcome: "rules", Chain: []string{text, text}, FetchedAt: at(3)},
			robotsLine{Origin: fmt.Sprintf("https://lost%d.example", i), Outcome: "unreachable", Error: text, FetchedAt: at(1), FailingSince: at(1)})
		c.texts[origin] = "User-agent: politecrawl\nDisallow: " + text + "\n"
	}
	c.texts[example] = "User-agent: *\nDisallow: /private/ # " + strings.Join(hostile, " ") + "\n"
	c.state["config"].(map[string]any)["urls"] = append([]string{"https://" + hostile[1]}, hostile...)
	return c
}

func TestTextsOfASiteAreEscaped(t *testing.T) { wantNoMarkup(t, hostileCrawl().make(t)) }

// Names of the crawl, its workers and directories may come from somebody else.
func TestNamesOfACrawlAreEscaped(t *testing.T) {
	const unseen = "\u202e\x1b[31m\u2028<b>"
	var dirs []string
	for round := range 2 { // which differ, so that there is a note
		dir := worker(func(c *crawl) {
			c.state["ended"], c.state["recrawls"] = CrawlEnd{unseen, 7}, round
			config := c.state["config"].(map[string]any)
			config["urls"], config["user-agent"], config["worker-name"] = []string{"https://" + unseen + "/"}, unseen, unseen
			c.page("/from", output.Page{Status: 301, Location: "/to"})
			c.reject("/to", output.Rejection{Reason: unseen})
			c.reject("/no", output.Rejection{Reason: output.Disallowed, Rule: "Disallow: " + unseen})
			c.pages = append(c.pages, output.Page{URL: "https://\u202emoc.example/path", Status: 404})
			c.robots = []robotsLine{{Origin: example, Outcome: unseen}, {Origin: other, Outcome: "rules"}}
			c.texts = map[string]string{other: "User-agent: a\n" + unseen + ": \nUser-agent: b\nDisallow: /\n"}
		}).write(t)
		dirs = append(dirs, filepath.Join(filepath.Dir(dir), unseen))
		if err := os.Rename(dir, dirs[round]); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Generate(t.Context(), dirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantNoMarkup(t, r)
}

// wantNoMarkup checks that a page has only the elements of the template, no handlers, no
// addresses but http and https, and no invisible characters.
func wantNoMarkup(t *testing.T, r *Report) {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	elements := strings.Fields(`a b body br code details div figcaption figure footer h1 h2 h3 head header html li link main meta nav ol p rect
		script section span style summary svg table tbody td text th thead title tr ul`)
	count, blocks := make(map[string]int), 0
	tokens := html.NewTokenizer(bytes.NewReader(page.Bytes()))
	for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
		token := tokens.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			count[token.Data]++
			if token.Data == "script" && len(token.Attr) > 0 { // data
				blocks++
			}
			if !slices.Contains(elements, token.Data) {
				t.Errorf("an element %s", token)
			}
			for _, a := range token.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "src":
					t.Errorf("an attribute %s of %s", a.Key, token.Data)
				case a.Key == "href" && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "#") && a.Val != "data:,":
					t.Errorf("an address %q", a.Val)
				}
			}
		case html.CommentToken:
			t.Errorf("a comment %q", token.Data)
		}
	}
	for name, want := range map[string]int{"script": 1 + blocks, "style": 1, "meta": 6, "link": 1, "a": count["a"]} {
		if count[name] != want || want == 0 {
			t.Errorf("%d elements %s, want %d", count[name], name, want)
		}
	}
	if text := page.String(); strings.ContainsAny(text, "\u202e\x00\x1b\u2028") {
		t.Error("it has characters that do not show")
	}
	if page.Len() > 4<<20 {
		t.Errorf("%d bytes", page.Len())
	}
}

func TestEachTopicShowsCommonCaveatsOnce(t *testing.T) {
	c := everything()
	c.state["ended"] = CrawlEnd{"interrupted", 7}
	c.links = nil
	var page bytes.Buffer
	r := c.make(t)
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for topic := range strings.SplitSeq(page.String(), "<section") {
		if n := strings.Count(topic, "<li>the crawl is not finished: 7 URLs remain</li>"); n > 1 {
			t.Errorf("%d times: %s", n, topic)
		}
	}
	several := 0 // topics with several rules
	for _, topic := range topics(r) {
		if len(topic.Findings) > 1 {
			several++
		}
	}
	for text, want := range map[string]int{
		"<p>Reasons why lists may be incomplete or wrong:</p>": several,
		`<span class="tag">(list may be incomplete)</span>`:    len(r.Findings), // all
	} {
		if got := strings.Count(page.String(), text); got != want {
			t.Errorf("%d times %s, want %d", got, text, want)
		}
	}
}

var pages = flag.String("pages", "", "write the pages that crawler/browsertest/report opens into this directory")

// TestWritePages writes report pages for the tests in a browser, which are in a module of their
// own. Without -pages it writes one of them, into a temporary directory.
func TestWritePages(t *testing.T) {
	to, crawls := *pages, map[string][]*crawl{"workers": bigWorkers()}
	if to == "" {
		to = t.TempDir()
	} else {
		crawls["big"], crawls["hostile"], crawls["huge"] = []*crawl{bigCrawl()}, []*crawl{hostileCrawl()}, []*crawl{hugeCrawl()}
	}
	for name, workers := range crawls {
		var dirs []string
		for _, c := range workers {
			dirs = append(dirs, c.write(t))
		}
		r, err := Generate(t.Context(), dirs, &Options{Rows: 100_000})
		if err == nil {
			err = r.WriteFiles(t.Context(), dirs[0])
		}
		if err == nil {
			err = os.Rename(filepath.Join(dirs[0], HTMLFile), filepath.Join(to, name+".html"))
		}
		if err == nil && name == "big" {
			err = os.CopyFS(filepath.Join(to, name), os.DirFS(dirs[0])) // to be served
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// bigCrawl is everything, with more rows in some tables.
func bigCrawl() *crawl {
	c := everything()
	for i := range 20 {
		host := fmt.Sprintf("https://host-%02d.example", i)
		for page := range i + 1 {
			p := c.pages[0]
			p.Hash = ""
			p.URL = fmt.Sprintf("%s/%d/%s", host, page, strings.Repeat("long", 60))
			c.pages = append(c.pages, p)
		}
	}
	return c
}

// hugeCrawl has 100,000 broken URLs. 50,000 pages have a million links to them.
func hugeCrawl() *crawl {
	const broken, pages, links = 100_000, 50_000, 20
	c := &crawl{state: everything().state}
	url := func(i int) string { return fmt.Sprintf("/section-%02d/broken/%06d", i%100, i) }
	for i := range broken {
		c.page(url(i), output.Page{Status: 404, Source: "link"})
	}
	for i := range pages {
		path := fmt.Sprintf("/page/%05d", i)
		c.page(path, output.Page{Source: "link", Links: links, ContentType: "text/html"})
		l := output.Links{URL: example + path}
		for j := range links {
			l.To = append(l.To, output.Link{URL: example + url((i*links+j)*7%broken)})
		}
		c.links = append(c.links, l)
	}
	return c
}

// bigWorkers are workers of one crawl, each of which ended in another way.
func bigWorkers() []*crawl {
	workers := []*crawl{bigCrawl(), hostileCrawl(), bigCrawl(), worker(func(*crawl) {})}
	workers[1].state["ended"] = CrawlEnd{hostile[0], 12}
	workers[2].state["ended"] = CrawlEnd{End: EndRunning}
	delete(workers[3].state, "ended")
	return workers
}
