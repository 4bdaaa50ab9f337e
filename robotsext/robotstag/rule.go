package robotstag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Name is the name of a rule.
type Name string

// The known rules. All others are ignored. Among them are "all", "index" and "follow",
// which restrict nothing and cannot cancel another rule.
const (
	None             Name = "none"              // same as NoIndex and NoFollow
	NoIndex          Name = "noindex"           // do not index the page
	NoFollow         Name = "nofollow"          // do not follow its links
	NoSnippet        Name = "nosnippet"         // show no text or video of the page
	NoImageIndex     Name = "noimageindex"      // do not index its images
	NoTranslate      Name = "notranslate"       // offer no translation
	NoArchive        Name = "noarchive"         // offer no cached copy; Google ignores it
	NoCache          Name = "nocache"           // Bing's name for NoArchive
	NoAI             Name = "noai"              // do not use the page for AI models; introduced by DeviantArt
	NoImageAI        Name = "noimageai"         // do not use its images for AI models
	IndexIfEmbedded  Name = "indexifembedded"   // permits indexing in another page's iframe despite noindex
	MaxSnippet       Name = "max-snippet"       // limit of quoted text, in characters
	MaxVideoPreview  Name = "max-video-preview" // limit of video previews, in seconds
	MaxImagePreview  Name = "max-image-preview" // limit of image previews, as a Preview
	UnavailableAfter Name = "unavailable_after" // NoIndex after a date
)

// hasValue reports whether the rule has the form "name: value".
func (n Name) hasValue() bool {
	return n == MaxSnippet || n == MaxVideoPreview || n == MaxImagePreview || n == UnavailableAfter
}

// flags are the rules that are a single word.
var flags = []Name{None, NoIndex, NoFollow, NoSnippet, NoImageIndex, NoTranslate, NoArchive, NoCache, NoAI, NoImageAI, IndexIfEmbedded}

func (n Name) isFlag() bool { return slices.Contains(flags, n) }

// NoLimit is the Rule.Limit that stands for no limit.
const NoLimit = -1

// Preview is the maximum size of image previews.
type Preview string

// The sizes, smallest first.
const (
	PreviewNone     Preview = "none"
	PreviewStandard Preview = "standard"
	PreviewLarge    Preview = "large"
)

// Rule is one rule of a page.
type Rule struct {
	Name    Name
	Limit   int       // of MaxSnippet in characters, of MaxVideoPreview in seconds; NoLimit if there is none
	Preview Preview   // of MaxImagePreview
	After   time.Time // of UnavailableAfter, in UTC; in an unknown time zone a time at which it is over in every zone
	Source  Source
}

// String returns the rule as in a header or meta element: "max-snippet: 50".
func (r Rule) String() string {
	switch r.Name {
	case MaxSnippet, MaxVideoPreview:
		return fmt.Sprintf("%s: %d", r.Name, r.Limit)
	case MaxImagePreview:
		return fmt.Sprintf("%s: %s", r.Name, r.Preview)
	case UnavailableAfter:
		return fmt.Sprintf("%s: %s", r.Name, r.After.Format(time.RFC3339))
	}
	return string(r.Name)
}

// Source says where a rule was found.
type Source struct {
	Field string // "X-Robots-Tag", "Robots-Tag" or "meta"
	Line  int    // number among the lines of this header, or among the meta elements that apply to this crawler, from 1
	Agent string // the product token of the rule, in lower case; "" for all crawlers
}

// String returns "2nd X-Robots-Tag header for examplebot" or "1st robots meta element", for messages.
func (s Source) String() string {
	place, agent := s.Field+" header", ""
	if s.Field == "meta" {
		place = "robots meta element"
	}
	if s.Agent != "" {
		agent = " for " + s.Agent
	}
	return ordinal(s.Line) + " " + place + agent
}

// ParseSource is the inverse of [Source.String]. It returns false for any other text.
func ParseSource(text string) (s Source, ok bool) {
	line, rest, _ := strings.Cut(text, " ")
	place, agent, _ := strings.Cut(rest, " for ")
	s.Agent = agent
	s.Line, _ = strconv.Atoi(strings.TrimRight(line, "dhnrst"))
	if s.Field, ok = strings.CutSuffix(place, " header"); !ok && place == "robots meta element" {
		s.Field = "meta"
	}
	if s.String() != text {
		return Source{}, false
	}
	return s, true
}

// ordinal writes 1st, 2nd, 3rd, 4th, …
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// parseRule parses the name and the value of a rule. It fails if the value is invalid.
func parseRule(name, value string) (Rule, bool) {
	r := Rule{Name: Name(strings.ToLower(name))}
	value = strings.TrimSpace(value)
	switch r.Name {
	case MaxSnippet, MaxVideoPreview:
		n, err := strconv.ParseInt(value, 10, 32)
		r.Limit = int(n)
		return r, err == nil && n >= NoLimit
	case MaxImagePreview:
		r.Preview = Preview(strings.ToLower(value))
		return r, r.Preview.rank() >= 0
	case UnavailableAfter:
		var ok bool
		r.After, ok = parseDate(value)
		return r, ok
	}
	return r, r.Name.isFlag()
}

// stricter reports whether r restricts more than another rule of the same name.
func (r *Rule) stricter(than *Rule) bool {
	switch r.Name {
	case MaxSnippet, MaxVideoPreview:
		return r.Limit != NoLimit && (than.Limit == NoLimit || r.Limit < than.Limit)
	case MaxImagePreview:
		return r.Preview.rank() < than.Preview.rank()
	case UnavailableAfter:
		return r.After.Before(than.After)
	}
	return false
}

// rank orders the sizes, smallest first. It returns -1 for an unknown size.
func (p Preview) rank() int {
	return slices.Index([]Preview{PreviewNone, PreviewStandard, PreviewLarge}, p)
}
