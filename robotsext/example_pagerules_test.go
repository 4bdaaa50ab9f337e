package robotsext_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// How does my collector obey X-Robots-Tag headers and robots meta elements?
func Example_pageRules() {
	site := pageRulesSite()
	defer site.Close()
	robots := examplebot(nil)
	c := colly.NewCollector(robots.Attach)

	// Each callback reads the rules from its own response. Do not store them in r.Ctx:
	// colly shares it between a page and the requests that the page visits.
	rulesOf := func(r *colly.Response) *robotstag.Directives {
		rules := robotstag.New(robots.Tokens()...)
		rules.Header(*r.Headers)
		return rules
	}
	index := func(r *colly.Response, rules *robotstag.Directives) {
		if rule := rules.NoIndex(time.Now()); rule != nil {
			fmt.Printf("%s not indexed: %v (%v)\n", r.Request.URL.Path, rule, rule.Source)
			return
		}
		fmt.Println(r.Request.URL.Path, "indexed")
	}
	c.OnResponse(func(r *colly.Response) {
		if !strings.Contains(strings.ToLower(r.Headers.Get("Content-Type")), "html") { // a file without meta elements
			index(r, rulesOf(r))
		}
	})
	c.OnHTML(":root", func(page *colly.HTMLElement) {
		rules := rulesOf(page.Response)
		page.ForEach("meta", func(_ int, m *colly.HTMLElement) { rules.Meta(m.Attr("name"), m.Attr("content")) })
		index(page.Response, rules)
		if rule := rules.NoFollow(); rule != nil {
			fmt.Printf("%s not followed: %v (%v)\n", page.Request.URL.Path, rule, rule.Source)
			return
		}
		page.ForEach("a[href]", func(_ int, a *colly.HTMLElement) {
			if robotstag.ParseRel(a.Attr("rel")).Follow() {
				_ = a.Request.Visit(a.Attr("href"))
			}
		})
	})
	_ = c.Visit(site.URL + "/")
	// Output:
	// / indexed
	// /noindex not indexed: noindex (1st robots meta element)
	// /found indexed
	// /nofollow indexed
	// /nofollow not followed: nofollow (1st X-Robots-Tag header for examplebot)
	// /none not indexed: none (1st robots meta element for examplebot)
	// /none not followed: none (1st robots meta element for examplebot)
	// /others indexed
	// /manual.pdf not indexed: noindex (1st X-Robots-Tag header)
}

// pageRulesSite serves pages with rules in headers and meta elements.
func pageRulesSite() *httptest.Server {
	pages := map[string]struct{ contentType, tag, body string }{
		"/": {"text/html", "", `<a href="/noindex">1</a> <a href="/nofollow">2</a> <a href="/none">3</a>
			<a href="/others">4</a> <a href="/manual.pdf">5</a> <a href="/advertisement" rel="nofollow">6</a>`},
		"/noindex":    {"text/html", "", `<meta name="robots" content="noindex"><a href="/found">found</a>`},
		"/nofollow":   {"text/html", "examplebot: nofollow", `<a href="/hidden">hidden</a>`},
		"/none":       {"text/html", "", `<meta name="examplebot" content="none"><a href="/hidden">hidden</a>`},
		"/others":     {"text/html", "otherbot: none", `<meta name="otherbot" content="none">`},
		"/manual.pdf": {"application/pdf", "noindex", ""},
		"/found":      {"text/html", "", ""},
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		page, ok := pages[req.URL.Path]
		if !ok {
			http.NotFound(w, req)
			return
		}
		w.Header().Set("Content-Type", page.contentType)
		if page.tag != "" {
			w.Header().Set("X-Robots-Tag", page.tag)
		}
		fmt.Fprint(w, page.body)
	}))
}
