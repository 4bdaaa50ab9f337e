package report

import (
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// version is the version of the form of report.json. It changes when a field changes its
// meaning or goes away, not when one is added.
const version = 2

// The names of the two files of a report, in the directory of a crawl.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// A Report describes a crawl, by one worker or several. SCHEMA.md explains its fields.
type Report struct {
	Version int       `json:"version"`
	MadeAt  time.Time `json:"made_at"`

	Segments []Segment `json:"segments,omitempty"` // the directories of the workers, if there are several

	Findings []Finding `json:"findings"` // what to know first, by topic, the worst first
	Notes    []string  `json:"notes"`    // what the report cannot say, and why
	Lost     []Loss    `json:"lost"`     // what files have lost of what the crawl wrote in them

	Summary  Summary     `json:"summary"`
	Statuses []Status    `json:"statuses"` // of pages, in ascending order
	Types    List[Count] `json:"content_types"`
	Hosts    List[Host]  `json:"hosts"`
	Depths   []Depth     `json:"depths"`
	Times    Times       `json:"times"`
	Slowest  List[Page]  `json:"slowest"`
	Largest  List[Page]  `json:"largest"`
	Cut      List[Page]  `json:"cut"`    // pages that a limit cut something off, the largest first
	CutBy    List[Count] `json:"cut_by"` // the same by limit; a page may have met several

	Broken     List[Broken] `json:"broken"`
	Redirects  Redirects    `json:"redirects"`
	Rejected   Rejected     `json:"rejected"`
	Robots     Robots       `json:"robots"`
	Sitemaps   Sitemaps     `json:"sitemaps"`
	Duplicates Duplicates   `json:"duplicates"`
	Directives Directives   `json:"directives"`
}

// A Loss is what a file of a crawl has lost since it was written.
type Loss struct {
	Dir string `json:"dir,omitempty"` // the directory of its worker, if there are several
	output.Loss
}

// Options are the choices of a report. Nil stands for the zero value.
type Options struct {
	// Rows limits the rows of each list; counts are exact. 0: [DefaultRows].
	Rows int

	// Ending says how the crawl in a directory ended, where the caller knows it better
	// than crawl.json. It may be nil, and may return nil.
	Ending func(dir string) *Ending

	now func() time.Time // nil: time.Now
}

// DefaultRows limits the rows of a list unless Options say otherwise.
const DefaultRows = 100

// An Ending is how a crawl ended, as crawl.json has it in "ended". The other files do not
// tell: those of a killed crawl look like those of a finished one.
type Ending struct {
	End  string `json:"end"`       // a crawler.End, EndRunning, or empty: not known
	Left int    `json:"remaining"` // URLs that still wait in the frontier
}

// EndRunning is the Ending.End of a crawl that is not over.
const EndRunning = "running"

// Make reads the directory of a crawl, or the directories of all workers of one crawl. The
// error is [output.ErrNone] where one holds no crawl, and [ErrNotOneCrawl] where they do not
// belong together. Report.Notes name files that are missing and lines that cannot be read.
//
// The crawl may be running; the report then describes what it has written so far.
func Make(dirs []string, opts *Options) (*Report, error) {
	m, err := newMaker(dirs, opts)
	if err != nil {
		return nil, err
	}
	if err := m.learn(); err != nil {
		return nil, err
	}
	m.conclude()
	if err := m.name(); err != nil {
		return nil, err
	}
	return m.report(), nil
}

// A maker makes one report. It reads the files twice, since it cannot keep every line. The
// first reading gives a fact about each URL and the counts, and so decides which rows the
// lists will have. The second reading fills these rows.
type maker struct {
	rows     int
	now      func() time.Time
	segments segments

	facts      *facts
	union      *union
	census     *census
	broken     *brokenPages
	redirects  *redirects
	rejections *rejections
	robots     *robotsFiles
	sitemaps   *sitemapFiles
	reconciler *reconciler
	duplicates *duplicates
	directives *directives

	lackLinks int // unchanged pages (304) whose links are not known
}

func newMaker(dirs []string, opts *Options) (*maker, error) {
	o := Options{Rows: DefaultRows, now: time.Now}
	if opts != nil {
		o.Ending = opts.Ending
		if opts.Rows > 0 {
			o.Rows = opts.Rows
		}
		if opts.now != nil {
			o.now = opts.now
		}
	}
	all, err := openSegments(dirs, o.Ending)
	if err != nil {
		return nil, err
	}
	m := &maker{rows: o.Rows, now: o.now, segments: all, facts: &facts{byURL: make(map[key]fact)}}
	m.census = newCensus(m.rows)
	m.broken = newBrokenPages(m.facts, m.rows)
	m.redirects = newRedirects(m.facts, m.rows)
	m.robots = newRobotsFiles(all, m.rows, m.census.at)
	m.rejections = newRejections(m.robots, m.rows)
	m.sitemaps = newSitemapFiles(m.rows)
	m.union = newUnion(m.facts, m.sitemaps, all)
	m.reconciler = newReconciler(m.facts, m.sitemaps, m.rows)
	m.duplicates = newDuplicates(m.rows)
	m.directives = newDirectives(m.rows)
	return m, nil
}

// learn is the first reading.
func (m *maker) learn() error {
	return errors.Join(
		m.union.learnFetches(),
		read(m.segments, crawldir.SitemapsFile, m.union.sitemap, m.learnSitemap),
		read(m.segments, crawldir.PagesFile, m.union.page, m.learnPage),
		m.union.learnRejections(),
		read(m.segments, crawldir.RejectedFile, m.union.rejection, m.learnRejection),
		read(m.segments, crawldir.EntriesFile, m.union.entry, m.reconciler.learnEntry),
		read(m.segments, crawldir.LinksFile, m.union.links, m.learnLinks),
		m.robots.read(),
	)
}

func (m *maker) learnSitemap(s *segment, f *output.Sitemap) {
	s.hasEntries = s.hasEntries || f.Pages > 0
	m.census.at(f.FetchedAt)
	m.sitemaps.learn(f)
}

func (m *maker) learnPage(s *segment, p *output.Page) {
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
	if p.Status == http.StatusNotModified {
		m.lackLinks++ // until its line of links.jsonl is read
	}
	m.facts.page(k, p.Status, is)
	if p.Source == "sitemap" {
		m.reconciler.found(k, p.URL, "")
	}
	m.census.page(p)
	m.robots.page(p)
	m.redirects.learn(k, p)
	m.duplicates.learn(p)
	m.directives.page(p)
}

func (m *maker) learnRejection(s *segment, r *output.Rejection) {
	s.rejected++
	m.census.rejection(r)
	m.rejections.learn(r)
	m.robots.rejection(r)
	if m.sitemaps.reject(r) {
		return // it is no page
	}
	k := keyOf(r.URL)
	m.facts.reject(k, r.Reason)
	if r.Source == "sitemap" {
		m.reconciler.found(k, r.URL, r.Reason)
	}
}

func (m *maker) learnLinks(_ *segment, l *output.Links) {
	from := keyOf(l.URL)
	if m.facts.byURL[from].status == http.StatusNotModified {
		m.lackLinks--
	}
	for _, to := range l.To {
		if k := keyOf(to); k != from { // a link of a page to itself does not count
			m.facts.markKnown(k, linked)
			m.broken.link(k)
		}
	}
}

// conclude decides which rows the lists will have.
func (m *maker) conclude() {
	m.redirects.follow()
	m.duplicates.choose()
	m.rejections.choose()
	m.reconciler.linksUnknown = len(m.segments.those((*segment).lacksLinks)) > 0
	m.reconciler.conclude()
}

// name is the second reading.
func (m *maker) name() error {
	err := errors.Join(
		read(m.segments, crawldir.PagesFile, m.union.page, m.namePage),
		read(m.segments, crawldir.RejectedFile, m.union.rejection, m.nameRejection),
	)
	if err != nil {
		return err
	}
	m.broken.choose()
	m.reconciler.choose()
	err = read(m.segments, crawldir.EntriesFile, m.union.entry, m.reconciler.nameEntry)
	if m.broken.linked && m.broken.chosen.Total > 0 { // links.jsonl is the largest file
		err = errors.Join(err, read(m.segments, crawldir.LinksFile, m.union.links, m.broken.name))
	}
	return err
}

func (m *maker) namePage(_ *segment, p *output.Page) {
	k := keyOf(p.URL)
	m.census.place(p)
	m.broken.page(k, p)
	m.redirects.name(k, p)
	m.duplicates.name(p)
	m.reconciler.page(k, p)
}

func (m *maker) nameRejection(_ *segment, r *output.Rejection) {
	m.rejections.name(r)
	if !m.sitemaps.rejected(r) {
		k := keyOf(r.URL)
		m.broken.rejection(k, r)
		m.reconciler.rejection(k, r)
	}
}

func (m *maker) report() *Report {
	c := m.census
	r := &Report{
		Version: version, MadeAt: m.now().UTC(), Segments: m.segments.list(),
		Statuses: c.statusList(), Types: c.types.list(m.rows), Hosts: c.hostList(), Depths: c.depthList(), Times: c.times(),
		Slowest: c.slowest.list(), Largest: c.largest.list(), Cut: c.cut.list(), CutBy: c.cutBy.list(m.rows),
		Broken: m.broken.list(), Redirects: m.redirects.list(), Rejected: m.rejections.list(),
		Robots: m.robots.list(), Sitemaps: m.reconciler.list(m.doubts),
		Duplicates: m.duplicates.list(), Directives: m.directives.list(),
		Notes: m.notes(), Lost: m.segments.lost(),
	}
	r.Rejected.Inconclusive = m.unlisted()
	r.Summary = m.summary(r)
	r.Findings = findings(r)
	return r
}

// errEnough ends the second reading of a file where the first one ended.
var errEnough = errors.New("enough")

// read calls f for each line of a file that counts, in every directory. It passes over a
// missing file. The second reading stops where the first did, since a crawl may be writing.
func read[T any](all segments, name string, counts func(*segment, *T) bool, f func(*segment, *T)) error {
	for _, s := range all {
		limit, again := s.lines[name]
		n := 0
		err := jsonlines.Each(filepath.Join(s.dir, name), func(_ int64, v *T) error {
			if again && n == limit {
				return errEnough
			}
			n++
			if counts(s, v) {
				f(s, v)
			}
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
