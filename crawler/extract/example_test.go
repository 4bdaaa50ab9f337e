package extract_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
)

// What does a page link to?
func ExampleRead() {
	doc := extract.Read(extract.Page{
		URL:  "https://example.com/docs/",
		Body: []byte(`<title>Home</title><a href="../about" rel="nofollow">about us</a>`),
	}, nil)
	fmt.Println(doc.Title)
	for _, link := range doc.Links {
		fmt.Printf("%s (%s)\n", link.URL, link.Rel)
	}
	// Output:
	// Home
	// https://example.com/about (nofollow)
}

// Is a response a page?
func ExampleIsPage() {
	for _, contentType := range []string{"text/html; charset=utf-8", "text/plain", "html", ""} {
		header := http.Header{"Content-Type": {contentType}}
		fmt.Printf("%q %t\n", contentType, extract.IsPage(header, []byte("<!doctype html><title>Home</title>")))
	}
	// Output:
	// "text/html; charset=utf-8" true
	// "text/plain" false
	// "html" true
	// "" true
}

// How do I handle a page with very many links?
func ExampleRead_handlers() {
	links, distinct := 0, make(map[string]bool)
	extract.Read(extract.Page{URL: "https://example.com/", Body: []byte("<p>" + strings.Repeat(`<a href="/trap"></a>`, 100_000))}, &extract.Handlers{
		Link: func(link extract.Link) {
			links++
			if len(distinct) < 10_000 {
				distinct[link.URL] = true
			}
		},
		Restart: func() { links = 0; clear(distinct) },
	})
	fmt.Println(links, "links to", len(distinct), "URL")
	// Output: 100000 links to 1 URL
}

// How do I detect that a page has no new content?
func ExampleVisibleParts() {
	seen := make(map[string]bool)
	for _, page := range []string{`<h1>Red shirts</h1><img src="/1.png"> 20 €`, `<h1>Red shirts</h1><img src="/2.png"> 20 €`} {
		for run := range extract.VisibleParts([]byte(page)) {
			if !seen[string(run)] {
				fmt.Printf("%s;", run)
			}
			seen[string(run)] = true
		}
		fmt.Println()
	}
	// Output:
	// Red shirts;/1.png;20 €;
	// /2.png;
}

// Which files does a stylesheet need?
func ExampleReadStylesheet() {
	text := []byte(`@import "print.css"; body { background: url(paper.png) }`)
	extract.ReadStylesheet(extract.Page{URL: "https://example.com/css/site.css", Body: text}, func(r extract.Resource) {
		fmt.Println(r.URL, r.Imported)
	})
	// Output:
	// https://example.com/css/print.css true
	// https://example.com/css/paper.png false
}

// Which modules does a script import?
func ExampleReadScript() {
	text := []byte(`import { start } from "./lib/start.js"; start(() => import("./search.js"))`)
	extract.ReadScript(extract.Page{URL: "https://example.com/js/main.js", Body: text}, func(r extract.Resource) {
		fmt.Println(r.URL)
	})
	// Output:
	// https://example.com/js/lib/start.js
	// https://example.com/js/search.js
}

// Which element of its target does a link name?
func ExampleFragment() {
	for _, ref := range []string{"/guide#install", "/guide#top", "/app#/route"} {
		fmt.Printf("%q\n", extract.Fragment(ref))
	}
	// Output:
	// "install"
	// ""
	// ""
}

// How do I extract my own fields from a page?
func ExampleRules() {
	rules, err := extract.NewRules(map[string]extract.Rule{
		"price":  {Selector: ".price"},
		"images": {Selector: "img", Attr: "src", All: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fields, err := rules.Fields(extract.Read(extract.Page{URL: "https://example.com/", Body: []byte(`<p class="price"> 12 € </p><img src="/1.png"><img src="/2.png">`)}, nil))
	fmt.Println(fields["price"], fields["images"], err)
	// Output: 12 € [/1.png /2.png] <nil>
}

// How do I write a rule in one line?
func ExampleParseRule() {
	for _, text := range []string{".price", "img@src", "ul.tags > li []", "p..x"} {
		rule, err := extract.ParseRule(text)
		fmt.Printf("%+q %v\n", rule, err)
	}
	// Output:
	// ".price" <nil>
	// "img@src" <nil>
	// "ul.tags > li[]" <nil>
	// "" rule "p..x": selector "p..x": expected identifier, found . instead
}

// How do I define a field on the command line?
func ExampleParseField() {
	name, rule, err := extract.ParseField("images=img.photo@src[]")
	fmt.Printf("%s: selector %q, attribute %q, all: %v, %v\n", name, rule.Selector, rule.Attr, rule.All, err)
	// Output: images: selector "img.photo", attribute "src", all: true, <nil>
}

// Which of my rules is wrong?
func ExampleFieldError() {
	_, err := extract.NewRules(map[string]extract.Rule{"price": {Selector: ".price"}, "name": {Selector: "h1["}})
	if wrong, ok := errors.AsType[*extract.FieldError](err); ok {
		fmt.Println(wrong.Field)
	}
	// Output: name
}
