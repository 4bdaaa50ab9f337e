package monitor

import "slices"

// A recent keeps the last few of many.
type recent[T any] struct {
	rows []T
	next int // where the next one goes, once all places are taken
	most int
}

func (r *recent[T]) add(row T) {
	if len(r.rows) < r.most {
		r.rows = append(r.rows, row)
		return
	}
	r.rows[r.next] = row
	r.next = (r.next + 1) % r.most
}

// remove takes rows away.
func (r *recent[T]) remove(gone func(T) bool) {
	if !slices.ContainsFunc(r.rows, gone) {
		return
	}
	rows := slices.DeleteFunc(r.list(), gone)
	slices.Reverse(rows)
	r.rows, r.next = rows, 0
}

// list returns a copy of them, the last one first.
func (r *recent[T]) list() []T {
	rows := make([]T, 0, len(r.rows))
	for i := range r.rows {
		rows = append(rows, r.rows[(r.next+len(r.rows)-1-i)%len(r.rows)])
	}
	return rows
}
