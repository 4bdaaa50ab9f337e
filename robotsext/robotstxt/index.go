package robotstxt

import "sync/atomic"

// index finds the matching rule of the lowest rank.
//
// Most groups match only a few URLs, so at first it tries the rules one by one. When
// that has cost about as much as building a prefix tree, it builds one. So no group
// costs more than about twice the optimum.
type index struct {
	ranked []ranked // by rank
	cost   atomic.Int64
	tree   atomic.Pointer[prefixTree]
}

// growCost is the approximate cost of building a prefix tree for each rule, relative
// to visiting one.
const growCost = 32

// match returns the lowest rank of a rule that matches path, or rank if that is
// lower.
func (x *index) match(path string, rank int32) int32 {
	if len(x.ranked) == 0 {
		return rank
	}
	if f := x.tree.Load(); f != nil {
		return f.match(path, rank)
	}
	rank, cost := x.tryAll(path, rank)
	limit := int64(growCost * len(x.ranked))
	if sum := x.cost.Add(cost); sum >= limit && sum-cost < limit { // one caller reaches it
		x.grow()
	}
	return rank
}

// tryAll is match without a prefix tree.
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

func (x *index) grow() { x.tree.Store(newPrefixTree(x.ranked)) }
