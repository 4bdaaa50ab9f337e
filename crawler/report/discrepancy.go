package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Sitemaps compares the sitemaps with the site.
type Sitemaps struct {
	Files     List[SitemapFile] `json:"files"`
	FilesRead int               `json:"files_read"` // files that were read completely

	Entries               int           `json:"entries"`                 // page entries of all files
	URLs                  int           `json:"urls"`                    // listed URLs, each counted once
	OK                    int           `json:"ok"`                      // listed URLs that can be fetched and indexed
	Problems              int           `json:"problems"`                // listed URLs that cannot be fetched and indexed; the other URLs were not fetched
	Discrepancies         []Discrepancy `json:"discrepancies"`           // empty if no sitemap lists a page
	OriginsWithoutEntries List[string]  `json:"origins_without_entries"` // origins with pages, none of them listed in a sitemap

	// Caveats are reasons why the sitemaps may list more URLs; empty: they do not.
	Caveats []string `json:"caveats"`
}

// A Discrepancy is one way in which the sitemaps and the site disagree.
type Discrepancy struct {
	Kind    string `json:"kind"`  // SCHEMA.md names the kinds
	Title   string `json:"title"` // completes a sentence that starts with "12 URLs"
	Meaning string `json:"meaning"`

	// Caveats are reasons why the list may be incomplete or wrong; empty: it is complete.
	Caveats []string `json:"caveats"`

	URLs List[DiscrepantURL] `json:"urls"`
}

// A DiscrepantURL is a URL with a discrepancy. For the kind invalid-lastmod it is a sitemap entry.
type DiscrepantURL struct {
	URL     string    `json:"url"`
	Sitemap string    `json:"sitemap,omitempty"` // the first sitemap that lists it, by name
	Detail  string    `json:"detail,omitempty"`
	LastMod time.Time `json:"lastmod,omitzero"`
}

// The kinds of discrepancies. Programs rely on their spelling.
const (
	kindBroken         = "broken"
	kindRedirected     = "redirected"
	kindDisallowed     = "disallowed"
	kindNoindex        = "noindex"
	kindElsewhere      = "canonical-elsewhere"
	kindNotAuthorized  = "not-authorized"
	kindInvalidLastmod = "invalid-lastmod"
	kindNotLinked      = "not-linked"
	kindNotListed      = "not-listed"
	kindNotFetched     = "not-fetched"
)

// kinds are the kinds in the order of the report, with their meaning.
var kinds = [...]struct{ name, title, meaning string }{
	{kindBroken, "listed but broken", "The request fails, or the status is 4xx or 5xx."},
	{kindRedirected, "listed but redirected", "A sitemap should list the target of a redirect."},
	{kindDisallowed, "listed but disallowed", "The sitemap lists a URL that robots.txt disallows."},
	{kindNoindex, "listed but noindex", "The sitemap lists a page with noindex."},
	{kindElsewhere, "listed but not canonical", "The page names another URL as its canonical one."},
	{kindNotAuthorized, "listed by a sitemap that is not authorized", "A sitemap may list pages of the sites whose robots.txt lists it, and pages below its own directory."},
	{kindInvalidLastmod, "with an invalid lastmod", "The date is in the future or before the first website (6 August 1991)."},
	{kindNotLinked, "listed but not linked", "No other fetched page links to it (an orphan page)."},
	{kindNotListed, "linked but not listed", "An indexable HTML page that no sitemap lists, on a host with a sitemap."},
	{kindNotFetched, "listed but not fetched", "The crawl skipped or did not reach these URLs."},
}

// firstWeb is when the first website went up.
var firstWeb = time.Date(1991, 8, 6, 0, 0, 0, 0, time.UTC)

// maxAhead allows for dates without a time zone: some days start 14 hours before UTC.
const maxAhead = 14 * time.Hour

// comparison finds the discrepancies between sitemaps and site.
type comparison struct {
	facts  *facts
	files  *sitemapFiles
	limit  int
	result Sitemaps

	linksUnknown   bool // the links of pages were not recorded
	entriesUnknown bool // entries.jsonl is missing or empty
	unfetched      int  // listed URLs that were neither fetched nor rejected

	hosts          map[string]bool // with entries
	withoutEntries map[string]bool // with pages, but no entry

	rows  map[string]*topRows[DiscrepantURL] // by kind
	lists map[string]List[DiscrepantURL]     // of kinds that need no entry to be complete
	byURL map[key][]*DiscrepantURL           // rows in lists that need a sitemap
}

func newComparison(f *facts, files *sitemapFiles, rows int) *comparison {
	c := &comparison{
		facts: f, files: files, limit: rows,
		hosts: make(map[string]bool), withoutEntries: make(map[string]bool),
		rows: make(map[string]*topRows[DiscrepantURL]), lists: make(map[string]List[DiscrepantURL]), byURL: make(map[key][]*DiscrepantURL),
	}
	for _, k := range kinds {
		c.rows[k.name] = newTopRows(rows, byEntry)
	}
	c.rows[kindNotFetched].same = func(a, b DiscrepantURL) bool { return a.URL == b.URL }
	return c
}

func byEntry(a, b DiscrepantURL) int {
	return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Sitemap, b.Sitemap), a.LastMod.Compare(b.LastMod))
}

// addEntry records an entry. Pages and rejections come first.
func (c *comparison) addEntry(_ *workerDir, e *output.Entry) {
	c.result.Entries++
	k := keyOf(e.URL)
	c.facts.mark(k, listed)
	if c.facts.reason(c.facts.byURL[k]) != output.NotAuthorized {
		addHost(c.hosts, e.URL)
	}
}

func addHost(set map[string]bool, url string) {
	if name := originOf(url); !set[name] {
		set[strings.Clone(name)] = true // it shares memory with the line
	}
}

// conclude counts the listed URLs, after the first reading.
func (c *comparison) conclude() {
	for _, f := range c.facts.byURL {
		if !f.has(listed) {
			continue
		}
		c.result.URLs++
		if f.status == 0 && f.reason == 0 {
			c.unfetched++
		}
		switch found := c.kindsOf(f); {
		case len(found) == 0 || found[0] == kindNotLinked:
			c.result.OK++
		case found[0] != kindNotFetched:
			c.result.Problems++
		}
	}
}

// kindsOf returns the kinds of a URL that a sitemap lists, without kindInvalidLastmod.
func (c *comparison) kindsOf(f fact) []string {
	reason := c.facts.reason(f)
	switch {
	case c.facts.broken(f):
		return []string{kindBroken}
	case redirected(int(f.status)):
		return []string{kindRedirected}
	case reason == output.Disallowed:
		return []string{kindDisallowed}
	case reason == output.NotAuthorized:
		return []string{kindNotAuthorized}
	case !succeeded(int(f.status)):
		return []string{kindNotFetched}
	}
	var found []string
	if f.has(noindex) {
		found = append(found, kindNoindex)
	}
	if f.has(elsewhere) {
		found = append(found, kindElsewhere)
	}
	if !f.has(linked) && !c.linksUnknown { // last, since the sitemap itself is right
		found = append(found, kindNotLinked)
	}
	return found
}

// page adds a page to its kinds.
func (c *comparison) page(k key, p *output.Page) {
	f := c.facts.byURL[k]
	if !f.has(listed) {
		c.notListed(f, p)
		return
	}
	for _, kind := range c.kindsOf(f) {
		detail := ""
		switch kind {
		case kindBroken:
			detail = "status " + strconv.Itoa(p.Status)
		case kindRedirected:
			detail = fmt.Sprintf("status %d to %s", p.Status, clip(p.Location))
		case kindNoindex:
			detail = noindexOf(p)
		case kindElsewhere:
			detail = clip(canonicalOf(p))
		}
		c.rows[kind].add(DiscrepantURL{URL: p.URL, Detail: detail})
	}
}

// notListed records a page that is in no sitemap.
func (c *comparison) notListed(f fact, p *output.Page) {
	switch name := originOf(p.URL); {
	case !succeeded(p.Status):
	case !c.hosts[name]:
		addHost(c.withoutEntries, p.URL)
	case isHTML(p) && !f.has(noindex) && !f.has(elsewhere):
		detail := "linked from " + p.FoundOn
		switch p.Source {
		case "start":
			detail = "a start URL"
		case "redirect":
			detail = "redirected from " + p.FoundOn
		}
		c.rows[kindNotListed].add(DiscrepantURL{URL: p.URL, Detail: detail})
	}
}

// rejection adds a rejected URL to its kinds.
func (c *comparison) rejection(k key, r *output.Rejection) {
	f := c.facts.byURL[k]
	if !f.has(listed) || f.status != 0 {
		return
	}
	for _, kind := range c.kindsOf(f) {
		detail := cmp.Or(r.Rule, r.Detail)
		switch kind {
		case kindNotFetched:
			continue // nameEntry adds it
		case kindDisallowed:
			detail = fmt.Sprintf("%s (line %d)", r.Rule, r.Line)
		}
		c.rows[kind].add(DiscrepantURL{URL: r.URL, Detail: clip(detail)})
	}
}

// choose finishes the lists that need no entries.
func (c *comparison) choose() {
	for kind, rows := range c.rows {
		if kind == kindInvalidLastmod || kind == kindNotFetched {
			continue
		}
		list := rows.list()
		c.lists[kind] = list
		for i, row := range list.Rows {
			if kind != kindNotListed {
				k := keyOf(row.URL)
				c.byURL[k] = append(c.byURL[k], &list.Rows[i])
			}
		}
	}
}

// nameEntry names the sitemaps of rows, and adds the rows that only entries can give.
func (c *comparison) nameEntry(_ *workerDir, e *output.Entry) {
	k := keyOf(e.URL)
	f := c.facts.byURL[k]
	for _, row := range c.byURL[k] {
		if better := (DiscrepantURL{URL: row.URL, Sitemap: e.Sitemap, LastMod: e.LastMod}); row.Sitemap == "" || byEntry(better, *row) < 0 {
			row.Sitemap, row.LastMod = e.Sitemap, e.LastMod
		}
	}
	found := c.kindsOf(f)
	if slices.Contains(found, kindNotFetched) {
		found = nil // nothing is known to be wrong
		reason := cmp.Or(string(c.facts.reason(f)), "not fetched yet")
		row := DiscrepantURL{URL: e.URL, Sitemap: e.Sitemap, LastMod: e.LastMod, Detail: reason}
		if f.has(counted) {
			c.rows[kindNotFetched].addDuplicate(row)
		} else {
			c.facts.mark(k, counted)
			c.rows[kindNotFetched].add(row)
		}
	}
	if detail := c.invalidLastmod(e); detail != "" {
		c.rows[kindInvalidLastmod].add(DiscrepantURL{URL: e.URL, Sitemap: e.Sitemap, Detail: detail, LastMod: e.LastMod})
		found = append(found, kindInvalidLastmod)
	}
	if len(found) > 0 {
		c.files.problems[keyOf(e.Sitemap)]++
	}
}

// invalidLastmod says why the date of an entry is invalid; empty: it is valid.
func (c *comparison) invalidLastmod(e *output.Entry) string {
	read := c.files.readAt[keyOf(e.Sitemap)]
	switch {
	case e.LastMod.IsZero():
		return ""
	case e.LastMod.Before(firstWeb):
		return "before the first website"
	case !read.IsZero() && e.LastMod.After(read.Add(maxAhead)):
		return "later than the fetch on " + read.UTC().Format(time.DateOnly)
	}
	return ""
}

func (c *comparison) list(inconclusive func(kind string) []string) Sitemaps {
	result := c.result
	result.Files, result.FilesRead = c.files.list(), c.files.read()
	if c.entriesUnknown {
		clear(c.withoutEntries)
	}
	result.OriginsWithoutEntries = listOf(c.limit, slices.Collect(maps.Keys(c.withoutEntries)), strings.Compare)
	result.Caveats = inconclusive(kindNotFetched)
	result.Discrepancies = []Discrepancy{}
	if result.URLs == 0 {
		return result
	}
	for _, k := range kinds {
		list, ok := c.lists[k.name]
		if !ok {
			list = c.rows[k.name].list()
		}
		result.Discrepancies = append(result.Discrepancies, Discrepancy{
			Kind: k.name, Title: k.title, Meaning: k.meaning, Caveats: inconclusive(k.name), URLs: list,
		})
	}
	return result
}
