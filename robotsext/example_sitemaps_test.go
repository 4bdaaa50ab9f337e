package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext"
)

// sitemapSite has a robots.txt that lists a sitemap index. The index lists two
// sitemaps, and one of them is missing.
func sitemapSite() *httptest.Server {
	files := map[string]string{
		"/robots.txt": "Sitemap: {site}/index.xml\nUser-agent: *\nDisallow: /private/\n",
		"/index.xml":  "<sitemapindex><sitemap><loc>{site}/a.txt</loc></sitemap><sitemap><loc>{site}/b.txt</loc></sitemap></sitemapindex>",
		"/a.txt":      "{site}/tea\n{site}/private/coffee\nhttps://elsewhere.example/\n",
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if files[r.URL.Path] == "" {
			http.NotFound(w, r)
		}
		fmt.Fprint(w, strings.ReplaceAll(files[r.URL.Path], "{site}", "http://"+r.Host))
	}))
}

// Which pages does a site list? The list may include disallowed pages, because a
// sitemap grants no permission.
func ExampleRobots_Sitemaps() {
	site := sitemapSite()
	defer site.Close()
	robots := examplebot(&robotsext.Options{Sitemaps: robotsext.SitemapOptions{Delay: -1}}) // a local test server needs no delay
	defer robots.CloseIdleConnections()
	u, _ := url.Parse(site.URL)
	ctx := context.Background()
	for page, err := range robots.Sitemaps(ctx, u) {
		if err != nil {
			var failed *robotsext.SitemapError
			if errors.As(err, &failed) {
				fmt.Println("not read:", strings.TrimPrefix(failed.URL, site.URL))
			}
			continue // with the other files
		}
		loc, _ := url.Parse(page.Loc)
		fmt.Println(loc.Path, robots.Check(ctx, loc) == nil)
	}
	// Output:
	// /tea true
	// /private/coffee false
	// not read: /b.txt
}

// How do I read a sitemap that no robots.txt lists?
func ExampleRobots_Sitemap() {
	site := sitemapSite()
	defer site.Close()
	robots := examplebot(&robotsext.Options{
		Sitemaps: robotsext.SitemapOptions{
			Delay: -1,
			OnFile: func(f robotsext.SitemapFile) {
				fmt.Println(strings.TrimPrefix(f.URL, site.URL), f.Status, f.Summary.Format, f.Summary.Entries)
			},
		},
	})
	defer robots.CloseIdleConnections()
	u, _ := url.Parse(site.URL + "/a.txt")
	for page, err := range robots.Sitemap(context.Background(), u) {
		if err == nil {
			fmt.Println(strings.TrimPrefix(page.Loc, site.URL))
		}
	}
	// Output:
	// /tea
	// /private/coffee
	// /a.txt 200 text 3
}
