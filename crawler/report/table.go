package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"iter"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// A table of the page. Its markup has the first rows, for browsers without JavaScript. The data
// block has all rows.
type table struct {
	ID      string
	Title   string
	Columns []head
	Rows    iter.Seq[[]cell]
	Len     int // number of rows
	Total   int // number of rows without the limit of Options.Rows
}

// maxStatic limits the rows of a table that are markup.
const maxStatic = 100

// maxCell limits a text of the data block, in bytes. URLs have no limit.
const maxCell = 2000

// First returns the rows that are markup.
func (t *table) First() [][]cell {
	var first [][]cell
	for row := range t.Rows {
		if len(first) == maxStatic {
			break
		}
		first = append(first, row)
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
	kindFigure kind = "figure" // N, shown as Text
	kindURLs   kind = "urls"   // N URLs, the first of them in List
	kindLines  kind = "lines"  // List
)

type cell struct {
	head

	Text string
	N    int64
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

func numberField[T any](name string, k kind, value func(*T) int) field[T] {
	return field[T]{head{Name: name, Kind: k}, func(row *T, c *cell) { c.N = int64(value(row)) }}
}

func figureField[T any](name string, format func(int64) string, value func(*T) int64) field[T] {
	return field[T]{head{Name: name, Kind: kindFigure}, func(row *T, c *cell) { c.N = value(row); c.Text = format(c.N) }}
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
	t.Rows = func(yield func([]cell) bool) {
		for i := range list.Rows {
			cells := make([]cell, len(fields))
			for j, f := range fields {
				cells[j].head = f.head
				f.set(&list.Rows[i], &cells[j])
			}
			if !yield(cells) {
				return
			}
		}
	}
	return t
}

// A dataWriter writes the data block of the page: all rows of the tables, and the links. Each URL
// is written once; rows and links have its number.
type dataWriter struct {
	w    *bufio.Writer
	json *json.Encoder // escapes <, so that no text ends the script element
	urls *urlNumbers
	err  error
}

func writeData(w *bufio.Writer, tables []*table, links *linkGraph) error {
	d := &dataWriter{w: w, json: json.NewEncoder(safejson.NewWriter(w)), urls: &urlNumbers{links: links, others: make(map[string]int)}}
	d.raw(`{"tables":[`)
	tables = slices.DeleteFunc(slices.Clone(tables), func(t *table) bool { return t.Len == 0 })
	for i, t := range tables {
		d.comma(i)
		d.table(t)
	}
	d.raw(`],"links":{"count":`)
	d.value(links.count)
	d.raw(`,"omitted":`)
	d.value(links.omitted)
	d.raw(`,"pages":"`)
	d.base64(links.pages)
	d.raw(`"},"urls":[`)
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
	d.raw(`,"columns":[`)
	for i, c := range t.Columns {
		d.comma(i)
		d.value([]string{c.Name, string(c.Kind), c.File})
	}
	d.raw(`],"rows":[`)
	i := 0
	for row := range t.Rows {
		d.comma(i)
		d.value(d.row(row))
		i++
	}
	d.raw("]}")
}

func (d *dataWriter) row(cells []cell) []any {
	row := make([]any, len(cells))
	for i := range cells {
		switch c := &cells[i]; c.Kind {
		case kindText:
			row[i] = escape.Clip(c.Text, maxCell)
		case kindURL:
			row[i] = d.urls.number(c.Text)
		case kindNumber, kindFault, kindStatus:
			row[i] = c.N
		case kindFigure:
			row[i] = []any{c.N, c.Text}
		case kindURLs:
			numbers := make([]int, 0, 1+len(c.List))
			numbers = append(numbers, int(c.N))
			for _, url := range c.List {
				numbers = append(numbers, d.urls.number(url))
			}
			row[i] = numbers
		case kindLines:
			lines := make([]string, len(c.List))
			for j, line := range c.List {
				lines[j] = escape.Clip(line, maxCell)
			}
			row[i] = lines
		}
	}
	return row
}

func (d *dataWriter) raw(text string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(text)
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

func (d *dataWriter) base64(data []byte) {
	if d.err != nil {
		return
	}
	encoder := base64.NewEncoder(base64.StdEncoding, d.w)
	if _, d.err = encoder.Write(data); d.err == nil {
		d.err = encoder.Close()
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
