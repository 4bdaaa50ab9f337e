package robotstag_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// May I index this page and follow its links?
func ExampleDirectives() {
	resp := &http.Response{Header: http.Header{
		"X-Robots-Tag": {"otherbot: none", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST"},
	}}

	d := robotstag.New("examplebot")
	d.Header(resp.Header)
	// For every <meta name="…" content="…"> of the page, as your HTML parser returns them:
	d.Meta("viewport", "width=device-width")
	d.Meta("robots", "max-snippet:50")
	d.Meta("examplebot", "nofollow")

	if rule := d.NoIndex(time.Now()); rule != nil {
		fmt.Printf("do not index it: %v (%v)\n", rule, rule.Source)
	}
	if rule := d.NoFollow(); rule != nil {
		fmt.Printf("do not follow its links: %v (%v)\n", rule, rule.Source)
	}
	if rule := d.MaxSnippet(); rule != nil && rule.Limit != robotstag.NoLimit {
		fmt.Printf("quote %d characters at most\n", rule.Limit)
	}
	// Output:
	// do not index it: unavailable_after: 2010-06-25T23:00:00Z (2nd X-Robots-Tag header)
	// do not follow its links: nofollow (2nd robots meta element for examplebot)
	// quote 50 characters at most
}

// Should this link be followed?
func ExampleParseRel() {
	for _, rel := range []string{"noopener", "ugc,nofollow", "sponsored"} {
		fmt.Println(robotstag.ParseRel(rel).Follow(), rel)
	}
	// Output:
	// true noopener
	// false ugc,nofollow
	// false sponsored
}

// Which rules apply to my crawler, and where are they?
func ExampleDirectives_Rules() {
	d := robotstag.New("examplebot")
	d.Header(http.Header{"X-Robots-Tag": {"noindex, max-snippet: 20", "otherbot: nofollow"}})
	d.Meta("robots", "none")
	for _, rule := range d.Rules() {
		fmt.Printf("%v (%v)\n", rule, rule.Source)
	}
	// Output:
	// noindex (1st X-Robots-Tag header)
	// max-snippet: 20 (1st X-Robots-Tag header)
	// none (1st robots meta element)
}

// Which canonical URL does a page declare?
func ExampleDirectives_Canonical() {
	d := robotstag.New()
	d.Header(http.Header{"Link": {`</catalogue?page=2>; rel="next", <https://example.com/catalogue>; rel="canonical"`}})
	d.Link("canonical", "/other") // the header takes precedence
	fmt.Println(d.Canonical())
	// Output: https://example.com/catalogue
}

// Was a directive, whose source is kept as text, in a header or in a meta element?
func ExampleParseSource() {
	source, ok := robotstag.ParseSource("2nd X-Robots-Tag header for examplebot")
	fmt.Println(source.Field, source.Line, source.Agent, ok)
	// Output:
	// X-Robots-Tag 2 examplebot true
}
