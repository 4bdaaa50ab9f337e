package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Duplicates are pages with the same body.
type Duplicates struct {
	Copies   int                  `json:"copies"`   // pages with the body of an earlier page
	Declared int                  `json:"declared"` // copies that name the first page of their group as canonical
	Groups   List[DuplicateGroup] `json:"groups"`   // the group with the most copies first
}

// A DuplicateGroup is a page and its copies.
type DuplicateGroup struct {
	URL      string   `json:"url"` // the page that was fetched first; the others are its copies
	Copies   int      `json:"copies"`
	Declared int      `json:"declared"` // copies that name URL as canonical
	Examples []string `json:"examples"`
}

// duplicates finds copies by the hashes of the bodies. Pages also name their original, but
// each worker knows only its own pages.
type duplicates struct {
	rows   int
	hashes []uint64 // of all pages that have one, until the groups are known
	groups map[uint64]*sameBody
	result Duplicates
	chosen []*sameBody // that will be in the list
}

// sameBody are the pages with the same body.
type sameBody struct {
	hash  uint64
	pages int

	first      key
	at         time.Time // when the first was fetched
	itself     bool      // the first names itself as its canonical page
	canonicals []key     // those that the pages name, itself included

	url  string           // of the first, where the group is in the list
	urls *topRows[string] // nil if it is not in the list
}

func newDuplicates(rows int) *duplicates {
	return &duplicates{rows: rows, groups: make(map[uint64]*sameBody)}
}

func (d *duplicates) add(p *output.Page) {
	if hash, ok := bodyHash(p); ok {
		d.hashes = append(d.hashes, hash)
	}
}

// bodyHash is not ok if the page has no body, one that is withheld, or one that was not read to the end.
func bodyHash(p *output.Page) (hash uint64, ok bool) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	return hash, err == nil && p.Truncated == ""
}

// choose finds the groups and selects the rows of the list.
func (d *duplicates) choose() {
	slices.Sort(d.hashes)
	var groups []*sameBody
	for i, hash := range d.hashes {
		if i == 0 || hash != d.hashes[i-1] {
			continue
		}
		g := d.groups[hash]
		if g == nil {
			g = &sameBody{hash: hash, pages: 1}
			d.groups[hash], groups = g, append(groups, g)
		}
		g.pages++
		d.result.Copies++
	}
	d.hashes = nil
	list := listOf(d.rows, groups, func(a, b *sameBody) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.hash, b.hash))
	})
	d.result.Groups.Total, d.chosen = list.Total, list.Rows
	for _, g := range d.chosen {
		g.urls = newTopRows(maxExamples+1, strings.Compare)
	}
}

// name adds a page to its group.
func (d *duplicates) name(p *output.Page) {
	hash, ok := bodyHash(p)
	g := d.groups[hash]
	if !ok || g == nil {
		return
	}
	k, canonical := keyOf(p.URL), p.Canonical
	if canonical != "" {
		g.canonicals = append(g.canonicals, keyOf(canonical))
	}
	if g.at.IsZero() && g.first == 0 || cmp.Or(p.FetchedAt.Compare(g.at), cmp.Compare(k, g.first)) < 0 {
		g.first, g.at, g.itself = k, p.FetchedAt, canonical == p.URL
		if g.urls != nil {
			g.url = p.URL
		}
	}
	if g.urls != nil {
		g.urls.add(p.URL)
	}
}

// declared counts the copies that name the first page as canonical.
func (g *sameBody) declared() int {
	n := 0
	for _, k := range g.canonicals {
		if k == g.first {
			n++
		}
	}
	if g.itself {
		n--
	}
	return n
}

func (d *duplicates) list() Duplicates {
	result := d.result
	for _, g := range d.groups {
		result.Declared += g.declared()
	}
	var rows []DuplicateGroup
	for _, g := range d.chosen {
		examples := slices.DeleteFunc(g.urls.list().Rows, func(url string) bool { return url == g.url })
		rows = append(rows, DuplicateGroup{g.url, g.pages - 1, g.declared(), examples[:min(len(examples), maxExamples)]})
	}
	result.Groups.Rows = listOf(d.rows, rows, func(a, b DuplicateGroup) int {
		return cmp.Or(cmp.Compare(b.Copies, a.Copies), cmp.Compare(a.URL, b.URL))
	}).Rows
	return result
}
