package crawler

import (
	"encoding/json"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/discover"
)

// Durability says after which failures a crawl can be resumed.
type Durability string

const (
	// DurableProcess survives a kill of the process at any time.
	DurableProcess Durability = "process"
	// DurablePower also survives a crash or power cut of the machine. The crawl syncs
	// results to disk before the frontier records them.
	DurablePower Durability = "power"
)

// ScopeKind says which hosts or directories belong to a crawl.
type ScopeKind string

// The kinds of scope.
const (
	// ScopeHost includes the hosts of the start URLs: the same name and port, with http and
	// https. A dot after the name and default ports make no difference.
	ScopeHost ScopeKind = "host"
	// ScopePath includes the directories of the start URLs, on the same hosts as ScopeHost:
	// everything below /docs/ for /docs/ and /docs/index.html, but the whole host for /docs.
	// If a start URL redirects, the directory of the target is included too. Exception: if it
	// contains an included directory, only the target itself is fetched.
	ScopePath ScopeKind = "path"
	// ScopeDomain includes the registrable domains of the start URLs and all subdomains, on
	// any port: example.co.uk for www.example.co.uk.
	ScopeDomain ScopeKind = "domain"
	// ScopeAny includes every host. Set limits if you use it.
	ScopeAny ScopeKind = "any"
)

// LinkList is how much links.jsonl records about the links of each page. In JSON, LinksNone is false and
// LinksPlain is true.
type LinkList string

const (
	// LinksNone writes no links.
	LinksNone LinkList = "false"
	// LinksPlain writes URLs.
	LinksPlain LinkList = "true"
	// LinksFull writes the URL, text, rel and kind of each link. The file is about twice as
	// large.
	LinksFull LinkList = "full"
)

// MarshalJSON implements [json.Marshaler].
func (l LinkList) MarshalJSON() ([]byte, error) {
	if l == LinksNone || l == LinksPlain {
		return []byte(l), nil
	}
	return json.Marshal(string(l))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *LinkList) UnmarshalJSON(text []byte) error {
	if kind := LinkList(text); kind == LinksNone || kind == LinksPlain {
		*l = kind
		return nil
	}
	return json.Unmarshal(text, (*string)(l))
}

// SitemapOrder is the order in which the sitemap entries of a host are fetched.
type SitemapOrder string

const (
	// ByLastMod fetches the most recently changed pages first. Entries without a date, or with a date in
	// the future, are last. The order is exact within a sitemap file. The crawl reads 50,000 entries of a
	// file, the protocol's limit. Between files, dates may count as equal if their ages differ by less than
	// an hour, or an eighth. Pages that were found by a link before the sitemap was read have the priority
	// of links. A recrawl requests known pages in the order of the previous crawl.
	ByLastMod SitemapOrder = "lastmod"
	// ByPriority fetches the entries with the highest priority first.
	ByPriority SitemapOrder = "priority"
	// AsListed keeps the order of the sitemap files.
	AsListed SitemapOrder = "none"
)

// The kinds of URLs that are only checked. Each is requested once, with the same robots.txt rules,
// delays and address checks as pages; results are in checks.jsonl. They do not count as pages:
// limits of pages and depth do not apply to them, and they are not searched for traps. MaxLinks,
// MaxHosts, MaxBytes and MaxTime apply. Include has no effect on them.
const (
	// CheckAssets checks what pages use, on any host: images, scripts, stylesheets, icons, media,
	// and what stylesheets use. Output.Archive includes it.
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

// addArchive adds what Output.Archive includes to other settings.
func (c *Config) addArchive() {
	if c.Output.Archive && !slices.Contains(c.Output.AlsoWrite, "warc") {
		c.Output.AlsoWrite = append(slices.Clip(c.Output.AlsoWrite), "warc")
	}
	if c.Output.Archive && !c.Scope.checks(CheckAssets) {
		c.Scope.Check = append(slices.Clip(c.Scope.Check), CheckAssets)
	}
}

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
