package report

import (
	"fmt"
	"strings"
)

// A Finding is a sentence of what to know first.
type Finding struct {
	Topic Topic  `json:"topic"`
	Level Level  `json:"level"`
	Count int    `json:"count"` // of what the sentence is about
	Text  string `json:"text"`
}

// A Topic is one of the questions that a report answers.
type Topic string

// The topics, in the order of their questions.
const (
	OnPages    Topic = "pages"    // what is there?
	OnBroken   Topic = "broken"   // what is broken?
	OnRobots   Topic = "robots"   // what did robots.txt keep the crawl from?
	OnSitemaps Topic = "sitemaps" // do the sitemaps tell the truth?
)

// A Level is how much a finding matters.
type Level string

// The levels.
const (
	Bad  Level = "bad"  // it ought to be mended
	Warn Level = "warn" // it may be meant, or not
	Good Level = "good" // all is well
	Note Level = "note" // good to know
)

// findings says what to know first.
func findings(r *Report) []Finding {
	list := &notables{found: []Finding{}}
	list.onPages(r)
	list.onBroken(r)
	list.onRobots(r)
	list.onSitemaps(&r.Sitemaps)
	return list.found
}

// notables collects findings.
type notables struct {
	topic Topic
	found []Finding
}

// add notes a finding, unless there is none of what it is about.
func (n *notables) add(level Level, count int, format string, args ...any) {
	if count != 0 {
		n.found = append(n.found, Finding{n.topic, level, count, fmt.Sprintf(format, args...)})
	}
}

// silent tells whether nothing was found on the topic.
func (n *notables) silent() bool {
	return len(n.found) == 0 || n.found[len(n.found)-1].Topic != n.topic
}

func (n *notables) onPages(r *Report) {
	n.topic = OnPages
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
	n.add(Bad, len(r.Lost), "%s something of what the crawl wrote: see the notes", subject(len(r.Lost), "file", "has lost", "have lost"))
	n.add(Warn, r.Rejected.RefusedStarts, "%s not asked for: an address that is not public has to be allowed with --allow-addr", subject(r.Rejected.RefusedStarts, "start URL", "was", "were"))
	n.add(Warn, r.Cut.Total, "%s cut short by a limit%s", subject(r.Cut.Total, "page", "is", "are"), limitsText(r.CutBy.Rows))
	n.add(Note, r.Duplicates.Copies, "%s the same content as another", subject(r.Duplicates.Copies, "page", "has", "have"))
	n.add(Note, r.Directives.Pages, "%s something of crawlers in a header or meta element", subject(r.Directives.Pages, "page", "asks", "ask"))
}

// limitsText names limits with their counts, in parentheses.
func limitsText(limits []Count) string {
	texts := make([]string, len(limits))
	for i, limit := range limits {
		texts[i] = brief(limit.Name) + ": " + thousands(limit.Count)
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

func (n *notables) onBroken(r *Report) {
	n.topic = OnBroken
	failed, links := 0, 0
	for _, b := range r.Broken.Rows {
		links = max(links, b.Links)
		if b.Status == 0 {
			failed++
		}
	}
	n.add(Bad, r.Broken.Total, "%s with an error or not at all", subject(r.Broken.Total, "URL", "answers", "answer"))
	if links > 1 {
		n.add(Bad, links, "%s to %s", subject(links, "page", "links", "link"), brief(r.Broken.Rows[0].URL))
	}
	n.add(Bad, r.Redirects.Loops, "%s in a loop", subject(r.Redirects.Loops, "redirect", "runs", "run"))
	n.add(Bad, r.Redirects.Dead, "%s at no page", subject(r.Redirects.Dead, "redirect", "ends", "end"))
	n.add(Warn, r.Redirects.Long, "%s more than one step", subject(r.Redirects.Long, "redirect", "takes", "take"))
	if n.silent() && r.Summary.Pages > 0 {
		n.add(Good, r.Summary.Pages, "every URL that was asked for has an answer without an error")
	}
}

func (n *notables) onRobots(r *Report) {
	n.topic = OnRobots
	down, refused := 0, 0
	for _, o := range r.Robots.Outcomes {
		switch o.Name {
		case "unreachable":
			down = o.Count
		case refusedOutcome:
			refused = o.Count
		}
	}
	n.add(Warn, refused, "the robots.txt of %s redirects to an address that is not public and not allowed", quantity(refused, "host"))
	n.add(Bad, down, "the robots.txt of %s could not be read", quantity(down, "host"))
	if down == 0 {
		n.add(Warn, r.Robots.Outages, "%s of a robots.txt that passed", quantity(r.Robots.Outages, "outage"))
	}
	n.add(Note, r.Robots.Changes, "%s in a robots.txt%s", quantity(r.Robots.Changes, "change"), since(r.Summary.Round))
	n.add(Note, r.Rejected.Rules.Total, "%s URLs away", subject(r.Rejected.Rules.Total, "line", "keeps", "keep"))
	if len(r.Rejected.Rules.Rows) > 0 {
		most := r.Rejected.Rules.Rows[0]
		n.add(Note, most.URLs, "the most by “%s”, line %d of %s: %s", brief(most.Rule), most.Line, brief(most.RobotsURL), quantity(most.URLs, "URL"))
	}
	if n.silent() && r.Summary.Pages > 0 {
		n.add(Good, 1, "robots.txt kept nothing away")
	}
}

// since says from when on changes are told.
func since(round int) string {
	if round == 0 {
		return " while the crawl went on"
	}
	return " since the crawl before this one"
}

func (n *notables) onSitemaps(s *Sitemaps) {
	n.topic = OnSitemaps
	switch {
	case s.URLs == 0 && len(s.Inconclusive) > 0:
		n.add(Warn, 1, "no sitemap lists a page, as far as is known: %s", s.Inconclusive[0])
		return
	case s.URLs == 0:
		n.add(Note, 1, "no sitemap lists a page")
		return
	}
	levels := map[Kind]Level{NotLinked: Warn, NotListed: Warn, NotFetched: Note}
	var doubts []string
	for _, k := range s.Kinds {
		level, ok := levels[k.Kind]
		if !ok {
			level = Bad
		}
		n.add(level, k.URLs.Total, "%s %s", quantity(k.URLs.Total, "URL"), k.Title)
		if len(k.Inconclusive) > 0 {
			doubts = append(doubts, string(k.Kind))
		}
	}
	if n.silent() {
		n.add(Good, s.Fine, "all that the sitemaps list is there, and all that is there is listed")
	}
	switch {
	case len(doubts) == len(s.Kinds):
		n.add(Warn, len(doubts), "inconclusive: %s", s.Kinds[0].Inconclusive[0])
	default:
		n.add(Note, len(doubts), "inconclusive as to %s", strings.Join(doubts, ", "))
	}
}

// subject is a number of things as the subject of a sentence, with the verb in its
// two forms.
func subject(n int, thing, one, many string) string {
	if n == 1 {
		return quantity(n, thing) + " " + one
	}
	return quantity(n, thing) + " " + many
}

// brief shortens what stands in a sentence.
func brief(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
