package monitor

import "slices"

// A recent keeps the last rows of a list.
type recent[T any] struct {
	rows []T // the oldest first
	most int
}

func (r *recent[T]) add(row T) {
	if len(r.rows) == r.most {
		r.rows = slices.Delete(r.rows, 0, 1)
	}
	r.rows = append(r.rows, row)
}

// list returns a copy of the rows, the newest first.
func (r *recent[T]) list() []T {
	rows := append([]T{}, r.rows...)
	slices.Reverse(rows)
	return rows
}
