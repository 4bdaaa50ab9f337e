package robotslint

import (
	"fmt"
	"maps"
	"slices"
)

// Limits of the search for redundant rules. Ordinary files stay far below; beyond the limits
// rules count as needed.
const (
	mostSteps = 5_000_000
	mostRules = 100_000 // in all merged groups together
)

// shadows reports rules that change no verdict.
func (l *linter) shadows() {
	why := l.redundant()
	redundant := maps.Clone(why)
	s := l.source
	for i := range s.blocks {
		b := &s.blocks[i]
		if whole, by := l.wholeBlock(i, redundant); whole {
			l.redundantGroup(b, s.needed(by, why))
			for at := b.first; at <= b.last; at++ {
				delete(redundant, at)
			}
		} else if i < len(s.blocks)-1 {
			keepOne(s, b, redundant)
		}
		for at := b.first; at <= b.last; at++ {
			if by, ok := redundant[at]; ok {
				l.unreachable(&s.records[at], s.needed(by, why))
			}
		}
	}
}

// redundant returns the records of rules that are redundant in every merged group that
// contains them. The value is the record of a rule that makes them redundant.
func (l *linter) redundant() map[int]int {
	s := l.source
	left, by, groups := mostRules, map[int]int{}, map[int]int{} // in how many groups is a rule redundant?
	all := s.mergedGroups()
	memberships := make([]int, len(s.blocks))
	for _, blocks := range all {
		for _, b := range blocks {
			memberships[b]++
		}
	}
	for _, blocks := range all {
		at := []int{} // the records of the group's rules
		for _, b := range blocks {
			for i := s.blocks[b].first; i <= s.blocks[b].last && len(at) <= left; i++ {
				if s.records[i].usable() {
					at = append(at, i)
				}
			}
		}
		if left -= len(at); left < 0 {
			break
		}
		rules, allow := make([]pattern, len(at)), make([]bool, len(at))
		for i, rec := range at {
			r := &s.records[rec]
			allow[i] = r.field == allowField
			rules[i] = newPattern(r.value, allow[i])
		}
		set := newRuleset(rules, allow, &l.steps)
		for i := range slices.Backward(at) {
			if c := set.shadow(i); c >= 0 {
				groups[at[i]]++
				by[at[i]] = at[c]
			}
		}
	}
	for rec := range by {
		if groups[rec] < memberships[s.records[rec].block] {
			delete(by, rec)
		}
	}
	return by
}

// mergedGroups returns the lists of blocks that are merged for some crawler
// (ROB-GRP-09), without duplicates. Each possible name of a crawler makes a group,
// since a rule must be redundant for all of them.
func (s *source) mergedGroups() [][]int {
	merged := map[string][]int{}
	var names []string
	for i := range s.blocks {
		for at := s.blocks[i].first; at <= s.blocks[i].last; at++ {
			if s.records[at].field != agentField {
				continue
			}
			for _, name := range identities(s.records[at].value) {
				list, ok := merged[name]
				if !ok {
					names = append(names, name)
				}
				if len(list) == 0 || list[len(list)-1] != i {
					merged[name] = append(list, i)
				}
			}
		}
	}
	var all [][]int
	seen := map[string]bool{}
	for _, name := range names {
		if key := fmt.Sprint(merged[name]); !seen[key] {
			seen[key] = true
			all = append(all, merged[name])
		}
	}
	return all
}

// wholeBlock reports whether a whole block is redundant: all its rules are, and it has
// no other fields. Each of its agents then has another block with the other rules.
func (l *linter) wholeBlock(i int, redundant map[int]int) (whole bool, by int) {
	s := l.source
	b := &s.blocks[i]
	for at := b.first; at < len(s.records) && s.records[at].block == i; at++ {
		switch c, ok := redundant[at]; {
		case ok:
			by = c
		case s.records[at].field != agentField:
			return false, 0
		}
	}
	return b.rules > 0, by
}

// needed returns a rule with the same effect as another one, which is itself needed or
// opposite.
func (s *source) needed(at int, why map[int]int) *record {
	for { // why leads to earlier rules
		by, ok := why[at]
		if !ok || s.records[by].field != s.records[at].field {
			return &s.records[at]
		}
		at = by
	}
}

// keepOne keeps one rule in a block that would have none. A block without a rule would
// merge with the next one.
func keepOne(s *source, b *block, redundant map[int]int) {
	first := -1
	for at := b.first; at <= b.last; at++ {
		if !s.records[at].field.isRule() || s.records[at].removed {
			continue
		}
		if _, ok := redundant[at]; !ok {
			return
		}
		if first < 0 {
			first = at
		}
	}
	delete(redundant, first)
}

func (l *linter) redundantGroup(b *block, by *record) {
	first, last := l.source.records[b.first], l.source.records[b.last].line
	l.add(first.line, KindRedundantGroup, first.text, func() (string, string) {
		message := fmt.Sprintf("the group has no effect: other groups have its rules for the same crawlers, for example in line %d", by.line)
		return message, fmt.Sprintf("remove the group, lines %d to %d", first.line, last)
	})
}

// unreachable reports a redundant rule.
func (l *linter) unreachable(r, by *record) {
	mine, other := newPattern(r.value, false), newPattern(by.value, false)
	same := mine.body == other.body && mine.end == other.end
	remove := func() string { return fmt.Sprintf("remove line %d", r.line) }
	switch {
	case r.field == by.field && r.value == by.value:
		l.add(r.line, KindDuplicateRule, r.text, func() (string, string) {
			return fmt.Sprintf("%s is already in line %d", quote(r.text), by.line), remove()
		})
	case r.field == by.field:
		l.add(r.line, KindRedundantRule, r.text, func() (string, string) {
			what := "all its URLs"
			if same {
				what = "the same URLs"
			}
			return fmt.Sprintf("%s has no effect: %s in line %d matches %s", quote(r.text), quote(by.text), by.line, what), remove()
		})
	default:
		l.add(r.line, KindOverruledRule, r.text, func() (string, string) {
			why := "is longer, so it wins"
			if mine.rank == other.rank {
				why = "has the same length, so Allow wins"
			}
			return fmt.Sprintf("%s has no effect: %s in line %d matches all its URLs and %s", quote(r.text), quote(by.text), by.line, why),
				fmt.Sprintf("decide which of the two you intend, and remove the other: line %d or line %d", min(r.line, by.line), max(r.line, by.line))
		})
	}
}
