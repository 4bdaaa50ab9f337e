package usage

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// MaxRSLBytes limits a license file. ParseRSL refuses a larger one.
const MaxRSLBytes = 256 << 10

// rslUsages are the usages of RSL. Others, such as ai-index, are unknown labels.
var rslUsages = map[string][]Purpose{
	"all":      Purposes[:],
	"ai-all":   {AIInput, TrainAI},
	"ai-input": {AIInput},
	"ai-train": {TrainAI},
	"search":   {Search},
}

// RSL is a parsed license file of Really Simple Licensing 1.0. It never changes.
type RSL struct{ contents []rslContent }

// rslContent is what an element "content" says about the pages that its URL matches.
type rslContent struct {
	host       string // "" for any
	path       robotstxt.Pattern
	length     int // of the path
	statements []Statement
}

// The elements of a license file.
type (
	rslDocument struct {
		XMLName  xml.Name `xml:"rsl"`
		Contents []struct {
			URL      string       `xml:"url,attr"`
			Server   string       `xml:"server,attr"`
			Licenses []rslLicense `xml:"license"`
		} `xml:"content"`
	}
	rslLicense struct {
		Raw       string    `xml:",innerxml"`
		Permits   []rslTerm `xml:"permits"`
		Prohibits []rslTerm `xml:"prohibits"`
		Payments  []rslTerm `xml:"payment"`
	}
	rslTerm struct {
		Type string `xml:"type,attr"`
		Text string `xml:",chardata"`
	}
)

// ParseRSL parses a license file, with the URL from which it was fetched. It reads only
// what the licenses permit and prohibit; payment and legal terms stay in Statement.Raw.
func ParseRSL(body []byte, location string) (*RSL, error) {
	if len(body) > MaxRSLBytes {
		return nil, fmt.Errorf("license file is larger than %d bytes", MaxRSLBytes)
	}
	var document rslDocument
	if err := xml.Unmarshal(body, &document); err != nil {
		return nil, fmt.Errorf("license file is not RSL: %w", err)
	}
	l := &RSL{}
	source := Source{Kind: InFile, Name: location, Hash: Hash(body)}
	for _, content := range document.Contents {
		path, host := content.URL, ""
		if _, rest, ok := strings.Cut(path, "://"); ok {
			slash := len(rest)
			if i := strings.IndexAny(rest, "/?*"); i >= 0 {
				slash = i
			}
			host, path = rest[:slash], cmp.Or(rest[slash:], "/")
		}
		c := rslContent{host: host, path: robotstxt.NewPattern(path), length: len(path)}
		for _, license := range content.Licenses {
			c.statements = append(c.statements, license.statement(source, content.Server != "").clipped())
		}
		l.contents = append(l.contents, c)
	}
	return l, nil
}

// statement returns what one license says. A permit with a condition, such as a payment,
// a license server or a kind of user, permits nothing by itself. A prohibition for some
// users or countries only prohibits nothing by itself.
func (license *rslLicense) statement(source Source, conditional bool) Statement {
	s := Statement{Kind: KindRSL, Source: source, Raw: strings.Join(strings.Fields(license.Raw), " "), URL: source.Name}
	for _, payment := range license.Payments {
		conditional = conditional || payment.Type != "" && payment.Type != "free"
	}
	for _, permit := range license.Permits {
		conditional = conditional || !permit.isUsage()
	}
	for _, permit := range license.Permits {
		if conditional {
			s.terms(permit, Unknown, "permits")
		} else {
			s.terms(permit, Allowed, "permits")
		}
	}
	for _, prohibit := range license.Prohibits {
		s.terms(prohibit, Disallowed, "prohibits")
	}
	return s
}

func (t *rslTerm) isUsage() bool { return t.Type == "" || t.Type == "usage" }

// terms records a list of usages, which are separated by white space or commas.
func (s *Statement) terms(t rslTerm, value Value, word string) {
	if !t.isUsage() {
		return
	}
	for _, usage := range strings.FieldsFunc(t.Text, func(c rune) bool { return c == ',' || unicode.IsSpace(c) }) {
		purposes, known := rslUsages[strings.ToLower(usage)]
		if !known {
			s.label(usage, word)
		}
		s.set(value, purposes...)
	}
}

// Match returns the statements of the licenses for a page, given by its host and its path
// with the query. The longest URL that matches decides, as in robots.txt.
func (l *RSL) Match(host, pathAndQuery string) []Statement {
	longest := -1
	var found collector
	for i := range l.contents {
		c := &l.contents[i]
		if c.length < longest || c.host != "" && !strings.EqualFold(c.host, host) || !c.path.Match(pathAndQuery) {
			continue
		}
		if c.length > longest {
			longest, found = c.length, collector{}
		}
		for _, s := range c.statements {
			found.add(s)
		}
	}
	return found.list
}
