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
	rows       *topRows[Finding]
	finished   *List[Finding]      // nil while more rows may come
	only       map[string][]string // URLs that only references have, with how pages refer to them, if not by links or as assets
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

func (l *ruleList) add(f Finding) { l.rows.add(f) }

// addReferred adds a finding of a URL that pages link to or use. Without links.jsonl only the page
// where it was found first is known.
func (l *ruleList) addReferred(f Finding, foundOn string) {
	f.Pages = l.references.count(keyOf(f.URL))
	if f.Pages == 0 && foundOn != "" {
		f.Pages, f.FoundOn = 1, []string{foundOn}
	}
	l.add(f)
}

// refer adds a URL that is a finding because the page of the current line refers to it.
func (l *ruleList) refer(url string) {
	if _, known := l.only[url]; !known {
		l.only[strings.Clone(url)] = nil // it shares memory with the line
	}
	l.references.add(l.keyOf(url), true)
}

// describe says how a page refers to a URL of refer, if not by a link or as an asset.
func (l *ruleList) describe(url, as string) {
	if uses := l.only[url]; !slices.Contains(uses, as) {
		l.only[url] = append(uses, as)
	}
}

// keyOf returns the key of a URL in the references. A URL of refer has one for each rule.
func (l *ruleList) keyOf(url string) key {
	if _, only := l.only[url]; only {
		return keyOf(l.ID + " " + url)
	}
	return keyOf(url)
}

// finish completes the list. Its rows may still be changed.
func (l *ruleList) finish() *List[Finding] {
	if l.finished == nil {
		for url, uses := range l.only {
			slices.Sort(uses)
			l.add(Finding{URL: url, Detail: strings.Join(uses, ", "), Pages: l.references.count(l.keyOf(url))})
		}
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
		if list := l.finish(); l.when == nil || l.when(m, l) {
			all = append(all, Findings{Rule: l.Rule, Caveats: m.caveats(l.needs), Total: list.Total, Rows: list.Rows})
		}
	}
	return all
}
