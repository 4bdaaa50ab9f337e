package settings

import (
	"slices"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
)

// HelpGroups returns the groups of flags in the help of commands that take the settings of a
// crawl, with the flags that only some of them have, and without some flags.
func HelpGroups(without ...string) []cli.FlagGroup {
	groups := []cli.FlagGroup{
		{Name: "Input", Common: []string{"url-file", "config", "resume", "recrawl"}, Rare: []string{"continue"}},
		{Name: "Scope", Common: []string{"scope", "include", "exclude", "max-depth", "check"}, Rare: []string{"forbid-host", "drop-params", "clean-param", "max-url", "max-params", "max-repeats", "max-links", "types"}},
		{Name: "Politeness", Common: []string{"delay", "concurrency", "user-agent"}, Rare: []string{"contact", "identity", "check-dns", "max-crawl-delay", "per-host", "per-ip", "response-factor"}},
		{Name: "Limits", Common: []string{"max-pages", "max-time"}, Rare: []string{"max-host-pages", "max-bytes", "max-hosts", "max-body", "max-wait", "trap-pages"}},
		{Name: "Output", Common: []string{"output", "also-write", "extract", "format", "source", "quiet"}, Rare: []string{"links", "keep-header", "durability", "keep-generations"}},
		{Name: "Sitemaps", Common: []string{"only-sitemaps"}, Rare: []string{"since", "sitemap-order", "probe-sitemap", "max-sitemaps", "max-sitemap-entries"}},
		{Name: "Robots", Common: []string{"obey-noindex", "obey-nofollow", "purpose"}, Rare: []string{"unknown", "permissions", "audit", "robots-timeout", "robots-retry"}},
		{Name: "Sharing", Common: []string{"frontier", "crawl-name"}, Rare: []string{"worker-name", "frontier-prefix", "frontier-password-file", "expected-urls"}},
		{Name: "Network", Common: []string{"timeout", "proxy", site.AllowFlag}, Rare: []string{"retries", "first-byte-timeout", "stall-timeout"}},
		{Name: "Credentials", Rare: []string{headerKey, headerForKey, basicAuthKey, "netrc", "cookie-file", "cookies"}},
		{Name: "Observability", Common: []string{"listen", "log"}, Rare: []string{TokenFlag, "log-level", "log-file", "pprof"}},
	}
	isWithout := func(name string) bool { return slices.Contains(without, name) }
	for i, g := range groups {
		groups[i].Common, groups[i].Rare = slices.DeleteFunc(g.Common, isWithout), slices.DeleteFunc(g.Rare, isWithout)
	}
	return groups
}
