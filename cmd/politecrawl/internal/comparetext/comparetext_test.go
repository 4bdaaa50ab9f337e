package comparetext

import (
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/report"
)

func TestLineOfAFinding(t *testing.T) {
	const page, target, robots = "https://example.com/docs/", "https://example.com/gone", "https://example.com/robots.txt"
	for _, tt := range []struct {
		rule    report.Rule
		finding report.Finding
		want    string
	}{
		{report.Rule{Topic: "canonical"}, report.Finding{URL: page, Detail: "status 404", Related: target}, page + "  canonical URL " + target + "  (status 404)"},
		{
			report.Rule{Topic: "hreflang"}, report.Finding{URL: page, Detail: "de: Disallow: /gone", Line: 2, Related: target},
			page + "  hreflang URL " + target + "  (de: Disallow: /gone; line 2 of robots.txt)",
		},
		{report.Rule{Topic: "canonical"}, report.Finding{URL: page, Related: target}, page + "  canonical URL " + target},
		{report.Rule{Topic: "redirects"}, report.Finding{URL: page, Detail: "2 redirects", Related: target}, page + "  → " + target + "  (2 redirects)"},
		{report.Rule{ID: "title-duplicate", Topic: "pages"}, report.Finding{URL: page, Detail: "Home", Related: target}, page + "  (Home; same as " + target + ")"},
		{
			report.Rule{Topic: "links"}, report.Finding{URL: target, Detail: "status 404", Pages: 3, FoundOn: []string{page}},
			target + "  (status 404; on " + page + " and 2 other pages)",
		},
		{
			report.Rule{Topic: "sitemaps"}, report.Finding{URL: target, Detail: "status 404", Related: "https://example.com/sitemap.xml"},
			target + "  (status 404; listed in https://example.com/sitemap.xml)",
		},
		{
			report.Rule{ID: compare.RobotsDisallows, Topic: "robots"},
			report.Finding{URL: robots, Detail: `/shop/ is disallowed for every agent by "Disallow: /shop/", line 2`, Line: 2, Related: "https://example.com/shop/", Pages: 2, FoundOn: []string{"https://example.com/shop/"}},
			robots + `  (/shop/ is disallowed for every agent by "Disallow: /shop/", line 2; for https://example.com/shop/)`,
		},
		{
			report.Rule{ID: "link-to-disallowed", Topic: "robots"}, report.Finding{URL: target, Detail: "Disallow: /gone", Line: 2, Related: robots, Pages: 1, FoundOn: []string{page}},
			target + "  (Disallow: /gone; line 2 of robots.txt; by " + robots + "; on " + page + ")",
		},
	} {
		if got := findingText(tt.rule, tt.finding); got != tt.want {
			t.Errorf("%+v:\n got %s\nwant %s", tt.rule, got, tt.want)
		}
	}
}

// Only if nothing changed, the text says so.
func TestTextSaysWhenNothingChanged(t *testing.T) {
	const nothing = "nothing changed: no finding is new or fixed, and the pages, the URLs in sitemaps and the rules of robots.txt are the same"
	for name, tt := range map[string]struct {
		c    compare.Comparison
		want string
	}{
		"nothing":          {compare.Comparison{}, nothing + "\n"},
		"a body":           {compare.Comparison{BodiesChanged: 3}, "Pages with another body: 3\n"},
		"pages not read":   {compare.Comparison{NotCompared: compare.NotCompared{Pages: 1}}, nothing + ", in what both crawls read\n"},
		"findings not new": {compare.Comparison{NotCompared: compare.NotCompared{Findings: 1}}, nothing + ", in what both crawls read\n"},
	} {
		text := Text(&tt.c, 0, func(_ cli.Color, text string) string { return text })
		if !strings.HasSuffix(text, "\n\n"+tt.want) || tt.c.BodiesChanged > 0 && strings.Contains(text, nothing) {
			t.Errorf("%s: %q, want %q", name, text, tt.want)
		}
	}
}
