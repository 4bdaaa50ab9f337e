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

// Diff holds the differences between two files.
type Diff struct {
	// Agents lists the agents with differences. Agents with the same differences share one
	// element.
	Agents []AgentDiff

	// Added and Removed are Sitemap lines in file order. Their positions in the file do
	// not matter.
	Added, Removed []robotstxt.Sitemap

	// Complete is false if the comparison reached Options.MaxSteps. There may then be more
	// changes and more exceptions. All examples are still correct.
	Complete bool
}

// Changed reports whether d contains any change.
func (d *Diff) Changed() bool { return len(d.Agents)+len(d.Added)+len(d.Removed) > 0 }

// AgentDiff holds differences, and the agents that share them.
type AgentDiff struct {
	// Agents are the names as written in the files. "*" means every agent that neither
	// file names, and is last.
	Agents []string

	// Changes are sorted by pattern. The verdict on a URL has changed if and only if the
	// pattern of a change matches it and none of its exceptions does, apart from the
	// limits that the package documentation lists.
	Changes []Change

	// OldDelay and NewDelay are the values of Crawl-delay.
	OldDelay, NewDelay time.Duration
}

// Change is a pattern of URLs that have a different verdict than before.
type Change struct {
	// Pattern is a rule path in canonical form.
	Pattern string

	// Except lists patterns of URLs within Pattern that keep their verdict or that another
	// Change reports.
	Except []string

	// Example is a path within Pattern with a changed verdict. Old.Rule decides in the old
	// file, and New.Rule in the new one.
	Example string

	Old, New Decision
}

// Decision is the verdict of one file, and the rule that decides for Example. Other
// rules with the same verdict may decide for other parts of the pattern.
type Decision struct {
	Allowed bool
	Rule    *robotstxt.Rule // nil if none matches
	Lines   []int           // where the rule is in the groups of AgentDiff.Agents, ascending
}

// Options configure Compare.
type Options struct {
	// MaxSteps limits the work, in steps of a few nanoseconds. Zero means 600 million.
	// Ordinary files take thousands.
	MaxSteps int
}

const defaultMaxSteps = 600_000_000

// Compare compares two files, which must be parsed with the same options. Opts may be
// nil.
func Compare(before, after *robotstxt.File, opts *Options) *Diff {
	c := comparison{
		old: agentsOf(before), new: agentsOf(after), steps: defaultMaxSteps,
		diff: &Diff{Complete: true}, indexes: map[[2]int]int{}, finds: map[[2]digest][]find{}, places: map[string]int{},
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

// anybody stands for every agent that neither file names.
const anybody = "*"

// namedIn returns the agents that the two files name, without duplicates. The files
// decide whether two names are equal.
func namedIn(before, after *robotstxt.File) []string {
	names := before.Agents()
	unnamed := before.NamedGroup(anybody)
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

// comparison is the state of one call of Compare.
type comparison struct {
	old, new agents
	steps    int
	diff     *Diff
	indexes  map[[2]int]int       // index in diff.Agents of the difference of two sets, or none
	finds    map[[2]digest][]find // by the text of the rules, because groups may be equal
	places   map[string]int       // index in diff.Agents, by the text of the difference
}

// agents are the agents of one file, in sets with the same rules.
type agents struct {
	file   *robotstxt.File
	sets   map[*robotstxt.Group]int
	orders map[int]*order // of each set that was compared
}

// digest identifies the text of some rules. There may be many orders, most of them
// equal.
type digest [sha256.Size]byte

// order is the ranked rules of a set of agents.
type order struct {
	group *robotstxt.Group
	delay time.Duration
	text  digest // of the rules, by precedence
	side  *side  // nil until compiled
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

// set returns the set of an agent, or none if no group applies to it.
func (a *agents) set(name string) int {
	if i, ok := a.sets[a.file.Group(name)]; ok {
		return i
	}
	return none
}

// compare compares the files for one agent.
func (c *comparison) compare(name string) {
	key := [2]int{c.old.set(name), c.new.set(name)}
	at, ok := c.indexes[key]
	if !ok {
		if at = none; c.steps >= 0 {
			at = c.addDiff(c.order(&c.old, key[0], name), c.order(&c.new, key[1], name))
		} else {
			c.diff.Complete = false
		}
		c.indexes[key] = at
	}
	if at != none {
		a := &c.diff.Agents[at]
		a.Agents = append(a.Agents, name)
	}
}

// addDiff adds the differences of two groups to the result and returns their index, or
// none.
func (c *comparison) addDiff(before, after *order) int {
	a := AgentDiff{Changes: c.changes(before, after), OldDelay: before.delay, NewDelay: after.delay}
	if len(a.Changes) == 0 && a.OldDelay == a.NewDelay {
		return none
	}
	return c.join(a)
}

// order returns the ranked rules for an agent of this set.
func (c *comparison) order(a *agents, set int, name string) *order {
	if o, ok := a.orders[set]; ok {
		return o
	}
	group := a.file.Group(name)
	o := &order{group: group, delay: group.CrawlDelay()}
	rules, fields := group.Count()
	c.steps -= 500*rules + 20*fields // memory too: the file keeps ranked rules
	hash := sha256.New()
	for _, r := range group.Ranked() {
		c.steps -= len(r.Canonical) / 8
		_, _ = fmt.Fprintf(hash, "%v %d %s\n", r.Allow, r.Length, r.Canonical)
	}
	hash.Sum(o.text[:0])
	a.orders[set] = o
	return o
}

// sideOf returns the compiled rules of an order.
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
	c.steps -= 2000 * len(found) // for the output, here and in the caller
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

// join adds a difference, or merges its lines into an equal one, and returns its
// index.
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

// text is the difference without line numbers.
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

// with returns the decision with the lines of another one added.
func (d Decision) with(other Decision) Decision {
	for _, line := range other.Lines {
		if i, found := slices.BinarySearch(d.Lines, line); !found {
			d.Lines = slices.Insert(d.Lines, i, line)
		}
	}
	return d
}
