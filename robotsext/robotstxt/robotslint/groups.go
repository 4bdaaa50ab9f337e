package robotslint

import (
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/oddity"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// fields looks at lines that are neither rules nor agents nor sitemaps.
func (l *linter) fields() {
	if l.source.html {
		return
	}
	bad := map[int]bool{}
	for _, f := range l.file.Findings {
		bad[f.Line] = true
	}
	for _, e := range l.file.Extensions {
		if bad[e.Line] || l.spoilt[e.Line] {
			continue
		}
		switch name := strings.ToLower(e.Field); name {
		case "host", "clean-param", "request-rate", "visit-time":
			l.rareField(e, name)
		case "crawl-delay", "content-signal", "content-usage":
		default:
			l.add(e.Line, kindUnknownField, e.Field+": "+e.Value, func() (string, string) { return explainUnknown(e) })
			continue
		}
		if e.Agents == nil && !strings.EqualFold(e.Field, "host") && !strings.EqualFold(e.Field, "clean-param") {
			l.add(e.Line, kindFieldBeforeGroup, e.Field+": "+e.Value, func() (string, string) {
				return fmt.Sprintf("%s stands before the first User-agent line and holds for nobody", e.Field), "move it into a group, after a User-agent line"
			})
		}
	}
}

func explainUnknown(e robotstxt.Extension) (message, fix string) {
	if strings.HasPrefix(e.Value, "//") {
		address := e.Field + ":" + e.Value
		message = "an address stands where a field is expected: crawlers skip the line"
		if strings.Contains(strings.ToLower(address), "sitemap") || strings.HasSuffix(address, ".xml") {
			return message, write("Sitemap: " + address)
		}
		return message, "if it is a comment begin the line with #, if it is a rule write Disallow and the path alone"
	}
	return fmt.Sprintf("%s is not a field that crawlers know: they skip the line", quote(e.Field)), "remove it, or begin the line with # if it is a comment"
}

// rareField tells who reads a field that most crawlers do not.
func (l *linter) rareField(e robotstxt.Extension, name string) {
	say := map[string][2]string{
		"host":         {"nobody reads Host any more: Yandex did until 2018", "remove it; redirect the other host names to the one that is meant"},
		"clean-param":  {"only Yandex reads Clean-param", "for other crawlers, use <link rel=\"canonical\"> on the pages"},
		"request-rate": {"next to no crawler reads Request-rate, from a draft of 1996", `"Crawl-delay: 10" is read by more of them, Bing among them`},
		"visit-time":   {"next to no crawler reads Visit-time, from a draft of 1996", "answer 503 or 429 with Retry-After when the server is busy"},
	}[name]
	l.add(e.Line, kindRareField, e.Field+": "+e.Value, func() (string, string) { return say[0], say[1] })
}

// home is the first and the last of the blocks that name an agent.
type home struct{ first, last int }

// groups looks at the User-agent lines.
func (l *linter) groups() {
	s := l.source
	homes := map[string]home{}
	ruled := map[string]bool{}
	for _, b := range s.blocks {
		for _, a := range b.agents {
			ruled[a] = ruled[a] || b.rules > 0
		}
	}
	for i := range s.blocks {
		b, n := &s.blocks[i], 0
		for at := b.first; n < len(b.agents); at++ {
			r := &s.records[at]
			if r.field != agentField {
				continue
			}
			agent := b.agents[n]
			if h, named := homes[agent]; n > 0 && (!named || h.last != i) {
				l.joined(at)
			}
			n++
			if isEverybody(agent) {
				l.add(r.line, oddity.BadAgent, r.value, func() (string, string) { return explainBadAgent(r.value) })
			}
			if agent != "" {
				l.repeated(homes, agent, i, r)
			}
		}
		if b.rules == 0 {
			l.emptyGroup(b, ruled)
		}
	}
}

// repeated notes that a crawler is named more than once. The rules for it are
// merged (ROB-GRP-09), which not everybody expects.
func (l *linter) repeated(homes map[string]home, agent string, block int, r *record) {
	before, seen := homes[agent]
	if !seen {
		homes[agent] = home{block, block}
		return
	}
	homes[agent] = home{before.first, block}
	first := l.source.records[l.source.blocks[before.first].first].line
	if before.last == block {
		l.add(r.line, kindRepeatedAgent, r.value, func() (string, string) {
			return fmt.Sprintf("%s is named twice in one group", quote(r.value)), "remove the line"
		})
		return
	}
	l.add(r.line, kindRepeatedGroup, r.value, func() (string, string) {
		name := quote(r.value)
		if token := agentName(r.value); token != r.value {
			name = fmt.Sprintf("%s, of %s,", token, name)
		}
		return fmt.Sprintf("%s has a group at line %d already: crawlers that keep to RFC 9309 join the two, others read the first alone", name, first), "put all that is meant for it into one group"
	})
}

// joined finds User-agent lines that look like groups of their own and are one
// group with what follows, since there is no rule between them.
func (l *linter) joined(at int) {
	s := l.source
	r, before := &s.records[at], &s.records[at-1]
	field := before.field == otherField
	if !r.gap && !field {
		return
	}
	previous := at - 1
	for s.records[previous].field != agentField {
		previous--
	}
	above := s.records[previous]
	if l.spoilt[above.line] {
		return // it may have a rule
	}
	l.add(r.line, kindJoinedGroups, r.text, func() (string, string) {
		what := "an empty line"
		if field {
			what = quote(before.name)
		}
		return fmt.Sprintf("%s does not end a group: with no Allow or Disallow between, the rules below hold for %s of line %d too", what, quote(above.value), above.line),
			fmt.Sprintf(`if that is meant, move the User-agent lines together; if not, put the rules that are meant below line %d, or "Disallow:", which forbids nothing`, above.line)
	})
}

// emptyGroup finds groups without rules: whoever they name may fetch everything,
// whatever is said to all others (ROB-UA-08).
func (l *linter) emptyGroup(b *block, ruled map[string]bool) {
	var names []string
	everybody := false
	for _, a := range b.agents {
		if a == "" || ruled[a] {
			continue
		}
		names = append(names, a)
		everybody = everybody || a == "*"
	}
	if len(names) == 0 {
		return
	}
	r := &l.source.records[b.first]
	for _, line := range l.source.records[b.first : b.last+1] {
		if l.spoilt[line.line] {
			return // there may be rules on it
		}
	}
	l.add(r.line, kindEmptyGroup, r.text, func() (string, string) {
		who := quote(r.value)
		switch {
		case everybody:
			who = "every crawler that no other group names"
		case len(b.agents) > 1:
			who += " and the others of its group"
		}
		message := fmt.Sprintf("the group has no rules: %s may fetch everything", who)
		if !everybody && ruled["*"] {
			message += `, and the rules of "*" do not hold for it`
		}
		return message, `write "Disallow:" below it if that is meant, else its rules`
	})
}
