package robotstxt

import (
	"slices"
	"strings"
	"sync"
)

// ruleset holds the compiled form of a group's rules, made when first asked for.
// Groups that consist of the same single block share it.
type ruleset struct {
	once     sync.Once
	compiled *compiled
}

// compiled is a group's rules made ready for matching.
type compiled struct {
	rules []Rule // in file order
	index index
	query queryIndex
}

func (g *Group) compiled() *compiled {
	g.set.once.Do(func() { g.set.compiled = g.file.compile(g.blocks) })
	return g.set.compiled
}

// compile ranks and indexes the rules of some blocks.
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
	ranks := make([]ranked, 0, n)
	for i := range c.rules {
		ranks = f.opts.appendRanked(ranks, &c.rules[i])
	}
	slices.SortFunc(ranks, byRank)
	c.index = newIndex(ranks, func(r *ranked) (string, bool) { return r.pattern, true })
	if !f.opts.GoogleParser {
		c.query.ranked = ranks
	}
	return c
}

// appendRanked appends what a rule comes to under the options.
func (o *Options) appendRanked(ranks []ranked, r *Rule) []ranked {
	if o.GoogleParser {
		return appendGoogle(ranks, r)
	}
	written := r.Pattern
	if written[0] != '/' && written[0] != '*' {
		written = "/" + written // AssumeSlash, or it would not be here
	}
	pattern, length := canonicalRule(written)
	if o.TrailingStarUncounted {
		length -= len(pattern) - len(strings.TrimRight(pattern, "*"))
	}
	ranks = append(ranks, ranked{r, pattern, length})
	if r.Allow && o.IndexAllowsDirectory {
		for _, name := range []string{"/index.htm", "/index.html"} {
			if directory, ok := strings.CutSuffix(pattern, name); ok {
				ranks = append(ranks, ranked{r, directory + "/$", length - len(name) + 2})
			}
		}
	}
	return ranks
}
