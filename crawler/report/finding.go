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

	Caveats []string  `json:"caveats"` // reasons why the rows may be incomplete or wrong; empty if they are complete
	Total   int       `json:"total"`
	Rows    []Finding `json:"rows"` // those with the most pages first, then by URL
}

// A Finding is one fault of one URL.
type Finding struct {
	URL     string   `json:"url"`                // the URL that the finding is about: a broken target, a page without title, an entry
	Detail  string   `json:"detail,omitempty"`   // "status 404", the directive, the rule of robots.txt
	Line    int      `json:"line,omitempty"`     // the line of robots.txt that decides; 0 if none does
	Related string   `json:"related,omitempty"`  // the other URL: canonical or hreflang target, page with the same title, target of a redirect, sitemap
	Pages   int      `json:"pages,omitempty"`    // number of pages that link to the URL or use it
	FoundOn []string `json:"found_on,omitempty"` // the first ten of these pages, sorted
}

// disallow says which line of robots.txt disallows a URL.
func (f *Finding) disallow(r *output.Rejection) {
	f.Detail, f.Line = clip(r.Rule), r.Line
}

// A ruleList collects the findings of a rule.
type ruleList struct {
	*rule

	finder     finder
	references *references
	urls       *urlTable
	rows       *topRows[Finding]
	finished   *List[Finding]      // nil while more rows may come
	referred   bool                // refer was called
	uses       map[string][]string // how pages refer to URLs of refer, if not by links or as assets
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

func (l *ruleList) add(f Finding) {
	l.rows.add(f)
	l.urls.addFinding(f.URL, l.ID)
}

// addReferred adds a finding of a URL that pages link to or use. Without links.jsonl only the page
// where it was found first is known.
func (l *ruleList) addReferred(f Finding, foundOn string) {
	f.Pages = l.references.count(keyOf(f.URL))
	if f.Pages == 0 && foundOn != "" {
		f.Pages, f.FoundOn = 1, []string{foundOn}
	}
	l.add(f)
}

// refer counts the page of the current line for a URL that is a finding because pages refer to it. There
// may be many more of them than rows, so name adds the rows when the lines are read again.
func (l *ruleList) refer(url string) {
	l.referred = true
	l.references.add(l.ownKey(url), true)
}

// name adds the row of a URL of refer, once.
func (l *ruleList) name(url string) {
	if pages := l.references.take(l.ownKey(url)); pages > 0 {
		uses := l.uses[url]
		slices.Sort(uses)
		l.add(Finding{URL: strings.Clone(url), Detail: strings.Join(uses, ", "), Pages: pages}) // url shares memory with the line
	}
}

// describe says how a page refers to a URL of refer, if not by a link or as an asset.
func (l *ruleList) describe(url, as string) {
	if uses := l.uses[url]; !slices.Contains(uses, as) {
		l.uses[url] = append(uses, as)
	}
}

// ownKey returns the key of a URL of refer in the references. It has one for each rule.
func (l *ruleList) ownKey(url string) key { return key(pairOf(keyOf(l.ID), keyOf(url))) }

// keyOf returns the key of the URL of a row in the references.
func (l *ruleList) keyOf(url string) key {
	if k := l.ownKey(url); l.references.count(k) > 0 {
		return k
	}
	return keyOf(url)
}

// finish completes the list. Its rows may still be changed.
func (l *ruleList) finish() *List[Finding] {
	if l.finished == nil {
		list := l.rows.list()
		l.finished, l.rows = &list, nil
	}
	return l.finished
}

// index completes the list and adds its rows to a map by one of their URLs.
func (l *ruleList) index(rows map[key][]*Finding, url func(*Finding) string) {
	list := l.finish()
	for i := range list.Rows {
		k := keyOf(url(&list.Rows[i]))
		rows[k] = append(rows[k], &list.Rows[i])
	}
}

// findings returns the findings of the rules that apply.
func (m *model) findings() []Findings {
	all := []Findings{}
	for _, l := range m.lists {
		list := l.finish()
		if l.when != nil && !l.when(m, l) {
			m.urls.dropFinding(l.ID)
			continue
		}
		all = append(all, Findings{Rule: l.Rule, Caveats: m.caveats(l.needs), Total: list.Total, Rows: list.Rows})
	}
	return all
}
