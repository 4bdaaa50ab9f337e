package report

import (
	"cmp"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Broken is a URL with status 4xx or 5xx, or without a response, and the pages that link to it.
type Broken struct {
	URL        string   `json:"url"`
	Status     int      `json:"status,omitempty"`   // 4xx or 5xx; 0: no response
	Detail     string   `json:"detail,omitempty"`   // why there was no response
	Links      int      `json:"links"`              // number of pages that link to it; without links.jsonl at most 1
	LinkedFrom []string `json:"linked_from"`        // the first ten of these pages, sorted
	FoundOn    string   `json:"found_on,omitempty"` // the page, sitemap or redirect where it was found first
	Source     string   `json:"source"`             // how it was found: start, sitemap, link or redirect
}

// maxFrom limits Broken.LinkedFrom.
const maxFrom = 10

// brokenPages finds broken links.
type brokenPages struct {
	facts  *facts
	linked bool        // links.jsonl has a link
	links  map[key]int // how many pages link to each broken URL
	rows   *topRows[Broken]
	chosen List[Broken]
	from   map[key]*topRows[string] // the pages that link to each URL in chosen
}

func newBrokenPages(f *facts, rows int) *brokenPages {
	return &brokenPages{
		facts: f, links: make(map[key]int), from: make(map[key]*topRows[string]),
		rows: newTopRows(rows, func(a, b Broken) int {
			return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.URL, b.URL))
		}),
	}
}

// link counts a link to a URL.
func (b *brokenPages) link(to key) {
	b.linked = true
	if b.facts.broken(b.facts.byURL[to]) {
		b.links[to]++
	}
}

func (b *brokenPages) page(k key, p *output.Page) {
	if broken(p.Status) {
		b.add(k, Broken{URL: p.URL, Status: p.Status, FoundOn: p.FoundOn, Source: p.Source})
	}
}

func (b *brokenPages) rejection(k key, r *output.Rejection) {
	if r.Reason == output.Failed {
		b.add(k, Broken{URL: r.URL, Detail: clip(r.Detail), FoundOn: r.FoundOn, Source: r.Source})
	}
}

func (b *brokenPages) add(k key, row Broken) {
	row.LinkedFrom, row.Links = []string{}, b.links[k]
	if !b.linked && row.Source == "link" {
		row.LinkedFrom, row.Links = []string{row.FoundOn}, 1
	}
	b.rows.add(row)
}

// choose selects the rows of the list.
func (b *brokenPages) choose() {
	b.chosen = b.rows.list()
	for _, row := range b.chosen.Rows {
		b.from[keyOf(row.URL)] = newTopRows(maxFrom, strings.Compare)
	}
}

// name finds the pages that link to the URLs in the list.
func (b *brokenPages) name(_ *workerDir, l *linksLine) {
	from := keyOf(l.URL)
	for _, to := range l.To {
		k := keyOf(string(to))
		if pages := b.from[k]; pages != nil && k != from {
			pages.add(strings.Clone(l.URL)) // it would keep the whole line in memory
		}
	}
}

func (b *brokenPages) list() List[Broken] {
	if b.linked { // else each row has the only known page
		for i, row := range b.chosen.Rows {
			b.chosen.Rows[i].LinkedFrom = b.from[keyOf(row.URL)].list().Rows
		}
	}
	return b.chosen
}
