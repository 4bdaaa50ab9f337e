package report

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotslint"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Robots is the robots.txt of every host.
type Robots struct {
	Outcomes []Count          `json:"outcomes"` // hosts by outcome: rules, allow-all, unreachable or refused
	Outages  int              `json:"outages"`
	Changes  int              `json:"changes"`
	Hosts    List[RobotsHost] `json:"hosts"` // those with outages, then those with changes, then those that refused most
}

// A RobotsHost is the robots.txt of one host.
type RobotsHost struct {
	Origin    string    `json:"origin"`
	Outcome   string    `json:"outcome"`          // of the last fetch
	Status    int       `json:"status,omitempty"` // its last answer; 0: none
	Error     string    `json:"error,omitempty"`
	Chain     []string  `json:"chain,omitempty"` // the URLs requested, where there were redirects
	Fetches   int       `json:"fetches"`
	FetchedAt time.Time `json:"fetched_at"` // the last time

	Allowed    int `json:"allowed"` // pages that were fetched
	Disallowed int `json:"disallowed"`
	Later      int `json:"later"`

	Group      string  `json:"group,omitempty"`       // the group that holds for this crawl, by its token; empty: none does
	Rules      int     `json:"rules"`                 // in that group
	CrawlDelay float64 `json:"crawl_delay,omitempty"` // seconds, as the group asks
	Sitemaps   int     `json:"sitemaps"`              // that the file lists
	Oddities   int     `json:"oddities"`              // errors and warnings of package robotslint

	Lint    []Oddity           `json:"lint"` // the first of these
	Outages List[Outage]       `json:"outages"`
	Changes List[RobotsChange] `json:"changes"`
}

// An Oddity is a line of a robots.txt that may not do what it was written for.
type Oddity struct {
	Line     int                 `json:"line"`
	Severity robotslint.Severity `json:"severity"`
	Message  string              `json:"message"`
	Fix      string              `json:"fix,omitempty"`
}

// An Outage is a time in which a robots.txt could not be read.
type Outage struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to,omitzero"` // zero: it was not over when the crawl was
	Tries  int       `json:"tries"`
	Status int       `json:"status,omitempty"`
	Error  string    `json:"error,omitempty"`
}

// A RobotsChange is what became another thing between two fetches, or since the crawl
// before this one.
type RobotsChange struct {
	At   time.Time `json:"at"`
	What string    `json:"what"` // outcome, text or redirects
	From string    `json:"from"`
	To   string    `json:"to"`
}

// refusedOutcome is the outcome of a robots.txt that redirects to an address that is not
// public and not allowed. No URL waits for that to change, so it is no outage.
const refusedOutcome = "refused"

// maxEvents is how many outages, changes and oddities are listed of one host.
const maxEvents = 10

// robotsFiles follows the robots.txt of each host.
type robotsFiles struct {
	segments segments
	tokens   []string // of the crawl
	rows     int
	hosts    map[string]*robotsHistory
	seen     func(time.Time) // is told when there was a fetch
}

// robotsHistory is a host with what its robots.txt was when it last was something.
type robotsHistory struct {
	RobotsHost

	segment *segment // of the last fetch
	known   bool     // it was something
	last    robotsLine
	outages firsts[Outage]
	changes firsts[RobotsChange]
	failing bool
	outage  Outage
}

func newRobotsFiles(all segments, rows int, seen func(time.Time)) *robotsFiles {
	r := &robotsFiles{segments: all, rows: rows, hosts: make(map[string]*robotsHistory), seen: seen}
	if token, err := robotstxt.ProductToken(all.userAgent()); err == nil {
		r.tokens = []string{token}
	}
	return r
}

// read goes through all fetches or, where they were not written down, through what
// is known last. Those of the crawl before this one tell what has changed since.
func (r *robotsFiles) read() error {
	return errors.Join(
		inOrder(r.segments, robotsBefore, func(_ *segment, l *robotsLine) { r.before(l) }),
		inOrder(r.segments, robotsFetches, r.fetch))
}

// text returns the robots.txt of an origin as it was last; false where it is not there,
// as when the site has asked not to keep it.
func (r *robotsFiles) text(origin string) ([]byte, bool) {
	all := r.segments
	if h := r.hosts[origin]; h != nil && h.segment != nil {
		all = append(segments{h.segment}, all...)
	}
	for _, s := range all {
		if body, err := os.ReadFile(output.RobotsPath(s.dir, origin)); err == nil {
			return body, true
		}
	}
	return nil, false
}

func (r *robotsFiles) host(origin string) *robotsHistory {
	h := r.hosts[origin]
	if h == nil {
		h = &robotsHistory{
			outages: newFirsts(maxEvents, func(a, b Outage) int { return a.From.Compare(b.From) }),
			changes: newFirsts(maxEvents, func(a, b RobotsChange) int { return a.At.Compare(b.At) }),
		}
		h.Origin = strings.Clone(origin)
		r.hosts[h.Origin] = h
	}
	return h
}

func (r *robotsFiles) page(p *output.Page) { r.host(originOf(p.URL)).Allowed++ }

func (r *robotsFiles) rejection(j *output.Rejection) {
	switch j.Reason {
	case output.Disallowed:
		r.host(originOf(j.RobotsURL)).Disallowed++
	case output.Later:
		if j.RobotsURL != "" { // else it waited for its host
			r.host(originOf(j.RobotsURL)).Later++
		}
	}
}

// before takes up a fetch of the crawl before this one.
func (r *robotsFiles) before(l *robotsLine) {
	if l.FailingSince.IsZero() && !l.refused() {
		h := r.host(l.Origin)
		h.known, h.last = true, *l
	}
}

// fetch takes up one fetch of a robots.txt.
func (r *robotsFiles) fetch(s *segment, l *robotsLine) {
	r.seen(l.FetchedAt)
	h := r.host(l.Origin)
	h.segment = s
	h.Fetches++
	h.Outcome, h.Status, h.Error, h.FetchedAt = l.Outcome, l.Status, clip(l.Error), l.FetchedAt
	h.Chain = nil
	if len(l.Chain) > 1 {
		h.Chain = l.Chain
	}
	if l.refused() {
		h.Outcome = refusedOutcome
		return
	}
	if !l.FailingSince.IsZero() {
		if !h.failing {
			h.failing, h.outage = true, Outage{From: l.FailingSince}
		}
		h.outage.Tries++
		h.outage.Status, h.outage.Error = l.Status, clip(l.Error)
		return
	}
	if h.failing {
		h.outage.To = l.FetchedAt
		h.outages.add(h.outage)
		h.failing = false
	}
	h.compare(l)
}

// compare finds what changed since the last time the robots.txt was something.
func (h *robotsHistory) compare(l *robotsLine) {
	before := h.last
	if h.known {
		switch {
		case before.Outcome != l.Outcome:
			h.changes.add(RobotsChange{l.FetchedAt, "outcome", before.Outcome, l.Outcome})
		case before.Hash != l.Hash && before.Hash != "" && l.Hash != "":
			h.changes.add(RobotsChange{l.FetchedAt, "text", before.Hash, l.Hash})
		case !slices.Equal(before.Chain, l.Chain):
			h.changes.add(RobotsChange{l.FetchedAt, "redirects", strings.Join(before.Chain, " "), strings.Join(l.Chain, " ")})
		}
	}
	h.known, h.last = true, *l
}

func (r *robotsFiles) list() Robots {
	result := Robots{}
	outcomes := make(names)
	hosts := newFirsts(r.rows, func(a, b RobotsHost) int {
		return cmp.Or(cmp.Compare(b.Outages.Total, a.Outages.Total), cmp.Compare(b.Changes.Total, a.Changes.Total),
			cmp.Compare(b.Disallowed+b.Later, a.Disallowed+a.Later), cmp.Compare(a.Origin, b.Origin))
	})
	for _, h := range r.hosts {
		if h.Fetches == 0 {
			continue // nothing was written down of it
		}
		if h.failing {
			h.outages.add(h.outage)
			h.failing = false
		}
		row := h.RobotsHost
		row.Lint, row.Outages, row.Changes = []Oddity{}, h.outages.list(), h.changes.list()
		outcomes.add(row.Outcome)
		result.Outages += row.Outages.Total
		result.Changes += row.Changes.Total
		hosts.add(row)
	}
	result.Outcomes = outcomes.list(maxNames).Rows
	result.Hosts = hosts.list()
	for i := range result.Hosts.Rows {
		r.parse(&result.Hosts.Rows[i])
	}
	return result
}

// parse says what the text of a robots.txt means for the crawl.
func (r *robotsFiles) parse(h *RobotsHost) {
	body, ok := r.text(h.Origin)
	if !ok || h.Outcome != "rules" {
		return
	}
	file := robotstxt.Parse(body, &robotstxt.Options{MaxCrawlDelay: 24 * time.Hour})
	group := file.Group(r.tokens...)
	h.Group, h.Rules, h.CrawlDelay = group.Name(), len(group.Rules()), group.CrawlDelay().Seconds()
	h.Sitemaps = len(file.Sitemaps)
	tame, shown := secret.Robots(body)
	for _, f := range robotslint.Lint(tame, &robotslint.Options{URL: h.Origin + "/robots.txt"}) {
		if f.Severity == robotslint.Note {
			continue
		}
		h.Oddities += 1 + f.More
		if len(h.Lint) < maxEvents {
			h.Lint = append(h.Lint, Oddity{f.Line, f.Severity, clip(shown(f.Message)), clip(shown(f.Fix))})
		}
	}
}
