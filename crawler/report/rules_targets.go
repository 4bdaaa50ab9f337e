package report

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// canonicalRules are the rules of canonical links.
var canonicalRules = []rule{
	{Rule{"canonical-broken", SeverityError, topicCanonical, "Canonical URLs that are broken", "Name a canonical URL that exists."},
		"The canonical URL (`related`) has status 4xx or 5xx, or no response. A host outside the crawl that never responds is one finding: `url` is its root, `pages` and `found_on` are the pages.", ofCanonicals, nil, brokenCanonicals},
	{Rule{"canonical-redirect", SeverityWarning, topicCanonical, "Canonical URLs that redirect", "Name the target of the redirect as the canonical URL."},
		"The canonical URL redirects.", ofCanonicals, nil, canonicals(func(t target) (string, bool) { return t.redirect, t.redirect != "" })},
	{Rule{"canonical-disallowed", SeverityError, topicCanonical, "Canonical URLs that robots.txt disallows", "Allow the canonical URL in robots.txt, or name another one."},
		"robots.txt disallows the canonical URL.", ofCanonicals, nil, withRobotsLine(canonicals(func(t target) (string, bool) { return "", t.disallowed }))},
	{Rule{"canonical-noindex", SeverityError, topicCanonical, "Canonical URLs with noindex", "Remove noindex from the canonical page, or name another one."},
		"The canonical page has noindex.", ofCanonicals, nil, canonicals(func(t target) (string, bool) { return "", t.noindex })},
	{Rule{"canonical-chain", SeverityWarning, topicCanonical, "Canonical URLs that name another canonical URL", "Name the last page of the chain as the canonical URL."},
		"The canonical page names yet another canonical URL.", ofCanonicals, nil, canonicals(func(t target) (string, bool) { return "", t.elsewhere && !t.noindex })},
}

// hreflangRules are the rules of hreflang links: they must work, and lead back.
var hreflangRules = []rule{
	{Rule{"hreflang-broken", SeverityError, topicHreflang, "hreflang links to URLs that are broken or redirect", "Name a URL that answers with status 200."},
		"The target (`related`) redirects, has status 4xx or 5xx, or no response. A host outside the crawl that never responds is one finding, as for canonical URLs.", ofVersions, nil, brokenVersions},
	{Rule{"hreflang-disallowed", SeverityWarning, topicHreflang, "hreflang links to URLs that robots.txt disallows", "Allow the URL in robots.txt, or remove the hreflang link."},
		"robots.txt disallows the target.", ofVersions, nil, withRobotsLine(versions(func(v version) bool { return v.disallowed }))},
	{Rule{"hreflang-noindex", SeverityWarning, topicHreflang, "hreflang links to pages with noindex", "Remove noindex from the page, or remove the hreflang link."},
		"The target has noindex.", ofVersions, nil, versions(func(v version) bool { return v.noindex })},
	{Rule{"hreflang-no-return", SeverityWarning, topicHreflang, "hreflang links without a return link", "Add an hreflang link back to the page: search engines ignore links in one direction."},
		"The target has no hreflang link to the page.", ofVersions, nil, versions(func(v version) bool { return v.read && !v.noindex && !v.back })},
}

// A pair is the hash of a URL with that of another, such as an hreflang target, or with that of an id.
type pair uint64

func pairOf[T key | uint64](from key, to T) pair {
	const odd = 0x9e3779b97f4a7c15
	return pair((uint64(from)*odd ^ bits.RotateLeft64(uint64(to), 32)) * odd)
}

// targets knows the targets of canonical and hreflang links.
type targets struct {
	facts  *facts
	checks *checks
	pairs  []pair // of pages and their hreflang targets, sorted when all are known

	unknownCanonical int // targets whose state is not known
	unknownHreflang  int
}

// add records the hreflang links of a page or check.
func (t *targets) add(k key, list []output.Hreflang) {
	for _, h := range list {
		if to := keyOf(h.URL); to != k {
			t.pairs = append(t.pairs, pairOf(k, to))
		}
	}
}

func (t *targets) sort() {
	slices.Sort(t.pairs)
	t.pairs = slices.Compact(t.pairs)
}

// leads reports whether a page has an hreflang link to another.
func (t *targets) leads(k, other key) bool {
	_, to := slices.BinarySearch(t.pairs, pairOf(k, other))
	return to
}

// mutual reports whether two pages have hreflang links to each other.
func (t *targets) mutual(k, other key) bool { return t.leads(k, other) && t.leads(other, k) }

// A target is what is known about the target of a canonical or hreflang link.
type target struct {
	known      bool
	read       bool // its content is known
	disallowed bool
	fault      string // that it is broken
	redirect   string
	noindex    bool
	elsewhere  bool
}

// A version is the target of an hreflang link.
type version struct {
	output.Hreflang
	target

	back bool // it has an hreflang link to the page
}

// find finds the targets of an HTML page without noindex. Search engines use the hreflang links of the
// canonical page.
func (t *targets) find(v *pageView) {
	if v.fact.has(elsewhere) {
		if v.canonical = t.of(keyOf(v.Canonical)); !v.canonical.known {
			t.unknownCanonical++
		}
		return
	}
	if len(v.Hreflang) == 0 {
		return
	}
	seen := map[key]bool{v.key: true}
	for _, h := range v.Hreflang {
		to := keyOf(h.URL)
		if seen[to] {
			continue
		}
		seen[to] = true
		of := version{h, t.of(to), t.leads(to, v.key)}
		v.versions = append(v.versions, of)
		if !of.read && of.fault == "" && of.redirect == "" && !of.disallowed && !of.noindex {
			t.unknownHreflang++
		}
	}
}

// of returns what is known about a URL.
func (t *targets) of(k key) target {
	f := t.facts.byURL[k]
	status, reason := int(f.status), t.facts.reason(f)
	switch {
	case t.facts.broken(f):
		return target{known: true, fault: statusText(status)}
	case reason == output.Disallowed:
		return target{known: true, disallowed: true}
	case redirected(status):
		return target{known: true, redirect: statusText(status)}
	case status == 304:
		return target{}
	case status != 0:
		return target{
			known: true, read: f.has(htmlPage) && !f.has(withheld|incomplete), noindex: f.has(noindex), elsewhere: f.has(elsewhere),
		}
	}
	switch c := t.checks.byURL[k]; {
	case c.result == checkBroken:
		return target{known: true, fault: statusText(int(c.status))}
	case c.has(checkedDisallowed):
		return target{known: true, disallowed: true}
	case c.result == checkRedirected:
		return target{known: true, redirect: statusText(int(c.status))}
	case c.result == checkOK && c.has(checkedPage):
		return target{known: true, read: true, noindex: c.has(checkedNoindex), elsewhere: c.has(checkedElsewhere)}
	}
	return target{}
}

// canonicals finds pages by the targets of their canonical links.
func canonicals(is func(target) (detail string, found bool)) func(*model, *ruleList) finder {
	return func(_ *model, l *ruleList) finder {
		return finder{page: func(v *pageView) {
			if detail, found := is(v.canonical); found {
				l.add(Finding{URL: v.URL, Related: v.Canonical, Detail: detail})
			}
		}}
	}
}

// withRobotsLine adds the line of robots.txt that disallows Related.
func withRobotsLine(find func(*model, *ruleList) finder) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		f := find(m, l)
		f.robotsLine = true
		return f
	}
}

// versions finds hreflang links by their targets.
func versions(is func(version) bool) func(*model, *ruleList) finder {
	return func(_ *model, l *ruleList) finder {
		return finder{page: func(v *pageView) {
			for _, to := range v.versions {
				if is(to) {
					l.add(Finding{URL: v.URL, Related: to.URL, Detail: clip(to.Lang)})
				}
			}
		}}
	}
}

func brokenCanonicals(m *model, l *ruleList) finder {
	broken := newBrokenTargets(m, l)
	return finder{all: broken.addSilent, page: func(v *pageView) {
		if fault := v.canonical.fault; fault != "" {
			broken.add(Finding{URL: v.URL, Related: v.Canonical, Detail: fault})
		}
	}}
}

func brokenVersions(m *model, l *ruleList) finder {
	broken := newBrokenTargets(m, l)
	return finder{all: broken.addSilent, page: func(v *pageView) {
		for _, to := range v.versions {
			row := Finding{URL: v.URL, Related: to.URL, Detail: clip(to.Lang) + ": " + to.fault + to.redirect}
			switch {
			case to.fault != "":
				broken.add(row)
			case to.redirect != "":
				l.add(row)
			}
		}
	}}
}

// brokenTargets collects the rows of targets that are broken. An origin outside the crawl that did not
// respond is one row, not one for each page with a link to it.
type brokenTargets struct {
	*ruleList

	isOfCrawl func(origin string) bool
	silent    map[string]*silentOrigin
}

// A silentOrigin is an origin outside the crawl that did not respond.
type silentOrigin struct {
	pages int
	last  string           // the last page
	from  *topRows[string] // the first pages
}

func newBrokenTargets(m *model, l *ruleList) *brokenTargets {
	return &brokenTargets{l, m.isOfCrawl, make(map[string]*silentOrigin)}
}

func (b *brokenTargets) add(row Finding) {
	origin := originOf(row.Related)
	if b.isOfCrawl(origin) {
		b.ruleList.add(row)
		return
	}
	s := b.silent[origin]
	if s == nil {
		s = &silentOrigin{from: newExamples()}
		b.silent[strings.Clone(origin)] = s // it is part of a URL
	}
	if s.last != row.URL {
		s.pages++
		s.last = strings.Clone(row.URL)
		s.from.add(s.last)
	}
}

func (b *brokenTargets) addSilent() error {
	for origin, s := range b.silent {
		b.ruleList.add(Finding{URL: origin + "/", Detail: statusText(0), Pages: s.pages, FoundOn: s.from.list().Rows})
	}
	return nil
}

// isOfCrawl reports whether an origin has URLs of the crawl, or has responded to a check.
func (m *model) isOfCrawl(origin string) bool {
	o := m.counters.origins[origin]
	return o != nil && o.Pages+o.Disallowed+o.Deferred > 0 || !m.checks.dead[origin] // Failed may be a sitemap
}
