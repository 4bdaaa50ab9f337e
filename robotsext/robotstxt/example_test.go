package robotstxt_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const file = `
User-agent: *
Disallow: /search
Allow: /search/about
Crawl-delay: 2

User-agent: ExampleBot
User-agent: OtherBot
Disallow: /*.pdf$

Useragent: ThirdBot
Sitemap: https://example.com/sitemap.xml
`

// May a crawler fetch a URL, and which line says so?
func Example() {
	f := robotstxt.Parse([]byte(file), nil)
	for _, url := range []string{
		"https://example.com/search?q=x",
		"https://example.com/search/about",
		"https://example.com/a.pdf",
	} {
		v := f.Check(url, "ThirdBot/1.0 (+https://example.com/bot)")
		fmt.Println(url, v.Allowed, v.Group.Name())
		if v.Rule != nil {
			fmt.Printf("\tline %d: %v\n", v.Rule.Line, v.Rule)
		}
	}
	// Output:
	// https://example.com/search?q=x false *
	// 	line 3: Disallow: /search
	// https://example.com/search/about true *
	// 	line 4: Allow: /search/about
	// https://example.com/a.pdf true *
}

// Which rules apply to a crawler with several names?
func ExampleFile_Group() {
	f := robotstxt.Parse([]byte(file), nil)
	for _, tokens := range [][]string{
		{"ExampleBot-Image", "ExampleBot"},
		robotstxt.WithParents("OtherBot-News-Fast"),
		{"ThirdBot"},
	} {
		g := f.Group(tokens...)
		fmt.Println(tokens, g.Name(), g.Rules())
	}
	// Output:
	// [ExampleBot-Image ExampleBot] ExampleBot [{false /*.pdf$ 9}]
	// [OtherBot-News-Fast OtherBot-News OtherBot] OtherBot [{false /*.pdf$ 9}]
	// [ThirdBot] * [{false /search 3} {true /search/about 4}]
}

// How does a crawler that ignores "*" find its group?
func ExampleFile_NamedGroup() {
	f := robotstxt.Parse([]byte("User-agent: *\nDisallow: /"), nil)
	fmt.Println(f.Group("AdsBot-Google").Match("/").Allowed)
	fmt.Println(f.NamedGroup("AdsBot-Google").Match("/").Allowed)
	// Output:
	// false
	// true
}

// What if no crawler can have the name?
func ExampleGroup_Err() {
	g := robotstxt.Parse([]byte("User-agent: *\nAllow: /"), nil).Group("")
	fmt.Println(g.Match("/").Allowed, g.Err())
	// Output: false no product token in "": it needs a crawler's name of letters, digits, dots, - and _, such as ExampleBot/1.0
}

// How long does a crawler have to wait between two requests?
func ExampleGroup_CrawlDelay() {
	f := robotstxt.Parse([]byte(file), nil)
	fmt.Println(f.Group("ThirdBot").CrawlDelay(), f.Group("ExampleBot").CrawlDelay())
	// Output: 2s 0s
}

// What mistakes does a file have?
func ExampleFinding() {
	f := robotstxt.Parse([]byte(file+"Disallow: private/\n"), nil)
	for _, x := range f.Findings {
		fmt.Println(x)
		fmt.Println("\t", x.Kind, x.Kind.SpecID())
	}
	// Output:
	// line 11: looks like a misspelled field: "Useragent"
	// 	 misspelled-field ROB-FMT-11
	// line 13: a path must begin with / or *: "private/"
	// 	 no-slash ROB-MAT-10
}

// Where are the sitemaps?
func ExampleSitemap() {
	f := robotstxt.Parse([]byte(file), nil)
	for _, s := range f.Sitemaps {
		fmt.Println(s.Line, s.URL)
	}
	// Output: 12 https://example.com/sitemap.xml
}

// What is the name of my crawler in robots.txt?
func ExampleProductToken() {
	token, err := robotstxt.ProductToken("Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)")
	fmt.Println(token, err)
	token, err = robotstxt.ProductToken("MJ12bot/v1.4.8")
	fmt.Println(token, err)
	_, err = robotstxt.ProductToken("Mozilla/5.0")
	fmt.Println(err)
	// Output:
	// ExampleBot <nil>
	// MJ12bot <nil>
	// no product token in "Mozilla/5.0": it needs a crawler's name of letters, digits, dots, - and _, such as ExampleBot/1.0
}

// Does Google's parser give the same verdict?
func ExampleOptions() {
	body := []byte("User-agent: *\nDisalow: /private")
	const url = "https://example.com/private"
	for _, opts := range []*robotstxt.Options{nil, {Lenient: true}, {GoogleParser: true}} {
		fmt.Println(robotstxt.Parse(body, opts).Check(url, "ExampleBot").Allowed)
	}
	// Output:
	// true
	// false
	// false
}

// Which pages are the same?
func ExampleFile_CleanURL() {
	f := robotstxt.Parse([]byte("Clean-param: ref /some_dir/get_book.pl"), nil)
	fmt.Println(f.CleanURL("https://example.com/some_dir/get_book.pl?ref=site_1&book_id=123"))
	// Output: https://example.com/some_dir/get_book.pl?book_id=123
}

// May a page be used to train a model?
func ExampleGroup_ContentUsage() {
	f := robotstxt.Parse([]byte("User-agent: *\nAllow: /\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n"), nil)
	g := f.Group("ExampleBot")
	for _, line := range g.ContentUsage("/ai-ok/test") {
		fmt.Println(line.Line, line.Usage["train-ai"])
	}
	// Output: 4 true
}

// How do I print a file in a normalized form?
func ExampleFile_String() {
	f := robotstxt.Parse([]byte("disallow: /x\nuser-agent:a # c\nsitemap:http://h/s\nUSER-AGENT: b/2\ndisallow:/y#z\n\n"), nil)
	fmt.Print(f)
	// Output:
	// User-agent: a
	// User-agent: b
	// Disallow: /y
	//
	// Sitemap: http://h/s
}
