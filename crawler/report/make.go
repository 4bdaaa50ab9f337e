package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Make reads the directory of a crawl. The error is [output.ErrNone] where there
// is none. Files that are missing, as an older version has not written them, or
// nobody wanted them, are said to be in Report.Notes.
//
// A crawl may be running meanwhile; the report is then of what it had written.
func Make(dir string, opts *Options) (*Report, error) {
	m := &maker{dir: dir, Options: opts.withDefaults(), lines: make(map[string]int)}
	if err := output.State(dir, &m.state); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	m.begin()
	if err := m.learn(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	m.conclude()
	if err := m.name(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return m.report(), nil
}

// maker makes one report. It reads the files twice: from the first reading it has
// a fact about each URL and the counts, and so knows what will be in the lists;
// with the second it fills them, since it could not have kept every line.
type maker struct {
	Options

	dir   string
	state state
	lines map[string]int // how many each file had at the first reading

	facts      *facts
	census     *census
	broken     *brokenPages
	redirects  *redirects
	refusals   *refusals
	robots     *robotsFiles
	sitemaps   *sitemapFiles
	reconciler *reconciler
	copies     *copies
	wishes     *wishes
}

// state is what crawl.json says, as far as it matters here.
type state struct {
	Round  int     `json:"round"`
	Ended  *Ending `json:"ended"`
	Config struct {
		URLs         []string `json:"urls"`
		UserAgent    string   `json:"user-agent"`
		OnlySitemaps bool     `json:"only-sitemaps"`
	} `json:"config"`
}

func (m *maker) begin() {
	m.facts = newFacts()
	m.census = newCensus(m.Rows)
	m.broken = newBrokenPages(m.facts, m.Rows)
	m.redirects = newRedirects(m.facts, m.Rows)
	m.refusals = newRefusals(m.dir, m.Rows)
	m.robots = newRobotsFiles(m.dir, m.state.Config.UserAgent, m.Rows, m.census.at)
	m.sitemaps = newSitemapFiles(m.Rows)
	m.reconciler = newReconciler(m.facts, m.sitemaps, m.Rows)
	m.copies = newCopies(m.Rows)
	m.wishes = newWishes(m.Rows)
}

// learn is the first reading.
func (m *maker) learn() error {
	return errors.Join(
		read(m, output.SitemapsFile, m.learnSitemap),
		read(m, output.PagesFile, m.learnPage),
		read(m, output.RejectedFile, m.learnRejection),
		read(m, output.EntriesFile, m.reconciler.learnEntry),
		read(m, output.LinksFile, m.learnLinks),
		m.robots.read(m.state.Round),
	)
}

func (m *maker) learnSitemap(s *output.Sitemap) {
	m.census.at(s.FetchedAt)
	m.sitemaps.learn(s)
}

func (m *maker) learnPage(p *output.Page) {
	k := keyOf(p.URL)
	var is marks
	if noindexOf(p) != "" {
		is |= noindex
	}
	if canonical := canonicalOf(p); canonical != "" && canonical != p.URL {
		is |= elsewhere
	}
	if p.Source == "start" || p.Source == "link" {
		is |= linked
	}
	m.facts.page(k, p.Status, is)
	if p.Source == "sitemap" {
		m.reconciler.found(k, p.URL, "")
	}
	m.census.page(p)
	m.robots.page(p)
	m.redirects.learn(k, p)
	m.copies.learn(p)
	m.wishes.page(p)
}

func (m *maker) learnRejection(r *output.Rejection) {
	m.census.rejection(r)
	m.refusals.learn(r)
	m.robots.rejection(r)
	if m.sitemaps.reject(r) {
		return // it is no page
	}
	k := keyOf(r.URL)
	m.facts.leave(k, r.Reason)
	if r.Source == "sitemap" {
		m.reconciler.found(k, r.URL, r.Reason)
	}
}

func (m *maker) learnLinks(l *output.Links) {
	from := keyOf(l.URL)
	for _, to := range l.To {
		k := keyOf(to)
		if k == from {
			continue // what only links to itself is not linked
		}
		m.facts.markKnown(k, linked)
		m.broken.link(k)
	}
}

// conclude draws what follows from the first reading.
func (m *maker) conclude() {
	m.redirects.follow()
	m.copies.choose()
	m.refusals.choose()
	m.reconciler.conclude(m.circumstances())
}

// name is the second reading.
func (m *maker) name() error {
	err := errors.Join(
		read(m, output.PagesFile, m.namePage),
		read(m, output.RejectedFile, m.nameRejection),
	)
	if err != nil {
		return err
	}
	m.broken.choose()
	m.reconciler.choose()
	err = read(m, output.EntriesFile, m.reconciler.nameEntry)
	if m.broken.linked && m.broken.chosen.Total > 0 { // else there is nothing to look for in the largest file
		err = errors.Join(err, read(m, output.LinksFile, m.broken.name))
	}
	return err
}

func (m *maker) namePage(p *output.Page) {
	k := keyOf(p.URL)
	m.census.place(p)
	m.broken.page(k, p)
	m.redirects.name(k, p)
	m.copies.name(p)
	m.reconciler.page(k, p)
}

func (m *maker) nameRejection(r *output.Rejection) {
	m.refusals.name(r)
	if m.sitemaps.rejected(r) {
		return
	}
	k := keyOf(r.URL)
	m.broken.rejection(k, r)
	m.reconciler.rejection(k, r)
}

func (m *maker) report() *Report {
	r := &Report{
		Version: Version, MadeAt: m.Now().UTC().Truncate(0),
		Statuses: m.census.statusList(), Types: m.census.types.list(m.Rows), Hosts: m.census.hostList(),
		Depths: m.census.depthList(), Times: m.census.times(),
		Slowest: m.census.slowest.list(), Largest: m.census.largest.list(),
		Broken: m.broken.list(), Redirects: m.redirects.list(), Rejected: m.refusals.list(),
		Robots: m.robots.list(), Sitemaps: m.reconciler.list(),
		Duplicates: m.copies.list(), Directives: m.wishes.list(),
		Notes: m.notes(),
	}
	r.Summary = m.summary(r)
	r.Findings = findings(r)
	return r
}

// errEnough ends the second reading of a file where the first one ended.
var errEnough = errors.New("enough")

// read calls f for each line of a file, and nothing where the file is missing. A
// second time it stops where the first did: a crawl may be writing.
func read[T any](m *maker, name string, f func(*T)) error {
	limit, again := m.lines[name]
	n := 0
	err := output.Each(filepath.Join(m.dir, name), func(_ int64, v *T) error {
		if again && n == limit {
			return errEnough
		}
		n++
		f(v)
		return nil
	})
	if !again {
		m.lines[name] = n
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errEnough) {
		return nil
	}
	return err
}
