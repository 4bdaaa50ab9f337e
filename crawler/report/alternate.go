package report

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// alternates finds faults of canonical and hreflang links: their targets must work, and hreflang
// must lead back.
type alternates struct {
	facts   *facts
	checked map[key]checkFact
	lists   *findingLists

	isOfCrawl func(origin string) bool    // false: an origin outside the crawl that did not respond
	silent    map[[2]string]*silentOrigin // by rule and origin

	pairs []pair // of pages and their hreflang targets, sorted after the first reading

	disallowed map[key][]*Finding // by target

	unknownCanonical int // targets whose state is not known
	unknownHreflang  int
}

// A pair is the hash of a URL with that of another, such as an hreflang target, or with that of an id.
type pair uint64

func pairOf[T key | uint64](from key, to T) pair {
	const odd = 0x9e3779b97f4a7c15
	return pair((uint64(from)*odd ^ bits.RotateLeft64(uint64(to), 32)) * odd)
}

func newAlternates(f *facts, checked map[key]checkFact, lists *findingLists, isOfCrawl func(origin string) bool) *alternates {
	return &alternates{
		facts: f, checked: checked, lists: lists, disallowed: make(map[key][]*Finding),
		isOfCrawl: isOfCrawl, silent: make(map[[2]string]*silentOrigin),
	}
}

// add records the hreflang links of a page or check.
func (a *alternates) add(k key, list []output.Hreflang) {
	for _, h := range list {
		if to := keyOf(h.URL); to != k {
			a.pairs = append(a.pairs, pairOf(k, to))
		}
	}
}

func (a *alternates) conclude() {
	slices.Sort(a.pairs)
	a.pairs = slices.Compact(a.pairs)
}

// mutual reports whether two pages have hreflang links to each other.
func (a *alternates) mutual(k, other key) bool {
	_, to := slices.BinarySearch(a.pairs, pairOf(k, other))
	_, from := slices.BinarySearch(a.pairs, pairOf(other, k))
	return to && from
}

// A silentOrigin is an origin outside the crawl that did not respond. It is one finding of a rule,
// not one for each page with a link to it.
type silentOrigin struct {
	pages int
	last  string           // the last page
	from  *topRows[string] // the first pages
}

// addFault adds a finding about a target that is broken.
func (a *alternates) addFault(rule string, row Finding) {
	origin := originOf(row.Related)
	if a.isOfCrawl(origin) {
		a.lists.add(rule, row)
		return
	}
	k := [2]string{rule, origin}
	s := a.silent[k]
	if s == nil {
		s = &silentOrigin{from: newExamples()}
		a.silent[[2]string{rule, strings.Clone(origin)}] = s // it shares memory with the line
	}
	if s.last != row.URL {
		s.pages++
		s.last = strings.Clone(row.URL)
		s.from.add(s.last)
	}
}

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

func (a *alternates) target(k key) target {
	f := a.facts.byURL[k]
	status, reason := int(f.status), a.facts.reason(f)
	switch {
	case a.facts.broken(f):
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
	switch c := a.checked[k]; {
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

// name adds the findings of an HTML page that is not withheld.
func (a *alternates) name(k key, f fact, p *output.Page) {
	if f.has(noindex) {
		return
	}
	if f.has(elsewhere) {
		a.canonical(p)
		return // search engines use the links of the canonical page
	}
	if len(p.Hreflang) > 0 {
		a.hreflang(k, p)
	}
}

func (a *alternates) canonical(p *output.Page) {
	row := Finding{URL: p.URL, Related: p.Canonical}
	switch to := a.target(keyOf(row.Related)); {
	case !to.known:
		a.unknownCanonical++
	case a.addTarget(to, row, "", targetRules{ruleCanonicalBroken, ruleCanonicalRedirect, ruleCanonicalDisallowed, ruleCanonicalNoindex}):
	case to.elsewhere:
		a.lists.add(ruleCanonicalChain, row)
	}
}

// targetRules are the rules of what is wrong with the target of a link.
type targetRules struct{ broken, redirect, disallowed, noindex string }

// addTarget adds the finding of a link to a target that it should not name, and reports whether it is
// one. Prefix precedes the status of a target that is broken or redirects.
func (a *alternates) addTarget(to target, row Finding, prefix string, rules targetRules) bool {
	switch {
	case to.fault != "":
		row.Detail = prefix + to.fault
		a.addFault(rules.broken, row)
	case to.redirect != "":
		row.Detail = prefix + to.redirect
		a.lists.add(rules.redirect, row)
	case to.disallowed:
		a.lists.add(rules.disallowed, row)
	case to.noindex:
		a.lists.add(rules.noindex, row)
	default:
		return false
	}
	return true
}

func (a *alternates) hreflang(k key, p *output.Page) {
	seen := map[key]bool{k: true}
	for _, h := range p.Hreflang {
		to := keyOf(h.URL)
		if seen[to] {
			continue
		}
		seen[to] = true
		row := Finding{URL: p.URL, Related: h.URL, Detail: clip(h.Lang)}
		switch t := a.target(to); {
		case !t.known:
			a.unknownHreflang++
		case a.addTarget(t, row, row.Detail+": ", targetRules{ruleHreflangBroken, ruleHreflangBroken, ruleHreflangDisallowed, ruleHreflangNoindex}):
		case !t.read:
			a.unknownHreflang++
		default:
			if _, back := slices.BinarySearch(a.pairs, pairOf(to, k)); !back {
				a.lists.add(ruleHreflangNoReturn, row)
			}
		}
	}
}

// choose completes the lists of silent origins and disallowed targets.
func (a *alternates) choose() {
	for k, s := range a.silent {
		a.lists.add(k[0], Finding{URL: k[1] + "/", Detail: statusText(0), Pages: s.pages, FoundOn: s.from.list().Rows})
	}
	for _, rule := range [...]string{ruleCanonicalDisallowed, ruleHreflangDisallowed} {
		list := a.lists.finish(rule)
		for i := range list.Rows {
			k := keyOf(list.Rows[i].Related)
			a.disallowed[k] = append(a.disallowed[k], &list.Rows[i])
		}
	}
}

// rejection names the line of robots.txt that disallows a target.
func (a *alternates) rejection(k key, r *output.Rejection) {
	for _, row := range a.disallowed[k] {
		lang := row.Detail
		if row.disallow(r); lang != "" {
			row.Detail = lang + ": " + row.Detail
		}
	}
	delete(a.disallowed, k) // it has one line
}
