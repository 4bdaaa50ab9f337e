package robotslint

import (
	"github.com/politecrawl/politecrawl/robotsext/internal/oddity"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Error: the line does not do what it was written for. It has no effect, or
	// another one.
	Error Severity = "error"
	// Warning: the line has its effect with some crawlers only, or by luck, or it
	// is not needed.
	Warning Severity = "warning"
	// Note: nothing is wrong, but it is good to know.
	Note Severity = "note"
)

// Kind is the sort of a finding: a word that scripts can rely on.
type Kind string

// The kinds of findings that package robotstxt does not know. The others have its
// codes.
const (
	kindLoneCR           Kind = "lone-cr"             // lines that end in a carriage return alone
	kindInvisible        Kind = "invisible-character" // a no-break space, a zero-width space and the like
	kindUnknownField     Kind = "unknown-field"       // a field that means nothing to anybody
	kindRareField        Kind = "rare-field"          // one that hardly any crawler reads
	kindFieldBeforeGroup Kind = "field-before-group"  // a Crawl-delay, say, that belongs to no group
	kindBadSitemap       Kind = "bad-sitemap-url"     // an address that cannot be fetched
	kindFullURL          Kind = "full-url"            // in place of the path of a rule
	kindCutByHash        Kind = "cut-by-hash"         // a # that begins a comment where none was meant
	kindTwoFields        Kind = "two-fields"          // on one line, of which the second is a part of the first's value
	kindInnerSpace       Kind = "inner-space"         // several paths in a rule, or a comment without #
	kindInnerDollar      Kind = "inner-dollar"        // a $ that does not stand at the end
	kindUnescaped        Kind = "unescaped-character" // one that URLs do not have
	kindNeverMatches     Kind = "never-matches"       // dot segments, which URLs do not have
	kindRegexp           Kind = "regular-expression"  // which robots.txt does not have
	kindOwnFile          Kind = "robots-txt-itself"   // Disallow: /robots.txt
	kindEmptyRule        Kind = "empty-rule"          // a rule without a path that does nothing
	kindEmptyGroup       Kind = "empty-group"         // crawlers that are named, and asked for nothing
	kindJoinedGroups     Kind = "joined-groups"       // groups that are one, there being no rule between them
	kindRepeatedGroup    Kind = "repeated-group"      // another group for the same crawler
	kindRepeatedAgent    Kind = "repeated-agent"      // a crawler named twice in a group
	kindDuplicateRule    Kind = "duplicate-rule"      // the same rule again
	kindUnreachableRule  Kind = "unreachable-rule"    // all that it asks is asked by another
	kindOverruledRule    Kind = "overruled-rule"      // another always wins against it
	kindUnreachableGroup Kind = "unreachable-group"   // all that it asks is asked elsewhere
)

// kinds says of each kind how bad it is and, where robotstxt does not know it,
// which rule of the specification it rests on.
var kinds = map[Kind]struct {
	severity Severity
	rule     string
}{
	oddity.TooLarge:        {severity: Error},
	oddity.NotUTF8:         {severity: Warning},
	oddity.BOM:             {severity: Error},
	oddity.HTML:            {severity: Error},
	oddity.NoColon:         {severity: Error},
	oddity.NoField:         {severity: Warning},
	oddity.BadField:        {severity: Warning},
	oddity.Misspelt:        {severity: Error},
	oddity.Control:         {severity: Error},
	oddity.LongLine:        {severity: Warning},
	oddity.BadAgent:        {severity: Error},
	oddity.AgentCut:        {severity: Warning},
	oddity.RuleBeforeGroup: {severity: Error},
	oddity.NoSlash:         {severity: Error},
	oddity.SitemapRelative: {severity: Error},
	oddity.SitemapScheme:   {severity: Error},
	oddity.SitemapTwice:    {severity: Note},
	oddity.ManyFields:      {severity: Warning},
	oddity.NoEffect:        {severity: Warning},
	oddity.BadValue:        {severity: Warning},
	oddity.DelayCapped:     {severity: Warning},

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

// Severity returns how bad findings of this kind are, most of them: a few are
// milder than their kind.
func (k Kind) Severity() Severity { return kinds[k].severity }

// Rule returns the id of the rule in the specification that the kind rests on.
func (k Kind) Rule() string {
	if rule := kinds[k].rule; rule != "" {
		return rule
	}
	return robotstxt.Kind(k).Rule()
}
