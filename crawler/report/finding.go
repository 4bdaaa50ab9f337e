package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Findings are all findings of one rule.
type Findings struct {
	Rule

	Caveats []string  `json:"caveats"` // reasons why the rows may be incomplete or wrong; empty: they are complete
	Total   int       `json:"total"`
	Rows    []Finding `json:"rows"` // those with the most pages first, then by URL
}

// A Finding is one fault of one URL.
type Finding struct {
	URL     string   `json:"url"`                // the URL at fault: a broken target, a page without title, an entry
	Detail  string   `json:"detail,omitempty"`   // "status 404", the directive, the rule of robots.txt
	Line    int      `json:"line,omitempty"`     // the line of robots.txt that decides; 0: none does
	Related string   `json:"related,omitempty"`  // the other URL: canonical or hreflang target, page with the same title, target of a redirect, sitemap
	Pages   int      `json:"pages,omitempty"`    // number of pages that link to the URL or use it
	FoundOn []string `json:"found_on,omitempty"` // the first ten of these pages, sorted
}

// disallow says which line of robots.txt disallows a URL.
func (f *Finding) disallow(r *output.Rejection) {
	f.Detail, f.Line = clip(r.Rule), r.Line
}

// findingLists collect the findings of all rules.
type findingLists struct {
	rows      map[string]*topRows[Finding] // by the ID of the rule
	lists     map[string]List[Finding]     // the same, when they are complete
	referrers *referrers
}

func newFindingLists(limit int, referrers *referrers) *findingLists {
	l := &findingLists{rows: make(map[string]*topRows[Finding]), lists: make(map[string]List[Finding]), referrers: referrers}
	for _, rule := range rules {
		l.rows[rule.ID] = newTopRows(limit, byPages)
	}
	return l
}

// byPages compares the findings of one rule. Most differ by their URLs, and a report sorts many.
func byPages(a, b Finding) int {
	if c := cmp.Compare(b.Pages, a.Pages); c != 0 {
		return c
	}
	if c := cmp.Compare(a.URL, b.URL); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Related, b.Related), cmp.Compare(a.Detail, b.Detail))
}

func (l *findingLists) add(rule string, f Finding) { l.rows[rule].add(f) }

// addReferred adds a finding of a URL that pages link to or use. Without links.jsonl only the page
// where it was found first is known.
func (l *findingLists) addReferred(rule string, f Finding, foundOn string) {
	f.Pages = int(l.referrers.counts[keyOf(f.URL)].pages)
	if f.Pages == 0 && foundOn != "" {
		f.Pages, f.FoundOn = 1, []string{foundOn}
	}
	l.add(rule, f)
}

// finish completes the list of a rule. Its rows may still be changed.
func (l *findingLists) finish(rule string) List[Finding] {
	list, done := l.lists[rule]
	if !done {
		list = l.rows[rule].list()
		l.lists[rule] = list
		l.rows[rule] = nil
	}
	return list
}

// choose completes the lists of findings with referrers, and returns whether there is a finding
// whose referrers are to be named.
func (l *findingLists) choose() bool {
	for _, rule := range [...]string{
		ruleBrokenLink, ruleInvalidURL, ruleBrokenExternal, ruleBrokenAsset, ruleUnverified, ruleRedirectLoop, ruleRedirectDeadEnd, ruleRedirectChain, ruleLinkMoved, ruleLinkRedirected, ruleLinkToDisallowed,
	} {
		for _, f := range l.finish(rule).Rows {
			if f.Pages > 0 && f.FoundOn == nil {
				l.referrers.want(keyOf(f.URL))
			}
		}
	}
	return len(l.referrers.from) > 0
}

// list returns the findings of the rules that apply.
func (l *findingLists) list(applies func(rule string) bool, caveats func(rule string) []string) []Findings {
	all := []Findings{}
	for _, rule := range rules {
		if !applies(rule.ID) {
			continue
		}
		list := l.finish(rule.ID)
		for i := range list.Rows {
			if row := &list.Rows[i]; row.FoundOn == nil {
				if from := l.referrers.from[keyOf(row.URL)]; from != nil && row.Pages > 0 {
					row.FoundOn = from.list().Rows
				}
			}
		}
		all = append(all, Findings{Rule: rule, Caveats: caveats(rule.ID), Total: list.Total, Rows: list.Rows})
	}
	return all
}

// referrers are the pages that link to URLs at fault, or use them.
type referrers struct {
	counts map[key]referrals        // by URL
	from   map[key]*topRows[string] // the pages, for the findings in the lists
}

// referrals are the number of pages that refer to a URL, and the number of the last one.
type referrals struct{ pages, last uint32 }

func newReferrers() *referrers {
	return &referrers{counts: make(map[key]referrals), from: make(map[key]*topRows[string])}
}

// count counts a page that refers to a URL, once however often it comes.
func (r *referrers) count(k key, page uint32) {
	if was := r.counts[k]; was.last != page {
		r.counts[k] = referrals{was.pages + 1, page}
	}
}

// want keeps the pages that refer to a URL.
func (r *referrers) want(k key) { r.from[k] = newExamples() }

// name names a page that refers to a URL.
func (r *referrers) name(k key, page string) {
	if pages := r.from[k]; pages != nil && !pages.rejects(page) {
		pages.add(strings.Clone(page)) // it would keep the whole line in memory
	}
}

// newExamples keeps the first pages, each once.
func newExamples() *topRows[string] {
	pages := newTopRows(maxExamples, strings.Compare)
	pages.same = func(a, b string) bool { return a == b }
	return pages
}

// namedURLs are URLs that are known only by the pages that name them.
type namedURLs struct {
	counts map[key]int // number of pages
	chosen map[key]*namedURL
}

type namedURL struct {
	url  string
	from *topRows[string]
	as   []string // how pages name it, if not as a link or asset
}

func newNamedURLs() *namedURLs {
	return &namedURLs{counts: make(map[key]int), chosen: make(map[key]*namedURL)}
}

// choose selects the URLs that most pages name.
func (n *namedURLs) choose(limit int) {
	type counted struct {
		key   key
		pages int
	}
	most := newTopRows(limit, func(a, b counted) int { return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.key, b.key)) })
	for k, pages := range n.counts {
		most.add(counted{k, pages})
	}
	for _, c := range most.list().Rows {
		n.chosen[c.key] = &namedURL{from: newExamples()}
	}
}

// name names a URL, and a page that names it.
func (n *namedURLs) name(k key, url, page string) {
	if u := n.chosen[k]; u != nil {
		u.url = strings.Clone(url)
		u.from.add(strings.Clone(page))
	}
}

// describe says how a page names a URL.
func (n *namedURLs) describe(k key, as string) {
	if u := n.chosen[k]; u != nil && !slices.Contains(u.as, as) {
		u.as = append(u.as, as)
	}
}

// addTo adds the findings of a rule.
func (n *namedURLs) addTo(l *findingLists, rule string) {
	total := l.rows[rule].total
	for k, u := range n.chosen {
		slices.Sort(u.as)
		l.rows[rule].addDuplicate(Finding{URL: u.url, Detail: strings.Join(u.as, ", "), Pages: n.counts[k], FoundOn: u.from.list().Rows})
	}
	l.rows[rule].total = total + len(n.counts)
}
