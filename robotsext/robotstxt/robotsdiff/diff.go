package robotsdiff

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A Diff is in what two files differ.
type Diff struct {
	// Agents are those for whom something has changed, together where the same
	// has.
	Agents []AgentDiff

	// Added and Removed are Sitemap lines, each in file order. Where in the
	// file they stand is of no matter.
	Added, Removed []robotstxt.Sitemap

	// Complete is false when the files were too intricate to be compared to the
	// end, so that there may be more changes, and more exceptions to them. Each
	// example is one all the same.
	Complete bool
}

// Changed reports whether there is any difference.
func (d *Diff) Changed() bool { return len(d.Agents)+len(d.Added)+len(d.Removed) > 0 }

// An AgentDiff is what has changed for some agents.
type AgentDiff struct {
	// Agents are named as in the files. "*" stands for every agent that
	// neither of them names, and comes last.
	Agents []string

	// Changes are sorted by pattern. A URL has changed if and only if it is
	// matched by one of them and by none of its exceptions; the package
	// documentation says where that does not quite hold.
	Changes []Change

	// OldDelay and NewDelay are those of Crawl-delay.
	OldDelay, NewDelay time.Duration
}

// A Change is a pattern whose URLs have got another verdict.
type Change struct {
	// Pattern is written as in a rule, in canonical form.
	Pattern string

	// Except are patterns too: those of the URLs that have not changed so, but
	// have kept their verdict, or are reported by themselves.
	Except []string

	// Example is a path that Pattern matches and for which Old and New decide.
	Example string

	Old, New Decision
}

// A Decision is the verdict of one file, and what it rests on for Example and
// its like. Parts of what the pattern matches may be decided by other rules in
// the same way.
type Decision struct {
	Allowed bool
	Rule    *robotstxt.Rule // nil: none matches
	Lines   []int           // of the rule, in the groups of all the agents, ascending
}

// Options are the settings of Compare.
type Options struct {
	// MaxSteps bounds the work, in units of some ten nanoseconds. 0: 100
	// million. Ordinary files take thousands.
	MaxSteps int
}

const defaultMaxSteps = 100_000_000

// Compare compares what two files say. They have to be parsed with the same
// options. Opts may be nil.
func Compare(before, after *robotstxt.File, opts *Options) *Diff {
	c := comparison{
		old: agentsOf(before), new: agentsOf(after), steps: defaultMaxSteps,
		diff: &Diff{Complete: true}, said: map[[2]int]int{}, finds: map[string][]find{},
	}
	if opts != nil && opts.MaxSteps > 0 {
		c.steps = opts.MaxSteps
	}
	seen := map[string]bool{anybody: true}
	for _, name := range slices.Concat(before.Agents(), after.Agents()) {
		if folded := strings.ToLower(name); !seen[folded] {
			seen[folded] = true
			c.compare(name)
		}
	}
	c.compare(anybody)
	c.diff.Removed, c.diff.Added = missing(before.Sitemaps, after.Sitemaps), missing(after.Sitemaps, before.Sitemaps)
	return c.diff
}

// anybody stands for an agent that neither file names.
const anybody = "*"

// missing returns the sitemaps of one file that the other does not have.
func missing(from, in []robotstxt.Sitemap) []robotstxt.Sitemap {
	has := map[string]bool{}
	for _, s := range in {
		has[s.URL] = true
	}
	var list []robotstxt.Sitemap
	for _, s := range from {
		if !has[s.URL] {
			list = append(list, s)
		}
	}
	return list
}

// A comparison is one call of Compare.
type comparison struct {
	old, new agents
	steps    int
	diff     *Diff
	said     map[[2]int]int    // where in diff.Agents it is said what happened to two sets; none: nothing has
	finds    map[string][]find // by the text of the rules: different groups may say the same
}

// agents are those of one file, in sets that it says the same to.
type agents struct {
	file *robotstxt.File
	sets map[string]int // of each name in lower case
}

func agentsOf(file *robotstxt.File) agents {
	a := agents{file, map[string]int{}}
	for i, set := range file.AgentSets() {
		for _, name := range set {
			a.sets[strings.ToLower(name)] = i
		}
	}
	return a
}

// set returns the set of an agent, none if nothing is said to it.
func (a *agents) set(name string) int {
	for _, name := range [...]string{strings.ToLower(name), anybody} {
		if i, ok := a.sets[name]; ok {
			return i
		}
	}
	return none
}

// compare compares what the files say to one agent.
func (c *comparison) compare(name string) {
	key := [2]int{c.old.set(name), c.new.set(name)}
	at, ok := c.said[key]
	if !ok {
		at = c.say(c.old.file.Group(name), c.new.file.Group(name))
		c.said[key] = at
	}
	if at != none {
		a := &c.diff.Agents[at]
		a.Agents = append(a.Agents, name)
	}
}

// say adds to the result in what two groups differ and returns where that is,
// none if in nothing.
func (c *comparison) say(before, after *robotstxt.Group) int {
	a := AgentDiff{OldDelay: before.CrawlDelay(), NewDelay: after.CrawlDelay()}
	if c.steps >= 0 {
		a.Changes = c.changes(before, after)
	} else {
		c.diff.Complete = false
	}
	if len(a.Changes) == 0 && a.OldDelay == a.NewDelay {
		return none
	}
	return c.diff.join(a)
}

// changes compares the rules of two groups.
func (c *comparison) changes(before, after *robotstxt.Group) []Change {
	s := search{old: newSide(before), new: newSide(after)}
	c.steps -= 100 * (len(s.old.rules) + len(s.new.rules))
	was, is := s.old.text(), s.new.text()
	if was == is {
		return nil
	}
	key := was + "\n" + is
	found, ok := c.finds[key]
	if !ok {
		s.steps = c.steps
		found = s.finds()
		c.finds[key], c.steps = found, s.steps
		c.diff.Complete = c.diff.Complete && !s.gaveUp
	}
	var list []Change
	for _, f := range found {
		change := Change{Pattern: f.glob.pattern(), Example: f.example, Old: s.old.decision(f.old), New: s.new.decision(f.new)}
		for _, e := range f.except {
			change.Except = append(change.Except, e.pattern())
		}
		slices.Sort(change.Except)
		list = append(list, change)
	}
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(a.Pattern, b.Pattern) })
	return list
}

// text is what the rules say, by precedence.
func (s *side) text() string {
	var b strings.Builder
	for i := range s.rules {
		b.WriteString(s.rules[i].String())
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *side) decision(i int) Decision {
	r := s.at(i)
	if r == nil {
		return Decision{Allowed: true}
	}
	return Decision{Allowed: r.allowed, Rule: r.Rule, Lines: []int{r.Line}}
}

// join adds changes, or their lines to those of others that are the same, and
// returns where.
func (d *Diff) join(a AgentDiff) int {
	for i := range d.Agents {
		if b := &d.Agents[i]; a.same(b) {
			for j := range b.Changes {
				b.Changes[j].Old.add(a.Changes[j].Old)
				b.Changes[j].New.add(a.Changes[j].New)
			}
			return i
		}
	}
	d.Agents = append(d.Agents, a)
	return len(d.Agents) - 1
}

// same reports whether two differences are the same but for the lines.
func (a *AgentDiff) same(b *AgentDiff) bool {
	return a.OldDelay == b.OldDelay && a.NewDelay == b.NewDelay && slices.EqualFunc(a.Changes, b.Changes, func(x, y Change) bool {
		return x.Pattern == y.Pattern && slices.Equal(x.Except, y.Except) && x.Old.same(y.Old) && x.New.same(y.New)
	})
}

func (d Decision) same(other Decision) bool {
	return d.Allowed == other.Allowed && (d.Rule == nil) == (other.Rule == nil) && (d.Rule == nil || d.Rule.String() == other.Rule.String())
}

// add takes in the lines of another decision.
func (d *Decision) add(other Decision) {
	for _, line := range other.Lines {
		if i, found := slices.BinarySearch(d.Lines, line); !found {
			d.Lines = slices.Insert(d.Lines, i, line)
		}
	}
}
