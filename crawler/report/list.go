package report

import (
	"cmp"
	"slices"
)

// A List is the first rows of something, and how many there are in all.
type List[T any] struct {
	Total int `json:"total"`
	Rows  []T `json:"rows"`
}

// listOf returns the first rows in the order of compare. It sorts its argument.
func listOf[T any](limit int, rows []T, compare func(a, b T) int) List[T] {
	slices.SortStableFunc(rows, compare)
	return List[T]{Total: len(rows), Rows: append([]T{}, rows[:min(limit, len(rows))]...)}
}

// firsts collects the first rows of many in the order of compare. It keeps no more than
// twice the limit in memory.
type firsts[T any] struct {
	limit   int
	compare func(a, b T) int
	same    func(a, b T) bool // rows of which only the first is kept; nil: none
	rows    []T
	total   int
}

func newFirsts[T any](limit int, compare func(a, b T) int) *firsts[T] {
	return &firsts[T]{limit: limit, compare: compare}
}

func (f *firsts[T]) add(row T) {
	f.total++
	f.offer(row)
}

// offer is add for a row that is the same as one that was counted before.
func (f *firsts[T]) offer(row T) {
	f.rows = append(f.rows, row)
	if len(f.rows) >= 2*f.limit {
		f.cut()
	}
}

// cut sorts the rows and drops those beyond the limit.
func (f *firsts[T]) cut() {
	slices.SortStableFunc(f.rows, f.compare)
	if f.same != nil {
		f.rows = slices.CompactFunc(f.rows, f.same)
	}
	if len(f.rows) > f.limit {
		clear(f.rows[f.limit:])
		f.rows = f.rows[:f.limit]
	}
}

func (f *firsts[T]) list() List[T] {
	f.cut()
	return List[T]{Total: f.total, Rows: append([]T{}, f.rows...)}
}

// A Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// maxNames limits the different words of a site that are counted apart. Later ones count
// as otherNames.
const (
	maxNames   = 1000
	otherNames = "(others)"
)

// names counts words that a site chooses.
type names map[string]int

func (n names) add(name string) {
	if _, known := n[name]; !known && len(n) >= maxNames {
		name = otherNames
	}
	n[name]++
}

// list returns the words, the most frequent first.
func (n names) list(limit int) List[Count] {
	var counts []Count
	for name, count := range n {
		counts = append(counts, Count{name, count})
	}
	return listOf(limit, counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
}
