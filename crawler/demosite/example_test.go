package demosite_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// What does the site report about a client that ignores robots.txt?
func ExampleSite_Judge() {
	site, err := demosite.Start(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()

	resp, err := http.Get(site.Origin("rules") + "/private/minutes")
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()

	report := site.Judge(20*time.Millisecond, "politecrawl")
	for _, v := range report.Violations {
		fmt.Printf("%s: %s\n", v.Request.URI, v.Kind)
	}
	// Output:
	// /private/minutes: before robots.txt
	// /private/minutes: disallowed
}

// What would a complete and polite crawl of the site do?
func ExampleSite_Expected() {
	site, err := demosite.Start(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer site.Close()

	want := site.Expected("politecrawl")
	skipped := make(map[string]int)
	for _, r := range want.Rejected {
		skipped[r.Reason]++
	}
	fmt.Println("start URLs:", len(site.StartURLs()), "pages:", len(want.Pages), "sitemaps:", len(want.Sitemaps))
	fmt.Println("skipped:", skipped)
	// Output:
	// start URLs: 7 pages: 233 sitemaps: 9
	// skipped: map[disallowed:40 nofollow:9 not-authorized:4 out-of-scope:5]
}
