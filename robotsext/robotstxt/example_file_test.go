package robotstxt_test

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Why does a file give this verdict?
func ExampleFile_Explain() {
	f := robotstxt.Parse([]byte(file), nil)
	e := f.Explain("https://example.com/search/about?x#y", "ThirdBot")
	fmt.Printf("allowed: %v, by the group of %s, for %s\n", e.Allowed, e.Token, e.Path)
	for _, r := range e.Matches {
		fmt.Printf("line %d, length %d: %v\n", r.Line, r.Length, r)
	}
	// Output:
	// allowed: true, by the group of *, for /search/about?x
	// line 4, length 13: Allow: /search/about
	// line 3, length 7: Disallow: /search
}

// Which crawlers does a file name?
func ExampleFile_Agents() {
	f := robotstxt.Parse([]byte(file), nil)
	fmt.Println(f.Agents())
	fmt.Println(f.AgentSets()) // one set for the agents of the same groups
	// Output:
	// [* ExampleBot OtherBot]
	// [[*] [ExampleBot OtherBot]]
}

// Which rule is tried first?
func ExampleGroup_Ranked() {
	f := robotstxt.Parse([]byte("User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a\nAllow: /*.css$\n"), nil)
	for _, r := range f.Group("ExampleBot").Ranked() {
		fmt.Println(r.Length, r)
	}
	// Output:
	// 7 Allow: /*.css$
	// 2 Allow: /a
	// 2 Disallow: /a
	// 1 Disallow: /
}

// When may a crawler visit a site, and how often?
func ExampleGroup_VisitTimes() {
	f := robotstxt.Parse([]byte("User-agent: *\nVisit-time: 2200-0459\nRequest-rate: 1/10m\n"), nil)
	g := f.Group("ExampleBot")
	night := g.VisitTimes()[0]
	for _, hour := range []int{12, 23} {
		fmt.Println(hour, "h:", night.Contains(time.Date(2026, time.March, 1, hour, 0, 0, 0, time.UTC)))
	}
	fmt.Println(g.RequestRates()[0].Delay())
	// Output:
	// 12 h: false
	// 23 h: true
	// 10m0s
}

// What does a file say about the use of the content?
func ExampleGroup_ContentSignals() {
	f := robotstxt.Parse([]byte("User-agent: *\nContent-Signal: search=yes, ai-train=no\n"), nil)
	for _, line := range f.Group("ExampleBot").ContentSignals("/") {
		fmt.Println(line.Line, line.Signals)
	}
	// Output:
	// 2 [{search yes} {ai-train no}]
}

// What does one Content-Usage header allow?
func ExampleParseUsage() {
	usage := robotstxt.ParseUsage("train-ai=n, search=y")
	fmt.Println(usage["search"], usage["train-ai"], len(usage))
	// Output: true false 2
}

// How do I match the patterns of robots.txt in another file?
func ExampleNewPattern() {
	images := robotstxt.NewPattern("/images/*.jpg$")
	fmt.Println(images.Match("/images/cat.jpg"), images.Match("/images/cat.jpg?size=2"))
	// Output: true false
}

// Which other fields does a file have besides rules?
func ExampleGroup_Extensions() {
	f := robotstxt.Parse([]byte("User-agent: *\nDisallow: /x\nCrawl-delay: 2\nHost: example.com\n"), nil)
	for _, e := range f.Group("ExampleBot").Extensions() {
		fmt.Println(e.Line, e.Field, e.Value)
	}
	// Output:
	// 3 Crawl-delay 2
	// 4 Host example.com
}

// Which query parameters do not change a page?
func ExampleFile_CleanParams() {
	f := robotstxt.Parse([]byte("Clean-param: sid&ref /forum/\n"), nil)
	for _, c := range f.CleanParams() {
		fmt.Println(c.Params, "below", c.Path)
	}
	// Output: [sid ref] below /forum/
}

// How much memory does a file take?
func ExampleFile_Size() {
	small := robotstxt.Parse([]byte("User-agent: *\nDisallow: /a\n"), nil)
	large := robotstxt.Parse([]byte(file), nil)
	fmt.Println(small.Size() < large.Size())
	// Output: true
}
