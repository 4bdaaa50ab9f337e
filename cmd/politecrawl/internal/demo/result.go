package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// A Result has the results of the crawler and the records of the site.
type Result struct {
	Summary         *runner.Summary `json:"summary"`
	DelayMS         int64           `json:"delay_ms"`
	Requests        int             `json:"requests"` // all requests that the site saw; the next four fields count them by kind
	Pages           int             `json:"pages"`
	Robots          int             `json:"robots"`
	Moved           int             `json:"robots_redirects"` // requests for targets of robots.txt redirects
	Sitemaps        int             `json:"sitemaps"`
	Retries         int             `json:"pages_repeated"`   // of Pages: requests for a URL that was requested before
	SitemapsMissing int             `json:"sitemaps_missing"` // sitemap requests with status 404 or 410

	Violations []string `json:"violations"` // violations of politeness rules that the site saw
	Advice     []string `json:"advice"`     // requests that a crawler should avoid
	Missing    []string `json:"missing"`    // expected, but not in pages.jsonl
	Unexpected []string `json:"unexpected"` // in pages.jsonl, but not expected
	Agrees     bool     `json:"agrees"`     // nothing missing or unexpected, and the numbers are equal
}

func newDemoResult(sum *runner.Summary, fetched []string, delay time.Duration, saw demosite.Report, want demosite.Expectation) *Result {
	r := &Result{
		Summary: sum, DelayMS: delay.Milliseconds(),
		Requests: saw.Requests, Pages: saw.Pages, Moved: saw.RobotsRedirects, Sitemaps: saw.Sitemaps,
		Retries: saw.Retries, SitemapsMissing: saw.SitemapsMissing,
		Violations: texts(saw.Violations), Advice: texts(saw.Warnings),
		Missing: without(want.Pages, fetched), Unexpected: without(fetched, want.Pages),
	}
	for _, n := range saw.Robots {
		r.Robots += n
	}
	r.Agrees = len(r.Missing) == 0 && len(r.Unexpected) == 0 && len(saw.Missing) == 0 &&
		len(fetched) == sum.Pages && r.Pages-r.Retries == sum.Pages &&
		r.Robots == sum.Robots && saw.SitemapsRead == sum.Sitemaps
	return r
}

// code returns the exit code of the demo.
func (r *Result) code() int {
	code := runner.EndCode(r.Summary.End)
	if len(r.Violations) > 0 || code == cli.ExitDone && !r.Agrees {
		code = cli.Worse(code, cli.ExitFindings)
	}
	return code
}

// Text returns the result as text.
func (r *Result) Text(paint cli.Painter) string {
	p := cli.Page{Names: 10}
	p.WriteString(runner.SummaryText(r.Summary))
	p.Printf("the site recorded %s:\n", humanize.Count(r.Requests, "request"))
	p.Field("pages", "%d%s", r.Pages, ofThem(r.Retries, "retries"))
	p.Field("robots.txt", "%d, and %d more at redirect targets", r.Robots, r.Moved)
	p.Field("sitemaps", "%d%s", r.Sitemaps, ofThem(r.SitemapsMissing, "not found"))
	verdict := paint(cli.Green, "0 violations")
	if n := len(r.Violations); n > 0 {
		verdict = paint(cli.Red, humanize.Count(n, "violation"))
	}
	p.Field("politeness", "%s, with a delay of %s between two requests to a host", verdict, time.Duration(r.DelayMS)*time.Millisecond)
	for _, v := range r.Violations {
		p.Field("", "%s", cli.Escape(v))
	}
	for _, a := range r.Advice {
		p.Field("advice", "%s", cli.Escape(a))
	}
	switch {
	case r.Summary.End != crawler.EndFinished:
		p.Field("verdict", "not compared, because the crawl did not finish")
	case r.Agrees:
		p.Field("verdict", "%s", paint(cli.Green, "the crawl fetched exactly the pages that a polite crawler should fetch"))
	default:
		p.Field("verdict", "%s", paint(cli.Red, fmt.Sprintf("%s missing, %d unexpected, or the counts of crawler and site differ",
			humanize.Count(len(r.Missing), "page"), len(r.Unexpected))))
		for _, u := range r.Missing {
			p.Field("missing", "%s", cli.Escape(u))
		}
		for _, u := range r.Unexpected {
			p.Field("unexpected", "%s", cli.Escape(u))
		}
	}
	return p.String()
}

// ofThem returns the part of a number as text, such as ", 4 of them retries".
func ofThem(n int, how string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of them %s", n, how)
}

func texts(violations []demosite.Finding) []string {
	list := []string{}
	for _, v := range violations {
		list = append(list, v.String())
	}
	return list
}

// without returns the elements of a that are not in b, which is sorted.
func without(a, b []string) []string {
	return slices.DeleteFunc(append([]string{}, a...), func(s string) bool {
		_, found := slices.BinarySearch(b, s)
		return found
	})
}
