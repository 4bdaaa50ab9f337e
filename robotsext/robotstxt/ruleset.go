package robotstxt

import (
	"strings"
	"sync"
)

// ruleset holds the rules of a group, compiled on first use. Groups with the same single
// block share it.
type ruleset struct {
	once     sync.Once
	compiled *compiled
}

// compiled holds the rules of a group, prepared for matching.
type compiled struct {
	rules   []Rule // in file order
	index   index
	query   queryIndex
	usage   pathLines[UsageLine]
	signals pathLines[SignalLine]
}

func (g *Group) compiled() *compiled {
	g.set.once.Do(func() { g.set.compiled = g.file.compile(g.blocks) })
	return g.set.compiled
}

// compile ranks the rules of some blocks.
func (f *File) compile(blocks []int32) *compiled {
	n := 0
	for _, b := range blocks {
		n += int(f.blocks[b].rules.hi - f.blocks[b].rules.lo)
	}
	c := &compiled{rules: make([]Rule, 0, n)}
	for _, b := range blocks {
		for _, r := range f.rules[f.blocks[b].rules.lo:f.blocks[b].rules.hi] {
			c.rules = append(c.rules, Rule{r.allow, r.value.of(f.text), int(r.line)})
		}
	}
	c.index.ranked = make([]ranked, 0, n)
	for i := range c.rules {
		c.index.ranked = f.appendRanked(c.index.ranked, &c.rules[i])
	}
	rank(c.index.ranked)
	c.query.ranked = c.index.ranked
	return c
}

// appendRanked appends a rule in canonical form, without its rank.
func (f *File) appendRanked(list []ranked, r *Rule) []ranked {
	written := r.Pattern
	if f.opts.AssumeSlash && written[0] != '/' && written[0] != '*' {
		written = "/" + written
	}
	pattern, length := canonicalRule(written, f.google)
	list = append(list, ranked{rule: r, pattern: pattern, length: length})
	if r.Allow && f.allowsDirectory(pattern) {
		file := len(pattern) - strings.LastIndexByte(pattern, '/') - 1
		list = append(list, ranked{rule: r, pattern: pattern[:len(pattern)-file] + "$", length: length - file + 1})
	}
	return list
}

// allowsDirectory reports whether for Google's parser an Allow of this path also allows the
// directory (ROB-MAT-24). Only the beginning of the file name counts.
func (f *File) allowsDirectory(pattern string) bool {
	slash := strings.LastIndexByte(pattern, '/')
	return f.google.has(googleIndex) && slash >= 0 && strings.HasPrefix(pattern[slash+1:], "index.htm")
}
