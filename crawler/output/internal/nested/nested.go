// Package nested writes what of a page is no single value, for formats of rows: a list
// or an object goes into one cell, as the JSON that stands in its line of JSON.
package nested

import (
	"bytes"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Cells are the lists and objects of a page as JSON, which is valid UTF-8 on one line;
// empty: the page has none.
type Cells struct {
	Directives, Usage, Fields, CutBy string
}

// Of returns those of a page.
func Of(p *output.Page) (c Cells, err error) {
	if c.Directives, err = encode(len(p.Directives), p.Directives); err != nil {
		return c, err
	}
	if c.Usage, err = encode(len(p.Usage), p.Usage); err != nil {
		return c, err
	}
	if c.Fields, err = encode(len(p.Fields), p.Fields); err != nil {
		return c, err
	}
	c.CutBy, err = encode(len(p.CutBy), p.CutBy)
	return c, err
}

// encode is a list or an object of so many members.
func encode(members int, v any) (string, error) {
	if members == 0 {
		return "", nil
	}
	line, err := jsonlines.Line(nil, v)
	return string(bytes.TrimSpace(line)), err
}
