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
	// end, so that there may be more. What is reported is right.
	Complete bool
}

// Changed reports whether there is any difference.
func (d *Diff) Changed() bool { return len(d.Agents)+len(d.Added)+len(d.Removed) > 0 }

// An AgentDiff is what has changed for some agents.
type AgentDiff struct {
	// Agents are named as in the files. "*" stands for every agent that
	// neither of them names, and comes last.
	Agents []string

	// Changes are sorted by pattern. Each URL whose verdict has changed is
	// matched by one of them and by none of its exceptions, and the other way
	// round.
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
	// MaxSteps bounds the work, in units of some tens of nanoseconds. 0:
	// 50 million, which is seconds. Ordinary files take thousands.
	MaxSteps int
}

const defaultMaxSteps = 50_000_000

// Compare compares what two files say. They have to be parsed with the same
// options. Opts may be nil.
func Compare(old, new *robotstxt.File, opts *Options) *Diff {
	c := comparison{old: old, new: new, steps: defaultMaxSteps, groups: map[string]*outcome{}}
	if opts != nil && opts.MaxSteps > 0 {
		c.steps = opts.MaxSteps
	}
	d := &Diff{Complete: true}
	for _, agent := range c.agents() {
		a, complete := c.agent(agent)
		d.Complete = d.Complete && complete
		if len(a.Changes) > 0 || a.OldDelay != a.NewDelay {
			d.Agents = join(d.Agents, a)
		}
	}
	d.Removed, d.Added = missing(old.Sitemaps, new.Sitemaps), missing(new.Sitemaps, old.Sitemaps)
	return d
}

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
	old, new *robotstxt.File
	steps    int
	groups   map[string]*outcome // of groups that say the same, which is common
}

// An outcome is what came of comparing two groups.
type outcome struct {
	finds    []find
	complete bool
}

// agents returns all that either file names, and "*" last.
func (c *comparison) agents() []string {
	seen := map[string]bool{"*": true}
	var names []string
	for _, name := range slices.Concat(c.old.Agents(), c.new.Agents()) {
		if folded := strings.ToLower(name); !seen[folded] {
			seen[folded] = true
			names = append(names, name)
		}
	}
	return append(names, "*")
}

// agent compares what the files say to one agent.
func (c *comparison) agent(name string) (a AgentDiff, complete bool) {
	s := search{old: newSide(c.old.Group(name)), new: newSide(c.new.Group(name)), steps: c.steps}
	key := s.old.text() + "\n" + s.new.text()
	out := c.groups[key]
	if out == nil {
		out = &outcome{finds: s.finds()}
		out.complete = !s.gaveUp && !s.undecided
		c.steps, c.groups[key] = max(s.steps, 0), out
	}
	a = AgentDiff{Agents: []string{name}, OldDelay: s.old.group.CrawlDelay(), NewDelay: s.new.group.CrawlDelay()}
	for _, f := range out.finds {
		change := Change{Pattern: f.glob.pattern(), Example: f.example, Old: s.old.decision(f.old), New: s.new.decision(f.new)}
		for _, e := range f.except {
			change.Except = append(change.Except, e.pattern())
		}
		slices.Sort(change.Except)
		a.Changes = append(a.Changes, change)
	}
	slices.SortStableFunc(a.Changes, func(a, b Change) int { return cmp.Compare(a.Pattern, b.Pattern) })
	return a, out.complete
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

// join adds the changes for an agent to those for others that are the same.
func join(list []AgentDiff, a AgentDiff) []AgentDiff {
	for i := range list {
		if b := &list[i]; a.same(b) {
			b.Agents = append(b.Agents, a.Agents...)
			for j := range b.Changes {
				b.Changes[j].Old.add(a.Changes[j].Old)
				b.Changes[j].New.add(a.Changes[j].New)
			}
			return list
		}
	}
	return append(list, a)
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
