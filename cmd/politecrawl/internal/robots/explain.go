package robots

import (
	"fmt"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// An explanation is the part of an answer that --explain adds.
type explanation struct {
	Path    string        `json:"path"`                  // as it was compared with the rules
	Token   string        `json:"token"`                 // the token of the agent that selected the group; "*"; empty if no group applies
	Lines   []int         `json:"group_lines,omitempty"` // the User-agent lines that name it, one in each part of it
	Rules   int           `json:"rules"`                 // of the group
	Matches []matchOutput `json:"matches"`
	Because reason        `json:"reason"`
	Fetch   *fetchOutput  `json:"fetch,omitempty"`     // nil if the user gave the file
	Age     *int64        `json:"age_ms,omitempty"`    // since the fetch
	Cut     bool          `json:"truncated,omitempty"` // only the beginning of the file was read
}

// A matchOutput is a rule that matches. The first decides.
type matchOutput struct {
	Line    int    `json:"line"`
	Length  int    `json:"length"`
	Rule    string `json:"rule"`
	Pattern string `json:"pattern"` // of the rule, in the form in which it is compared
}

// A reason is the reason for a verdict in one word.
type reason string

const (
	becauseLongest     reason = "longest"     // the longest matching rule decides
	becauseTie         reason = "tie"         // one of the longest matching rules allows
	becauseOnly        reason = "only"        // one rule matches
	becauseNoRule      reason = "no-rule"     // no rule matches
	becauseNoGroup     reason = "no-group"    // no group applies
	becauseNoFile      reason = "no-file"     // there is no robots.txt
	becauseRobots      reason = "robots.txt"  // robots.txt itself is always allowed
	becauseUnreachable reason = "unreachable" // robots.txt is unreachable
)

// A lineFinder caches the lines of groups, since finding them reads the file again.
type lineFinder map[*robotstxt.Group][]int

func (l lineFinder) of(g *robotstxt.Group) []int {
	lines, ok := l[g]
	if !ok {
		if len(l) >= 1000 {
			clear(l) // or it would keep the files of all sites in memory
		}
		lines = g.Lines()
		l[g] = lines
	}
	return lines
}

// explain returns the explanation of the verdict about a URL.
func (r ruling) explain(rawURL string, a agent, finder lineFinder) *explanation {
	x := &explanation{Matches: []matchOutput{}, Because: becauseNoFile, Cut: r.cut()}
	if rec := r.record; rec != nil {
		age := time.Since(rec.FetchedAt).Milliseconds()
		x.Fetch, x.Age = fetchOf(rec), &age
		if r.blocked() != "" {
			x.Fetch.RetryAt = time.Time{} // another try would be refused too
		}
	}
	file := r.file
	if file == nil {
		file = robotstxt.Parse(nil, nil)
	}
	e := file.Explain(rawURL, a.names()...)
	x.Path, x.Token, x.Rules = secret.RedactText(e.Path), e.Token, len(e.Group.Rules())
	if r.file != nil {
		x.Lines = finder.of(e.Group)
	}
	for _, m := range e.Matches {
		x.Matches = append(x.Matches, matchOutput{m.Line, m.Length, secret.RedactText(m.String()), secret.RedactText(m.Canonical)})
	}
	switch {
	case r.later():
		x.Because = becauseUnreachable
	case r.file != nil:
		x.Because = reasonOf(&e)
	}
	return x
}

// reasonOf returns the reason of the verdict of a file.
func reasonOf(e *robotstxt.Explanation) reason {
	switch m := e.Matches; {
	case e.Exempt:
		return becauseRobots
	case e.Token == "":
		return becauseNoGroup
	case len(m) == 0:
		return becauseNoRule
	case len(m) == 1:
		return becauseOnly
	case m[0].Allow:
		for _, other := range m[1:] {
			if other.Length == m[0].Length && !other.Allow {
				return becauseTie
			}
		}
	}
	return becauseLongest
}

// text returns the explanation as text below the answer.
func (x *explanation) text(paint cli.Painter, ans answer, a agent) string {
	p := &explainPage{cli.Page{Paint: paint}}
	switch x.Because {
	case becauseNoFile:
		p.line("rules", "none; everything is allowed")
	case becauseUnreachable:
		p.line("rules", "unknown; no URL may be fetched now")
	default:
		p.line("group", x.group(ans.Group, a))
		p.line("path", cli.Escape(x.Path))
		p.matches(x)
	}
	if x.Fetch == nil {
		p.line("robots.txt", "read from "+cli.Escape(cli.InputName(ans.RobotsURL))+", not fetched")
	} else {
		p.fetch(x)
	}
	if x.Cut {
		p.line("", paint(cli.Yellow, cutOff))
	}
	return p.String()
}

// group says which group was chosen and why.
func (x *explanation) group(name string, a agent) string {
	switch {
	case x.Token == "" && len(a) == 0:
		return "none, the file has no group *"
	case x.Token == "":
		return fmt.Sprintf("none, the file names neither %s nor *", strings.Join(a, " nor "))
	case len(a) == 0:
		return "*" + x.groupLines() + ", for all crawlers that no other group names"
	case x.Token == "*":
		return fmt.Sprintf("*%s, since no group names %s", x.groupLines(), strings.Join(a, " or "))
	case len(a) > 1:
		return fmt.Sprintf("%s, the first of %s that the file names%s", name, strings.Join(a, ", "), x.groupLines())
	}
	return name + ", which the file names" + x.groupLines()
}

// groupLines returns the lines of the group in the file.
func (x *explanation) groupLines() string {
	switch len(x.Lines) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" (line %d)", x.Lines[0])
	}
	return fmt.Sprintf(" (lines %s, merged)", lineList(x.Lines, matchesOutput))
}

// An explainPage is the text of an explanation.
type explainPage struct{ cli.Page }

// line writes a line with its heading. An empty heading continues the last one.
func (p *explainPage) line(heading, text string) {
	p.Printf("    %s  %s\n", p.Paint(cli.Faint, fmt.Sprintf("%-10s", heading)), text)
}

// matchesOutput is the maximum number of matching rules in text.
const matchesOutput = 10

func (p *explainPage) matches(x *explanation) {
	switch {
	case x.Because == becauseRobots:
		p.line("rules", "not used: /robots.txt is always allowed")
		return
	case x.Rules == 0 && x.Token != "":
		p.line("rules", "the group has none; everything is allowed")
		return
	case len(x.Matches) == 0 && x.Token != "":
		p.line("rules", fmt.Sprintf("no match in %s; the URL is allowed", humanize.Count(x.Rules, "rule")))
		return
	}
	for i, m := range x.Matches {
		if i == matchesOutput {
			p.line("", fmt.Sprintf("and %d more that match", len(x.Matches)-i))
			return
		}
		heading, tint, more := "", cli.Plain, ""
		if _, written, _ := strings.Cut(m.Rule, ": "); written != m.Pattern {
			more = "  (" + m.Pattern + ")"
		}
		if i == 0 {
			heading, tint, more = "rules", cli.Red, more+"  decides, "+x.Because.words()
			if strings.HasPrefix(m.Rule, "Allow") {
				tint = cli.Green
			}
		}
		p.line(heading, fmt.Sprintf("line %d, length %d: %s%s", m.Line, m.Length, p.Paint(tint, cli.Escape(m.Rule)), more))
	}
}

// words says why the first matching rule decides.
func (r reason) words() string {
	switch r {
	case becauseOnly:
		return "the only match"
	case becauseTie:
		return "the longest match, and allow wins"
	default:
		return "the longest match"
	}
}

func (p *explainPage) fetch(x *explanation) {
	f := x.Fetch
	answer := f.Outcome
	if x.Because == becauseUnreachable && f.RetryAt.IsZero() {
		answer = "blocked address"
	}
	if f.Status != 0 {
		answer = fmt.Sprintf("status %d, %s", f.Status, f.Outcome)
	}
	if x.Because == becauseNoFile && f.Error != "" {
		answer += ", " + f.Error
	}
	p.line("robots.txt", cli.Escape(strings.Join(f.Chain, " → "))+": "+answer)
	if x.Because == becauseUnreachable && f.RetryAt.IsZero() {
		return // a blocked address was not requested
	}
	fetched := fmt.Sprintf("fetched %s, %s ago", humanize.Time(f.FetchedAt), humanize.ShortDuration(time.Duration(*x.Age)*time.Millisecond))
	if x.Because == becauseUnreachable {
		p.line("", fetched)
		p.line("", fmt.Sprintf("failing since %s, next retry %s", humanize.Time(f.FailingSince), humanize.Time(f.RetryAt)))
		return
	}
	p.line("", fetched+", valid until "+humanize.Time(f.ExpiresAt))
}
