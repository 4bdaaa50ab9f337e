package permit

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// The verdicts of robots.txt.
const (
	allowed    = "allowed"
	disallowed = "disallowed"
	later      = "later"
)

// A result is what is printed for one URL.
type result struct {
	URL        string            `json:"url"`
	Page       string            `json:"page,omitempty"` // after redirects
	Verdict    string            `json:"verdict"`
	Group      string            `json:"group,omitempty"`
	Rule       string            `json:"rule,omitempty"`
	Line       int               `json:"line,omitempty"`
	Status     int               `json:"status,omitempty"`
	Purposes   []purposeOutput   `json:"purposes"`
	Statements []usage.Statement `json:"statements,omitempty"`
	Errors     []string          `json:"errors,omitempty"`
}

type purposeOutput struct {
	Purpose   usage.Purpose `json:"purpose"`
	Value     usage.Value   `json:"value"`
	Statement int           `json:"statement"` // from 1; 0 if none
}

// readRobots decides by a robots.txt with a hash.
func (p *permit) readRobots(a *result, file *robotstxt.File, hash string, u *url.URL) {
	group := file.Group(p.token)
	a.decide(group, group.Match(u.RequestURI()))
	if a.Verdict == allowed {
		a.Statements = usage.FromRobots(file, group, hash, u.RequestURI())
	}
}

// decide sets what robots.txt says.
func (a *result) decide(group *robotstxt.Group, v robotstxt.Verdict) {
	a.Group = group.Name()
	if !v.Allowed {
		a.Verdict = disallowed
	}
	if v.Rule != nil {
		a.Rule, a.Line = v.Rule.String(), v.Rule.Line
	}
}

// fail adds the error for something that could not be read.
func (a *result) fail(format string, args ...any) {
	a.Errors = append(a.Errors, cli.OneLine(secret.RedactText(fmt.Sprintf(format, args...))))
}

// redact removes user names and passwords, and the page if it is the target itself.
func (a *result) redact(target string) {
	if a.Page == target {
		a.Page = ""
	}
	a.Page, a.Rule = secret.RedactURL(a.Page), secret.RedactText(a.Rule)
	usage.Redact(a.Statements)
}

// text returns the result as text.
func (a *result) text(paint cli.Painter) string {
	tints := map[string]cli.Color{allowed: cli.Green, disallowed: cli.Red, later: cli.Yellow}
	p := cli.Page{Names: len("robots.txt")}
	p.Printf("%s\n", cli.Escape(a.URL))
	if a.Page != "" {
		p.Field("page", "%s", cli.Escape(a.Page))
	}
	p.Field("robots.txt", "%s%s", paint(tints[a.Verdict], a.Verdict), cli.Escape(a.why()))
	for _, text := range a.Errors {
		p.Field("error", "%s", paint(cli.Yellow, cli.Escape(text)))
	}
	if a.Verdict != allowed {
		return p.String()
	}
	for _, o := range a.Purposes {
		if o.Statement == 0 {
			p.Field(string(o.Purpose), "%s", o.Value)
			continue
		}
		by := a.Statements[o.Statement-1].Source.String()
		p.Field(string(o.Purpose), "%s  by %d, %s", paint(tints[o.Value.String()], fmt.Sprintf("%-10s", o.Value)), o.Statement, cli.Escape(by))
	}
	for i := range a.Statements {
		s := &a.Statements[i]
		p.Printf("%4d  %s: %s\n      %s\n", i+1, cli.Escape(s.Source.String()), cli.Escape(cli.OneLine(s.Raw)), cli.Escape(saying(s)))
	}
	return p.String()
}

// why returns the line of robots.txt that decides.
func (a *result) why() string {
	switch {
	case a.Rule != "":
		return fmt.Sprintf(" by line %d, %q in the group %s", a.Line, a.Rule, a.Group)
	case a.Group != "":
		return ": no rule applies in the group " + a.Group
	case a.Verdict == later:
		return ""
	}
	return ": no group applies"
}

// saying returns what a statement says about the purposes.
func saying(s *usage.Statement) string {
	var parts []string
	for _, purpose := range usage.Purposes {
		if v := s.Values[purpose]; v != usage.Unknown {
			parts = append(parts, fmt.Sprintf("%s %s", purpose, v))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing about these purposes"}
	}
	if s.URL != "" {
		parts = append(parts, "see "+s.URL)
	}
	return strings.Join(parts, ", ")
}
