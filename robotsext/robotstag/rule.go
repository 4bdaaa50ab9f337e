package robotstag

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/datetime"
)

// A Name is the name of a rule.
type Name string

// The rules. Others are ignored, among them "all", "index" and
// "follow": they ask for nothing, and cannot take back what others ask for.
const (
	None             Name = "none"              // NoIndex and NoFollow
	NoIndex          Name = "noindex"           // do not keep or show the page
	NoFollow         Name = "nofollow"          // do not follow its links
	NoSnippet        Name = "nosnippet"         // show no text or video of it
	NoImageIndex     Name = "noimageindex"      // do not keep its images
	NoTranslate      Name = "notranslate"       // offer no translation
	NoArchive        Name = "noarchive"         // offer no copy; obsolete at Google
	NoCache          Name = "nocache"           // the same, as Bing has it
	IndexIfEmbedded  Name = "indexifembedded"   // lifts noindex inside another page's iframe
	MaxSnippet       Name = "max-snippet"       // characters of text that may be shown
	MaxVideoPreview  Name = "max-video-preview" // seconds of video that may be shown
	MaxImagePreview  Name = "max-image-preview" // size of image that may be shown
	UnavailableAfter Name = "unavailable_after" // NoIndex from a time on
)

// hasValue tells the rules of the form "name: value".
func (n Name) hasValue() bool {
	switch n {
	case MaxSnippet, MaxVideoPreview, MaxImagePreview, UnavailableAfter:
		return true
	}
	return false
}

// isFlag tells the rules that are a word alone.
func (n Name) isFlag() bool {
	switch n {
	case None, NoIndex, NoFollow, NoSnippet, NoImageIndex, NoTranslate, NoArchive, NoCache, IndexIfEmbedded:
		return true
	}
	return false
}

// NoLimit is a Rule.Limit that limits nothing.
const NoLimit = -1

// A Preview is the size of image that may be shown.
type Preview string

// The sizes, from the smallest.
const (
	PreviewNone     Preview = "none"
	PreviewStandard Preview = "standard"
	PreviewLarge    Preview = "large"
)

// A Rule is one thing that a page asks for.
type Rule struct {
	Name    Name
	Limit   int       // of MaxSnippet in characters, of MaxVideoPreview in seconds: 0 or more, or NoLimit
	Preview Preview   // of MaxImagePreview
	After   time.Time // of UnavailableAfter, in UTC
	Source  Source
}

// String returns the rule as one would write it: "max-snippet: 50".
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

// A Source is where a rule stands.
type Source struct {
	Field string // "X-Robots-Tag", "Robots-Tag" or "meta"
	Line  int    // which line of that header, or which meta element for this crawler, from 1
	Agent string // whom the rule is for, in lower case; "" is everyone
}

// String returns "X-Robots-Tag line 2 for examplebot", for messages.
func (s Source) String() string {
	if s.Agent == "" {
		return fmt.Sprintf("%s line %d", s.Field, s.Line)
	}
	return fmt.Sprintf("%s line %d for %s", s.Field, s.Line, s.Agent)
}

// parseRule makes a rule of a name and what is behind its colon. A rule whose
// value cannot be read does not count.
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
		r.After, ok = datetime.Parse(value)
		return r, ok
	}
	return r, r.Name.isFlag()
}

// stricter reports whether r asks for more than another rule of its name.
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

// rank orders sizes from the smallest; -1 is none of them.
func (p Preview) rank() int {
	switch p {
	case PreviewNone:
		return 0
	case PreviewStandard:
		return 1
	case PreviewLarge:
		return 2
	}
	return -1
}
