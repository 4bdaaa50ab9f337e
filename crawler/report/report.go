package report

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Version is the version of report.json. It goes up when a field changes its meaning or is
// removed, not when one is added.
const Version = 3

// The names of the two files of a report, in the directory of a crawl.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// A Report describes a crawl, by one worker or several. SCHEMA.md explains its fields.
type Report struct {
	Version     int       `json:"version"`
	GeneratedAt time.Time `json:"generated_at"`

	Workers []Worker `json:"workers,omitempty"` // workers of a shared crawl

	Highlights []Highlight `json:"highlights"` // the main results by topic, the most severe first
	Findings   []Findings  `json:"findings"`   // faults by rule, in the order of [Rules]
	Notes      []string    `json:"notes"`      // limitations of this report
	Lost       []Loss      `json:"lost"`       // data that files have lost

	Summary       Summary      `json:"summary"`
	Statuses      []Status     `json:"statuses"` // pages by HTTP status, in ascending order
	Types         List[Count]  `json:"content_types"`
	Origins       List[Origin] `json:"origins"`
	Depths        []Depth      `json:"depths"`
	Times         Times        `json:"times"`
	Slowest       List[Page]   `json:"slowest"`
	Largest       List[Page]   `json:"largest"`
	Truncated     List[Page]   `json:"truncated"`      // pages truncated by a limit, the largest first
	LimitsReached List[Count]  `json:"limits_reached"` // these pages by limit; several limits may apply to one page

	Redirects  Redirects  `json:"redirects"`
	Rejected   Rejected   `json:"rejected"`
	Robots     Robots     `json:"robots"`
	Sitemaps   Sitemaps   `json:"sitemaps"`
	Duplicates Duplicates `json:"duplicates"`
	Directives Directives `json:"directives"`

	Permissions Permissions `json:"permissions"`

	links *linkGraph // nil: not known
}

// A Loss is data that a file of a crawl has lost since it was written.
type Loss struct {
	Dir string `json:"dir,omitempty"` // directory of the file, if there are several
	output.Loss
}

// Options configure a report. Nil means the zero value.
type Options struct {
	// Rows is the maximum number of rows of each list (default [DefaultRows]). It does not
	// affect counts. Report.Slowest and Report.Largest have at most 100 rows.
	Rows int

	// CrawlEnd returns how the crawl in a directory ended, if the caller knows it better
	// than crawl.json. If it is nil or returns nil, crawl.json is used.
	CrawlEnd func(dir string) *CrawlEnd
}

// DefaultRows is the default of Options.Rows.
const DefaultRows = 100_000

// maxRanked limits the lists that rank all pages.
const maxRanked = 100

// A CrawlEnd says how a crawl ended, like the field "ended" of crawl.json.
type CrawlEnd struct {
	End       string `json:"end"`       // a crawler.End, or EndRunning; empty: not known
	Remaining int    `json:"remaining"` // URLs still to be fetched
}

// EndRunning is the CrawlEnd.End of a running crawl.
const EndRunning = "running"

// Generate reads the directory of a crawl, or the directories of all its workers. The error
// matches [output.ErrNoCrawl] if a directory has no crawl, and [ErrNotOneCrawl] if the directories
// belong to different crawls (errors.Is). Report.Notes names missing files and unreadable lines.
//
// If the crawl is still running, the report describes its results so far. If ctx ends, Generate stops
// reading and returns the error of ctx.
func Generate(ctx context.Context, dirs []string, opts *Options) (*Report, error) {
	m, err := newMaker(ctx, dirs, opts)
	if err != nil {
		return nil, err
	}
	if err := m.firstReading(); err != nil {
		return nil, err
	}
	m.conclude()
	if err := m.secondReading(); err != nil {
		return nil, err
	}
	return m.report(), nil
}

// A maker makes one report. It reads the files twice, since it cannot keep every line. The
// first reading collects counts and a fact about each URL, which decide the rows of the lists.
// The second reading fills these rows.
type maker struct {
	rows int
	dirs workerDirs

	facts      *facts
	merger     *merger
	counters   *counters
	lists      *findingLists
	referrers  *referrers
	onPage     *onPage
	starts     *starts
	references *references
	alternates *alternates
	checks     *checks
	fragments  *fragments
	insecure   *namedURLs // http assets of https pages
	redirects  *redirects
	rejections *rejections
	robots     *robotsFiles
	sitemaps   *sitemapFiles
	comparison *comparison
	duplicates *duplicates
	directives *directives

	permissions *permissions

	graph *linkGraph

	broken       int       // URLs with status 4xx or 5xx, or without a response
	unknownLinks int       // unchanged pages (304) without content, whose links are not known
	linesOfLinks uint32    // read so far
	noted        keyFilter // URLs whose links may change something
}

func newMaker(ctx context.Context, dirs []string, opts *Options) (*maker, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	all, err := openWorkerDirs(ctx, dirs, o.CrawlEnd)
	if err != nil {
		return nil, err
	}
	m := &maker{rows: cmp.Or(max(o.Rows, 0), DefaultRows), dirs: all, facts: &facts{byURL: make(map[key]fact)}}
	m.counters = newCounters(m.rows)
	m.referrers = newReferrers()
	m.lists = newFindingLists(m.rows, m.referrers)
	m.onPage = newOnPage(m.lists, m.rows)
	m.checks = newChecks(m.facts, m.lists)
	m.alternates = newAlternates(m.facts, m.checks.byURL, m.lists, m.isOfCrawl)
	m.insecure = newNamedURLs()
	m.redirects = newRedirects(m.facts, m.rows)
	m.starts = newStarts(m.facts, m.redirects)
	m.references = newReferences(all, m.lists, m.redirects, m.counters.origins)
	m.fragments = newFragments(m.facts, m.redirects)
	m.robots = newRobotsFiles(all, m.rows, m.counters.at)
	m.rejections = newRejections(m.robots, m.rows)
	m.sitemaps = newSitemapFiles(m.rows)
	m.merger = newMerger(m.facts, m.sitemaps, all)
	m.comparison = newComparison(m.facts, m.sitemaps, m.lists, m.rows)
	m.duplicates = newDuplicates(m.rows)
	m.directives = newDirectives(m.rows)
	m.permissions = newPermissions(m.rows)
	m.graph = newLinkGraph()
	return m, nil
}

// firstReading collects facts and counts.
func (m *maker) firstReading() error {
	return errors.Join(
		m.merger.addFetches(),
		m.merger.eachSitemap(m.addSitemap),
		m.readPages(m.addPage),
		m.merger.addRejections(),
		m.merger.eachRejection(m.addRejection),
		m.merger.eachEntry(m.comparison.addEntry),
		m.merger.eachCheck(m.addCheck),
		m.readLinks(),
		m.merger.eachAnchors(m.fragments.addTargets),
		m.readPermissions(),
		m.robots.read(),
	)
}

func (m *maker) addSitemap(s *workerDir, f *output.Sitemap) {
	s.hasEntries = s.hasEntries || f.Pages > 0
	m.counters.at(f.FetchedAt)
	m.sitemaps.add(f)
}

func (m *maker) addPage(s *workerDir, p *output.Page) {
	s.page(p)
	k := keyOf(p.URL)
	is := m.counters.marksOf(p)
	if is&htmlPage != 0 {
		m.alternates.add(k, p.Hreflang)
		if (fact{marks: is}).indexable() {
			m.onPage.add(p)
		}
	}
	if statusOf(p) == http.StatusNotModified {
		m.unknownLinks++ // until its line of links.jsonl is read
	}
	m.starts.add(p, is)
	m.facts.page(k, statusOf(p), is)
	m.counters.page(p)
	m.references.countPage(k, p)
	m.robots.page(p)
	m.redirects.add(k, p)
	m.duplicates.add(p)
	m.directives.page(p)
}

func (m *maker) addRejection(s *workerDir, r *output.Rejection) {
	s.rejected++
	m.counters.rejection(r)
	m.rejections.add(r)
	m.robots.rejection(r)
	if m.sitemaps.reject(r) { // not a page
		if r.Reason == output.Failed {
			m.checks.dead[originOf(r.URL)] = true
		}
		return
	}
	m.facts.reject(keyOf(r.URL), r.Reason)
}

func (m *maker) addCheck(s *workerDir, c *output.Check) {
	m.checks.add(s, c)
	m.alternates.add(keyOf(c.URL), c.Hreflang)
}

// conclude decides the rows of the lists.
func (m *maker) conclude() {
	m.redirects.follow()
	m.duplicates.choose()
	m.rejections.choose()
	m.sitemaps.conclude(m.lists)
	m.comparison.entriesUnknown = len(m.dirs.filter((*workerDir).lacksEntries)) > 0
	m.comparison.linksUnknown = len(m.dirs.filter((*workerDir).lacksLinks)) > 0
	m.comparison.conclude()
	m.onPage.choose()
	m.alternates.conclude()
	m.insecure.choose(m.rows)
	m.references.slashes.choose(m.rows)
	m.references.forbidden.choose(m.rows)
	m.fragments.follow()
}

// secondReading fills the rows.
func (m *maker) secondReading() error {
	if err := m.readPages(m.namePage); err != nil {
		return err
	}
	m.alternates.choose()
	err := errors.Join(
		m.merger.eachAnchors(m.fragments.addIDs),
		m.merger.eachRejection(m.nameRejection),
		m.merger.eachCheck(m.checks.name),
	)
	if err != nil {
		return err
	}
	m.onPage.finish(m.alternates.mutual)
	m.starts.addTo(m.lists)
	m.redirects.addTo(m.lists)
	m.comparison.choose()
	err = m.merger.eachEntry(m.comparison.nameEntry)
	m.fragments.conclude(m.rows, m.lists)
	switch wanted := m.lists.choose(); {
	case len(m.insecure.chosen)+len(m.references.slashes.chosen)+len(m.references.forbidden.chosen) > 0, wanted && (m.graph.omitted > 0 || m.graph.loops):
		err = errors.Join(err, m.merger.eachLinks(m.nameLinks)) // the largest file
	case wanted:
		m.graph.name(m.referrers)
	}
	if len(m.fragments.missing.chosen) > 0 {
		err = errors.Join(err, m.merger.eachAnchors(m.fragments.name))
	}
	m.insecure.addTo(m.lists, ruleMixedContent)
	m.references.slashes.addTo(m.lists, ruleLinkDoubleSlash)
	m.references.forbidden.addTo(m.lists, ruleForbiddenHost)
	m.fragments.missing.addTo(m.lists, ruleBrokenFragment)
	m.robots.addTo(m.lists, m.checks.dead)
	return err
}

// isOfCrawl reports whether an origin has URLs of the crawl, or has responded to a check.
func (m *maker) isOfCrawl(origin string) bool {
	h := m.counters.origins[origin]
	return h != nil && h.Pages+h.Disallowed+h.Deferred > 0 || !m.checks.dead[origin] // Failed may be a sitemap
}

func (m *maker) namePage(_ *workerDir, p *output.Page) {
	k, f := m.facts.find(p.URL)
	m.counters.place(p)
	m.redirects.name(k, p)
	m.starts.name(k, p, m.lists)
	m.fragments.nameRedirect(k, p)
	m.references.namePage(p)
	if redirected(p.Status) && !redirected(int(f.status)) {
		return // the URL redirected until it had its cookies
	}
	m.references.page(k, p)
	m.duplicates.name(p)
	m.comparison.page(f, p)
	if status := statusOf(p); broken(status) {
		m.addBroken(k, f, Finding{URL: p.URL, Detail: statusText(status)}, p.Source, p.FoundOn)
	}
	if f.has(htmlPage) && !f.has(withheld) {
		m.alternates.name(k, f, p)
	}
	if f.indexable() {
		m.onPage.name(p)
	}
}

// addBroken adds a URL that was requested and is broken. If no page links to it, its redirect or its
// sitemap is the finding.
func (m *maker) addBroken(k key, f fact, row Finding, source, foundOn string) {
	m.broken++
	if m.referrers.counts[k].pages == 0 && (source == "redirect" || source == "sitemap" && f.has(listed)) || m.isUnlinked(k, f, source, foundOn) {
		return
	}
	m.lists.addReferred(ruleBrokenLink, row, foundOn)
}

// isUnlinked reports whether a URL of a recrawl was found in an earlier crawl only: its page has no link
// to it any more, or its sitemap does not list it.
func (m *maker) isUnlinked(k key, f fact, source, foundOn string) bool {
	if m.dirs.recrawls() == 0 || m.referrers.counts[k].pages > 0 {
		return false
	}
	page := m.facts.byURL[keyOf(foundOn)]
	hasLinks := page.status > 0 && page.status != http.StatusNotModified && !page.has(withheld|incomplete)
	return source == "link" && hasLinks && !m.comparison.linksUnknown || source == "sitemap" && !f.has(listed) && !m.comparison.entriesUnknown
}

func (m *maker) nameRejection(_ *workerDir, r *output.Rejection) {
	m.rejections.name(r)
	if !m.sitemaps.rejected(r) {
		k, f := m.facts.find(r.URL)
		switch {
		case r.Reason == output.Failed:
			m.addBroken(k, f, Finding{URL: r.URL, Detail: clip(r.Detail)}, r.Source, r.FoundOn)
		case r.Reason == output.InvalidURL && r.Source == "link":
			m.lists.addReferred(ruleInvalidURL, Finding{URL: r.URL, Detail: clip(r.Detail)}, r.FoundOn)
		case r.Reason == output.Disallowed && (r.Source == "link" || m.referrers.counts[k].pages > 0) && !m.isUnlinked(k, f, r.Source, r.FoundOn):
			row := Finding{URL: r.URL, Related: r.RobotsURL}
			row.disallow(r)
			m.lists.addReferred(ruleLinkToDisallowed, row, r.FoundOn)
		}
		m.comparison.rejection(k, r)
		if r.Reason == output.Disallowed {
			m.alternates.rejection(k, r)
		}
	}
}

func (m *maker) report() *Report {
	c := m.counters
	r := &Report{
		Version: Version, GeneratedAt: time.Now().UTC(), Workers: m.dirs.list(),
		Statuses: c.statusList(), Types: c.types.list(m.rows), Origins: c.originList(), Depths: c.depthList(), Times: c.times(),
		Slowest: c.slowest.list(), Largest: c.largest.list(), Truncated: c.truncated.list(), LimitsReached: c.limits.list(m.rows),
		Findings: m.lists.list(m.applies, m.caveats), Redirects: m.redirects.list(), Rejected: m.rejections.list(),
		Robots: m.robots.list(), Sitemaps: m.comparison.list(m.caveats),
		Duplicates: m.duplicates.list(), Directives: m.directives.list(),
		Permissions: m.permissions.list(m.rejections.total(output.Usage), c.statuses),
		Notes:       m.notes(), Lost: m.dirs.lost(), links: m.graph,
	}
	r.Rejected.Caveats = m.rejectedIncomplete()
	r.Summary = m.summary()
	r.Highlights = highlights(r)
	return r
}
