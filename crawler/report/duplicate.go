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
	Copies   int               `json:"copies"`   // pages whose body another page had before
	Declared int               `json:"declared"` // copies that name that page as their canonical one
	Groups   List[CopiesOfOne] `json:"groups"`   // the most copies first
}

// CopiesOfOne are the copies of one page.
type CopiesOfOne struct {
	URL      string   `json:"url"` // the page that was fetched first
	Copies   int      `json:"copies"`
	Declared int      `json:"declared"`
	Examples []string `json:"examples"`
}

// copies finds duplicates by the hashes of the bodies: that a line names the page which
// it is a copy of is of no use, since the worker that has written it knew of its own
// pages alone.
type copies struct {
	rows   int
	hashes []uint64 // of all pages that have one, until the groups are known
	groups map[uint64]*sameBody
	result Duplicates
	chosen []*sameBody // that will be in the list
}

// sameBody are the pages with one body.
type sameBody struct {
	hash  uint64
	pages int

	first      key
	at         time.Time // when the first was fetched
	itself     bool      // the first names itself as its canonical page
	canonicals []key     // those that the pages name, itself included

	url  string          // of the first; this and urls are kept of chosen ones only
	urls *firsts[string] // nil: it is not chosen
}

func newCopies(rows int) *copies { return &copies{rows: rows, groups: make(map[uint64]*sameBody)} }

func (c *copies) learn(p *output.Page) {
	if hash, ok := bodyHash(p); ok {
		c.hashes = append(c.hashes, hash)
	}
}

func bodyHash(p *output.Page) (hash uint64, ok bool) {
	hash, err := strconv.ParseUint(p.Hash, 16, 64)
	return hash, err == nil // else it has no body, or none that may be shown
}

// choose finds the groups, and picks those that will be in the list.
func (c *copies) choose() {
	slices.Sort(c.hashes)
	most := newFirsts(c.rows, func(a, b *sameBody) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.hash, b.hash))
	})
	for rest := c.hashes; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		if n > 1 {
			g := &sameBody{hash: rest[0], pages: n}
			c.groups[g.hash] = g
			c.result.Copies += n - 1
			most.add(g)
		}
		rest = rest[n:]
	}
	c.hashes = nil
	list := most.list()
	c.result.Groups.Total, c.chosen = list.Total, list.Rows
	for _, g := range c.chosen {
		g.urls = new(newFirsts(maxExamples+1, strings.Compare))
	}
}

// name takes up the pages of the groups.
func (c *copies) name(p *output.Page) {
	hash, ok := bodyHash(p)
	g := c.groups[hash]
	if !ok || g == nil {
		return
	}
	k, canonical := keyOf(p.URL), canonicalOf(p)
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

// declared is how many copies name the first page as their canonical one.
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

func (c *copies) list() Duplicates {
	result := c.result
	for _, g := range c.groups {
		result.Declared += g.declared()
	}
	byURL := newFirsts(c.rows, func(a, b CopiesOfOne) int {
		return cmp.Or(cmp.Compare(b.Copies, a.Copies), cmp.Compare(a.URL, b.URL))
	})
	for _, g := range c.chosen {
		examples := slices.DeleteFunc(g.urls.list().Rows, func(url string) bool { return url == g.url })
		byURL.add(CopiesOfOne{g.url, g.pages - 1, g.declared(), examples[:min(len(examples), maxExamples)]})
	}
	result.Groups.Rows = byURL.list().Rows
	return result
}
