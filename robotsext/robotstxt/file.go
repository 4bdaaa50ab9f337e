package robotstxt

import "sync/atomic"

// File is a parsed robots.txt file. It never changes after Parse and is safe for
// concurrent use. Callers must not modify its slices.
type File struct {
	// Sitemaps lists the sitemaps in file order, without duplicates. They belong to no
	// group and apply to every crawler.
	Sitemaps []Sitemap

	// Extensions lists all fields except User-agent, Allow, Disallow and Sitemap, in file
	// order, up to Options.MaxExtensions.
	Extensions []Extension

	// Findings lists likely mistakes by line, up to Options.MaxFindings.
	Findings []Finding

	// Truncated reports that the body was longer than Options.MaxBytes.
	Truncated bool

	google   decision
	opts     Options
	text     string
	rules    []ruleLine
	blocks   []block
	mentions []int32 // the names in the blocks, by position in names.list
	names    names
	groups   []Group   // parallel to names.list
	sets     []ruleset // of the blocks, then of groups merged from several
	few      few
	clean    *cleanParams // nil if none
	size     atomic.Int64 // 0 until it is estimated
}

// Rule is an Allow or Disallow line that has an effect.
type Rule struct {
	Allow   bool
	Pattern string // as written, without comment and outer white space
	Line    int    // from 1
}

// String returns the rule as a line of robots.txt.
func (r *Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Pattern
	}
	return "Disallow: " + r.Pattern
}

// ruleLine is the compact form of a Rule. Most rules are for other crawlers and are
// never used.
type ruleLine struct {
	value span // of the file's text
	line  int32
	allow bool
}

func (r ruleLine) field() string {
	if r.allow {
		return "Allow"
	}
	return "Disallow"
}

// block is a group as written in the file: a run of User-agent lines and the rules
// after it (ROB-GRP-01). One Group may be merged from several blocks. A block holds
// ranges of the file's lists, so its size does not depend on the number of agents.
type block struct {
	rules      span
	extensions span
	mentions   span
}

// few is the first storage of the lists. An ordinary file needs no other allocation.
type few struct {
	names    [1]name
	blocks   [1]block
	mentions [2]int32
	groups   [1]Group
	sets     [1]ruleset
}

// atLeast returns a slice of length n, from few if that is long enough.
func atLeast[T any](few []T, n int) []T {
	if n <= len(few) {
		return few[:n]
	}
	return make([]T, n)
}

// agents returns the names of a block in file order.
func (f *File) agents(b *block) []string {
	names := make([]string, 0, b.mentions.hi-b.mentions.lo)
	for _, i := range f.mentions[b.mentions.lo:b.mentions.hi] {
		names = append(names, f.groups[i].name)
	}
	return names
}

// Agents returns the names that the file has groups for, "*" included, without
// duplicates. They are spelled as first written and in file order.
func (f *File) Agents() []string {
	var agents []string
	for i := range f.groups {
		agents = append(agents, f.groups[i].name)
	}
	return agents
}
