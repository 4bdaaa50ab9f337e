package robotstxt

import (
	"strings"
	"sync/atomic"
)

// ruleset holds the rules of a group. Groups with the same single block share it.
//
// Most files answer only a few questions, so at first each question scans the lines of the
// group. When that has cost about as much as compiling the rules, they are compiled. If
// several callers build a part at once, the first result counts.
type ruleset struct {
	scanned  atomic.Int64 // the cost of all scans
	list     atomic.Pointer[ruleList]
	compiled atomic.Pointer[compiled]
}

// ruleList holds the parsed lines of a group.
type ruleList struct {
	rules   []Rule // in file order
	usage   pathLines[UsageLine]
	signals pathLines[SignalLine]
}

// compiled holds the rules of a group, prepared for matching.
type compiled struct {
	index index
	query queryIndex
}

func (g *Group) list() *ruleList {
	if l := g.set.list.Load(); l != nil {
		return l
	}
	n, _ := g.Count()
	l := &ruleList{rules: make([]Rule, 0, n)}
	for _, b := range g.blocks {
		for _, r := range g.file.blockRules(b) {
			l.rules = append(l.rules, Rule{r.allow, r.value.of(g.file.text), int(r.line)})
		}
	}
	g.set.list.CompareAndSwap(nil, l)
	return g.set.list.Load()
}

// blockRules returns the rules of a block.
func (f *File) blockRules(block int32) []ruleLine {
	s := f.blocks[block].rules
	return f.rules[s.lo:s.hi]
}

// compiled returns the ranked rules.
func (g *Group) compiled() *compiled {
	if c := g.set.compiled.Load(); c != nil {
		return c
	}
	rules, c := g.list().rules, new(compiled)
	c.index.ranked = make([]ranked, 0, len(rules))
	for i := range rules {
		first := len(c.index.ranked)
		c.index.ranked = g.file.appendRanked(c.index.ranked, rules[i].Pattern, rules[i].Allow)
		for j := range c.index.ranked[first:] {
			c.index.ranked[first+j].rule = &rules[i]
		}
	}
	rank(c.index.ranked)
	c.query.ranked = c.index.ranked
	g.set.compiled.CompareAndSwap(nil, c)
	return g.set.compiled.Load()
}

// appendRanked appends a rule in canonical form, without its rank and its Rule.
func (f *File) appendRanked(list []ranked, written string, allow bool) []ranked {
	if f.opts.AssumeSlash && written[0] != '/' && written[0] != '*' {
		written = "/" + written
	}
	pattern, length := canonicalRule(written, f.google)
	list = append(list, ranked{pattern: pattern, length: length})
	if allow && f.allowsDirectory(pattern) {
		file := len(pattern) - strings.LastIndexByte(pattern, '/') - 1
		list = append(list, ranked{pattern: pattern[:len(pattern)-file] + "$", length: length - file + 1})
	}
	return list
}

// allowsDirectory reports whether for Google's parser an Allow of this path also allows the
// directory (ROB-MAT-24). Only the beginning of the file name counts.
func (f *File) allowsDirectory(pattern string) bool {
	slash := strings.LastIndexByte(pattern, '/')
	return f.google.has(googleIndex) && slash >= 0 && strings.HasPrefix(pattern[slash+1:], "index.htm")
}
