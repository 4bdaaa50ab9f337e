package robotstxt

import "sync/atomic"

// index finds the matching rule of the lowest rank.
//
// Most groups are asked about a few URLs and never again, so at first it goes
// through the rules one by one. When that has cost about as much as growing a
// forest would, it grows one: in the end no group has cost more than about twice
// what it would have if its future had been known.
type index struct {
	ranked []ranked // by rank
	cost   atomic.Int64
	forest atomic.Pointer[forest]
}

// growCost is what growing a forest costs for each rule, about, where looking at
// one costs 1.
const growCost = 32

// match returns the lowest rank of a rule that matches path, or rank if that is
// lower.
func (x *index) match(path string, rank int32) int32 {
	if len(x.ranked) == 0 {
		return rank
	}
	if f := x.forest.Load(); f != nil {
		return f.match(path, rank)
	}
	rank, cost := x.tryAll(path, rank)
	limit := int64(growCost * len(x.ranked))
	if sum := x.cost.Add(cost); sum >= limit && sum-cost < limit { // one caller reaches it
		x.grow()
	}
	return rank
}

// tryAll is match without a forest.
func (x *index) tryAll(path string, rank int32) (lowest int32, cost int64) {
	for i := range x.ranked {
		r := &x.ranked[i]
		if r.rank >= rank {
			break
		}
		matches, one := matchPattern(r.pattern, path)
		cost += int64(one)
		if matches {
			return r.rank, cost
		}
	}
	return rank, cost
}

func (x *index) grow() { x.forest.Store(newForest(x.ranked)) }
