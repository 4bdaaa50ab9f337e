package report

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRowsAreSortedInAStableOrder(t *testing.T) {
	type row struct{ value, place int }
	byValue := func(a, b row) int { return cmp.Compare(a.value, b.value) }
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		got := make([]row, n)
		for i := range got {
			got[i] = row{random.IntN(n/4 + 1), i}
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, byValue)
		if sortRows(got, byValue); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
