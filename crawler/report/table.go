package report

import (
	"bufio"
	"encoding/json"
	"iter"
	"slices"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
)

// A table of the page. Its markup has the first rows, for browsers without JavaScript. The data
// block has all rows.
type table struct {
	ID      string
	Title   string
	Columns []head
	Len     int  // number of rows
	Total   int  // number of rows without the limit of Options.Rows
	Served  bool // the server has the rows

	Choices map[string][][2]any // values of filters, with the number of rows of each; nil if it has none

	cell func(row, column int) cell
}

// maxStatic limits the rows of a table that are markup.
const maxStatic = 50

// maxCell limits a text of the data block, in bytes. URLs have no limit.
const maxCell = 2000

// First returns the rows that are markup.
func (t *table) First() [][]cell {
	first := make([][]cell, min(t.Len, maxStatic))
	for i := range first {
		for j := range t.Columns {
			first[i] = append(first[i], t.cell(i, j))
		}
	}
	return first
}

// A head describes a column.
type head struct {
	Name string
	Kind kind
	File string // of kindURLs: the file of the crawl that has all of them
}

// A kind says what a cell has and how it is shown. The script has the same names.
type kind string

const (
	kindText   kind = "text"   // Text
	kindURL    kind = "url"    // Text, a URL
	kindNumber kind = "number" // N
	kindFault  kind = "fault"  // N, red unless it is 0
	kindStatus kind = "status" // N, an HTTP status; 0 without a response
	kindSize   kind = "size"   // N, bytes
	kindMillis kind = "millis" // N, milliseconds
	kindURLs   kind = "urls"   // N URLs, the first of them in List
	kindLines  kind = "lines"  // List
)

type cell struct {
	head

	Text string
	N    int64 // not known if negative
	List []string
}

// A field is a column of a table of T.
type field[T any] struct {
	head

	set func(*T, *cell)
}

func textField[T any](name string, value func(*T) string) field[T] {
	return field[T]{head{Name: name, Kind: kindText}, func(row *T, c *cell) { c.Text = value(row) }}
}

func urlField[T any](name string, value func(*T) string) field[T] {
	return field[T]{head{Name: name, Kind: kindURL}, func(row *T, c *cell) { c.Text = value(row) }}
}

func numberField[T any, N int | int64](name string, k kind, value func(*T) N) field[T] {
	return field[T]{head{Name: name, Kind: k}, func(row *T, c *cell) { c.N = int64(value(row)) }}
}

func urlsField[T any](name, file string, value func(*T) (total int, urls []string)) field[T] {
	return field[T]{head{name, kindURLs, file}, func(row *T, c *cell) {
		total, urls := value(row)
		c.N, c.List = int64(total), urls
	}}
}

func linesField[T any](name string, value func(*T) []string) field[T] {
	return field[T]{head{Name: name, Kind: kindLines}, func(row *T, c *cell) { c.List = value(row) }}
}

// tableOf returns the table of a list.
func tableOf[T any](id, title string, list List[T], fields ...field[T]) *table {
	t := &table{ID: id, Title: title, Len: len(list.Rows), Total: list.Total}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.head)
	}
	t.cell = func(row, column int) cell {
		c := cell{head: t.Columns[column]}
		fields[column].set(&list.Rows[row], &c)
		return c
	}
	return t
}

// A dataWriter writes the data block of the page: all rows of the tables, column by column, which
// compresses better. Each URL is written once; rows and links have its number.
type dataWriter struct {
	w    *bufio.Writer
	json *json.Encoder
	urls *urlNumbers
	err  error
}

func writeData(w *bufio.Writer, tables []*table, links *linkGraph, served bool) error {
	d := &dataWriter{w: w, json: json.NewEncoder(w), urls: &urlNumbers{links: links, others: make(map[string]int)}}
	d.json.SetEscapeHTML(false)
	d.raw(`{"tables":[`)
	tables = slices.DeleteFunc(slices.Clone(tables), func(t *table) bool { return t.Len == 0 })
	for i, t := range tables {
		d.comma(i)
		d.table(t)
	}
	d.raw(`],"links":`)
	if served {
		d.raw(`{"served":true}`)
	} else {
		d.value(map[string]any{"count": links.count, "omitted": links.omitted, "texts": links.texts})
	}
	d.raw(`,"lines":{"size":`)
	d.value(detailsBlock)
	d.raw(`},"urls":[`)
	i := 0
	for url := range d.urls.all() {
		d.comma(i)
		d.value(url)
		i++
	}
	d.raw("]}")
	return d.err
}

func (d *dataWriter) table(t *table) {
	d.raw(`{"id":`)
	d.value(t.ID)
	d.raw(`,"count":`)
	d.value(t.Len)
	if t.Choices != nil {
		d.raw(`,"choices":`)
		d.value(t.Choices)
	}
	d.raw(`,"columns":[`)
	for i, c := range t.Columns {
		d.comma(i)
		d.value([]string{c.Name, string(c.Kind), c.File})
	}
	if t.Served {
		d.raw(`],"served":true}`)
		return
	}
	d.raw(`],"values":[`)
	for j := range t.Columns {
		d.comma(j)
		d.raw("[")
		for i := range t.Len {
			d.comma(i)
			d.cell(t.cell(i, j))
		}
		d.raw("]")
	}
	d.raw("]}")
}

func (d *dataWriter) cell(c cell) {
	switch c.Kind {
	case kindText:
		d.value(escape.Clip(c.Text, maxCell))
	case kindURL:
		d.number(int64(d.urls.number(c.Text)))
	case kindNumber, kindFault, kindStatus, kindSize, kindMillis:
		if c.N < 0 {
			d.raw("null")
		} else {
			d.number(c.N)
		}
	case kindURLs:
		d.raw("[")
		d.number(c.N)
		for _, url := range c.List {
			d.raw(",")
			d.number(int64(d.urls.number(url)))
		}
		d.raw("]")
	case kindLines:
		lines := make([]string, len(c.List))
		for i, line := range c.List {
			lines[i] = escape.Clip(line, maxCell)
		}
		d.value(lines)
	}
}

func (d *dataWriter) raw(text string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(text)
	}
}

func (d *dataWriter) number(n int64) {
	if d.err == nil {
		_, d.err = d.w.Write(strconv.AppendInt(d.w.AvailableBuffer(), n, 10))
	}
}

func (d *dataWriter) value(v any) {
	if d.err == nil {
		d.err = d.json.Encode(v)
	}
}

func (d *dataWriter) comma(i int) {
	if i > 0 {
		d.raw(",")
	}
}

// urlNumbers numbers the URLs of the data block: first those of the links, then the others.
type urlNumbers struct {
	links  *linkGraph
	others map[string]int
	list   []string // the others
}

// number returns the number of a URL, or -1 if it is empty.
func (n *urlNumbers) number(url string) int {
	if url == "" {
		return -1
	}
	if i, ok := n.links.numbers[keyOf(url)]; ok {
		return int(i)
	}
	i, ok := n.others[url]
	if !ok {
		i = len(n.links.ends) + len(n.list)
		n.others[url] = i
		n.list = append(n.list, url)
	}
	return i
}

// all returns the URLs in the order of their numbers.
func (n *urlNumbers) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n.links.ends {
			if !yield(n.links.url(uint32(i))) {
				return
			}
		}
		for _, url := range n.list {
			if !yield(url) {
				return
			}
		}
	}
}
