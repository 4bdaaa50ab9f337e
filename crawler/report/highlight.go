package report

import (
	"fmt"
	"slices"
	"strings"
)

// A Highlight is one of the main results.
type Highlight struct {
	Topic string `json:"topic"` // pages, broken, robots or sitemaps
	Level Level  `json:"level"`
	Count int    `json:"count"` // number of URLs, pages or files in the text
	Text  string `json:"text"`
}

// The topics, in the order of the report. They are anchors of its page.
const (
	topicPages    = "pages"
	topicBroken   = "broken"
	topicRobots   = "robots"
	topicSitemaps = "sitemaps"
)

// A Level is the severity of a highlight.
type Level string

// The levels.
const (
	Error   Level = "error"   // should be fixed
	Warning Level = "warning" // may be intended
	OK      Level = "ok"      // no problem found
	Info    Level = "info"
)

var levels = map[Severity]Level{SeverityError: Error, SeverityWarning: Warning, SeverityNotice: Info}

// highlights returns the main results.
func highlights(r *Report) []Highlight {
	list := &highlightList{found: []Highlight{}}
	list.pages(r)
	list.broken(r)
	list.robots(r)
	list.sitemaps(r)
	return list.found
}

// highlightList collects highlights.
type highlightList struct {
	topic string
	found []Highlight
}

// addRules adds a highlight for each rule of a topic that has findings.
func (n *highlightList) addRules(r *Report, topic string) {
	for _, f := range r.Findings {
		if f.Topic == topic && f.ID != brokenLink && f.ID != robotsUnreachable {
			n.add(levels[f.Severity], f.Total, "%s", named(f.Title, f.Total))
		}
	}
}

// add adds a highlight, unless the count is zero.
func (n *highlightList) add(level Level, count int, format string, args ...any) {
	if count != 0 {
		n.found = append(n.found, Highlight{n.topic, level, count, fmt.Sprintf(format, args...)})
	}
}

// empty reports whether the topic has no highlight.
func (n *highlightList) empty() bool {
	return len(n.found) == 0 || n.found[len(n.found)-1].Topic != n.topic
}

func (n *highlightList) pages(r *Report) {
	n.topic = topicPages
	switch s := r.Summary; s.State {
	case Stopped:
		n.add(Warning, s.Remaining, "the crawl is not finished: %s", subject(s.Remaining, "URL", "remains", "remain"))
	case Running:
		n.add(Warning, 1, "the crawl is still running")
	case Unknown:
		n.add(Warning, 1, "it is not known whether the crawl finished")
	}
	if r.Summary.Pages == 0 {
		n.add(Error, 1, "no page was fetched")
	}
	limits := make([]string, len(r.LimitsReached.Rows))
	for i, limit := range r.LimitsReached.Rows {
		limits[i] = named(brief(limit.Name), limit.Count)
	}
	lost := lostFiles(r.Lost)
	n.add(Error, lost, "%s data: see the notes", subject(lost, "file", "has lost", "have lost"))
	n.add(Warning, r.Rejected.BlockedStartURLs, "%s not requested: allow addresses that are not public with --allow-addr", subject(r.Rejected.BlockedStartURLs, "start URL", "was", "were"))
	n.add(Warning, r.Truncated.Total, "%s truncated by a limit (%s)", subject(r.Truncated.Total, "page", "was", "were"), strings.Join(limits, ", "))
	n.addRules(r, topicPages)
	n.addRules(r, topicCanonical)
	n.addRules(r, topicHreflang)
	n.add(Info, r.Duplicates.Copies, "%s the same content as another", subject(r.Duplicates.Copies, "page", "has", "have"))
	n.add(Info, r.Permissions.Withheld, "%s withheld because of a purpose of the crawl", subject(r.Permissions.Withheld, "page", "is", "are"))
	n.add(Info, r.Permissions.Contradicted, "%s statements about use that contradict each other", subject(r.Permissions.Contradicted, "page", "has", "have"))
	n.add(Info, r.Directives.Pages, "%s robots directives in a header or meta element", subject(r.Directives.Pages, "page", "has", "have"))
}

func (n *highlightList) broken(r *Report) {
	n.topic = topicBroken
	broken := r.Summary.Broken
	n.add(Error, broken, "%s broken (status 4xx, 5xx or no response)", subject(broken, "URL", "is", "are"))
	for _, f := range r.Findings {
		if f.ID == brokenLink && len(f.Rows) > 0 && f.Rows[0].Pages > 1 { // the one that most pages link to
			n.add(Error, f.Rows[0].Pages, "%s to the broken URL %s", subject(f.Rows[0].Pages, "page", "links", "link"), brief(f.Rows[0].URL))
		}
	}
	n.addRules(r, topicLinks)
	n.addRules(r, topicExternal)
	n.addRules(r, topicAssets)
	n.add(Error, r.Redirects.Loops, "%s", quantity(r.Redirects.Loops, "redirect loop"))
	n.add(Error, r.Redirects.DeadEnds, "%s without a page", subject(r.Redirects.DeadEnds, "redirect chain", "ends", "end"))
	n.add(Warning, r.Redirects.Long, "%s more than one redirect", subject(r.Redirects.Long, "redirect chain", "has", "have"))
	if n.empty() && r.Summary.Pages > 0 {
		n.add(OK, r.Summary.Pages, "no requested URL is broken")
	}
}

func (n *highlightList) robots(r *Report) {
	n.topic = topicRobots
	hosts := make(map[string]int) // by outcome
	for _, o := range r.Robots.Outcomes {
		hosts[o.Name] = o.Count
	}
	blocked, down := hosts[blockedOutcome], hosts["unreachable"]
	n.add(Warning, blocked, "the robots.txt of %s redirects to an address that is not public and not allowed", quantity(blocked, "origin"))
	n.add(Error, down, "the robots.txt of %s could not be fetched", quantity(down, "origin"))
	if down == 0 {
		n.add(Warning, r.Robots.Outages, "%s of a robots.txt", quantity(r.Robots.Outages, "temporary outage"))
	}
	since := "during the crawl"
	if r.Summary.Recrawls > 0 {
		since = "since the previous crawl"
	}
	n.add(Info, r.Robots.Changes, "%s in a robots.txt %s", quantity(r.Robots.Changes, "change"), since)
	rules := r.Rejected.Rules
	n.add(Info, rules.Total, "%s URLs", subject(rules.Total, "robots.txt line", "disallows", "disallow"))
	if len(rules.Rows) > 0 {
		most := rules.Rows[0]
		n.add(Info, most.URLs, "most by “%s”, line %d of %s: %s", brief(most.Rule), most.Line, brief(most.RobotsURL), quantity(most.URLs, "URL"))
	}
	n.addRules(r, topicRobots)
	if n.empty() && r.Summary.Pages > 0 {
		n.add(OK, 1, "robots.txt disallowed no URL")
	}
}

func (n *highlightList) sitemaps(r *Report) {
	n.topic = topicSitemaps
	n.addRules(r, topicSitemaps)
	switch s := r.Sitemaps; {
	case s.URLs == 0 && len(s.Caveats) > 0:
		n.add(Warning, 1, "no sitemap entries found, but some may be missing: %s", s.Caveats[0])
		return
	case s.URLs == 0:
		n.add(Info, 1, "no sitemap lists a page")
		return
	}
	if n.empty() {
		n.add(OK, r.Sitemaps.OK, "the sitemaps match the site")
	}
	var uncertain, reasons []string
	all := true
	for _, f := range r.Findings {
		switch {
		case f.Topic != topicSitemaps:
		case len(f.Caveats) == 0:
			all = false
		default:
			uncertain = append(uncertain, f.Title)
			for _, reason := range f.Caveats {
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
		}
	}
	why := strings.Join(reasons, "; ")
	if all {
		n.add(Warning, len(uncertain), "results may be incomplete: %s", why)
	} else {
		n.add(Info, len(uncertain), "these results may be incomplete (%s): %s", why, strings.Join(uncertain, "; "))
	}
}
