package report

import (
	"errors"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A finder finds the rows of a rule. Any of its functions may be nil.
type finder struct {
	// These are called while the model is loaded.
	load func(*pageView) // with each page; its fact has the marks of the line alone

	// This is called with each line of links.jsonl, and calls a function with each URL that is a finding:
	// while the model is loaded refer, then name.
	link func(*linksLine, func(url string))

	// These are called when the model is loaded.
	page      func(*pageView)
	content   func(*pageView) // with each indexable page
	rejection func(*rejectionView)
	check     func(*checkFault)
	entry     func(key, fact, *output.Entry)
	all       func() error // once, after the pages, rejections, checks and entries

	inSitemap  bool // Related of the rows becomes the sitemap that lists the URL
	robotsLine bool // the rows get the line of robots.txt that disallows Related
}

// afterAll returns a finder of rows that no line has.
func afterAll(f func(*model, *ruleList)) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		return finder{all: func() error {
			f(m, l)
			return nil
		}}
	}
}

// A pageView is a page with what is known about its URL.
type pageView struct {
	*output.Page

	key    key
	fact   fact
	status int // by statusOf

	canonical target    // zero if it is not a finding
	versions  []version // none if they are no findings
}

// A rejectionView is a skipped URL, but no sitemap file, with what is known about it.
type rejectionView struct {
	*output.Rejection

	key  key
	fact fact
}

// find finds the rows of all rules.
func (m *model) find() error {
	if err := m.readPages(m.findInPage); err != nil {
		return err
	}
	related := make(map[key][]*Finding) // rows by the disallowed URL
	for _, l := range m.lists {
		if l.finder.robotsLine {
			l.index(related, func(f *Finding) string { return f.Related })
		}
	}
	err := errors.Join(
		m.merger.eachRejection(func(_ *workerDir, r *output.Rejection) { m.findInRejection(r, related) }),
		m.merger.eachCheck(func(_ *workerDir, c *output.Check) {
			fault := m.checks.fault(c, m.references)
			for _, l := range m.lists {
				if fault != nil && l.finder.check != nil {
					l.finder.check(fault)
				}
			}
		}),
	)
	if err != nil {
		return err
	}
	listed := make(map[key][]*Finding)
	for _, l := range m.lists {
		if l.finder.inSitemap {
			l.index(listed, func(f *Finding) string { return f.URL })
		}
	}
	err = m.merger.eachEntry(func(_ *workerDir, e *output.Entry) { m.findInEntry(e, listed) })
	for _, l := range m.lists {
		if l.finder.all != nil {
			err = errors.Join(err, l.finder.all())
		}
	}
	return errors.Join(err, m.nameLinks(), m.nameReferences())
}

// nameLinks finds the rows of URLs that only links.jsonl has.
func (m *model) nameLinks() error {
	lists := slices.DeleteFunc(slices.Clone(m.lists), func(l *ruleList) bool { return !l.referred || l.finder.link == nil })
	if len(lists) == 0 {
		return nil // the file is the largest
	}
	return m.merger.eachLinks(func(_ *workerDir, line *linksLine) {
		for _, l := range lists {
			l.finder.link(line, l.name)
		}
	})
}

func (m *model) findInPage(_ *workerDir, p *output.Page) {
	k, f := m.facts.find(p.URL)
	m.counters.place(p)
	m.redirects.name(k, p)
	if redirected(p.Status) && !redirected(int(f.status)) {
		return // the URL redirected until it had its cookies
	}
	m.duplicates.name(p)
	v := &pageView{Page: p, key: k, fact: f, status: statusOf(p)}
	if f.has(htmlPage) && !f.has(withheld|noindex) {
		m.targets.find(v)
	}
	for _, l := range m.lists {
		if l.finder.page != nil {
			l.finder.page(v)
		}
		if l.finder.content != nil && f.indexable() {
			l.finder.content(v)
		}
	}
}

func (m *model) findInRejection(r *output.Rejection, related map[key][]*Finding) {
	if m.sitemaps.rejected(r) {
		return
	}
	k, f := m.facts.find(r.URL)
	v := &rejectionView{r, k, f}
	for _, l := range m.lists {
		if l.finder.rejection != nil {
			l.finder.rejection(v)
		}
	}
	if r.Reason != output.Disallowed {
		return
	}
	for _, row := range related[k] {
		lang := row.Detail
		if row.disallow(r); lang != "" {
			row.Detail = lang + ": " + row.Detail
		}
	}
	delete(related, k) // it has one line
}

func (m *model) findInEntry(e *output.Entry, listed map[key][]*Finding) {
	k := keyOf(e.URL)
	f := m.facts.byURL[k]
	for _, row := range listed[k] {
		if row.Related == "" || e.Sitemap < row.Related {
			row.Related = e.Sitemap
		}
	}
	for _, l := range m.lists {
		if l.finder.entry != nil {
			l.finder.entry(k, f, e)
		}
	}
	if state := m.entries.stateOf(f); state.isProblem() || state == entryFine && m.unlinked(f) || m.sitemaps.invalidLastmod(e) != "" {
		m.sitemaps.problems[keyOf(e.Sitemap)]++
	}
}
