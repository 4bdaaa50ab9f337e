package usage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/politecrawl/politecrawl/robotsext/internal/clip"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Kind is the signal of a statement.
type Kind string

// The kinds.
const (
	KindContentUsage  Kind = "content-usage"  // robots.txt line or header field (draft-ietf-aipref-attach)
	KindContentSignal Kind = "content-signal" // robots.txt line (Cloudflare)
	KindXRobotsTag    Kind = "x-robots-tag"   // header field
	KindRobotsTag     Kind = "robots-tag"     // header field (draft-illyes-repext)
	KindRobotsMeta    Kind = "robots-meta"    // meta element "robots", or one for the crawler
	KindTDMRep        Kind = "tdmrep"         // W3C TDM Reservation Protocol: file, header field or meta element
	KindRSL           Kind = "rsl"            // Really Simple Licensing: link to a license file, or the file
)

// SourceKind is the place of a statement.
type SourceKind string

// The places.
const (
	InRobots SourceKind = "robots.txt"
	InHeader SourceKind = "header"
	InMeta   SourceKind = "meta"
	InFile   SourceKind = "file" // tdmrep.json or a license file
)

// Source says where a statement was found.
type Source struct {
	Kind SourceKind `json:"kind"`

	// Name is the field of robots.txt, the header field or the meta element. For a file
	// it is the path of tdmrep.json or the URL of the license file.
	Name string `json:"name"`

	// Line is the line of robots.txt or the rule of tdmrep.json, or the number among the
	// header lines or meta elements that have this name. It starts at 1. Zero means that
	// several lines count as one, as in a Content-Usage header.
	Line int `json:"line,omitempty"`

	Hash string `json:"hash,omitempty"` // Hash of robots.txt or of the file
}

// String returns the source for messages, such as "robots.txt line 3, Content-Usage".
func (s Source) String() string {
	switch {
	case s.Kind == InRobots:
		return fmt.Sprintf("robots.txt line %d, %s", s.Line, s.Name)
	case s.Kind == InFile && s.Line > 0:
		return fmt.Sprintf("file %s, rule %d", s.Name, s.Line)
	case s.Line > 1:
		return fmt.Sprintf("%s %s, number %d", s.Kind, s.Name, s.Line)
	}
	return string(s.Kind) + " " + s.Name
}

// Hash returns the SHA-256 of a file in hexadecimal, as in Source.Hash.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Statement is one signal about one page. Callers must not modify its maps.
type Statement struct {
	Kind   Kind              `json:"kind"`
	Source Source            `json:"source"`
	Raw    string            `json:"raw"`              // the value as written, at most MaxRaw bytes; … marks a cut
	URL    string            `json:"url,omitempty"`    // of the TDM policy or of the license file, as written
	Values map[Purpose]Value `json:"values,omitempty"` // what it says, by the table of the package documentation
	Labels map[string]string `json:"labels,omitempty"` // unknown labels with their values, the first MaxLabels
}

// Redact removes user names and passwords from statements, for output.
func Redact(statements []Statement) {
	for i := range statements {
		s := &statements[i]
		s.Raw, s.URL, s.Labels = secret.RedactText(s.Raw), secret.RedactText(s.URL), secret.RedactMap(s.Labels)
	}
}

// Limits of what a page can make a reader return.
const (
	MaxRaw    = 1000 // bytes of Statement.Raw and Statement.URL
	MaxLabels = 20   // unknown labels of a statement; those beyond 100 bytes are dropped

	// MaxStatements limits what one call of FromRobots, FromHeader or FromMeta returns.
	// Beyond it they return only statements with a value that no statement before has.
	MaxStatements = 50

	// MaxRobotsText limits the bytes of Raw, URL and Labels that one call of FromRobots returns,
	// since a few lines of robots.txt are recorded with every page of a site. A statement beyond
	// it has no Labels, and at most MaxRawBeyond bytes of Raw and of URL.
	MaxRobotsText = 8000
	MaxRawBeyond  = 100
)

// set records a value. The more restrictive one wins.
func (s *Statement) set(value Value, purposes ...Purpose) {
	if value == Unknown {
		return
	}
	for _, p := range purposes {
		if s.Values == nil {
			s.Values = map[Purpose]Value{}
		}
		s.Values[p] = max(s.Values[p], value)
	}
}

// label keeps an unknown label.
func (s *Statement) label(name, value string) {
	if len(s.Labels) < MaxLabels && len(name)+len(value) <= 100 {
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[name] = value
	}
}

// clipped returns the statement with texts of limited length.
func (s Statement) clipped() Statement { return s.clippedAt(MaxRaw) }

func (s Statement) clippedAt(most int) Statement {
	s.Raw, s.URL = clip.Text(s.Raw, most), clip.Text(s.URL, most)
	return s
}

// textSize returns the bytes that MaxRobotsText limits.
func (s *Statement) textSize() int {
	n := len(s.Raw) + len(s.URL)
	for name, value := range s.Labels {
		n += len(name) + len(value)
	}
	return n
}

// collector collects the statements of one call.
type collector struct {
	list []Statement
	text int              // bytes of the statements of robots.txt
	seen map[valueOf]bool // used beyond MaxStatements
}

type valueOf struct {
	purpose Purpose
	value   Value
}

func (c *collector) add(s Statement) {
	if len(c.list) >= MaxStatements && !c.isNew(&s) {
		return
	}
	s = s.clipped()
	if s.Source.Kind == InRobots {
		if size := s.textSize(); c.text+size <= MaxRobotsText {
			c.text += size
		} else {
			s = s.clippedAt(MaxRawBeyond)
			s.Labels = nil
		}
	}
	c.list = append(c.list, s)
}

// isNew reports whether a statement has a value that no statement in the list has.
func (c *collector) isNew(s *Statement) bool {
	if c.seen == nil {
		c.seen = map[valueOf]bool{}
		for i := range c.list {
			c.note(&c.list[i])
		}
	}
	before := len(c.seen)
	c.note(s)
	return len(c.seen) > before
}

func (c *collector) note(s *Statement) {
	for p, v := range s.Values {
		c.seen[valueOf{p, v}] = true
	}
}
