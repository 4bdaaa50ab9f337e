package crawler

import (
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/discover"
)

// The kinds of URLs that are only checked. Each is requested once, with the same robots.txt rules,
// delays and address checks as pages; results are in checks.jsonl. They do not count as pages, so
// MaxPages, MaxHostPages, MaxDepth and TrapPages do not limit them; MaxLinks, MaxHosts, MaxBytes and
// MaxTime do. Include has no effect on them.
const (
	// CheckAssets checks what pages use, on any host: images, scripts, stylesheets, icons, media,
	// and what stylesheets use.
	CheckAssets = "assets"
	// CheckExternal checks links and redirects to URLs outside the crawl, also those of link elements
	// such as license, and nofollow links: a check follows nothing.
	CheckExternal = "external"
	// CheckFragments records the ids of pages and the links with fragments. It requests nothing.
	CheckFragments = "fragments"
	// CheckCanonical checks canonical URLs that the crawl does not fetch.
	CheckCanonical = "canonical"
	// CheckHreflang checks targets of hreflang links that the crawl does not fetch.
	CheckHreflang = "hreflang"
	// CheckAll checks all of these.
	CheckAll = "all"
)

// checkKinds are the valid values of Scope.Check.
var checkKinds = []string{CheckAssets, CheckExternal, CheckFragments, CheckCanonical, CheckHreflang, CheckAll}

// checks reports whether a kind is checked.
func (s *Scope) checks(kind string) bool {
	return slices.Contains(s.Check, kind) || slices.Contains(s.Check, CheckAll)
}

// checkSettings returns what is checked.
func (s *Scope) checkSettings() discover.Checks {
	return discover.Checks{
		Assets: s.checks(CheckAssets), External: s.checks(CheckExternal), Fragments: s.checks(CheckFragments),
		Canonical: s.checks(CheckCanonical), Hreflang: s.checks(CheckHreflang),
	}
}
