package report

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A model is what a report knows about a crawl: a fact about each URL, the references to those that may
// be findings, and the counts of the sections. It does not have all lines, which are read again to find
// the rows.
type model struct {
	rows   int
	dirs   workerDirs
	merger *merger
	lists  []*ruleList // in the order of rules

	facts      *facts
	checks     *checks
	references *references
	targets    *targets
	redirects  *redirects
	fragments  *fragments
	sitemaps   *sitemapFiles
	entries    *entries
	robots     *robotsFiles

	counters    *counters
	rejections  *rejections
	duplicates  *duplicates
	directives  *directives
	permissions *permissions
	graph       *linkGraph
	urls        *urlTable
	directories *directories

	broken         int  // URLs with status 4xx or 5xx, or without a response
	unknownLinks   int  // unchanged pages (304) without content, whose links are not known
	linksUnknown   bool // the links of pages were not recorded
	entriesUnknown bool // entries.jsonl is missing or empty
}

// newModel returns the model of a crawl before any file is read.
func newModel(ctx context.Context, dirs []string, opts *Options) (*model, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	all, err := openWorkerDirs(ctx, dirs, o.CrawlEnd)
	if err != nil {
		return nil, err
	}
	rows, known := cmp.Or(max(o.Rows, 0), DefaultRows), &facts{byURL: make(map[key]fact)}
	m := &model{
		rows: rows, dirs: all, facts: known, checks: newChecks(known), references: newReferences(), redirects: newRedirects(known, rows),
		sitemaps: newSitemapFiles(rows), entries: &entries{facts: known, origins: make(map[string]bool)},
		counters: newCounters(rows), duplicates: newDuplicates(rows), directives: newDirectives(rows), permissions: newPermissions(rows), graph: newLinkGraph(),
		directories: newDirectories(rows),
	}
	m.targets = &targets{facts: known, checks: m.checks}
	m.fragments = newFragments(known, m.redirects)
	m.robots = newRobotsFiles(all, rows, m.counters.at)
	m.urls = newURLTable(rows, known, all, m.robots)
	if o.AllURLs {
		m.urls.limit, m.graph.unbounded = math.MaxInt, true
	}
	m.rejections = newRejections(m.robots, rows)
	m.merger = newMerger(known, m.sitemaps, all)
	for i := range rules {
		l := &ruleList{rule: &rules[i], references: m.references, urls: m.urls, rows: newTopRows(rows, byPages), uses: make(map[string][]string)}
		l.finder = l.find(m, l)
		m.lists = append(m.lists, l)
	}
	return m, nil
}

// load reads the crawl.
func (m *model) load() error {
	err := errors.Join(
		m.merger.addFetches(),
		m.merger.eachSitemap(m.addSitemap),
		m.readPages(m.addPage),
		m.merger.addRejections(),
		m.merger.eachRejection(m.addRejection),
		m.merger.eachEntry(m.addEntry),
		m.merger.eachCheck(m.addCheck),
		m.readLinks(),
		m.merger.eachAnchors(m.fragments.addTargets),
		m.readPermissions(),
		m.robots.read(),
	)
	if err != nil {
		return err
	}
	m.linksUnknown = len(m.dirs.filter((*workerDir).lacksLinks)) > 0
	m.entriesUnknown = len(m.dirs.filter((*workerDir).lacksEntries)) > 0
	m.redirects.follow()
	m.fragments.follow()
	m.targets.sort()
	m.sitemaps.conclude()
	m.entries.count()
	m.duplicates.choose()
	if m.linksUnknown {
		m.urls.forgetInlinks()
	}
	return nil
}

func (m *model) addSitemap(s *workerDir, f *output.Sitemap) {
	s.hasEntries = s.hasEntries || f.Pages > 0
	m.counters.at(f.FetchedAt)
	m.sitemaps.add(f)
}

func (m *model) addPage(s *workerDir, p *output.Page) {
	s.page(p)
	v := &pageView{Page: p, key: keyOf(p.URL), fact: fact{marks: m.counters.marksOf(p)}, status: statusOf(p)}
	if v.fact.has(htmlPage) {
		m.targets.add(v.key, p.Hreflang)
	}
	if v.status == http.StatusNotModified {
		m.unknownLinks++ // until its line of links.jsonl is read
	}
	if broken(v.status) {
		m.broken++
	}
	m.facts.page(v.key, v.status, v.fact.marks)
	m.counters.page(p)
	m.robots.page(p)
	m.redirects.add(v.key, p)
	m.duplicates.add(p)
	m.directives.page(p)
	m.references.begin(p.URL)
	m.urls.addPage(s, v)
	m.directories.page(v)
	for _, l := range m.lists {
		if l.finder.load != nil {
			l.finder.load(v)
		}
	}
}

func (m *model) addRejection(s *workerDir, r *output.Rejection) {
	s.rejected++
	m.counters.rejection(r)
	m.rejections.add(r)
	m.robots.rejection(r)
	isPage := !m.sitemaps.reject(r)
	if isPage {
		k := keyOf(r.URL)
		m.facts.reject(k, r.Reason)
		m.urls.addRejection(s, k, r)
	}
	switch {
	case r.Reason != output.Failed:
	case isPage:
		m.broken++
		m.directories.each(r.URL, func(dir *Directory) { dir.Errors++ })
	default:
		m.checks.dead[originOf(r.URL)] = true
	}
}

func (m *model) addEntry(s *workerDir, e *output.Entry) {
	m.entries.add(s, e)
	m.urls.addEntry(s, e)
}

func (m *model) addCheck(s *workerDir, c *output.Check) {
	m.checks.add(c)
	m.urls.addCheck(s, c)
	m.targets.add(keyOf(c.URL), c.Hreflang)
}

// readLinks reads the links of all pages. A link changes nothing if its target is linked already,
// cannot be a finding and was not checked.
func (m *model) readLinks() error {
	noted := newKeyFilter(len(m.facts.byURL) + len(m.checks.byURL))
	for k, f := range m.facts.byURL {
		if !f.has(linked) || m.facts.atFault(f) {
			noted.add(k)
		}
	}
	for k := range m.checks.byURL {
		noted.add(k)
	}
	return m.merger.eachLinks(func(_ *workerDir, l *linksLine) {
		m.references.begin(l.URL)
		m.graph.add(l)
		for _, list := range m.lists {
			if list.finder.link != nil {
				list.finder.link(l, list.refer)
			}
		}
		from := keyOf(l.URL)
		if m.facts.byURL[from].status == http.StatusNotModified {
			m.unknownLinks--
		}
		itself := l.eachTarget(func(k key, asset *link) {
			m.urls.addLink(k, m.references.lines)
			switch {
			case !noted.mayContain(k):
			case asset == nil:
				m.refer(k, linked, usedAsLink)
			default:
				m.refer(k, 0, usedAs(asset.Kind, l.URL, asset.URL))
			}
		})
		if itself {
			m.urls.addLink(from, m.references.lines)
		}
	})
}

// refer records that the page of the current line refers to a URL.
func (m *model) refer(k key, mark marks, as checkMarks) {
	f, known := m.facts.byURL[k]
	if known && mark != 0 && !f.has(mark) {
		f.marks |= mark
		m.facts.byURL[k] = f
	}
	if known && m.facts.atFault(f) || len(m.checks.byURL) > 0 && m.checks.use(k, as) {
		m.references.addLink(k)
	}
}
