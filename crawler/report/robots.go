package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
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
	Hosts    List[RobotsHost] `json:"hosts"` // those with outages, then those with changes, then those that disallow most
}

// A RobotsHost is the robots.txt of one host.
type RobotsHost struct {
	Origin    string    `json:"origin"`
	Outcome   string    `json:"outcome"`          // of the last fetch
	Status    int       `json:"status,omitempty"` // of the last response; 0: none
	Error     string    `json:"error,omitempty"`
	Chain     []string  `json:"chain,omitempty"` // the URLs requested, where there were redirects
	Fetches   int       `json:"fetches"`
	FetchedAt time.Time `json:"fetched_at"` // the last time

	Allowed     int `json:"allowed"` // pages that were fetched
	Disallowed  int `json:"disallowed"`
	Unreachable int `json:"unreachable"`

	Group      string  `json:"group,omitempty"`       // the group that binds this crawl, by its token; empty: none does
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

// A RobotsChange is a difference between two fetches, or to the crawl before this one.
type RobotsChange struct {
	At   time.Time `json:"at"`
	What string    `json:"what"` // outcome, text or redirects
	From string    `json:"from"`
	To   string    `json:"to"`
}

// refusedOutcome is the outcome of a robots.txt that redirects to an address that is not
// public and not allowed. No URL waits for that to change, so it is no outage.
const refusedOutcome = "refused"

// maxEvents limits the outages, changes and oddities that are listed of one host.
const maxEvents = 10

// A robotsLine is a line of robots.jsonl: robotsext.Record as JSON, with a hash of the text
// where the crawl has written one.
type robotsLine struct {
	Origin       string    `json:"origin"`
	Outcome      string    `json:"outcome"`
	Status       int       `json:"status"`
	Error        string    `json:"error"`
	Hash         string    `json:"hash"`
	Chain        []string  `json:"chain"`
	FetchedAt    time.Time `json:"fetched_at"`
	FailingSince time.Time `json:"failing_since"`
}

// refused reports whether the robots.txt redirects to an address that is not allowed: it was
// not read, and nobody waits for it.
func (l *robotsLine) refused() bool {
	return l.Outcome == "unreachable" && l.FailingSince.IsZero() && len(l.Chain) > 1
}

// robotsFiles follows the robots.txt of each host.
type robotsFiles struct {
	segments segments
	tokens   []string // of the crawl
	rows     int
	hosts    map[string]*robotsHistory
	seen     func(time.Time) // called with the time of each fetch
}

// A robotsHistory is a host with its robots.txt at the last fetch that was no outage.
type robotsHistory struct {
	RobotsHost

	segment *segment    // of the last fetch
	last    *robotsLine // nil: none
	outages *firsts[Outage]
	changes *firsts[RobotsChange]
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

// A fetches are the fetches of one worker, read one by one.
type fetches struct {
	segment *segment
	next    func() (*robotsLine, error, bool)
	stop    func()      // closes the file
	line    *robotsLine // the one to be taken next; nil: there is no more
}

func (f *fetches) advance() error {
	line, err, _ := f.next()
	f.line = line
	return err
}

// read merges the fetches of all workers in the order of time. Before them it reads those of
// the crawl before this one, which tell what has changed since.
func (r *robotsFiles) read() error {
	var all []*fetches
	defer func() {
		for _, f := range all {
			f.stop()
		}
	}()
	for _, s := range r.segments {
		if round := s.state.Round; round > 0 {
			for l, err := range eachRobots(s, crawldir.RotatedName(crawldir.RobotsFile, round)) {
				if err != nil {
					return err
				}
				r.before(l)
			}
		}
		next, stop := iter.Pull2(eachRobots(s, crawldir.RobotsFile))
		f := &fetches{segment: s, next: next, stop: stop}
		all = append(all, f)
		if err := f.advance(); err != nil {
			return err
		}
	}
	for {
		var first *fetches
		for _, f := range all {
			if f.line != nil && (first == nil || f.line.FetchedAt.Before(first.line.FetchedAt)) {
				first = f
			}
		}
		if first == nil {
			return nil
		}
		r.fetch(first.segment, first.line)
		if err := first.advance(); err != nil {
			return err
		}
	}
}

// eachRobots returns the fetches in a file, in the order of time. For a crawl without
// robots.jsonl these are the last ones of each robots.txt.
func eachRobots(s *segment, name string) iter.Seq2[*robotsLine, error] {
	return func(yield func(*robotsLine, error) bool) {
		for l, err := range jsonlines.Read[robotsLine](filepath.Join(s.dir, name)) {
			if errors.Is(err, fs.ErrNotExist) && name == crawldir.RobotsFile {
				lastRobots(s.dir, yield)
				return
			}
			if errors.Is(err, fs.ErrNotExist) || err != nil && s.passOver(err) == nil {
				return
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// lastRobots yields the last fetch of each robots.txt, in the order of time.
func lastRobots(dir string, yield func(*robotsLine, error) bool) {
	names, err := filepath.Glob(filepath.Join(dir, crawldir.RobotsDir, "*.json"))
	if err != nil {
		yield(nil, err)
		return
	}
	var last []*robotsLine
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			yield(nil, err)
			return
		}
		l := new(robotsLine)
		if err := json.Unmarshal(body, l); err == nil { // else it is none of the crawl's
			last = append(last, l)
		}
	}
	slices.SortStableFunc(last, func(a, b *robotsLine) int { return a.FetchedAt.Compare(b.FetchedAt) })
	for _, l := range last {
		if !yield(l, nil) {
			return
		}
	}
}

func (r *robotsFiles) host(origin string) *robotsHistory {
	h := r.hosts[origin]
	if h == nil {
		h = &robotsHistory{
			outages: newFirsts(maxEvents, func(a, b Outage) int { return a.From.Compare(b.From) }),
			changes: newFirsts(maxEvents, func(a, b RobotsChange) int { return a.At.Compare(b.At) }),
		}
		h.Origin = strings.Clone(origin) // it may be a piece of a line
		r.hosts[h.Origin] = h
	}
	return h
}

func (r *robotsFiles) page(p *output.Page) { r.host(originOf(p.URL)).Allowed++ }

func (r *robotsFiles) rejection(j *output.Rejection) {
	switch {
	case j.Reason == output.Disallowed:
		r.host(originOf(j.RobotsURL)).Disallowed++
	case j.Reason == output.RobotsUnreachable:
		r.host(originOf(j.RobotsURL)).Unreachable++
	}
}

// before records a fetch of the crawl before this one.
func (r *robotsFiles) before(l *robotsLine) {
	if h := r.host(l.Origin); l.FailingSince.IsZero() && !l.refused() && (h.last == nil || !l.FetchedAt.Before(h.last.FetchedAt)) {
		h.last = l
	}
}

// fetch records one fetch of a robots.txt.
func (r *robotsFiles) fetch(s *segment, l *robotsLine) {
	r.seen(l.FetchedAt)
	h := r.host(l.Origin)
	h.segment = s
	h.Fetches++
	h.Outcome, h.Status, h.Error, h.FetchedAt, h.Chain = l.Outcome, l.Status, clip(l.Error), l.FetchedAt, nil
	if len(l.Chain) > 1 {
		h.Chain = l.Chain
	}
	switch {
	case l.refused():
		h.Outcome = refusedOutcome
	case !l.FailingSince.IsZero():
		if !h.failing {
			h.failing, h.outage = true, Outage{From: l.FailingSince}
		}
		h.outage.Tries++
		h.outage.Status, h.outage.Error = l.Status, clip(l.Error)
	default:
		h.endOutage(l.FetchedAt)
		h.compare(l)
		h.last = l
	}
}

// endOutage lists the current outage, if there is one.
func (h *robotsHistory) endOutage(at time.Time) {
	if h.failing {
		h.outage.To = at
		h.outages.add(h.outage)
		h.failing = false
	}
}

// compare lists what has changed since the last fetch that was no outage.
func (h *robotsHistory) compare(l *robotsLine) {
	last := h.last
	switch {
	case last == nil:
	case last.Outcome != l.Outcome:
		h.changes.add(RobotsChange{l.FetchedAt, "outcome", last.Outcome, l.Outcome})
	case last.Hash != l.Hash && last.Hash != "" && l.Hash != "":
		h.changes.add(RobotsChange{l.FetchedAt, "text", last.Hash, l.Hash})
	case !slices.Equal(last.Chain, l.Chain):
		h.changes.add(RobotsChange{l.FetchedAt, "redirects", strings.Join(last.Chain, " "), strings.Join(l.Chain, " ")})
	}
}

func (r *robotsFiles) list() Robots {
	result := Robots{}
	outcomes := make(names)
	hosts := newFirsts(r.rows, func(a, b RobotsHost) int {
		return cmp.Or(cmp.Compare(b.Outages.Total, a.Outages.Total), cmp.Compare(b.Changes.Total, a.Changes.Total),
			cmp.Compare(b.Disallowed+b.Unreachable, a.Disallowed+a.Unreachable), cmp.Compare(a.Origin, b.Origin))
	})
	for _, h := range r.hosts {
		if h.Fetches == 0 {
			continue
		}
		h.endOutage(time.Time{})
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

// parse adds what the text of a robots.txt means for the crawl.
func (r *robotsFiles) parse(h *RobotsHost) {
	body, ok := r.text(h.Origin)
	if !ok || h.Outcome != "rules" {
		return
	}
	file := robotstxt.Parse(body, &robotstxt.Options{MaxCrawlDelay: 24 * time.Hour})
	group := file.Group(r.tokens...)
	h.Group, h.Rules, h.CrawlDelay = group.Name(), len(group.Rules()), group.CrawlDelay().Seconds()
	h.Sitemaps = len(file.Sitemaps)
	masked, unmask := secret.RedactRobots(body)
	for _, f := range robotslint.Lint(masked, &robotslint.Options{URL: h.Origin + "/robots.txt"}) {
		if f.Severity == robotslint.Note {
			continue
		}
		h.Oddities += 1 + f.More
		if len(h.Lint) < maxEvents {
			h.Lint = append(h.Lint, Oddity{f.Line, f.Severity, clip(unmask(f.Message)), clip(unmask(f.Fix))})
		}
	}
}

// text returns the last robots.txt of an origin. It is not ok where there is none, as when
// the site has asked not to keep it.
func (r *robotsFiles) text(origin string) (body []byte, ok bool) {
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

// lines returns the lines of the last robots.txt of an origin, ended as ROB-FMT-02 says.
func (r *robotsFiles) lines(origin string) []string {
	body, _ := r.text(origin)
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(body), "\ufeff"))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = clip(line)
	}
	return lines
}
