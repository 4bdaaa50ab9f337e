package robotslint

import (
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Severity is the severity of a finding.
type Severity string

// The severities.
const (
	// Error means that the line does not do what its author intended.
	Error Severity = "error"
	// Warning means that the line may be a mistake: only some crawlers obey it, or it is redundant.
	Warning Severity = "warning"
	// Note is information, not a mistake.
	Note Severity = "note"
)

// Kind is the kind of a finding: a code that scripts can rely on. Lint reports the kinds
// below and those of package robotstxt.
type Kind string

// Kinds of findings in addition to those of package robotstxt.
const (
	KindLoneCR           Kind = "lone-cr"             // lines that end in a carriage return alone
	KindInvisible        Kind = "invisible-character" // such as a no-break space or a zero-width space
	KindUnknownField     Kind = "unknown-field"       // a field that no crawler supports
	KindRareField        Kind = "rare-field"          // a field that few crawlers support
	KindFieldBeforeGroup Kind = "field-before-group"  // such as a Crawl-delay outside of any group
	KindBadSitemap       Kind = "bad-sitemap-url"     // a URL that cannot be fetched
	KindFullURL          Kind = "full-url"            // a URL instead of the path of a rule
	KindCutByHash        Kind = "cut-by-hash"         // a # in a value, which begins a comment
	KindTwoFields        Kind = "two-fields"          // two fields on one line
	KindInnerSpace       Kind = "inner-space"         // several paths in a rule, or a comment without #
	KindInnerDollar      Kind = "inner-dollar"        // a $ before the end of a path
	KindUnescaped        Kind = "unescaped-character" // a character that URLs contain only escaped
	KindNeverMatches     Kind = "never-matches"       // a path with dot segments, which no URL has
	KindRegexp           Kind = "regular-expression"  // robots.txt does not support them
	KindOwnFile          Kind = "robots-txt-itself"   // Disallow: /robots.txt
	KindEmptyRule        Kind = "empty-rule"          // a rule without a path and without effect
	KindEmptyGroup       Kind = "empty-group"         // User-agent lines without rules
	KindJoinedGroups     Kind = "joined-groups"       // groups with no rule between them, which form one group
	KindRepeatedGroup    Kind = "repeated-group"      // another group for the same crawler
	KindRepeatedAgent    Kind = "repeated-agent"      // a crawler named twice in a group
	KindDuplicateRule    Kind = "duplicate-rule"      // the same rule again
	KindRedundantRule    Kind = "redundant-rule"      // a rule with the same verdict already matches all its URLs
	KindOverruledRule    Kind = "overruled-rule"      // a rule with the opposite verdict matches all its URLs and wins
	KindRedundantGroup   Kind = "redundant-group"     // other groups have all its rules for the same crawlers

	KindUnknownUsage       Kind = "unknown-usage"       // a label or value of Content-Usage that no crawler knows
	KindUnknownSignal      Kind = "unknown-signal"      // a key or value of Content-Signal that no crawler knows
	KindRepeatedUsage      Kind = "repeated-usage"      // a label or key twice in one line of Content-Usage or Content-Signal
	KindUselessUsage       Kind = "useless-usage"       // a Content-Usage line for URLs that the group disallows
	KindContradictingUsage Kind = "contradicting-usage" // a line that contradicts another one about the use of the same URLs
	KindUsageNotInherited  Kind = "usage-not-inherited" // a crawler with a group, to which the preferences of "*" do not apply
	KindBadLicense         Kind = "bad-license-url"     // a License line without an absolute URL
)

// kinds holds the severity of each kind and, for the kinds of this package, the id of
// the requirement.
var kinds = map[Kind]struct {
	severity Severity
	specID   string
}{
	Kind(robotstxt.KindTooLarge):        {severity: Error},
	Kind(robotstxt.KindNotUTF8):         {severity: Warning},
	Kind(robotstxt.KindBOM):             {severity: Error},
	Kind(robotstxt.KindHTML):            {severity: Error},
	Kind(robotstxt.KindNoColon):         {severity: Error},
	Kind(robotstxt.KindNoField):         {severity: Warning},
	Kind(robotstxt.KindBadField):        {severity: Warning},
	Kind(robotstxt.KindMisspelled):      {severity: Error},
	Kind(robotstxt.KindControl):         {severity: Error},
	Kind(robotstxt.KindLongLine):        {severity: Warning},
	Kind(robotstxt.KindBadAgent):        {severity: Error},
	Kind(robotstxt.KindAgentCut):        {severity: Warning},
	Kind(robotstxt.KindRuleBeforeGroup): {severity: Error},
	Kind(robotstxt.KindNoSlash):         {severity: Error},
	Kind(robotstxt.KindSitemapRelative): {severity: Error},
	Kind(robotstxt.KindSitemapScheme):   {severity: Error},
	Kind(robotstxt.KindSitemapTwice):    {severity: Note},
	Kind(robotstxt.KindManyFields):      {severity: Warning},
	Kind(robotstxt.KindPageDirective):   {severity: Warning},
	Kind(robotstxt.KindBadValue):        {severity: Warning},
	Kind(robotstxt.KindDelayCapped):     {severity: Warning},

	KindLoneCR:           {Note, "ROB-FMT-02"},
	KindInvisible:        {Error, "ROB-FMT-09"},
	KindUnknownField:     {Warning, "ROB-GRP-13"},
	KindRareField:        {Note, "ROB-GRP-13"},
	KindFieldBeforeGroup: {Warning, "ROB-GRP-12"},
	KindBadSitemap:       {Error, "ROB-SMP-01"},
	KindFullURL:          {Error, "ROB-MAT-27"},
	KindCutByHash:        {Warning, "ROB-FMT-08"},
	KindTwoFields:        {Error, "ROB-FMT-02"},
	KindInnerSpace:       {Warning, "ROB-FMT-19"},
	KindInnerDollar:      {Warning, "ROB-MAT-07"},
	KindUnescaped:        {Warning, "ROB-MAT-28"},
	KindNeverMatches:     {Error, "ROB-MAT-25"},
	KindRegexp:           {Error, "ROB-MAT-06"},
	KindOwnFile:          {Note, "ROB-MAT-21"},
	KindEmptyRule:        {Warning, "ROB-MAT-09"},
	KindEmptyGroup:       {Warning, "ROB-UA-08"},
	KindJoinedGroups:     {Warning, "ROB-GRP-07"},
	KindRepeatedGroup:    {Note, "ROB-GRP-09"},
	KindRepeatedAgent:    {Note, "ROB-GRP-09"},
	KindDuplicateRule:    {Warning, "ROB-GRP-09"},
	KindRedundantRule:    {Warning, "ROB-MAT-03"},
	KindOverruledRule:    {Error, "ROB-MAT-03"},
	KindRedundantGroup:   {Warning, "ROB-GRP-09"},

	KindUnknownUsage:       {Warning, "ROB-EXT-05"},
	KindUnknownSignal:      {Warning, "ROB-EXT-06"},
	KindRepeatedUsage:      {Warning, "ROB-EXT-05"},
	KindUselessUsage:       {Note, "ROB-EXT-05"},
	KindContradictingUsage: {Warning, "ROB-EXT-05"},
	KindUsageNotInherited:  {Warning, "ROB-UA-08"},
	KindBadLicense:         {Error, "ROB-EXT-07"},
}

// Severity returns the usual severity of this kind. A single finding may have a lower
// one.
func (k Kind) Severity() Severity { return kinds[k].severity }

// SpecID returns the id of the requirement in ../testdata/spec.md that the kind is about,
// such as ROB-FMT-11.
func (k Kind) SpecID() string {
	if id := kinds[k].specID; id != "" {
		return id
	}
	return robotstxt.Kind(k).SpecID()
}
