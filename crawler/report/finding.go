package report

import (
	"fmt"
	"strings"
)

// A Finding is a sentence of what to know first.
type Finding struct {
	Topic string `json:"topic"` // pages, broken, robots or sitemaps
	Level Level  `json:"level"`
	Count int    `json:"count"` // of what the sentence is about
	Text  string `json:"text"`
}

// The topics, in the order of the questions of a report. They are the anchors of its page.
const (
	topicPages    = "pages"
	topicBroken   = "broken"
	topicRobots   = "robots"
	topicSitemaps = "sitemaps"
)

// A Level is how much a finding matters.
type Level string

// The levels.
const (
	Bad  Level = "bad"  // it should be mended
	Warn Level = "warn" // it may be meant, or not
	Good Level = "good" // all is well
	Note Level = "note" // good to know
)

// findings says what to know first.
func findings(r *Report) []Finding {
	list := &findingList{found: []Finding{}}
	list.pages(r)
	list.broken(r)
	list.robots(r)
	list.sitemaps(&r.Sitemaps)
	return list.found
}

// findingList collects findings.
type findingList struct {
	topic string
	found []Finding
}

// add adds a finding, unless the count of what it is about is zero.
func (n *findingList) add(level Level, count int, format string, args ...any) {
	if count != 0 {
		n.found = append(n.found, Finding{n.topic, level, count, fmt.Sprintf(format, args...)})
	}
}

// silent reports whether the topic has no finding.
func (n *findingList) silent() bool {
	return len(n.found) == 0 || n.found[len(n.found)-1].Topic != n.topic
}

func (n *findingList) pages(r *Report) {
	n.topic = topicPages
	switch s := r.Summary; s.State {
	case Stopped:
		n.add(Warn, s.Left, "the crawl is not finished: %s had still to be fetched", quantity(s.Left, "URL"))
	case Running:
		n.add(Warn, 1, "the crawl is still running")
	case Unknown:
		n.add(Warn, 1, "it is not known whether the crawl came to its end")
	}
	if r.Summary.Pages == 0 {
		n.add(Bad, 1, "no page was fetched")
	}
	limits := make([]string, len(r.CutBy.Rows))
	for i, limit := range r.CutBy.Rows {
		limits[i] = named(brief(limit.Name), limit.Count)
	}
	n.add(Bad, len(r.Lost), "%s something of what the crawl wrote: see the notes", subject(len(r.Lost), "file", "has lost", "have lost"))
	n.add(Warn, r.Rejected.RefusedStarts, "%s not asked for: an address that is not public has to be allowed with --allow-addr", subject(r.Rejected.RefusedStarts, "start URL", "was", "were"))
	n.add(Warn, r.Cut.Total, "%s cut short by a limit (%s)", subject(r.Cut.Total, "page", "is", "are"), strings.Join(limits, ", "))
	n.add(Note, r.Duplicates.Copies, "%s the same content as another", subject(r.Duplicates.Copies, "page", "has", "have"))
	n.add(Note, r.Directives.Pages, "%s something of crawlers in a header or meta element", subject(r.Directives.Pages, "page", "asks", "ask"))
}

func (n *findingList) broken(r *Report) {
	n.topic = topicBroken
	n.add(Bad, r.Broken.Total, "%s with an error or not at all", subject(r.Broken.Total, "URL", "answers", "answer"))
	if rows := r.Broken.Rows; len(rows) > 0 && rows[0].Links > 1 { // the one that most pages link to
		n.add(Bad, rows[0].Links, "%s to %s", subject(rows[0].Links, "page", "links", "link"), brief(rows[0].URL))
	}
	n.add(Bad, r.Redirects.Loops, "%s in a loop", subject(r.Redirects.Loops, "redirect", "runs", "run"))
	n.add(Bad, r.Redirects.Dead, "%s at no page", subject(r.Redirects.Dead, "redirect", "ends", "end"))
	n.add(Warn, r.Redirects.Long, "%s more than one step", subject(r.Redirects.Long, "redirect", "takes", "take"))
	if n.silent() && r.Summary.Pages > 0 {
		n.add(Good, r.Summary.Pages, "every URL that was asked for has an answer without an error")
	}
}

func (n *findingList) robots(r *Report) {
	n.topic = topicRobots
	hosts := make(map[string]int) // by outcome
	for _, o := range r.Robots.Outcomes {
		hosts[o.Name] = o.Count
	}
	refused, down := hosts[refusedOutcome], hosts["unreachable"]
	n.add(Warn, refused, "the robots.txt of %s redirects to an address that is not public and not allowed", quantity(refused, "host"))
	n.add(Bad, down, "the robots.txt of %s could not be read", quantity(down, "host"))
	if down == 0 {
		n.add(Warn, r.Robots.Outages, "%s of a robots.txt that passed", quantity(r.Robots.Outages, "outage"))
	}
	since := " while the crawl went on"
	if r.Summary.Round > 0 {
		since = " since the crawl before this one"
	}
	n.add(Note, r.Robots.Changes, "%s in a robots.txt%s", quantity(r.Robots.Changes, "change"), since)
	rules := r.Rejected.Rules
	n.add(Note, rules.Total, "%s URLs away", subject(rules.Total, "line", "keeps", "keep"))
	if len(rules.Rows) > 0 {
		most := rules.Rows[0]
		n.add(Note, most.URLs, "the most by “%s”, line %d of %s: %s", brief(most.Rule), most.Line, brief(most.RobotsURL), quantity(most.URLs, "URL"))
	}
	if n.silent() && r.Summary.Pages > 0 {
		n.add(Good, 1, "robots.txt kept nothing away")
	}
}

func (n *findingList) sitemaps(s *Sitemaps) {
	n.topic = topicSitemaps
	switch {
	case s.URLs == 0 && len(s.Inconclusive) > 0:
		n.add(Warn, 1, "no sitemap lists a page, as far as is known: %s", s.Inconclusive[0])
		return
	case s.URLs == 0:
		n.add(Note, 1, "no sitemap lists a page")
		return
	}
	var doubtful []string
	for _, k := range s.Kinds {
		level := Bad
		switch k.Kind {
		case kindNotLinked, kindNotListed:
			level = Warn
		case kindNotFetched:
			level = Note
		}
		n.add(level, k.URLs.Total, "%s %s", quantity(k.URLs.Total, "URL"), k.Title)
		if len(k.Inconclusive) > 0 {
			doubtful = append(doubtful, k.Kind)
		}
	}
	if n.silent() {
		n.add(Good, s.Fine, "all that the sitemaps list is there, and all that is there is listed")
	}
	if len(doubtful) == len(s.Kinds) {
		n.add(Warn, len(doubtful), "inconclusive: %s", s.Kinds[0].Inconclusive[0])
	} else {
		n.add(Note, len(doubtful), "inconclusive as to %s", strings.Join(doubtful, ", "))
	}
}
