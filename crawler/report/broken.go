package report

import (
	"cmp"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Broken is a URL that was asked for in vain, and who leads there.
type Broken struct {
	URL    string   `json:"url"`
	Status int      `json:"status,omitempty"` // 4xx or 5xx; 0: no answer
	Detail string   `json:"detail,omitempty"` // why there was none
	Links  int      `json:"links"`            // pages that link to it; without links.jsonl: that are known to
	From   []string `json:"from"`             // the first of them, by URL
	Via    string   `json:"via,omitempty"`    // where it was found first
	Source string   `json:"source"`           // how: start, sitemap, link or redirect
}

// maxFrom is how many of the pages that lead to a URL are named.
const maxFrom = 10

// brokenPages finds broken links.
type brokenPages struct {
	facts  *facts
	linked bool        // links.jsonl has something to say
	links  map[key]int // how many pages link to a URL that is broken
	rows   firsts[Broken]
	chosen List[Broken]
	from   map[key]*firsts[string] // of those in chosen, which pages link to them
}

func newBrokenPages(f *facts, rows int) *brokenPages {
	return &brokenPages{
		facts: f, links: make(map[key]int),
		rows: newFirsts(rows, func(a, b Broken) int {
			return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.URL, b.URL))
		}),
	}
}

// link notes that a page links to a URL.
func (b *brokenPages) link(to key) {
	b.linked = true
	if b.facts.broken(b.facts.byURL[to]) {
		b.links[to]++
	}
}

func (b *brokenPages) page(k key, p *output.Page) {
	if broken(p.Status) {
		b.add(k, Broken{URL: p.URL, Status: p.Status, Via: p.Via, Source: p.Source})
	}
}

func (b *brokenPages) rejection(k key, r *output.Rejection) {
	if r.Reason == output.Failed {
		b.add(k, Broken{URL: r.URL, Detail: clip(r.Detail), Via: r.Via, Source: r.Source})
	}
}

func (b *brokenPages) add(k key, row Broken) {
	row.From, row.Links = []string{}, b.links[k]
	if !b.linked && row.Source == "link" {
		row.From, row.Links = []string{row.Via}, 1
	}
	b.rows.add(row)
}

// choose picks those that will be in the list.
func (b *brokenPages) choose() {
	b.chosen = b.rows.list()
	b.from = make(map[key]*firsts[string])
	for _, row := range b.chosen.Rows {
		b.from[keyOf(row.URL)] = new(newFirsts(maxFrom, strings.Compare))
	}
}

// name finds the pages that link to those in the list.
func (b *brokenPages) name(l *output.Links) {
	from := keyOf(l.URL)
	for _, to := range l.To {
		k := keyOf(to)
		if pages := b.from[k]; pages != nil && k != from {
			pages.add(l.URL)
		}
	}
}

func (b *brokenPages) list() List[Broken] {
	if !b.linked {
		return b.chosen // with the one page that is known
	}
	for i := range b.chosen.Rows {
		row := &b.chosen.Rows[i]
		row.From = b.from[keyOf(row.URL)].list().Rows
	}
	return b.chosen
}
