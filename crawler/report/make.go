package report

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Make reads the directory of a crawl, or those of all workers of a crawl that several
// have done together, as one crawl. The error is [output.ErrNone] where one holds
// none, and [ErrNotOneCrawl] where they do not belong together. Files that are
// missing, as an older version has not written them, or nobody wanted them, are said
// to be in Report.Notes, and so are lines that cannot be read.
//
// A crawl may be running meanwhile; the report is then of what it had written.
func Make(dirs []string, opts *Options) (*Report, error) {
	m := &maker{Options: opts.withDefaults()}
	var err error
	if m.segments, err = openSegments(dirs, m.Ending); err != nil {
		return nil, err
	}
	m.begin()
	if err := m.learn(); err != nil {
		return nil, err
	}
	m.conclude()
	if err := m.name(); err != nil {
		return nil, err
	}
	return m.report(), nil
}

// maker makes one report. It reads the files twice: from the first reading it has
// a fact about each URL and the counts, and so knows what will be in the lists;
// with the second it fills them, since it could not have kept every line.
type maker struct {
	Options

	segments segments

	facts      *facts
	union      *union
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

func (m *maker) begin() {
	m.facts = newFacts()
	m.census = newCensus(m.Rows)
	m.broken = newBrokenPages(m.facts, m.Rows)
	m.redirects = newRedirects(m.facts, m.Rows)
	m.robots = newRobotsFiles(m.segments, m.Rows, m.census.at)
	m.refusals = newRefusals(m.robots, m.Rows)
	m.sitemaps = newSitemapFiles(m.Rows)
	m.union = newUnion(m.facts, m.sitemaps, m.segments)
	m.reconciler = newReconciler(m.facts, m.sitemaps, m.Rows)
	m.copies = newCopies(m.Rows)
	m.wishes = newWishes(m.Rows)
}

// learn is the first reading.
func (m *maker) learn() error {
	return errors.Join(
		m.union.learnFetches(),
		read(m.segments, output.SitemapsFile, m.learnSitemap),
		read(m.segments, output.PagesFile, m.learnPage),
		m.union.learnRejections(),
		read(m.segments, output.RejectedFile, m.learnRejection),
		read(m.segments, output.EntriesFile, m.learnEntry),
		read(m.segments, output.LinksFile, m.learnLinks),
		m.robots.read(),
	)
}

func (m *maker) learnSitemap(s *segment, f *output.Sitemap) {
	if !m.union.sitemap(s, f) {
		return
	}
	s.listing = s.listing || f.Pages > 0
	m.census.at(f.FetchedAt)
	m.sitemaps.learn(f)
}

func (m *maker) learnPage(s *segment, p *output.Page) {
	if !m.union.page(s, p) {
		return
	}
	s.page(p)
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

func (m *maker) learnRejection(s *segment, r *output.Rejection) {
	if !m.union.rejection(s, r) {
		return
	}
	s.rejected++
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

func (m *maker) learnEntry(s *segment, e *output.Entry) {
	if m.union.entry(s, e) {
		m.reconciler.learnEntry(e)
	}
}

func (m *maker) learnLinks(s *segment, l *output.Links) {
	if !m.union.links(s, l) {
		return
	}
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
		read(m.segments, output.PagesFile, m.namePage),
		read(m.segments, output.RejectedFile, m.nameRejection),
	)
	if err != nil {
		return err
	}
	m.broken.choose()
	m.reconciler.choose()
	err = read(m.segments, output.EntriesFile, m.nameEntry)
	if m.broken.linked && m.broken.chosen.Total > 0 { // else there is nothing to look for in the largest file
		err = errors.Join(err, read(m.segments, output.LinksFile, m.nameLinks))
	}
	return err
}

func (m *maker) namePage(s *segment, p *output.Page) {
	if !m.union.page(s, p) {
		return
	}
	k := keyOf(p.URL)
	m.census.place(p)
	m.broken.page(k, p)
	m.redirects.name(k, p)
	m.copies.name(p)
	m.reconciler.page(k, p)
}

func (m *maker) nameRejection(s *segment, r *output.Rejection) {
	if !m.union.rejection(s, r) {
		return
	}
	m.refusals.name(r)
	if m.sitemaps.rejected(r) {
		return
	}
	k := keyOf(r.URL)
	m.broken.rejection(k, r)
	m.reconciler.rejection(k, r)
}

func (m *maker) nameEntry(s *segment, e *output.Entry) {
	if m.union.entry(s, e) {
		m.reconciler.nameEntry(e)
	}
}

func (m *maker) nameLinks(s *segment, l *output.Links) {
	if m.union.links(s, l) {
		m.broken.name(l)
	}
}

func (m *maker) report() *Report {
	r := &Report{
		Version: Version, MadeAt: m.Now().UTC().Truncate(0), Segments: m.segments.list(),
		Statuses: m.census.statusList(), Types: m.census.types.list(m.Rows), Hosts: m.census.hostList(),
		Depths: m.census.depthList(), Times: m.census.times(),
		Slowest: m.census.slowest.list(), Largest: m.census.largest.list(), Cut: m.census.cut.list(), CutBy: m.census.cutBy.list(m.Rows),
		Broken: m.broken.list(), Redirects: m.redirects.list(), Rejected: m.refusals.list(),
		Robots: m.robots.list(), Sitemaps: m.reconciler.list(),
		Duplicates: m.copies.list(), Directives: m.wishes.list(),
		Notes: m.notes(), Lost: m.segments.lost(),
	}
	r.Summary = m.summary(r)
	r.Findings = findings(r)
	return r
}

// errEnough ends the second reading of a file where the first one ended.
var errEnough = errors.New("enough")

// read calls f for each line of a file in every directory, and nothing where the file
// is missing. The next time it stops where the first did: a crawl may be writing.
func read[T any](all segments, name string, f func(*segment, *T)) error {
	for _, s := range all {
		limit, again := s.lines[name]
		n := 0
		err := jsonlines.Each(filepath.Join(s.dir, name), func(_ int64, v *T) error {
			if again && n == limit {
				return errEnough
			}
			n++
			f(s, v)
			return nil
		})
		if !again {
			s.lines[name] = n
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.missing[name] = true
		case errors.Is(err, errEnough):
		default:
			if err := s.passOver(err); err != nil {
				return err
			}
		}
	}
	return nil
}
