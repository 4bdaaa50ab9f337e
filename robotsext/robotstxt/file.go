package robotstxt

import "sync/atomic"

// File is what a robots.txt file says. It does not change after Parse and may
// be used by several goroutines at once; its slices are not to be written to.
type File struct {
	// Sitemaps are the sitemaps of the file in file order, each once. They
	// belong to no group and are offered to every crawler.
	Sitemaps []Sitemap

	// Extensions are all fields but the four that have a meaning for crawling,
	// in file order, up to Options.MaxExtensions.
	Extensions []Extension

	// Findings are the oddities of the file by line, as many as
	// Options.MaxFindings says.
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
	clean    *cleanParams // nil: none
	size     atomic.Int64 // 0: not yet estimated
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

// ruleLine is a Rule as the file keeps it: most rules are never asked for, since
// they are other crawlers'.
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

// block is a group as it stands in the file: a run of User-agent lines and the
// rules after it (ROB-GRP-01). One Group may be merged from several. Rules,
// extensions and agents are stretches of the file's own lists, so that a block
// costs the same however many agents share it.
type block struct {
	rules      span
	extensions span
	mentions   span
}

// few is where the lists begin, so that an ordinary file needs no other place for
// them.
type few struct {
	names    [1]name
	blocks   [1]block
	mentions [2]int32
	groups   [1]Group
	sets     [1]ruleset
}

// atLeast returns a list of n, which is few if that is long enough.
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

// Agents returns the names that the file has groups for, "*" among them, each
// once, as first written and in file order.
func (f *File) Agents() []string {
	var agents []string
	for i := range f.groups {
		agents = append(agents, f.groups[i].name)
	}
	return agents
}
