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

// More is how many rows are left out.
func (l List[T]) More() int { return l.Total - len(l.Rows) }

// firsts collects the first rows of many, in an order of their own, and keeps no
// more in memory than twice as many as are wanted.
type firsts[T any] struct {
	limit   int
	compare func(a, b T) int
	same    func(a, b T) bool // rows of which one stands for all, the first; nil: there are none
	rows    []T
	total   int
}

func newFirsts[T any](limit int, compare func(a, b T) int) firsts[T] {
	return firsts[T]{limit: limit, compare: compare}
}

func (f *firsts[T]) add(row T) {
	f.total++
	f.offer(row)
}

// offer is add for a row that was counted before, by another that is the same.
func (f *firsts[T]) offer(row T) {
	f.rows = append(f.rows, row)
	if len(f.rows) >= 2*f.limit {
		f.cut()
	}
}

// cut sorts the rows and drops those that are not wanted.
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
	return List[T]{Total: f.total, Rows: slices.Clip(append([]T{}, f.rows...))}
}

// A Count is how often something occurs.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func mostFirst(a, b Count) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
}

// maxNames bounds how many different words of a site are counted apart.
const maxNames = 1000

// otherNames is what the words are counted as that come after so many.
const otherNames = "(others)"

// names counts words that a site chooses.
type names map[string]int

func (n names) add(name string) {
	if _, known := n[name]; !known && len(n) >= maxNames {
		name = otherNames
	}
	n[name]++
}

func (n names) list(limit int) List[Count] {
	counts := newFirsts(limit, mostFirst)
	for name, count := range n {
		counts.add(Count{name, count})
	}
	return counts.list()
}
