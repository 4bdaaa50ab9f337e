package report

import (
	"cmp"

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

// copies finds duplicates.
type copies struct {
	rows   int
	result Duplicates
	groups map[key]copyCount // by the page that was first
	byKey  map[key]*CopiesOfOne
}

type copyCount struct{ copies, declared int }

func newCopies(rows int) *copies { return &copies{rows: rows, groups: make(map[key]copyCount)} }

func (c *copies) learn(p *output.Page) {
	if p.DuplicateOf == "" {
		return
	}
	k := keyOf(p.DuplicateOf)
	n := c.groups[k]
	n.copies++
	c.result.Copies++
	if canonicalOf(p) == p.DuplicateOf {
		n.declared++
		c.result.Declared++
	}
	c.groups[k] = n
}

// choose picks the groups that will be in the list.
func (c *copies) choose() {
	type group struct {
		key key
		copyCount
	}
	most := newFirsts(c.rows, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.copies, a.copies), cmp.Compare(a.key, b.key))
	})
	for k, n := range c.groups {
		most.add(group{k, n})
	}
	chosen := most.list()
	c.result.Groups = List[CopiesOfOne]{Total: chosen.Total, Rows: make([]CopiesOfOne, len(chosen.Rows))}
	c.byKey = make(map[key]*CopiesOfOne)
	for i, g := range chosen.Rows {
		c.result.Groups.Rows[i] = CopiesOfOne{Copies: g.copies, Declared: g.declared, Examples: []string{}}
		c.byKey[g.key] = &c.result.Groups.Rows[i]
	}
}

// name finds the URLs of the groups in the list.
func (c *copies) name(p *output.Page) {
	if p.DuplicateOf == "" {
		return
	}
	if row := c.byKey[keyOf(p.DuplicateOf)]; row != nil {
		row.URL = p.DuplicateOf
		if len(row.Examples) < maxExamples {
			row.Examples = append(row.Examples, p.URL)
		}
	}
}

func (c *copies) list() Duplicates {
	byURL := newFirsts(c.rows, func(a, b CopiesOfOne) int {
		return cmp.Or(cmp.Compare(b.Copies, a.Copies), cmp.Compare(a.URL, b.URL))
	})
	for _, g := range c.result.Groups.Rows {
		byURL.add(g)
	}
	c.result.Groups.Rows = byURL.list().Rows
	return c.result
}
