package robotslint

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// fields checks fields other than User-agent, Allow, Disallow and Sitemap.
func (l *linter) fields() {
	if l.source.html {
		return
	}
	bad := map[int]bool{}
	for _, f := range l.file.Findings {
		bad[f.Line] = true
	}
	for _, e := range l.file.Extensions {
		if bad[e.Line] || l.reported[e.Line] {
			continue
		}
		switch name := strings.ToLower(e.Field); name {
		case "host", "clean-param", "request-rate", "visit-time":
			l.rareField(e, name)
		case "crawl-delay":
		case "content-usage":
			l.usageLine(e)
		case "content-signal":
			l.signalLine(e)
		case "license": // it is for every crawler
			l.license(e)
			continue
		default:
			l.add(e.Line, KindUnknownField, e.Field+": "+e.Value, func() (string, string) { return explainUnknown(e) })
			continue
		}
		if e.Agents == nil && !strings.EqualFold(e.Field, "host") && !strings.EqualFold(e.Field, "clean-param") {
			l.add(e.Line, KindFieldBeforeGroup, e.Field+": "+e.Value, func() (string, string) {
				return fmt.Sprintf("%s is before the first User-agent line and applies to no crawler", e.Field), "move it into a group, after a User-agent line"
			})
		}
	}
}

func explainUnknown(e robotstxt.Extension) (message, fix string) {
	if strings.HasPrefix(e.Value, "//") {
		address := e.Field + ":" + e.Value
		message = "the line has a URL instead of a field, so crawlers skip it"
		if strings.Contains(strings.ToLower(address), "sitemap") || strings.HasSuffix(address, ".xml") {
			return message, "write " + quoteAll("Sitemap: "+address)
		}
		return message, "begin a comment with #; write a rule as Disallow with only the path"
	}
	return fmt.Sprintf("unknown field %s: most crawlers ignore the line", quote(e.Field)), "remove it, or begin the line with # if it is a comment"
}

// rareField reports a field that few crawlers support.
func (l *linter) rareField(e robotstxt.Extension, name string) {
	say := map[string][2]string{
		"host":         {"no crawler supports Host any more; Yandex did until 2018", "remove it, and redirect the other host names to the main one"},
		"clean-param":  {"only Yandex supports Clean-param", "for other crawlers, use <link rel=\"canonical\"> on the pages"},
		"request-rate": {"hardly any crawler supports Request-rate, from a draft of 1996", fmt.Sprintf(`use "Crawl-delay: %s", which more crawlers support, such as Bing`, delayOf(e))},
		"visit-time":   {"hardly any crawler supports Visit-time, from a draft of 1996", "respond with 503 or 429 and Retry-After when the server is busy"},
	}[name]
	l.add(e.Line, KindRareField, e.Field+": "+e.Value, func() (string, string) { return say[0], say[1] })
}

// delayOf returns the seconds between two requests of a Request-rate line.
func delayOf(e robotstxt.Extension) string {
	var delay time.Duration
	for _, rate := range robotstxt.Parse([]byte("User-agent: *\nRequest-rate: "+e.Value), nil).Group("*").RequestRates() {
		delay = rate.Delay()
	}
	return strconv.FormatFloat(delay.Round(time.Millisecond).Seconds(), 'f', -1, 64)
}

// extent is the first and the last block that name an agent.
type extent struct{ first, last int }

// groups checks the User-agent lines.
func (l *linter) groups() {
	s := l.source
	extents := map[string]extent{}
	named := map[string]int{} // the last block with one of the identities
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
			if h, named := extents[agent]; n > 0 && (!named || h.last != i) {
				l.joined(at)
			}
			n++
			if isEverybody(agent) {
				l.add(r.line, Kind(robotstxt.KindBadAgent), r.value, func() (string, string) { return l.explainBadAgent(r) })
			}
			again := true
			for _, name := range identities(r.value) {
				block, ok := named[name]
				again = again && ok && block == i
				named[name] = i
			}
			if agent != "" {
				l.repeated(extents, agent, i, again, r)
			}
		}
		if b.rules == 0 {
			l.emptyGroup(b, ruled)
		}
	}
}

// repeated reports a crawler that is named more than once. Its rules are merged
// (ROB-GRP-09), which some authors do not expect. Again is true if the line names no other
// crawler: after "bot", "bot2" does.
func (l *linter) repeated(extents map[string]extent, agent string, block int, again bool, r *record) {
	before, seen := extents[agent]
	if !seen {
		extents[agent] = extent{block, block}
		return
	}
	extents[agent] = extent{before.first, block}
	first := l.source.records[l.source.blocks[before.first].first].line
	if before.last == block {
		if again {
			l.add(r.line, KindRepeatedAgent, r.value, func() (string, string) {
				return fmt.Sprintf("%s is named twice in one group", quote(r.value)), "remove the line"
			})
		}
		return
	}
	l.add(r.line, KindRepeatedGroup, r.value, func() (string, string) {
		name := quote(r.value)
		if token := agentName(r.value); token != r.value {
			name = fmt.Sprintf("%s, from %s,", token, name)
		}
		return fmt.Sprintf("%s already has a group at line %d: crawlers that follow RFC 9309 merge the two, others read only the first", name, first), "put all its rules into one group"
	})
}

// joined reports User-agent lines that look like separate groups. They form one group
// with the next one, because no rule is between them.
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
	if l.reported[above.line] {
		return // it may have a rule
	}
	l.add(r.line, KindJoinedGroups, r.text, func() (string, string) {
		what := "an empty line"
		if field {
			what = quote(before.name)
		}
		return fmt.Sprintf("%s does not end a group: without an Allow or Disallow between them, the rules below also apply to %s of line %d", what, quote(above.value), above.line),
			fmt.Sprintf(`if you intend that, move the User-agent lines together; if not, add rules below line %d, or "Disallow:", which allows everything`, above.line)
	})
}

// emptyGroup reports groups without rules. Their crawlers may fetch everything, and
// ignore the group of "*" (ROB-UA-08).
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
		if l.reported[line.line] {
			return // there may be rules on it
		}
	}
	l.add(r.line, KindEmptyGroup, r.text, func() (string, string) {
		who := quote(r.value)
		switch {
		case everybody:
			who = "every crawler that no other group names"
		case len(b.agents) > 1:
			who += " and the other crawlers of the group"
		}
		message := fmt.Sprintf("the group has no rules: %s may fetch everything", who)
		if !everybody && ruled["*"] {
			message += ` and ignores the rules of "*"`
		}
		return message, `add "Disallow:" if you intend that, or else the rules`
	})
}
