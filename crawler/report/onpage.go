package report

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The limits of pages.
const (
	maxTitle       = 70  // characters of a title
	maxDescription = 160 // characters of a description
	maxLinksAway   = 5   // links from a start URL or a sitemap entry
	maxResponseMS  = 3000
	maxHTMLBytes   = 2 << 20
)

// onPage finds faults of single pages. Its rules apply to indexable HTML pages with status 2xx.
type onPage struct {
	lists        *findingLists
	titles       *repeats
	descriptions *repeats
}

func newOnPage(lists *findingLists, limit int) *onPage {
	return &onPage{lists: lists, titles: newRepeats(limit), descriptions: newRepeats(limit)}
}

// add records the texts of an indexable page.
func (o *onPage) add(p *output.Page) {
	o.titles.add(p.Title)
	o.descriptions.add(p.Description)
}

func (o *onPage) choose() {
	o.titles.choose()
	o.descriptions.choose()
}

// name adds the findings of an indexable page.
func (o *onPage) name(p *output.Page) {
	add := func(applies bool, rule, detail string) {
		if applies {
			o.lists.add(rule, Finding{URL: p.URL, Detail: detail})
		}
	}
	whole := p.Truncated == "" && p.Malformed == "" // else elements may be missing
	add(p.Malformed != "", rulePageMalformed, p.Malformed)
	add(p.Title == "" && whole, ruleTitleMissing, "")
	add(p.Description == "" && whole, ruleDescriptionMissing, "")
	add(p.H1 == "" && p.H1Count == 0 && whole, ruleH1Missing, "")
	add(p.H1Count > 1, ruleH1Multiple, strconv.Itoa(p.H1Count)+" h1 elements")
	o.long(ruleTitleLong, p.URL, p.Title, maxTitle)
	o.long(ruleDescriptionLong, p.URL, p.Description, maxDescription)
	o.titles.name(p, p.Title)
	o.descriptions.name(p, p.Description)
	add(p.ImagesWithoutAlt > 0, ruleAltMissing, quantity(p.ImagesWithoutAlt, "image"))
	add(p.Depth > maxLinksAway, rulePageDeep, strconv.Itoa(p.Depth)+" links away")
	add(p.DurationMS > maxResponseMS, rulePageSlow, millis(p.DurationMS))
	add(p.Bytes > maxHTMLBytes, rulePageLarge, size(p.Bytes))
}

// long adds a finding if a text has too many characters.
func (o *onPage) long(rule, url, text string, limit int) {
	if len(text) <= limit { // bytes
		return
	}
	if n := utf8.RuneCountInString(text); n > limit {
		o.lists.add(rule, Finding{URL: url, Detail: strconv.Itoa(n) + " characters: " + clip(text)})
	}
}

// finish adds the findings that need all pages. Alternates reports whether two pages name each other
// as versions for other languages.
func (o *onPage) finish(alternates func(a, b key) bool) {
	o.titles.addTo(o.lists, ruleTitleDuplicate, alternates)
	o.descriptions.addTo(o.lists, ruleDescriptionDuplicate, alternates)
}

// repeats finds pages with the same text. The first page is the one with the fewest links from
// the start, then the first by URL. The others are findings, except its versions for other languages.
type repeats struct {
	hashes []uint64           // of all texts, until the groups are known
	groups map[uint64]*repeat // texts that several pages have
	copies int
	rows   *topRows[repeatRow]

	versions []repeatVersion // the pages with hreflang links
}

// A repeatVersion is a page that may be a version of the first page with its text.
type repeatVersion struct {
	page key
	text *repeat
}

// A repeat is a text that several pages have.
type repeat struct {
	url   string // of the first page; empty: not known yet
	depth int
}

type repeatRow struct {
	Finding
	text *repeat
}

func newRepeats(limit int) *repeats {
	return &repeats{groups: make(map[uint64]*repeat), rows: newTopRows(max(2*limit, DefaultRows), func(a, b repeatRow) int { return byPages(a.Finding, b.Finding) })}
}

func (r *repeats) add(text string) {
	if text != "" {
		r.hashes = append(r.hashes, xxhash.Sum64String(text))
	}
}

// choose finds the groups.
func (r *repeats) choose() {
	slices.Sort(r.hashes)
	for i, hash := range r.hashes {
		if i > 0 && hash == r.hashes[i-1] {
			r.groups[hash] = &repeat{}
			r.copies++
		}
	}
	r.hashes = nil
}

// name adds a page to the group of its text.
func (r *repeats) name(p *output.Page, text string) {
	if len(r.groups) == 0 || text == "" {
		return
	}
	g := r.groups[xxhash.Sum64String(text)]
	if g == nil {
		return
	}
	if g.url == "" || cmp.Or(cmp.Compare(p.Depth, g.depth), cmp.Compare(p.URL, g.url)) < 0 {
		g.url, g.depth = p.URL, p.Depth
	}
	if len(p.Hreflang) > 0 {
		r.versions = append(r.versions, repeatVersion{keyOf(p.URL), g})
	}
	r.rows.add(repeatRow{Finding{URL: p.URL, Detail: clip(text)}, g})
}

// addTo adds the findings of a rule.
func (r *repeats) addTo(l *findingLists, rule string, alternates func(a, b key) bool) {
	for _, v := range r.versions {
		if alternates(v.page, keyOf(v.text.url)) {
			r.copies--
		}
	}
	for _, row := range r.rows.list().Rows {
		if row.URL != row.text.url && !alternates(keyOf(row.URL), keyOf(row.text.url)) {
			row.Related = row.text.url
			l.rows[rule].addDuplicate(row.Finding)
		}
	}
	l.rows[rule].total = r.copies
}
