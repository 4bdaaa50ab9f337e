package report

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotslint"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// Robots describes the robots.txt files of all origins.
type Robots struct {
	Outcomes []Count            `json:"outcomes"` // origins by outcome: rules, allow-all, unreachable or blocked-address
	Outages  int                `json:"outages"`
	Changes  int                `json:"changes"`
	Origins  List[RobotsOrigin] `json:"origins"` // origins with outages first, then those with changes, then by number of disallowed URLs
}

// A RobotsOrigin describes the robots.txt of one origin.
type RobotsOrigin struct {
	Origin    string    `json:"origin"`
	Outcome   string    `json:"outcome"`          // outcome of the last fetch
	Status    int       `json:"status,omitempty"` // of the last response; 0 if none
	Error     string    `json:"error,omitempty"`
	Chain     []string  `json:"chain,omitempty"` // requested URLs, if there were redirects
	Fetches   int       `json:"fetches"`
	FetchedAt time.Time `json:"fetched_at,omitzero"` // time of the last fetch; zero if the previous crawl made it

	Allowed     int `json:"allowed"`     // pages fetched; allowed URLs that were not fetched do not count
	Disallowed  int `json:"disallowed"`  // URLs that it disallows
	Unreachable int `json:"unreachable"` // URLs skipped because it was unreachable

	Group        string `json:"group,omitempty"`          // product token of the group for the crawl; empty if none
	Rules        int    `json:"rules"`                    // number of rules in that group
	CrawlDelayMS int64  `json:"crawl_delay_ms,omitempty"` // Crawl-delay of that group
	Sitemaps     int    `json:"sitemaps"`                 // number of sitemaps that it lists

	Lint    List[LintFinding]  `json:"lint"` // errors and warnings of package robotslint
	Outages List[Outage]       `json:"outages"`
	Changes List[RobotsChange] `json:"changes"`
}

// A LintFinding is a problem in a line of a robots.txt, found by package robotslint.
type LintFinding struct {
	Line     int                 `json:"line"`
	Severity robotslint.Severity `json:"severity"`
	Message  string              `json:"message"`
	Fix      string              `json:"fix,omitempty"`
}

// An Outage is a time during which a robots.txt could not be fetched.
type Outage struct {
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"` // zero if it lasted until the crawl ended
	Attempts  int       `json:"attempts"`
	Status    int       `json:"status,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// A RobotsChange is a change between two fetches, or since the previous crawl.
type RobotsChange struct {
	FetchedAt time.Time `json:"fetched_at"`
	Field     string    `json:"field"` // outcome, text or redirects
	From      string    `json:"from"`
	To        string    `json:"to"`
}

// blockedOutcome is the outcome of a robots.txt that redirects to an address that is not
// public and not allowed. The crawl does not wait for it, so it is no outage.
const blockedOutcome = "blocked-address"

// maxEvents limits the outages, changes and lint findings that are listed for each host.
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

// blocked reports whether the robots.txt redirects to an address that is not allowed.
func (l *robotsLine) blocked() bool {
	return l.Outcome == "unreachable" && l.FailingSince.IsZero() && len(l.Chain) > 1
}

// robotsFiles collects the history of each robots.txt.
type robotsFiles struct {
	dirs    workerDirs
	tokens  []string // of the crawl
	rows    int
	hosts   map[string]*robotsHistory
	onFetch func(time.Time) // called with the time of each fetch
}

// A robotsHistory is a host with the last robots.txt that was not an outage.
type robotsHistory struct {
	RobotsOrigin

	dir     *workerDir  // of the last fetch
	last    *robotsLine // nil if none
	outages *topRows[Outage]
	changes *topRows[RobotsChange]
	failing bool
	outage  Outage
}

func newRobotsFiles(all workerDirs, rows int, onFetch func(time.Time)) *robotsFiles {
	r := &robotsFiles{dirs: all, tokens: []string{"*"}, rows: rows, hosts: make(map[string]*robotsHistory), onFetch: onFetch}
	if token, err := robotstxt.ProductToken(all.userAgent()); err == nil {
		r.tokens = []string{token}
	}
	return r
}

// A fetchReader reads the robots.txt fetches of one worker, one by one.
type fetchReader struct {
	dir  *workerDir
	next func() (*robotsLine, error, bool)
	stop func()      // closes the file
	line *robotsLine // the next one; nil if there is no more
}

func (f *fetchReader) advance() error {
	line, err, _ := f.next()
	f.line = line
	return err
}

// read merges the fetches of all workers in the order of time. It starts with those of the
// previous crawl, which show what has changed since.
func (r *robotsFiles) read() error {
	var all []*fetchReader
	defer func() {
		for _, f := range all {
			f.stop()
		}
	}()
	for _, s := range r.dirs {
		if n := s.state.Recrawls; n > 0 {
			for l, err := range eachRobots(s, results.RotatedName(results.RobotsFile, n)) {
				if err != nil {
					return err
				}
				r.previous(l)
			}
		}
		next, stop := iter.Pull2(eachRobots(s, results.RobotsFile))
		f := &fetchReader{dir: s, next: next, stop: stop}
		all = append(all, f)
		if err := f.advance(); err != nil {
			return err
		}
	}
	for {
		var first *fetchReader
		for _, f := range all {
			if f.line != nil && (first == nil || f.line.FetchedAt.Before(first.line.FetchedAt)) {
				first = f
			}
		}
		if first == nil {
			return nil
		}
		r.fetch(first.dir, first.line)
		if err := first.advance(); err != nil {
			return err
		}
	}
}

// eachRobots returns the fetches in a file, in the order of time.
func eachRobots(s *workerDir, name string) iter.Seq2[*robotsLine, error] {
	return func(yield func(*robotsLine, error) bool) {
		for l, err := range jsonlines.Read[robotsLine](filepath.Join(s.dir, name)) {
			if errors.Is(err, fs.ErrNotExist) || err != nil && s.noteDamage(err) == nil {
				return
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func (r *robotsFiles) host(origin string) *robotsHistory {
	h := r.hosts[origin]
	if h == nil {
		h = &robotsHistory{
			outages: newTopRows(maxEvents, func(a, b Outage) int { return a.StartedAt.Compare(b.StartedAt) }),
			changes: newTopRows(maxEvents, func(a, b RobotsChange) int { return a.FetchedAt.Compare(b.FetchedAt) }),
		}
		h.Origin = strings.Clone(origin) // it may be a piece of a line
		r.hosts[h.Origin] = h
	}
	return h
}

func (r *robotsFiles) page(p *output.Page) { r.host(originOf(p.URL)).Allowed++ }

func (r *robotsFiles) rejection(j *output.Rejection) {
	switch j.Reason {
	case output.Disallowed:
		r.host(originOf(j.RobotsURL)).Disallowed++
	case output.RobotsUnreachable:
		h := r.host(originOf(j.RobotsURL))
		h.Unreachable++
		h.Outcome, h.Error = "unreachable", clip(j.Detail) // its last fetch may be of an earlier crawl; later ones follow
	}
}

// previous records a fetch of the previous crawl.
func (r *robotsFiles) previous(l *robotsLine) {
	if h := r.host(l.Origin); l.FailingSince.IsZero() && !l.blocked() && (h.last == nil || !l.FetchedAt.Before(h.last.FetchedAt)) {
		h.last = l
	}
}

// fetch records one fetch of a robots.txt.
func (r *robotsFiles) fetch(s *workerDir, l *robotsLine) {
	r.onFetch(l.FetchedAt)
	h := r.host(l.Origin)
	h.dir = s
	h.Fetches++
	h.Outcome, h.Status, h.Error, h.FetchedAt, h.Chain = l.Outcome, l.Status, clip(l.Error), l.FetchedAt, nil
	if len(l.Chain) > 1 {
		h.Chain = l.Chain
	}
	switch {
	case l.blocked():
		h.Outcome = blockedOutcome
	case !l.FailingSince.IsZero():
		if !h.failing {
			h.failing, h.outage = true, Outage{StartedAt: l.FailingSince}
		}
		h.outage.Attempts++
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
		h.outage.EndedAt = at
		h.outages.add(h.outage)
		h.failing = false
	}
}

// compare lists the changes since the last fetch that was not an outage.
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
	hosts := newTopRows(r.rows, func(a, b RobotsOrigin) int {
		return cmp.Or(cmp.Compare(b.Outages.Total, a.Outages.Total), cmp.Compare(b.Changes.Total, a.Changes.Total),
			cmp.Compare(b.Disallowed+b.Unreachable, a.Disallowed+a.Unreachable), cmp.Compare(a.Origin, b.Origin))
	})
	for _, h := range r.hosts {
		if h.Outcome == "" { // neither requested nor waited for
			continue
		}
		h.endOutage(time.Time{})
		row := h.RobotsOrigin
		row.Lint.Rows, row.Outages, row.Changes = []LintFinding{}, h.outages.list(), h.changes.list()
		outcomes.add(row.Outcome)
		result.Outages += row.Outages.Total
		result.Changes += row.Changes.Total
		hosts.add(row)
	}
	result.Outcomes = outcomes.list(maxNames).Rows
	result.Origins = hosts.list()
	for i := range result.Origins.Rows {
		r.parse(&result.Origins.Rows[i])
	}
	return result
}

// parse adds the group for the crawl and the lint findings.
func (r *robotsFiles) parse(h *RobotsOrigin) {
	body, ok := r.text(h.Origin)
	if !ok || h.Outcome != "rules" {
		return
	}
	file := robotstxt.Parse(body, &robotstxt.Options{MaxCrawlDelay: 24 * time.Hour})
	group := file.Group(r.tokens...)
	h.Group, h.Rules, h.CrawlDelayMS = group.Name(), len(group.Rules()), group.CrawlDelay().Milliseconds()
	h.Sitemaps = len(file.Sitemaps)
	masked, unmask := secret.RedactRobots(body)
	for _, f := range robotslint.Lint(masked, &robotslint.Options{URL: h.Origin + "/robots.txt"}) {
		if f.Severity == robotslint.Note {
			continue
		}
		h.Lint.Total += 1 + f.Omitted
		if len(h.Lint.Rows) < maxEvents {
			h.Lint.Rows = append(h.Lint.Rows, LintFinding{f.Line, f.Severity, clip(unmask(f.Message)), clip(unmask(f.Fix))})
		}
	}
}

// text returns the last robots.txt of an origin. It is not ok if none is stored.
func (r *robotsFiles) text(origin string) (body []byte, ok bool) {
	all := r.dirs
	if h := r.hosts[origin]; h != nil && h.dir != nil {
		all = append(workerDirs{h.dir}, all...)
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
