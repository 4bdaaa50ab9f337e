package robotsdiff

import (
	"cmp"
	"crypto/sha256"
	"fmt"
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
	// MaxSteps bounds the work, in units of some nanoseconds, whatever the files: all
	// that does not take time in proportion to their size is counted. 0: 600
	// million. Ordinary files take thousands.
	MaxSteps int
}

const defaultMaxSteps = 600_000_000

// Compare compares what two files say. They have to be parsed with the same
// options. Opts may be nil.
func Compare(before, after *robotstxt.File, opts *Options) *Diff {
	c := comparison{
		old: agentsOf(before), new: agentsOf(after), steps: defaultMaxSteps,
		diff: &Diff{Complete: true}, said: map[[2]int]int{}, finds: map[[2]digest][]find{}, places: map[string]int{},
	}
	if opts != nil && opts.MaxSteps > 0 {
		c.steps = opts.MaxSteps
	}
	if before.String() == after.String() {
		return c.diff
	}
	for _, name := range namedIn(before, after) {
		c.compare(name)
	}
	c.compare(anybody)
	c.diff.Removed, c.diff.Added = missing(before.Sitemaps, after.Sitemaps), missing(after.Sitemaps, before.Sitemaps)
	return c.diff
}

// anybody stands for an agent that neither file names.
const anybody = "*"

// namedIn returns the agents that two files name, each once: whether two names are
// one is for the files to say.
func namedIn(before, after *robotstxt.File) []string {
	names := before.Agents()
	unnamed := before.NamedGroup()
	for _, name := range after.Agents() {
		if before.NamedGroup(name) == unnamed {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == anybody })
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
	old, new agents
	steps    int
	diff     *Diff
	said     map[[2]int]int       // where in diff.Agents it is said what happened to two sets; none: nothing has
	finds    map[[2]digest][]find // by the text of the rules: different groups may say the same
	places   map[string]int       // in diff.Agents, by what the agents there have in common
}

// agents are those of one file, in sets that it says the same to.
type agents struct {
	file   *robotstxt.File
	sets   map[*robotstxt.Group]int
	orders map[int]*order // of each set that was asked for
}

// A digest stands for the text of some rules: orders may be many, and share most.
type digest [sha256.Size]byte

// An order is what a file says to a set of agents.
type order struct {
	group *robotstxt.Group
	delay time.Duration
	text  digest // of the rules, by precedence
	side  *side  // nil: not yet made
}

func agentsOf(file *robotstxt.File) agents {
	a := agents{file, map[*robotstxt.Group]int{}, map[int]*order{}}
	for i, set := range file.AgentSets() {
		for _, name := range set {
			a.sets[file.Group(name)] = i
		}
	}
	return a
}

// set returns the set of an agent, none if nothing is said to it.
func (a *agents) set(name string) int {
	if i, ok := a.sets[a.file.Group(name)]; ok {
		return i
	}
	return none
}

// compare compares what the files say to one agent.
func (c *comparison) compare(name string) {
	key := [2]int{c.old.set(name), c.new.set(name)}
	at, ok := c.said[key]
	if !ok {
		if at = none; c.steps >= 0 {
			at = c.say(c.order(&c.old, key[0], name), c.order(&c.new, key[1], name))
		} else {
			c.diff.Complete = false
		}
		c.said[key] = at
	}
	if at != none {
		a := &c.diff.Agents[at]
		a.Agents = append(a.Agents, name)
	}
}

// say adds to the result in what two groups differ and returns where that is,
// none if in nothing.
func (c *comparison) say(before, after *order) int {
	a := AgentDiff{Changes: c.changes(before, after), OldDelay: before.delay, NewDelay: after.delay}
	if len(a.Changes) == 0 && a.OldDelay == a.NewDelay {
		return none
	}
	return c.join(a)
}

// order returns what a file says to an agent, who is in this set.
func (c *comparison) order(a *agents, set int, name string) *order {
	if o, ok := a.orders[set]; ok {
		return o
	}
	group := a.file.Group(name)
	o := &order{group: group, delay: group.CrawlDelay()}
	rules, fields := group.Count()
	c.steps -= 500*rules + 20*fields // it is memory too: the file keeps the rules that it has ranked
	hash := sha256.New()
	for _, r := range group.Ranked() {
		c.steps -= len(r.Canonical) / 8
		_, _ = fmt.Fprintf(hash, "%v %d %s\n", r.Allow, r.Length, r.Canonical)
	}
	hash.Sum(o.text[:0])
	a.orders[set] = o
	return o
}

// sideOf returns the rules of an order, made ready.
func (c *comparison) sideOf(o *order) side {
	if o.side == nil {
		s := newSide(o.group)
		c.steps -= 50*len(s.rules) + s.size
		o.side = &s
	}
	return *o.side
}

// changes compares the rules of two orders.
func (c *comparison) changes(before, after *order) []Change {
	if before.text == after.text {
		return nil
	}
	s := search{old: c.sideOf(before), new: c.sideOf(after)}
	key := [2]digest{before.text, after.text}
	found, ok := c.finds[key]
	if !ok {
		s.steps = c.steps
		found = s.finds()
		c.finds[key], c.steps = found, s.steps
		c.diff.Complete = c.diff.Complete && !s.gaveUp
	}
	var list []Change
	c.steps -= 2000 * len(found) // to write them down, here and by whoever asked
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

func (s *side) decision(i int) Decision {
	r := s.at(i)
	if r == nil {
		return Decision{Allowed: true}
	}
	return Decision{Allowed: r.allowed, Rule: r.Rule, Lines: []int{r.Line}}
}

// join adds changes, or their lines to those of others that are the same, and
// returns where.
func (c *comparison) join(a AgentDiff) int {
	text := a.text()
	c.steps -= len(text) / 8
	i, ok := c.places[text]
	if !ok {
		c.places[text] = len(c.diff.Agents)
		c.diff.Agents = append(c.diff.Agents, a)
		return len(c.diff.Agents) - 1
	}
	for j, b := range c.diff.Agents[i].Changes {
		c.diff.Agents[i].Changes[j].Old = b.Old.with(a.Changes[j].Old)
		c.diff.Agents[i].Changes[j].New = b.New.with(a.Changes[j].New)
	}
	return i
}

// text is all of a difference but the lines.
func (a *AgentDiff) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.OldDelay, a.NewDelay)
	for i := range a.Changes {
		change := &a.Changes[i]
		fmt.Fprintf(&b, "%s %q %s %s\n", change.Pattern, change.Except, change.Old.text(), change.New.text())
	}
	return b.String()
}

func (d Decision) text() string {
	if d.Rule == nil {
		return fmt.Sprint(d.Allowed)
	}
	return fmt.Sprint(d.Allowed, " ", d.Rule)
}

// with is the decision with the lines of another one too.
func (d Decision) with(other Decision) Decision {
	for _, line := range other.Lines {
		if i, found := slices.BinarySearch(d.Lines, line); !found {
			d.Lines = slices.Insert(d.Lines, i, line)
		}
	}
	return d
}
