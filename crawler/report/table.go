package report

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

	Choices map[string][]Count // values of filters, with the number of rows of each; nil if it has none

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

// read sets a cell to that of a row.
func (f *field[T]) read(row *T, c *cell) {
	*c = cell{head: f.head}
	f.set(row, c)
}

// isNumber reports whether cells have a number.
func (h *head) isNumber() bool {
	return slices.Contains([]kind{kindNumber, kindFault, kindStatus, kindSize, kindMillis}, h.Kind)
}

// shown is the text of a cell without a number, or of a status, as the script has it.
func (c *cell) shown() string {
	switch {
	case c.Kind == kindLines:
		return strings.Join(c.List, " ")
	case c.Kind != kindStatus:
		return c.Text
	case c.N < 0: // not known
		return ""
	case c.N == 0:
		return "no response"
	}
	return strconv.FormatInt(c.N, 10)
}

// tableOf returns the table of a list.
func tableOf[T any](id, title string, list List[T], fields ...field[T]) *table {
	t := &table{ID: id, Title: title, Len: len(list.Rows), Total: list.Total}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.head)
	}
	t.cell = func(row, column int) cell {
		var c cell
		fields[column].read(&list.Rows[row], &c)
		return c
	}
	return t
}

// value is the cell in JSON; url returns the value of a URL.
func (c *cell) value(url func(string) any) any {
	switch {
	case c.Kind == kindText:
		return escape.Clip(c.Text, maxCell)
	case c.Kind == kindURL:
		return url(c.Text)
	case c.Kind == kindURLs:
		values := []any{c.N}
		for _, u := range c.List {
			values = append(values, url(u))
		}
		return values
	case c.Kind == kindLines:
		lines := make([]string, len(c.List))
		for i, line := range c.List {
			lines[i] = escape.Clip(line, maxCell)
		}
		return lines
	case c.N < 0: // not known
		return nil
	}
	return c.N
}

// dataBlock is the data block of the page. Each URL is written once, after the tables: cells and links have its number.
type dataBlock struct {
	Tables []tableData    `json:"tables"`
	Links  map[string]any `json:"links"`
	Lines  map[string]int `json:"lines"`
	URLs   *urlNumbers    `json:"urls"`
}

// tableData has all rows of a table, column by column, which compresses better.
type tableData struct {
	ID      string             `json:"id"`
	Title   string             `json:"title"`
	Count   int                `json:"count"`
	Total   int                `json:"total"`
	Choices map[string][]Count `json:"choices,omitzero"`
	Columns [][3]string        `json:"columns"`
	Served  bool               `json:"served,omitzero"`
	Values  []columnData       `json:"values,omitzero"`
}

func writeData(w io.Writer, tables []*table, links *linkGraph, served bool) error {
	images := slices.ContainsFunc(links.texts, func(text [3]string) bool { return text[2] == "img" })
	data := dataBlock{Links: map[string]any{"served": served, "count": links.count, "images": images}, Lines: map[string]int{"size": detailsBlock}}
	if served {
		links = newLinkGraph()
	} else {
		data.Links["omitted"], data.Links["texts"] = links.omitted, links.texts
	}
	urls := &urlNumbers{links: links, others: make(map[string]int)}
	data.URLs = urls
	for _, t := range tables {
		if t.Len == 0 {
			continue
		}
		d := tableData{ID: t.ID, Title: t.Title, Count: t.Len, Total: t.Total, Choices: t.Choices, Served: t.Served}
		for i, c := range t.Columns {
			d.Columns = append(d.Columns, [3]string{c.Name, string(c.Kind), c.File})
			if !t.Served {
				d.Values = append(d.Values, columnData{t, i, urls})
			}
		}
		data.Tables = append(data.Tables, d)
	}
	return jsonv2.MarshalWrite(w, data, jsontext.AllowInvalidUTF8(true))
}

// columnData writes the cells of a table.
type columnData struct {
	*table

	number int
	urls   *urlNumbers
}

// MarshalJSONTo implements [jsonv2.MarshalerTo].
func (c columnData) MarshalJSONTo(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginArray)
	for i := 0; err == nil && i < c.Len; i++ {
		cell := c.cell(i, c.number)
		err = jsonv2.MarshalEncode(e, cell.value(c.urls.number))
	}
	return errors.Join(err, e.WriteToken(jsontext.EndArray))
}

// urlNumbers numbers the URLs of the data block: first those of the links, then the others.
type urlNumbers struct {
	links  *linkGraph
	others map[string]int
	list   []string // the others
}

// number returns the number of a URL, or -1 if it is empty.
func (n *urlNumbers) number(url string) any {
	if url == "" {
		return -1
	}
	if i, ok := n.links.numbers[keyOf(url)]; ok {
		return i
	}
	i, ok := n.others[url]
	if !ok {
		i = len(n.links.ends) + len(n.list)
		n.others[url] = i
		n.list = append(n.list, url)
	}
	return i
}

// MarshalJSONTo implements [jsonv2.MarshalerTo]: the URLs in the order of their numbers.
func (n *urlNumbers) MarshalJSONTo(e *jsontext.Encoder) error {
	err := e.WriteToken(jsontext.BeginArray)
	for i := 0; err == nil && i < len(n.links.ends); i++ {
		err = e.WriteToken(jsontext.String(n.links.url(uint32(i))))
	}
	for i := 0; err == nil && i < len(n.list); i++ {
		err = e.WriteToken(jsontext.String(n.list[i]))
	}
	return errors.Join(err, e.WriteToken(jsontext.EndArray))
}
