package robotslint

import (
	"github.com/politecrawl/politecrawl/robotsext/internal/findingkind"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Severity is the severity of a finding.
type Severity string

// The severities.
const (
	// Error: the line does not have the effect that its author intended.
	Error Severity = "error"
	// Warning: only some crawlers obey the line, or it is needless.
	Warning Severity = "warning"
	// Note: information, not a mistake.
	Note Severity = "note"
)

// Kind is the kind of a finding: a code that scripts can rely on.
type Kind string

// Kinds of findings in addition to those of package robotstxt.
const (
	kindLoneCR           Kind = "lone-cr"             // lines that end in a carriage return alone
	kindInvisible        Kind = "invisible-character" // such as a no-break space or a zero-width space
	kindUnknownField     Kind = "unknown-field"       // a field that no crawler supports
	kindRareField        Kind = "rare-field"          // a field that few crawlers support
	kindFieldBeforeGroup Kind = "field-before-group"  // such as a Crawl-delay outside of any group
	kindBadSitemap       Kind = "bad-sitemap-url"     // a URL that cannot be fetched
	kindFullURL          Kind = "full-url"            // a URL instead of the path of a rule
	kindCutByHash        Kind = "cut-by-hash"         // a # in a value, which begins a comment
	kindTwoFields        Kind = "two-fields"          // two fields on one line
	kindInnerSpace       Kind = "inner-space"         // several paths in a rule, or a comment without #
	kindInnerDollar      Kind = "inner-dollar"        // a $ before the end of a path
	kindUnescaped        Kind = "unescaped-character" // a character that URLs contain only escaped
	kindNeverMatches     Kind = "never-matches"       // a path with dot segments, which no URL has
	kindRegexp           Kind = "regular-expression"  // robots.txt does not support them
	kindOwnFile          Kind = "robots-txt-itself"   // Disallow: /robots.txt
	kindEmptyRule        Kind = "empty-rule"          // a rule without a path and without effect
	kindEmptyGroup       Kind = "empty-group"         // User-agent lines without rules
	kindJoinedGroups     Kind = "joined-groups"       // groups with no rule between them, which form one group
	kindRepeatedGroup    Kind = "repeated-group"      // another group for the same crawler
	kindRepeatedAgent    Kind = "repeated-agent"      // a crawler named twice in a group
	kindDuplicateRule    Kind = "duplicate-rule"      // the same rule again
	kindUnreachableRule  Kind = "unreachable-rule"    // another rule matches the same URLs
	kindOverruledRule    Kind = "overruled-rule"      // another rule always wins over it
	kindUnreachableGroup Kind = "unreachable-group"   // other groups have the same rules
)

// kinds holds the severity of each kind and, for the kinds of this package, the id of
// the specification's rule.
var kinds = map[Kind]struct {
	severity Severity
	rule     string
}{
	findingkind.TooLarge:        {severity: Error},
	findingkind.NotUTF8:         {severity: Warning},
	findingkind.BOM:             {severity: Error},
	findingkind.HTML:            {severity: Error},
	findingkind.NoColon:         {severity: Error},
	findingkind.NoField:         {severity: Warning},
	findingkind.BadField:        {severity: Warning},
	findingkind.Misspelt:        {severity: Error},
	findingkind.Control:         {severity: Error},
	findingkind.LongLine:        {severity: Warning},
	findingkind.BadAgent:        {severity: Error},
	findingkind.AgentCut:        {severity: Warning},
	findingkind.RuleBeforeGroup: {severity: Error},
	findingkind.NoSlash:         {severity: Error},
	findingkind.SitemapRelative: {severity: Error},
	findingkind.SitemapScheme:   {severity: Error},
	findingkind.SitemapTwice:    {severity: Note},
	findingkind.ManyFields:      {severity: Warning},
	findingkind.NoEffect:        {severity: Warning},
	findingkind.BadValue:        {severity: Warning},
	findingkind.DelayCapped:     {severity: Warning},

	kindLoneCR:           {Note, "ROB-FMT-02"},
	kindInvisible:        {Error, "ROB-FMT-09"},
	kindUnknownField:     {Warning, "ROB-GRP-13"},
	kindRareField:        {Note, "ROB-GRP-13"},
	kindFieldBeforeGroup: {Warning, "ROB-GRP-12"},
	kindBadSitemap:       {Error, "ROB-SMP-01"},
	kindFullURL:          {Error, "ROB-MAT-27"},
	kindCutByHash:        {Warning, "ROB-FMT-08"},
	kindTwoFields:        {Error, "ROB-FMT-02"},
	kindInnerSpace:       {Warning, "ROB-FMT-19"},
	kindInnerDollar:      {Warning, "ROB-MAT-07"},
	kindUnescaped:        {Warning, "ROB-MAT-28"},
	kindNeverMatches:     {Error, "ROB-MAT-25"},
	kindRegexp:           {Error, "ROB-MAT-06"},
	kindOwnFile:          {Note, "ROB-MAT-21"},
	kindEmptyRule:        {Warning, "ROB-MAT-09"},
	kindEmptyGroup:       {Warning, "ROB-UA-08"},
	kindJoinedGroups:     {Warning, "ROB-GRP-07"},
	kindRepeatedGroup:    {Note, "ROB-GRP-09"},
	kindRepeatedAgent:    {Note, "ROB-GRP-09"},
	kindDuplicateRule:    {Warning, "ROB-GRP-09"},
	kindUnreachableRule:  {Warning, "ROB-MAT-03"},
	kindOverruledRule:    {Error, "ROB-MAT-03"},
	kindUnreachableGroup: {Warning, "ROB-GRP-09"},
}

// Severity returns the usual severity of this kind. Some findings are milder.
func (k Kind) Severity() Severity { return kinds[k].severity }

// Rule returns the id of the specification's rule that the kind is based on.
func (k Kind) Rule() string {
	if rule := kinds[k].rule; rule != "" {
		return rule
	}
	return robotstxt.Kind(k).Rule()
}
