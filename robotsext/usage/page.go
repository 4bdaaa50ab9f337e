package usage

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/weblink"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// maxLink limits the bytes of a Link header that are parsed.
const maxLink = 64 << 10

// FromHeader returns the statements of response headers about the content of the
// response: Content-Usage, X-Robots-Tag, Robots-Tag, TDM-Reservation with TDM-Policy, and
// Link to a license file. Tokens are the crawler's product tokens. An unavailable_after
// before now counts as noindex.
func FromHeader(h http.Header, tokens []string, now time.Time) []Statement {
	var c collector
	if lines := h["Content-Usage"]; len(lines) > 0 {
		s := Statement{Kind: KindContentUsage, Source: Source{Kind: InHeader, Name: "Content-Usage"}, Raw: strings.Join(lines, ", ")}
		s.setUsage(robotstxt.ParseUsage(s.Raw))
		c.add(s)
	}
	if len(h["X-Robots-Tag"])+len(h["Robots-Tag"]) > 0 {
		d := robotstag.New(tokens...)
		d.Header(h)
		c.rules(d, now, func(source robotstag.Source) Statement {
			kind := KindXRobotsTag
			if source.Field == "Robots-Tag" {
				kind = KindRobotsTag
			}
			return Statement{Kind: kind, Source: Source{Kind: InHeader, Name: source.Field, Line: source.Line}, Raw: h[source.Field][source.Line-1]}
		})
	}
	for i, line := range h["Tdm-Reservation"] {
		c.add(tdmrepStatement(Source{Kind: InHeader, Name: "TDM-Reservation", Line: i + 1}, line, line, h.Get("Tdm-Policy")))
	}
	for i, line := range h["Link"] {
		if len(line) > maxLink || !strings.Contains(line, "rsl") && !strings.Contains(line, "RSL") {
			continue // most pages have links, few to a license
		}
		for link := range weblink.Parse(line) {
			kind, _, _ := strings.Cut(link.Type, ";")
			isLicense := func(rel string) bool { return strings.EqualFold(rel, "license") }
			if strings.EqualFold(strings.TrimSpace(kind), "application/rsl+xml") && slices.ContainsFunc(strings.Fields(link.Rel), isLicense) && !link.Anchor {
				c.add(Statement{Kind: KindRSL, Source: Source{Kind: InHeader, Name: "Link", Line: i + 1}, Raw: line, URL: link.Target})
			}
		}
	}
	return c.list
}

// FromMeta returns the statements of the meta elements of a page: robots, the crawler's
// product tokens, and tdm-reservation with tdm-policy. Pass all meta elements at once, as
// structs of any type with these fields. Tokens and now are as in FromHeader.
func FromMeta[M ~struct{ Name, Content string }](metas []M, tokens []string, now time.Time) []Statement {
	var c collector
	var d *robotstag.Directives
	var names, contents []string // of the elements that d has read
	var reservations []string
	policy := ""
	for _, m := range metas {
		element := struct{ Name, Content string }(m)
		name, content := strings.TrimSpace(element.Name), element.Content
		isName := func(token string) bool { return strings.EqualFold(name, token) }
		switch {
		case isName("robots") || slices.ContainsFunc(tokens, isName):
			if d == nil {
				d = robotstag.New(tokens...)
			}
			d.Meta(name, content)
			names, contents = append(names, name), append(contents, content)
		case isName("tdm-reservation"):
			reservations = append(reservations, content)
		case isName("tdm-policy") && policy == "":
			policy = strings.TrimSpace(content)
		}
	}
	if d != nil {
		c.rules(d, now, func(source robotstag.Source) Statement {
			i := source.Line - 1
			return Statement{Kind: KindRobotsMeta, Source: Source{Kind: InMeta, Name: names[i], Line: source.Line}, Raw: contents[i]}
		})
	}
	for i, content := range reservations {
		c.add(tdmrepStatement(Source{Kind: InMeta, Name: "tdm-reservation", Line: i + 1}, content, content, policy))
	}
	return c.list
}

// rules adds a statement for each header line or meta element with a rule that bears on
// use. Begin returns the statement without values.
func (c *collector) rules(d *robotstag.Directives, now time.Time, begin func(robotstag.Source) Statement) {
	var s Statement
	var at robotstag.Source
	flush := func() {
		if s.Kind != "" {
			c.add(s)
		}
	}
	for _, rule := range d.Rules() {
		purposes, bears := forbids(&rule, now)
		if !bears {
			continue
		}
		if rule.Source.Field != at.Field || rule.Source.Line != at.Line {
			flush()
			s, at = begin(rule.Source), rule.Source
		}
		s.set(Disallowed, purposes...)
	}
	flush()
}

// forbids returns the purposes that a rule forbids. Bears reports whether the rule
// concerns a purpose at all: a limit above zero and a date to come forbid nothing.
func forbids(r *robotstag.Rule, now time.Time) (purposes []Purpose, bears bool) {
	switch r.Name {
	case robotstag.NoIndex, robotstag.None:
		return []Purpose{Search}, true
	case robotstag.UnavailableAfter:
		if !now.After(r.After) {
			return nil, true
		}
		return []Purpose{Search}, true
	case robotstag.NoSnippet:
		return []Purpose{AIInput}, true
	case robotstag.MaxSnippet:
		if r.Limit != 0 {
			return nil, true
		}
		return []Purpose{AIInput}, true
	case robotstag.NoArchive, robotstag.NoCache:
		return []Purpose{Archive}, true
	case robotstag.NoAI, robotstag.NoImageAI:
		return []Purpose{AIInput, TrainAI}, true
	}
	return nil, false
}
