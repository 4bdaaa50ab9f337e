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

// Sitemaps compares what the sitemaps say with the site.
type Sitemaps struct {
	Files List[SitemapFile] `json:"files"`

	Entries int           `json:"entries"`               // that are pages, in all files
	URLs    int           `json:"urls"`                  // that they list, each once
	Fine    int           `json:"fine"`                  // of these: can be fetched and indexed under this URL
	Faulty  int           `json:"faulty"`                // cannot; the rest was not fetched
	Kinds   []Discrepancy `json:"kinds"`                 // empty where no sitemap lists a page
	Bare    List[string]  `json:"hosts_without_entries"` // hosts with pages of which no sitemap lists one

	// Inconclusive says why sitemaps may list more than is known; empty: they do not.
	Inconclusive []string `json:"inconclusive"`

	// FromTrail says that the entries are not known, but only which URLs were
	// first found in a sitemap.
	FromTrail bool `json:"from_trail"`
}

// A Discrepancy is one way in which the sitemaps and the site disagree.
type Discrepancy struct {
	Kind    string `json:"kind"`  // SCHEMA.md names the kinds
	Title   string `json:"title"` // to stand after "12 URLs"
	Meaning string `json:"meaning"`

	// Inconclusive says why the list may be incomplete or wrong; empty: it is neither.
	Inconclusive []string `json:"inconclusive"`

	URLs List[Discrepant] `json:"urls"`
}

// A Discrepant is one URL, or for the kind lastmod one entry.
type Discrepant struct {
	URL     string    `json:"url"`
	Sitemap string    `json:"sitemap,omitempty"` // the first by name that lists it
	Detail  string    `json:"detail,omitempty"`
	LastMod time.Time `json:"lastmod,omitzero"`
}

// The kinds of discrepancies. Programs rely on their spelling.
const (
	kindBroken        = "broken"
	kindRedirected    = "redirected"
	kindDisallowed    = "disallowed"
	kindNoindex       = "noindex"
	kindElsewhere     = "canonical-elsewhere"
	kindNotAuthorized = "not-authorized"
	kindFalseDate     = "lastmod"
	kindNotLinked     = "not-linked"
	kindNotListed     = "not-listed"
	kindNotFetched    = "not-fetched"
)

// kinds are the kinds in the order of the report, with their meaning.
var kinds = [...]struct{ name, title, meaning string }{
	{kindBroken, "listed but broken", "The answer is an error, or there is none."},
	{kindRedirected, "listed but redirected", "A sitemap should list where the redirect leads to."},
	{kindDisallowed, "listed but disallowed", "The sitemap invites crawlers to what robots.txt keeps them from."},
	{kindNoindex, "listed but noindex", "The sitemap offers a page that asks to be left out."},
	{kindElsewhere, "listed but canonical elsewhere", "The page itself names another URL as the one to list."},
	{kindNotAuthorized, "listed by a sitemap that may not", "A sitemap speaks for its own host alone, unless the other host's robots.txt names it."},
	{kindFalseDate, "with a lastmod that cannot be true", "The date lies ahead of the day on which it was read, or before the web."},
	{kindNotLinked, "listed but not linked", "No other page that was read links to it: visitors do not find it."},
	{kindNotListed, "linked but not listed", "An HTML page that may be indexed, on a host that has a sitemap."},
	{kindNotFetched, "listed but not fetched", "Nothing can be said of these."},
}

// firstWeb is when the first web site went up.
var firstWeb = time.Date(1991, 8, 6, 0, 0, 0, 0, time.UTC)

// ahead is how far in the future today may lie: a date has no time zone, and some days begin
// 14 hours before that of UTC.
const ahead = 14 * time.Hour

// reconciler compares the sitemaps with the site.
type reconciler struct {
	facts  *facts
	files  *sitemapFiles
	limit  int
	result Sitemaps

	trail        bool // the entries of sitemaps were not written
	linksUnknown bool // the links of pages were not written
	unseen       int  // listed URLs that were neither fetched nor rejected

	hosts      map[string]bool // with entries
	trailHosts map[string]bool // the same, by what was first found in a sitemap
	bare       map[string]bool // with pages, but no entry

	rows  map[string]*firsts[Discrepant] // by kind
	lists map[string]List[Discrepant]    // of kinds that need no entry to be complete
	byURL map[key][]*Discrepant          // rows in lists that need a sitemap
}

func newReconciler(f *facts, files *sitemapFiles, rows int) *reconciler {
	c := &reconciler{
		facts: f, files: files, limit: rows,
		hosts: make(map[string]bool), trailHosts: make(map[string]bool), bare: make(map[string]bool),
		rows: make(map[string]*firsts[Discrepant]), lists: make(map[string]List[Discrepant]), byURL: make(map[key][]*Discrepant),
	}
	for _, k := range kinds {
		c.rows[k.name] = newFirsts(rows, byEntry)
	}
	c.rows[kindNotFetched].same = func(a, b Discrepant) bool { return a.URL == b.URL }
	return c
}

func byEntry(a, b Discrepant) int {
	return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Sitemap, b.Sitemap), a.LastMod.Compare(b.LastMod))
}

// learnEntry records an entry, after the pages and rejections.
func (c *reconciler) learnEntry(_ *segment, e *output.Entry) {
	c.result.Entries++
	k := keyOf(e.URL)
	c.facts.mark(k, listed)
	if c.facts.reason(c.facts.byURL[k]) != output.NotAuthorized {
		addHost(c.hosts, e.URL)
	}
}

// found records a URL that was found in a sitemap before it was found elsewhere.
func (c *reconciler) found(k key, url string, reason output.Reason) {
	c.facts.mark(k, trailed)
	if reason != output.NotAuthorized {
		addHost(c.trailHosts, url)
	}
}

func addHost(set map[string]bool, url string) {
	if name := originOf(url); !set[name] {
		set[strings.Clone(name)] = true // it is a piece of the line
	}
}

// conclude counts the listed URLs, after the first reading.
func (c *reconciler) conclude() {
	c.trail = c.result.Entries == 0 && (c.files.pages > 0 || len(c.trailHosts) > 0)
	c.result.FromTrail = c.trail
	if c.trail {
		c.hosts = c.trailHosts
		for k, f := range c.facts.byURL {
			if f.has(trailed) {
				c.facts.mark(k, listed)
				c.result.Entries++
			}
		}
	}
	for _, f := range c.facts.byURL {
		if !f.has(listed) {
			continue
		}
		c.result.URLs++
		if f.status == 0 && f.reason == 0 {
			c.unseen++
		}
		switch faults := c.faults(f); {
		case len(faults) == 0 || faults[0] == kindNotLinked:
			c.result.Fine++
		case faults[0] != kindNotFetched:
			c.result.Faulty++
		}
	}
}

// faults returns the kinds of a URL that a sitemap lists, without kindFalseDate.
func (c *reconciler) faults(f fact) []string {
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
	case !fine(int(f.status)):
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
func (c *reconciler) page(k key, p *output.Page) {
	f := c.facts.byURL[k]
	if !f.has(listed) {
		c.unlisted(f, p)
		return
	}
	for _, kind := range c.faults(f) {
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
		c.add(kind, p.URL, detail, p.Source, p.FoundOn)
	}
}

// unlisted records a page that is in no sitemap.
func (c *reconciler) unlisted(f fact, p *output.Page) {
	switch name := originOf(p.URL); {
	case !fine(p.Status):
	case !c.hosts[name]:
		addHost(c.bare, p.URL)
	case isHTML(p) && !f.has(noindex) && !f.has(elsewhere) && !c.trail:
		detail := "linked from " + p.FoundOn
		switch p.Source {
		case "start":
			detail = "a start URL"
		case "redirect":
			detail = "redirected from " + p.FoundOn
		}
		c.rows[kindNotListed].add(Discrepant{URL: p.URL, Detail: detail})
	}
}

// rejection adds a rejected URL to its kinds.
func (c *reconciler) rejection(k key, r *output.Rejection) {
	f := c.facts.byURL[k]
	if !f.has(listed) || f.status != 0 {
		return
	}
	for _, kind := range c.faults(f) {
		detail := cmp.Or(r.Rule, r.Detail)
		switch kind {
		case kindNotFetched:
			if !c.trail {
				continue // nameEntry adds it
			}
			detail = string(r.Reason) + because(r)
		case kindDisallowed:
			detail = fmt.Sprintf("%s (line %d)", r.Rule, r.Line)
		}
		c.add(kind, r.URL, clip(detail), r.Source, r.FoundOn)
	}
}

func (c *reconciler) add(kind, url, detail, source, via string) {
	row := Discrepant{URL: url, Detail: detail}
	if c.trail && source == "sitemap" {
		row.Sitemap = via
	}
	c.rows[kind].add(row)
}

// choose fixes the rows of the lists that are complete without the entries.
func (c *reconciler) choose() {
	for kind, rows := range c.rows {
		if kind == kindFalseDate || kind == kindNotFetched {
			continue
		}
		list := rows.list()
		c.lists[kind] = list
		for i, row := range list.Rows {
			if kind != kindNotListed && row.Sitemap == "" {
				k := keyOf(row.URL)
				c.byURL[k] = append(c.byURL[k], &list.Rows[i])
			}
		}
	}
}

// nameEntry names the sitemaps of rows, and adds the rows that only entries can give.
func (c *reconciler) nameEntry(_ *segment, e *output.Entry) {
	k := keyOf(e.URL)
	f := c.facts.byURL[k]
	for _, row := range c.byURL[k] {
		if better := (Discrepant{URL: row.URL, Sitemap: e.Sitemap, LastMod: e.LastMod}); row.Sitemap == "" || byEntry(better, *row) < 0 {
			row.Sitemap, row.LastMod = e.Sitemap, e.LastMod
		}
	}
	faults := c.faults(f)
	if slices.Contains(faults, kindNotFetched) {
		faults = nil // nothing is known to be wrong
		why := cmp.Or(string(c.facts.reason(f)), "it was not its turn yet")
		row := Discrepant{URL: e.URL, Sitemap: e.Sitemap, LastMod: e.LastMod, Detail: why}
		if f.has(met) {
			c.rows[kindNotFetched].offer(row)
		} else {
			c.facts.mark(k, met)
			c.rows[kindNotFetched].add(row)
		}
	}
	if detail := c.falseDate(e); detail != "" {
		c.rows[kindFalseDate].add(Discrepant{URL: e.URL, Sitemap: e.Sitemap, Detail: detail, LastMod: e.LastMod})
		faults = append(faults, kindFalseDate)
	}
	if len(faults) > 0 {
		c.files.faults[keyOf(e.Sitemap)]++
	}
}

// falseDate says why the date of an entry cannot be true; empty: it can.
func (c *reconciler) falseDate(e *output.Entry) string {
	read := c.files.readAt[keyOf(e.Sitemap)]
	switch {
	case e.LastMod.IsZero():
		return ""
	case e.LastMod.Before(firstWeb):
		return "before there was a web"
	case !read.IsZero() && e.LastMod.After(read.Add(ahead)):
		return "after it was read, on " + read.UTC().Format(time.DateOnly)
	}
	return ""
}

func (c *reconciler) list(doubts func(kind string) []string) Sitemaps {
	result := c.result
	result.Files = c.files.list()
	result.Bare = listOf(c.limit, slices.Collect(maps.Keys(c.bare)), strings.Compare)
	result.Inconclusive = doubts(kindNotFetched)
	result.Kinds = []Discrepancy{}
	if result.URLs == 0 {
		return result
	}
	for _, k := range kinds {
		list, ok := c.lists[k.name]
		if !ok {
			list = c.rows[k.name].list()
		}
		result.Kinds = append(result.Kinds, Discrepancy{
			Kind: k.name, Title: k.title, Meaning: k.meaning, Inconclusive: doubts(k.name), URLs: list,
		})
	}
	return result
}
