package robotslint_test

import (
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotslint"
)

// What is wrong with my robots.txt, and how do I fix it?
func ExampleLint() {
	body := "User-agent: *\nDisalow: /old/\nDisallow: /private/\nDisallow: /private/a\n"

	for _, f := range robotslint.Lint([]byte(body), nil) {
		fmt.Printf("line %d: %s: %s\n\t%s\n", f.Line, f.Severity, f.Message, f.Fix)
	}
	// Output:
	// line 2: error: unknown field "Disalow": most crawlers ignore the line; the most similar field is Disallow
	// 	if you want to disallow these URLs, write "Disallow: /old/"
	// line 4: warning: "Disallow: /private/a" has no effect: "Disallow: /private/" in line 3 matches all its URLs
	// 	remove line 4
}

// How severe is a finding, and which requirement is it about?
func ExampleKind() {
	for _, kind := range []robotslint.Kind{"misspelled-field", "redundant-rule", "duplicate-sitemap"} {
		fmt.Println(kind, kind.Severity(), kind.SpecID())
	}
	// Output:
	// misspelled-field error ROB-FMT-11
	// redundant-rule warning ROB-MAT-03
	// duplicate-sitemap note ROB-SMP-08
}
