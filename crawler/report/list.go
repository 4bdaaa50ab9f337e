package report

import (
	"cmp"
	"slices"
)

// A List has the first rows of a list, and the number of all rows.
type List[T any] struct {
	Total int `json:"total"`
	Rows  []T `json:"rows"`
}

// listOf returns the first rows in the order of compare. It sorts its argument.
func listOf[T any](limit int, rows []T, compare func(a, b T) int) List[T] {
	sortRows(rows, compare)
	return List[T]{Total: len(rows), Rows: append([]T{}, rows[:min(limit, len(rows))]...)}
}

// sortRows sorts rows, and keeps the order of equal ones. It moves each row once, since they are
// large: slices.SortStableFunc takes twice as long.
func sortRows[T any](rows []T, compare func(a, b T) int) {
	order := make([]int, len(rows)) // which row is to be at a place
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(compare(rows[a], rows[b]), a-b) })
	for i := range rows {
		first, to := rows[i], i
		for from := order[to]; from != i; from = order[to] {
			rows[to], order[to] = rows[from], to
			to = from
		}
		rows[to], order[to] = first, to
	}
}

// topRows keeps the first rows in the order of compare. It holds at most twice the limit in
// memory.
type topRows[T any] struct {
	limit   int
	compare func(a, b T) int
	same    func(a, b T) bool // whether rows are duplicates; nil if none are
	rows    []T
	full    bool // rows begin with as many as the limit, in order
	total   int
}

func newTopRows[T any](limit int, compare func(a, b T) int) *topRows[T] {
	return &topRows[T]{limit: limit, compare: compare}
}

func (f *topRows[T]) add(row T) {
	f.total++
	f.addDuplicate(row)
}

// addDuplicate adds a row without counting it.
func (f *topRows[T]) addDuplicate(row T) {
	if f.rejects(row) {
		return
	}
	f.rows = append(f.rows, row)
	if len(f.rows) >= 2*f.limit {
		f.cut()
	}
}

// rejects reports whether a row comes after the limit.
func (f *topRows[T]) rejects(row T) bool { return f.full && f.compare(row, f.rows[f.limit-1]) >= 0 }

// cut sorts the rows and drops those beyond the limit.
func (f *topRows[T]) cut() {
	sortRows(f.rows, f.compare)
	if f.same != nil {
		f.rows = slices.CompactFunc(f.rows, f.same)
	}
	if len(f.rows) > f.limit {
		clear(f.rows[f.limit:])
		f.rows = f.rows[:f.limit]
	}
	f.full = len(f.rows) == f.limit
}

func (f *topRows[T]) list() List[T] {
	f.cut()
	return List[T]{Total: f.total, Rows: append([]T{}, f.rows...)}
}

// A Count is how often a name occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// maxNames limits the number of different names. Later ones count as otherNames.
const (
	maxNames   = 1000
	otherNames = "(others)"
)

// names counts names that a site chooses.
type names map[string]int

func (n names) add(name string) {
	if _, known := n[name]; !known && len(n) >= maxNames {
		name = otherNames
	}
	n[name]++
}

// list returns the names, the most frequent first.
func (n names) list(limit int) List[Count] {
	var counts []Count
	for name, count := range n {
		counts = append(counts, Count{name, count})
	}
	return listOf(limit, counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
}
