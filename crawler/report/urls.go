package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A urlRow is a URL of the crawl: a page, a redirect, a skipped URL, or one that was only checked or
// listed. A number is negative if it is not known.
type urlRow struct {
	url       string
	kind      urlKind
	indexable string // yes, or why not; empty if the URL was not fetched as a page
	title     string
	canonical string
	sitemap   string // the first that lists it
	reason    output.Reason
	rule      string   // the line of robots.txt that disallows it
	findings  []string // IDs of rules

	status  int16 // 0 without a response
	depth   int32
	inlinks int32 // pages and stylesheets that link to it or use it, itself too
	words   int32
	bytes   int64
	millis  int64

	lines    [urlFiles]linePosition
	entries  []linePosition // of entries.jsonl, the first maxEntries
	listings int32          // number of entries
	lastLine uint32         // the number of the last line of links.jsonl with it
}

type urlKind string

// The kinds of URLs. The last three were only checked.
const (
	kindPage     urlKind = "page" // HTML, or not known: an error, or a page without content
	kindFile     urlKind = "file" // fetched, of another type
	kindRedirect urlKind = "redirect"
	kindSkipped  urlKind = "skipped"
	kindListed   urlKind = "not fetched" // in a sitemap
	kindAsset    urlKind = "asset"
	kindExternal urlKind = "external" // a link out of the crawl
	kindChecked  urlKind = "checked"  // another URL that a page names, such as a canonical one
)

// The files with at most one line of a URL that counts.
const (
	lineOfPage = iota
	lineOfRejection
	lineOfCheck
	lineOfPermission
	urlFiles
)

// A linePosition is where a line begins. Dir is the number of its directory; 0 if there is no line.
type linePosition struct {
	dir uint16
	at  int64
}

// urlTable has the URLs of the crawl in the order of its files: pages, skipped URLs, listed ones, checks.
type urlTable struct {
	facts  *facts
	dirs   workerDirs
	robots *robotsFiles

	limit   int // of rows
	omitted int // URLs beyond the limit
	rows    []urlRow
	place   map[key]int32 // in rows

	beyond urlRow // scratch for URLs beyond the limit
}

// maxEntries limits the sitemap entries of a URL that its page lists.
const maxEntries = 100

func newURLTable(limit int, known *facts, dirs workerDirs, robots *robotsFiles) *urlTable {
	return &urlTable{facts: known, dirs: dirs, robots: robots, limit: limit, place: make(map[key]int32)}
}

// row returns the row of a URL, which it may add. Beyond the limit it is not in the table.
func (t *urlTable) row(k key, url string, kind urlKind) *urlRow {
	if i, known := t.place[k]; known {
		return &t.rows[i]
	}
	if len(t.rows) >= t.limit {
		f, known := t.facts.byURL[k]
		if !f.has(omitted) { // a URL without facts was only checked, and has one line
			t.omitted++
		}
		if known {
			t.facts.mark(k, omitted)
		}
		t.beyond = urlRow{}
		return &t.beyond
	}
	t.place[k] = int32(len(t.rows))
	t.rows = append(t.rows, urlRow{url: strings.Clone(url), kind: kind, status: -1, depth: -1, words: -1, bytes: -1, millis: -1})
	return &t.rows[len(t.rows)-1]
}

func (t *urlTable) addPage(s *workerDir, v *pageView) {
	row := t.row(v.key, v.URL, kindPage)
	switch {
	case redirected(v.status):
		row.kind = kindRedirect
	case !v.fact.has(htmlPage) && v.status/100 == 2:
		row.kind = kindFile
	default:
		row.kind = kindPage // also if the URL redirected until it had its cookies
	}
	row.indexable = v.fact.indexability(v.status)
	row.title, row.canonical = strings.Clone(clip(v.Title)), strings.Clone(v.Canonical)
	row.status, row.depth, row.bytes, row.millis = int16(min(v.Status, 999)), int32(v.Depth), int64(v.Bytes), v.DurationMS
	if v.fact.has(htmlPage) {
		row.words = int32(v.Words)
	}
	row.lines[lineOfPage] = s.position()
}

func (t *urlTable) addRejection(s *workerDir, k key, r *output.Rejection) {
	row := t.row(k, r.URL, kindSkipped)
	row.reason, row.depth, row.rule = r.Reason, int32(r.Depth), ""
	if r.Rule != "" {
		row.rule = fmt.Sprintf("%s, line %d", clip(r.Rule), r.Line)
	}
	if row.kind == kindSkipped {
		row.status = -1
	}
	if r.Reason == output.Failed {
		row.status = 0
	}
	row.lines[lineOfRejection] = s.position()
}

func (t *urlTable) addEntry(s *workerDir, e *output.Entry) {
	k := keyOf(e.URL)
	row := t.row(k, e.URL, kindListed)
	if row.sitemap == "" {
		row.sitemap = strings.Clone(e.Sitemap)
	}
	if row.listings++; len(row.entries) < maxEntries {
		row.entries = append(row.entries, s.position())
	}
}

func (t *urlTable) addCheck(s *workerDir, c *output.Check) {
	row := t.row(keyOf(c.URL), c.URL, kindChecked)
	row.lines[lineOfCheck] = s.position()
	if row.lines[lineOfPage].dir != 0 {
		return // it was fetched too
	}
	switch asPage := c.Kind == checkCanonical || c.Kind == checkHreflang; {
	case !asPage && usedAs(c.Kind, c.FoundOn, c.URL) == usedAsAsset:
		row.kind = kindAsset
	case !asPage || row.reason == output.OutOfScope:
		row.kind = kindExternal
	case row.reason == "":
		row.kind = kindChecked
	}
	row.canonical = strings.Clone(c.Canonical)
	if row.reason == "" {
		row.reason = c.Reason
	}
	if !c.FetchedAt.IsZero() {
		row.status, row.millis = int16(min(c.Status, 999)), c.DurationMS
	}
	if c.Bytes > 0 { // most checks read no body
		row.bytes = int64(c.Bytes)
	}
}

func (t *urlTable) addPermission(s *workerDir, k key) {
	if i, known := t.place[k]; known {
		t.rows[i].lines[lineOfPermission] = s.position()
	}
}

// addLink counts a link or use in the line of links.jsonl with a number.
func (t *urlTable) addLink(k key, line uint32) {
	i, known := t.place[k]
	if known && t.rows[i].lastLine != line {
		t.rows[i].inlinks, t.rows[i].lastLine = t.rows[i].inlinks+1, line
	}
}

// forgetInlinks says that the numbers of inlinks are not known.
func (t *urlTable) forgetInlinks() {
	for i := range t.rows {
		t.rows[i].inlinks = -1
	}
}

// addFinding adds the ID of a rule to the row of a URL.
func (t *urlTable) addFinding(url, id string) {
	i, known := t.place[keyOf(url)]
	if !known {
		return
	}
	row := &t.rows[i]
	if at, found := slices.BinarySearch(row.findings, id); !found {
		row.findings = slices.Insert(row.findings, at, id)
	}
}

// dropFinding removes the ID of a rule that the report does not list.
func (t *urlTable) dropFinding(id string) {
	for i := range t.rows {
		t.rows[i].findings = slices.DeleteFunc(t.rows[i].findings, func(other string) bool { return other == id })
	}
}

// urlFields are the columns of the table of URLs.
var urlFields = []field[urlRow]{
	urlField("URL", func(r *urlRow) string { return r.url }),
	numberField("Status", kindStatus, func(r *urlRow) int { return int(r.status) }),
	textField("Kind", func(r *urlRow) string { return string(r.kind) }),
	textField("Indexable", func(r *urlRow) string { return r.indexable }),
	textField("Title", func(r *urlRow) string { return r.title }),
	numberField("Depth", kindNumber, func(r *urlRow) int { return int(r.depth) }),
	numberField("Inlinks", kindNumber, func(r *urlRow) int { return int(r.inlinks) }),
	numberField("Words", kindNumber, func(r *urlRow) int { return int(r.words) }),
	numberField("Size", kindSize, func(r *urlRow) int64 { return r.bytes }),
	numberField("Time", kindMillis, func(r *urlRow) int64 { return r.millis }),
	urlField("Canonical", func(r *urlRow) string { return r.canonical }),
	urlField("Sitemap", func(r *urlRow) string { return r.sitemap }),
	textField("Skipped", func(r *urlRow) string { return string(r.reason) }),
	textField("Rule", func(r *urlRow) string { return r.rule }),
	linesField("Findings", func(r *urlRow) []string { return r.findings }),
}

// table is the table of all URLs.
func (t *urlTable) table() *table {
	all := tableOf("urls", "URLs", List[urlRow]{len(t.rows) + t.omitted, t.rows}, urlFields...)
	all.Choices = t.choices()
	return all
}

// choices are the values of the filters of the table, the most frequent first.
func (t *urlTable) choices() map[string][]Count {
	count := map[string]names{"status": {}, "kind": {}, "indexable": {}, "finding": {}}
	add := func(filter, value string) {
		if value != "" {
			count[filter].add(value)
		}
	}
	for i := range t.rows {
		row := &t.rows[i]
		add("status", statusClass(int(row.status)))
		add("kind", string(row.kind))
		add("indexable", row.indexable)
		for _, id := range row.findings {
			add("finding", id)
		}
	}
	choices := make(map[string][]Count)
	for name, values := range count {
		choices[name] = values.list(maxNames).Rows
	}
	return choices
}

// statusClass is 2xx, 3xx and so on, none without a response, or empty without a request.
func statusClass(status int) string {
	switch {
	case status < 0:
		return ""
	case status == 0:
		return "none"
	}
	return fmt.Sprintf("%dxx", status/100)
}
