package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// A demoResult is what the crawler said of a crawl beside what the site saw.
type demoResult struct {
	Summary  *crawler.Summary `json:"summary"`
	Seconds  float64          `json:"seconds"`
	Delay    string           `json:"delay"`
	Requests int              `json:"requests"` // all that the site saw, by kind in the next four
	Pages    int              `json:"pages"`
	Robots   int              `json:"robots"`
	Moved    int              `json:"robots_redirects"` // where a robots.txt redirects to
	Sitemaps int              `json:"sitemaps"`

	Violations []string `json:"violations"` // what must not happen, as the site saw it
	Advice     []string `json:"advice"`     // what should not
	Missing    []string `json:"missing"`    // expected, but not in pages.jsonl
	Unexpected []string `json:"unexpected"` // the reverse
	Agrees     bool     `json:"agrees"`     // nothing missing or unexpected, and the numbers are equal
}

func newDemoResult(sum *crawler.Summary, fetched []string, delay time.Duration, saw demosite.Report, want demosite.Expectation) *demoResult {
	r := &demoResult{
		Summary: sum, Seconds: sum.Took.Seconds(), Delay: delay.String(),
		Requests: saw.Requests, Sitemaps: saw.Sitemaps, Pages: saw.Pages,
		Violations: texts(saw.Violations), Advice: texts(saw.Advice),
		Missing: without(want.Pages, fetched), Unexpected: without(fetched, want.Pages),
	}
	for _, n := range saw.Robots {
		r.Robots += n
	}
	r.Moved = r.Requests - r.Pages - r.Robots - r.Sitemaps
	r.Agrees = len(r.Missing) == 0 && len(r.Unexpected) == 0 && len(saw.Missing) == 0 &&
		len(fetched) == sum.Pages && r.Robots == sum.Robots
	return r
}

// code is the exit code of the demo.
func (r *demoResult) code() int {
	code := endCode(r.Summary.End)
	if len(r.Violations) > 0 || code == exitDone && !r.Agrees {
		code = worse(code, exitFindings)
	}
	return code
}

// text is the result for a person.
func (r *demoResult) text(paint painter) string {
	var b strings.Builder
	b.WriteString(summaryText(r.Summary))
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "what the site saw:\n")
	line("requests", "%d: %d for pages, %d for robots.txt and %d for its redirects, %d for sitemaps",
		r.Requests, r.Pages, r.Robots, r.Moved, r.Sitemaps)
	verdict := paint(green, "0 violations")
	if n := len(r.Violations); n > 0 {
		verdict = paint(red, number(n, "violation"))
	}
	line("politeness", "%s, with a delay of %s between two requests to a host", verdict, r.Delay)
	for _, v := range r.Violations {
		line("", "%s", printable(v))
	}
	for _, a := range r.Advice {
		line("advice", "%s", printable(a))
	}
	switch {
	case r.Summary.End != crawler.EndFinished:
		line("pages", "not compared, because the crawl did not come to its end")
	case r.Agrees:
		line("pages", "%s", paint(green, "each that a polite crawler should fetch, and no other"))
	default:
		line("pages", "%s", paint(red, fmt.Sprintf("%d missing, %d unexpected; the crawler counts %d and %d for robots.txt",
			len(r.Missing), len(r.Unexpected), r.Summary.Pages, r.Summary.Robots)))
		for _, u := range r.Missing {
			line("missing", "%s", printable(u))
		}
		for _, u := range r.Unexpected {
			line("unexpected", "%s", printable(u))
		}
	}
	return b.String()
}

func texts(violations []demosite.Violation) []string {
	list := []string{}
	for _, v := range violations {
		list = append(list, v.String())
	}
	return list
}

// without returns what is in a and not in b, which is sorted.
func without(a, b []string) []string {
	list := []string{}
	for _, s := range a {
		if _, found := slices.BinarySearch(b, s); !found {
			list = append(list, s)
		}
	}
	return list
}
