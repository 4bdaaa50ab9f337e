package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Sitemaps compares the sitemaps with the site.
type Sitemaps struct {
	Files     List[SitemapFile] `json:"files"`
	FilesRead int               `json:"files_read"` // files that were read completely

	Entries               int          `json:"entries"`                 // page entries of all files
	URLs                  int          `json:"urls"`                    // listed URLs, each counted once
	OK                    int          `json:"ok"`                      // listed URLs that can be fetched and indexed
	Problems              int          `json:"problems"`                // listed URLs that cannot be fetched and indexed; the other URLs were not fetched
	OriginsWithoutEntries List[string] `json:"origins_without_entries"` // origins with pages, none of them listed in a sitemap

	// Caveats are reasons why the sitemaps may list more URLs; empty: they do not.
	Caveats []string `json:"caveats"`
}

// firstWeb is when the first website went up.
var firstWeb = time.Date(1991, 8, 6, 0, 0, 0, 0, time.UTC)

// maxAhead allows for dates without a time zone: some days start 14 hours before UTC.
const maxAhead = 14 * time.Hour

// comparison finds the differences between sitemaps and site.
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

	lists *findingLists
	byURL map[key][]*Finding // findings that need a sitemap
}

func newComparison(f *facts, files *sitemapFiles, lists *findingLists, rows int) *comparison {
	lists.rows[ruleSitemapNotFetched].same = func(a, b Finding) bool { return a.URL == b.URL }
	return &comparison{
		facts: f, files: files, limit: rows, lists: lists,
		hosts: make(map[string]bool), withoutEntries: make(map[string]bool), byURL: make(map[key][]*Finding),
	}
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
		switch found := c.rulesOf(f); {
		case len(found) == 0 || found[0] == ruleSitemapNotLinked:
			c.result.OK++
		case found[0] != ruleSitemapNotFetched:
			c.result.Problems++
		}
	}
}

// rulesOf returns the rules for a URL that a sitemap lists, without ruleSitemapLastmod.
func (c *comparison) rulesOf(f fact) []string {
	reason := c.facts.reason(f)
	switch {
	case c.facts.broken(f):
		return []string{ruleSitemapBroken}
	case redirected(int(f.status)):
		return []string{ruleSitemapRedirected}
	case reason == output.Disallowed:
		return []string{ruleSitemapDisallowed}
	case reason == output.NotAuthorized:
		return []string{ruleSitemapNotAuthorized}
	case !succeeded(int(f.status)):
		return []string{ruleSitemapNotFetched}
	}
	var found []string
	if f.has(noindex) {
		found = append(found, ruleSitemapNoindex)
	}
	if f.has(elsewhere) {
		found = append(found, ruleSitemapElsewhere)
	}
	if !f.has(linked) && !c.linksUnknown { // last, since the sitemap itself is right
		found = append(found, ruleSitemapNotLinked)
	}
	return found
}

// page adds the findings of a page.
func (c *comparison) page(f fact, p *output.Page) {
	if !f.has(listed) {
		c.notListed(f, p)
		return
	}
	for _, rule := range c.rulesOf(f) {
		detail := ""
		switch rule {
		case ruleSitemapBroken:
			detail = statusText(statusOf(p))
		case ruleSitemapRedirected:
			detail = fmt.Sprintf("status %d to %s", p.Status, clip(p.Location))
		case ruleSitemapNoindex:
			detail = noindexOf(p)
		case ruleSitemapElsewhere:
			detail = clip(p.Canonical)
		}
		c.lists.add(rule, Finding{URL: p.URL, Detail: detail})
	}
}

// notListed records a page that is in no sitemap.
func (c *comparison) notListed(f fact, p *output.Page) {
	switch name := originOf(p.URL); {
	case !succeeded(statusOf(p)):
	case !c.hosts[name]:
		addHost(c.withoutEntries, p.URL)
	case f.has(htmlPage) && !f.has(noindex|elsewhere) && !c.files.faulty[name]:
		detail := "found on " + p.FoundOn // a recrawl may no longer find it there
		switch p.Source {
		case "start":
			detail = "a start URL"
		case "redirect":
			detail = "redirected from " + p.FoundOn
		}
		c.lists.add(ruleSitemapNotListed, Finding{URL: p.URL, Detail: clip(detail)})
	}
}

// rejection adds the findings of a rejected URL.
func (c *comparison) rejection(k key, r *output.Rejection) {
	f := c.facts.byURL[k]
	if !f.has(listed) || f.status != 0 {
		return
	}
	for _, rule := range c.rulesOf(f) {
		row := Finding{URL: r.URL, Detail: clip(cmp.Or(r.Rule, r.Detail))}
		switch rule {
		case ruleSitemapNotFetched:
			continue // nameEntry adds it
		case ruleSitemapDisallowed:
			row.disallow(r)
		}
		c.lists.add(rule, row)
	}
}

// choose finishes the lists of the rules that need no entry to be complete.
func (c *comparison) choose() {
	for _, rule := range rules {
		switch {
		case rule.Topic != topicSitemaps, rule.ID == ruleSitemapUnreadable, rule.ID == ruleSitemapIncomplete, rule.ID == ruleSitemapLastmod, rule.ID == ruleSitemapNotFetched, rule.ID == ruleSitemapNotListed:
			continue
		}
		list := c.lists.finish(rule.ID)
		for i := range list.Rows {
			k := keyOf(list.Rows[i].URL)
			c.byURL[k] = append(c.byURL[k], &list.Rows[i])
		}
	}
}

// nameEntry names the sitemaps of rows, and adds the rows that only entries can give.
func (c *comparison) nameEntry(_ *workerDir, e *output.Entry) {
	k := keyOf(e.URL)
	f := c.facts.byURL[k]
	for _, row := range c.byURL[k] {
		if row.Related == "" || e.Sitemap < row.Related {
			row.Related = e.Sitemap
		}
	}
	found := c.rulesOf(f)
	if slices.Contains(found, ruleSitemapNotFetched) {
		found = nil // nothing is known to be wrong
		reason := cmp.Or(string(c.facts.reason(f)), "not fetched yet")
		row := Finding{URL: e.URL, Related: e.Sitemap, Detail: reason}
		if f.has(counted) {
			c.lists.rows[ruleSitemapNotFetched].addDuplicate(row)
		} else {
			c.facts.mark(k, counted)
			c.lists.add(ruleSitemapNotFetched, row)
		}
	}
	if detail := c.invalidLastmod(e); detail != "" {
		c.lists.add(ruleSitemapLastmod, Finding{URL: e.URL, Related: e.Sitemap, Detail: date(e.LastMod) + ": " + detail})
		found = append(found, ruleSitemapLastmod)
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

func (c *comparison) list(caveats func(rule string) []string) Sitemaps {
	result := c.result
	result.Files, result.FilesRead = c.files.list()
	if c.entriesUnknown {
		clear(c.withoutEntries)
	}
	result.OriginsWithoutEntries = listOf(c.limit, slices.Collect(maps.Keys(c.withoutEntries)), strings.Compare)
	result.Caveats = caveats(ruleSitemapNotFetched)
	return result
}
