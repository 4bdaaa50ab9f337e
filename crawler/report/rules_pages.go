package report

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// The limits of pages.
const (
	maxTitle       = 70  // characters of a title
	maxDescription = 160 // characters of a description
	maxLinksAway   = 5   // links from a start URL or a sitemap entry
	maxResponseMS  = 3000
	maxHTMLBytes   = 2 << 20
)

// pageRules are the rules of single pages. Most apply to indexable HTML pages with status 2xx.
var pageRules = []rule{
	{Rule{"start-noindex", SeverityError, topicPages, "Start URLs with noindex", "Remove noindex: search engines list neither the page nor, in the long run, what it links to."},
		"A start URL, or the page to which it redirects, has noindex. As in the other rules, this is a directive for all crawlers, not one for googlebot alone.", ofContent, nil, startsWithNoindex},
	{Rule{"needs-javascript", SeverityWarning, topicPages, "Sites that need JavaScript", "Send pages with their text and links: what was found is what a client without scripts sees."},
		"No HTML page of the origin shows anything without scripts: they have scripts, but outside noscript no text, image, form field or link. `url` is the page nearest to the start. Origins are left out if the content of an HTML page is not known: withheld because of noindex, truncated, or unchanged since a crawl that did not keep it.", ofContent, nil, sitesOfScripts},
	{Rule{"title-missing", SeverityWarning, topicPages, "Pages without title", "Add a title element that says what the page is about."},
		"No title element, or an empty one.", ofContent, nil, content(func(p *output.Page) (string, bool) { return "", p.Title == "" && whole(p) })},
	{Rule{"title-duplicate", SeverityWarning, topicPages, "Pages with duplicate titles", "Give each page its own title, or name one page as the canonical one."},
		"Another page (`related`) has the same title. That page has fewer links from the start, or comes first by URL; it is no finding. Pages with hreflang links to each other may have the same title.", ofContent, nil, duplicateTexts(func(p *output.Page) string { return p.Title })},
	{Rule{"title-long", SeverityNotice, topicPages, "Titles longer than 70 characters", "Shorten the title: search results cut it off."},
		"More than 70 characters.", ofContent, nil, longTexts(maxTitle, func(p *output.Page) string { return p.Title })},
	{Rule{"description-missing", SeverityNotice, topicPages, "Pages without description", "Add a meta description that sums up the page."},
		"No meta description, or an empty one.", ofContent, nil, content(func(p *output.Page) (string, bool) { return "", p.Description == "" && whole(p) })},
	{Rule{"description-duplicate", SeverityNotice, topicPages, "Pages with duplicate descriptions", "Write a description of its own for each page."},
		"Another page (`related`) has the same description, as for titles.", ofContent, nil, duplicateTexts(func(p *output.Page) string { return p.Description })},
	{Rule{"description-long", SeverityNotice, topicPages, "Descriptions longer than 160 characters", "Shorten the description: search results cut it off."},
		"More than 160 characters.", ofContent, nil, longTexts(maxDescription, func(p *output.Page) string { return p.Description })},
	{Rule{"h1-missing", SeverityNotice, topicPages, "Pages without h1", "Add one h1 element as the heading of the page."},
		"No h1 element with text.", ofContent, nil, content(func(p *output.Page) (string, bool) { return "", p.H1 == "" && p.H1Count == 0 && whole(p) })},
	{Rule{"h1-multiple", SeverityNotice, topicPages, "Pages with several h1", "Keep one h1 element, and make the others h2."},
		"More than one h1 element.", ofContent, nil, content(func(p *output.Page) (string, bool) { return strconv.Itoa(p.H1Count) + " h1 elements", p.H1Count > 1 })},
	{Rule{"alt-missing", SeverityNotice, topicPages, "Pages with images without alt", "Describe each image in its alt attribute; write alt=\"\" for decorations."},
		"img elements without an alt attribute; `detail` counts them. An empty alt, the role `none` or `presentation`, and `aria-hidden` are fine. Those in noscript do not count.",
		ofContent, nil, content(func(p *output.Page) (string, bool) {
			return quantity(p.ImagesWithoutAlt, "image"), p.ImagesWithoutAlt > 0
		})},
	{Rule{"page-malformed", SeverityError, topicPages, "XHTML pages that are not well-formed", "Correct the markup, or send the page as text/html: browsers show an error instead of the rest of the page."},
		"A page that is sent as `application/xhtml+xml`, or as XML, is not well-formed. It was read up to there.", ofContent, nil, content(func(p *output.Page) (string, bool) { return p.Malformed, p.Malformed != "" })},
	{Rule{"page-deep", SeverityNotice, topicPages, "Pages more than five links deep", "Link to the page from a page nearer to the start."},
		"More than five links from a start URL or a sitemap entry.",
		ofContent, nil, content(func(p *output.Page) (string, bool) {
			return strconv.Itoa(p.Depth) + " links away", p.Depth > maxLinksAway
		})},
	{Rule{"page-slow", SeverityNotice, topicPages, "Responses that took more than three seconds", "Find out why the server is slow, or cache the page."},
		"More than three seconds from the start of the request to the end of the body. A notice, since the load of the machine that crawls may be the cause.", ofContent, nil, content(func(p *output.Page) (string, bool) { return millis(p.DurationMS), p.DurationMS > maxResponseMS })},
	{Rule{"page-large", SeverityWarning, topicPages, "HTML larger than 2 MiB", "Split the page, or move embedded data into files of its own."},
		"More than 2 MiB of HTML, decoded.", ofContent, nil, content(func(p *output.Page) (string, bool) { return size(p.Bytes), p.Bytes > maxHTMLBytes })},
}

// content finds indexable pages by what they have.
func content(is func(*output.Page) (detail string, found bool)) func(*model, *ruleList) finder {
	return func(_ *model, l *ruleList) finder {
		return finder{content: func(v *pageView) {
			if detail, found := is(v.Page); found {
				l.add(Finding{URL: v.URL, Detail: detail})
			}
		}}
	}
}

// whole reports whether a page was read to its end. Else elements may be missing.
func whole(p *output.Page) bool { return p.Truncated == "" && p.Malformed == "" }

// longTexts finds texts that have too many characters.
func longTexts(limit int, text func(*output.Page) string) func(*model, *ruleList) finder {
	return content(func(p *output.Page) (string, bool) {
		s := text(p)
		if len(s) <= limit { // bytes
			return "", false
		}
		n := utf8.RuneCountInString(s)
		return strconv.Itoa(n) + " characters: " + clip(s), n > limit
	})
}

// duplicateTexts finds pages with the same text. The first page is the one with the fewest links from
// the start, then the first by URL. The others are findings, except its versions for other languages.
func duplicateTexts(text func(*output.Page) string) func(*model, *ruleList) finder {
	return func(m *model, l *ruleList) finder {
		r := newRepeats(m.rows)
		return finder{
			load: func(v *pageView) {
				if s := text(v.Page); s != "" && v.fact.indexable() {
					r.hashes = append(r.hashes, xxhash.Sum64String(s))
				}
			},
			content: func(v *pageView) { r.name(v, text(v.Page)) },
			all: func() error {
				r.addTo(l, m.targets.mutual)
				return nil
			},
		}
	}
}

// repeats has the texts that several pages have.
type repeats struct {
	hashes []uint64 // of all texts, until the groups are known
	groups map[uint64]*repeat
	copies int
	rows   *topRows[repeatRow]

	versions []repeatVersion // the pages with hreflang links
}

// A repeat is a text that several pages have.
type repeat struct {
	url   string // of the first page; empty if not known yet
	depth int
}

type repeatRow struct {
	Finding
	text *repeat
}

// A repeatVersion is a page that may be a version of the first page with its text.
type repeatVersion struct {
	page key
	text *repeat
}

func newRepeats(limit int) *repeats {
	return &repeats{groups: make(map[uint64]*repeat), rows: newTopRows(max(2*limit, DefaultRows), func(a, b repeatRow) int { return byPages(a.Finding, b.Finding) })}
}

// group finds the groups.
func (r *repeats) group() {
	slices.Sort(r.hashes)
	for i, hash := range r.hashes {
		if i > 0 && hash == r.hashes[i-1] {
			r.groups[hash] = &repeat{}
			r.copies++
		}
	}
	r.hashes = nil
}

// name adds a page to the group of its text.
func (r *repeats) name(v *pageView, text string) {
	if r.hashes != nil {
		r.group()
	}
	if len(r.groups) == 0 || text == "" {
		return
	}
	g := r.groups[xxhash.Sum64String(text)]
	if g == nil {
		return
	}
	if g.url == "" || cmp.Or(cmp.Compare(v.Depth, g.depth), cmp.Compare(v.URL, g.url)) < 0 {
		g.url, g.depth = v.URL, v.Depth
	}
	if len(v.Hreflang) > 0 {
		r.versions = append(r.versions, repeatVersion{v.key, g})
	}
	r.rows.add(repeatRow{Finding{URL: v.URL, Detail: clip(text)}, g})
}

// addTo adds the findings. Alternates reports whether two pages name each other as versions for other
// languages.
func (r *repeats) addTo(l *ruleList, alternates func(a, b key) bool) {
	for _, v := range r.versions {
		if alternates(v.page, keyOf(v.text.url)) {
			r.copies--
		}
	}
	for _, row := range r.rows.list().Rows {
		if row.URL != row.text.url && !alternates(keyOf(row.URL), keyOf(row.text.url)) {
			row.Related = row.text.url
			l.add(row.Finding)
		}
	}
	l.rows.total = r.copies
}

// startsWithNoindex finds start URLs that are, or redirect to, a page with noindex.
func startsWithNoindex(m *model, l *ruleList) finder {
	type start struct {
		url    string
		key    key
		detail string // the directive
	}
	var starts []start
	return finder{
		load: func(v *pageView) {
			if v.Source == "start" && (redirected(v.Status) || v.fact.has(noindex)) {
				starts = append(starts, start{strings.Clone(v.URL), v.key, noindexOf(v.Page)})
			}
		},
		all: func() error {
			for _, s := range starts {
				last, _ := m.redirects.lastOf(s.key)
				f := m.facts.byURL[last]
				if !f.has(noindex) || !succeeded(int(f.status)) || last == s.key && s.detail == "" {
					continue // also a URL that redirected to itself until it had its cookies
				}
				row := Finding{URL: s.url, Detail: s.detail}
				if last != s.key {
					row.Detail = "redirects to a page with noindex"
					if step := m.redirects.steps[last]; step != nil { // else beyond the limit of rows
						row.Related = step.URL
					}
				}
				l.add(row)
			}
			return nil
		},
	}
}

// sitesOfScripts finds origins whose HTML pages show nothing without scripts.
func sitesOfScripts(_ *model, l *ruleList) finder {
	type site struct {
		pages int    // that need scripts
		url   string // of the one nearest to the start
		depth int
		other bool // it has a page that needs none, or whose content is not known
	}
	sites := make(map[string]*site) // by origin
	return finder{
		load: func(v *pageView) {
			if !v.fact.has(htmlPage) && (v.Status != http.StatusNotModified || v.HasContent()) {
				return
			}
			origin := originOf(v.URL)
			s := sites[origin]
			if s == nil {
				s = &site{}
				sites[strings.Clone(origin)] = s // it is part of a URL
			}
			if !v.NeedsJavaScript || v.fact.has(incomplete) {
				s.other = true
				return
			}
			if s.pages == 0 || cmp.Or(cmp.Compare(v.Depth, s.depth), cmp.Compare(v.URL, s.url)) < 0 {
				s.url, s.depth = strings.Clone(v.URL), v.Depth
			}
			s.pages++
		},
		all: func() error {
			for _, s := range sites {
				if !s.other {
					l.add(Finding{URL: s.url, Detail: subject(s.pages, "page", "has", "have") + " no text and no links without scripts"})
				}
			}
			return nil
		},
	}
}
