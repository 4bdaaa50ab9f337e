package report

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A urlQuery selects rows of the table of URLs and orders them. The zero value of a field selects all.
type urlQuery struct {
	text      string // words in lower case; each is in a cell that is no number, but may be the status
	status    string // a class of them
	kind      string
	indexable string // no for any reason
	finding   string // the ID of a rule
	directory string // which begins the URL

	sort       int // by a column, from 1; 0 for the order of the table
	descending bool
}

// maxResponseRows limits the rows of a response.
const maxResponseRows = 10_000

// parseQuery reads the parameters of an address: a query, and which of its rows are wanted. Others are ignored.
func parseQuery(values url.Values) (q urlQuery, from, rows int) {
	title, descending := strings.CutPrefix(values.Get("sort"), "-")
	q = urlQuery{
		text:   strings.Join(strings.Fields(strings.ToLower(values.Get("text"))), " "),
		status: values.Get("status"), kind: values.Get("kind"), indexable: values.Get("indexable"),
		finding: values.Get("finding"), directory: values.Get("directory"),
		sort:       1 + slices.IndexFunc(urlFields, func(f field[urlRow]) bool { return strings.EqualFold(f.Name, title) }),
		descending: descending,
	}
	from, _ = strconv.Atoi(values.Get("from"))
	rows, err := strconv.Atoi(values.Get("rows"))
	if err != nil || rows < 0 || rows > maxResponseRows {
		rows = maxResponseRows
	}
	return q, max(from, 0), rows
}

// run returns the numbers of the rows.
func (q *urlQuery) run(all []urlRow) []int32 {
	has := q.matcher()
	rows := make([]int32, 0, len(all))
	for i := range all {
		r := &all[i]
		if (q.status == "" || q.status == statusClass(int(r.status))) &&
			(q.kind == "" || q.kind == string(r.kind)) &&
			(q.indexable == "" || q.indexable == r.indexable || q.indexable == "no" && r.indexable != "yes" && r.indexable != "") &&
			(q.finding == "" || slices.Contains(r.findings, q.finding)) &&
			strings.HasPrefix(r.url, q.directory) && has(r) {
			rows = append(rows, int32(i))
		}
	}
	if q.sort > 0 {
		q.order(rows, all)
	}
	return rows
}

// matcher returns a function that reports whether the cells of a row have all words. Numbers do not count,
// except a status.
func (q *urlQuery) matcher() func(*urlRow) bool {
	words := strings.Fields(q.text)
	fields := slices.DeleteFunc(slices.Clone(urlFields), func(f field[urlRow]) bool { return f.isNumber() && f.Kind != kindStatus })
	var text []byte
	var c cell
	return func(r *urlRow) bool {
		if len(words) == 0 {
			return true
		}
		text = text[:0]
		for _, f := range fields {
			f.read(r, &c)
			text = append(append(text, c.shown()...), '\n') // which no word has
		}
		lower := bytes.ToLower(text)
		return !slices.ContainsFunc(words, func(word string) bool { return !bytes.Contains(lower, []byte(word)) })
	}
}

// codeUnits replaces the bytes that begin the characters U+E000 to U+FFFF. A script orders text by its
// UTF-16 code units, where these come after all others.
var codeUnits = strings.NewReplacer("\xee", "\xfe", "\xef", "\xff")

// order sorts rows by a column as a script does. Equal ones stay in the order of the table.
func (q *urlQuery) order(rows []int32, all []urlRow) {
	type keyed struct {
		row    int32
		number int64
		text   string
	}
	f := urlFields[q.sort-1]
	keys := make([]keyed, len(rows))
	var c cell
	for i, row := range rows {
		f.read(&all[row], &c)
		keys[i] = keyed{row: row, number: c.N}
		if !c.isNumber() {
			keys[i].text = codeUnits.Replace(c.shown())
		}
	}
	sign := 1
	if q.descending {
		sign = -1
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		order := cmp.Compare(a.number, b.number)
		if order == 0 {
			order = strings.Compare(a.text, b.text)
		}
		return cmp.Or(sign*order, cmp.Compare(a.row, b.row))
	})
	for i := range keys {
		rows[i] = keys[i].row
	}
}
