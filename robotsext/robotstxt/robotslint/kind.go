package robotslint

import "github.com/politecrawl/politecrawl/robotsext/robotstxt"

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

// The kinds of findings. The first half has the names that package robotstxt gives
// them.
const (
	TooLarge        = Kind(robotstxt.KindTooLarge)
	NotUTF8         = Kind(robotstxt.KindNotUTF8)
	ByteOrderMark   = Kind(robotstxt.KindBOM)
	HTML            = Kind(robotstxt.KindHTML)
	NoColon         = Kind(robotstxt.KindNoColon)
	NoField         = Kind(robotstxt.KindNoField)
	BadField        = Kind(robotstxt.KindBadField)
	MisspeltField   = Kind(robotstxt.KindMisspelt)
	Control         = Kind(robotstxt.KindControl)
	LongLine        = Kind(robotstxt.KindLongLine)
	BadAgent        = Kind(robotstxt.KindBadAgent)
	AgentCut        = Kind(robotstxt.KindAgentCut)
	RuleBeforeGroup = Kind(robotstxt.KindRuleBeforeGroup)
	NoSlash         = Kind(robotstxt.KindNoSlash)
	RelativeSitemap = Kind(robotstxt.KindSitemapRelative)
	SitemapScheme   = Kind(robotstxt.KindSitemapScheme)
	SitemapTwice    = Kind(robotstxt.KindSitemapTwice)
	ManyFields      = Kind(robotstxt.KindManyFields)
	NoEffect        = Kind(robotstxt.KindNoEffect)
	BadValue        = Kind(robotstxt.KindBadValue)
	DelayCapped     = Kind(robotstxt.KindDelayCapped)

	LoneCR           Kind = "lone-cr"             // lines that end in a carriage return alone
	Invisible        Kind = "invisible-character" // a no-break space, a zero-width space and the like
	UnknownField     Kind = "unknown-field"       // a field that means nothing to anybody
	RareField        Kind = "rare-field"          // one that hardly any crawler reads
	FieldBeforeGroup Kind = "field-before-group"  // a Crawl-delay, say, that belongs to no group
	BadSitemap       Kind = "bad-sitemap-url"     // an address that cannot be fetched
	FullURL          Kind = "full-url"            // in place of the path of a rule
	CutByHash        Kind = "cut-by-hash"         // a # that begins a comment where none was meant
	TwoFields        Kind = "two-fields"          // on one line, of which the second is a part of the first's value
	InnerSpace       Kind = "inner-space"         // several paths in a rule, or a comment without #
	InnerDollar      Kind = "inner-dollar"        // a $ that does not stand at the end
	Unescaped        Kind = "unescaped-character" // one that URLs do not have
	NeverMatches     Kind = "never-matches"       // dot segments, which URLs do not have
	Regexp           Kind = "regular-expression"  // which robots.txt does not have
	OwnFile          Kind = "robots-txt-itself"   // Disallow: /robots.txt
	EmptyRule        Kind = "empty-rule"          // a rule without a path that does nothing
	EmptyGroup       Kind = "empty-group"         // crawlers that are named, and asked for nothing
	JoinedGroups     Kind = "joined-groups"       // groups that are one, there being no rule between them
	RepeatedGroup    Kind = "repeated-group"      // another group for the same crawler
	RepeatedAgent    Kind = "repeated-agent"      // a crawler named twice in a group
	DuplicateRule    Kind = "duplicate-rule"      // the same rule again
	UnreachableRule  Kind = "unreachable-rule"    // all that it asks is asked by another
	OverruledRule    Kind = "overruled-rule"      // another always wins against it
	UnreachableGroup Kind = "unreachable-group"   // all that it asks is asked elsewhere
)

// kinds says of each kind how bad it is and, where robotstxt does not know it,
// which rule of the specification it rests on.
var kinds = map[Kind]struct {
	severity Severity
	rule     string
}{
	TooLarge:        {severity: Error},
	NotUTF8:         {severity: Warning},
	ByteOrderMark:   {severity: Error},
	HTML:            {severity: Error},
	NoColon:         {severity: Error},
	NoField:         {severity: Warning},
	BadField:        {severity: Warning},
	MisspeltField:   {severity: Error},
	Control:         {severity: Error},
	LongLine:        {severity: Warning},
	BadAgent:        {severity: Error},
	AgentCut:        {severity: Warning},
	RuleBeforeGroup: {severity: Error},
	NoSlash:         {severity: Error},
	RelativeSitemap: {severity: Error},
	SitemapScheme:   {severity: Error},
	SitemapTwice:    {severity: Note},
	ManyFields:      {severity: Warning},
	NoEffect:        {severity: Warning},
	BadValue:        {severity: Warning},
	DelayCapped:     {severity: Warning},

	LoneCR:           {Note, "ROB-FMT-02"},
	Invisible:        {Error, "ROB-FMT-09"},
	UnknownField:     {Warning, "ROB-GRP-13"},
	RareField:        {Note, "ROB-GRP-13"},
	FieldBeforeGroup: {Warning, "ROB-GRP-12"},
	BadSitemap:       {Error, "ROB-SMP-01"},
	FullURL:          {Error, "ROB-MAT-27"},
	CutByHash:        {Warning, "ROB-FMT-08"},
	TwoFields:        {Error, "ROB-FMT-02"},
	InnerSpace:       {Warning, "ROB-FMT-19"},
	InnerDollar:      {Warning, "ROB-MAT-07"},
	Unescaped:        {Warning, "ROB-MAT-28"},
	NeverMatches:     {Error, "ROB-MAT-25"},
	Regexp:           {Error, "ROB-MAT-06"},
	OwnFile:          {Note, "ROB-MAT-21"},
	EmptyRule:        {Warning, "ROB-MAT-09"},
	EmptyGroup:       {Warning, "ROB-UA-08"},
	JoinedGroups:     {Warning, "ROB-GRP-07"},
	RepeatedGroup:    {Note, "ROB-GRP-09"},
	RepeatedAgent:    {Note, "ROB-GRP-09"},
	DuplicateRule:    {Warning, "ROB-GRP-09"},
	UnreachableRule:  {Warning, "ROB-MAT-03"},
	OverruledRule:    {Error, "ROB-MAT-03"},
	UnreachableGroup: {Warning, "ROB-GRP-09"},
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
