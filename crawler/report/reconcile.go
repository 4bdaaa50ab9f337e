package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// reconciler holds the sitemaps against the site.
type reconciler struct {
	facts  *facts
	files  *sitemapFiles
	limit  int
	result Sitemaps

	hosts  map[string]bool // with entries
	trail  map[string]bool // the same, by what was first found in a sitemap
	bare   map[string]bool // with pages, but no entry
	within circumstances

	rows  map[Kind]*firsts[Discrepant]
	lists map[Kind]List[Discrepant]
	byURL map[key][]*Discrepant // in lists, that want for a sitemap
}

func newReconciler(f *facts, files *sitemapFiles, rows int) *reconciler {
	c := &reconciler{
		facts: f, files: files, limit: rows,
		hosts: make(map[string]bool), trail: make(map[string]bool), bare: make(map[string]bool),
		rows: make(map[Kind]*firsts[Discrepant]),
	}
	for _, k := range kinds {
		c.rows[k.kind] = new(newFirsts(rows, byEntry))
	}
	c.rows[NotFetched].same = func(a, b Discrepant) bool { return a.URL == b.URL }
	return c
}

func byEntry(a, b Discrepant) int {
	return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Sitemap, b.Sitemap), a.LastMod.Compare(b.LastMod))
}

// learnEntry takes up an entry. It comes after the pages and what was left alone.
func (c *reconciler) learnEntry(e *output.Entry) {
	c.result.Entries++
	k := keyOf(e.URL)
	c.facts.mark(k, listed)
	if c.facts.reason(c.facts.byURL[k]) != output.NotEntitled {
		host(c.hosts, e.URL)
	}
}

// found takes up a URL that was found in a sitemap before it was found elsewhere.
func (c *reconciler) found(k key, url string, reason output.Reason) {
	c.facts.mark(k, trailed)
	if reason != output.NotEntitled {
		host(c.trail, url)
	}
}

func host(set map[string]bool, url string) {
	if name := originOf(url); !set[name] {
		set[strings.Clone(name)] = true
	}
}

// conclude draws what follows from the first reading.
func (c *reconciler) conclude(within circumstances) {
	within.unread = c.files.unread()
	within.trail = c.result.Entries == 0 && (c.files.pages > 0 || len(c.trail) > 0)
	c.within, c.result.FromTrail = within, within.trail
	if within.trail {
		c.hosts = c.trail
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
		if within.complete && f.status == 0 && f.reason == 0 {
			c.within.unseen++
		}
		switch faults := c.faults(f); {
		case len(faults) == 0 || faults[0] == NotLinked:
			c.result.Fine++
		case faults[0] != NotFetched:
			c.result.Faulty++
		}
	}
}

// faults returns what is wrong with a URL that a sitemap lists, but for its dates.
func (c *reconciler) faults(f fact) []Kind {
	reason := c.facts.reason(f)
	switch {
	case c.facts.broken(f):
		return []Kind{BrokenEntry}
	case redirected(int(f.status)):
		return []Kind{Redirected}
	case reason == output.Disallowed:
		return []Kind{Disallowed}
	case reason == output.NotEntitled:
		return []Kind{NotEntitled}
	case !f.fine():
		return []Kind{NotFetched}
	}
	var found []Kind
	if f.has(noindex) {
		found = append(found, Noindex)
	}
	if f.has(elsewhere) {
		found = append(found, Elsewhere)
	}
	// Last, since the sitemap itself is right.
	if !f.has(linked) && !c.within.linksUnknown {
		found = append(found, NotLinked)
	}
	return found
}

// page sorts a page into the kinds it belongs to.
func (c *reconciler) page(k key, p *output.Page) {
	f := c.facts.byURL[k]
	if !f.has(listed) {
		c.unlisted(f, p)
		return
	}
	for _, kind := range c.faults(f) {
		detail := ""
		switch kind {
		case BrokenEntry:
			detail = "status " + strconv.Itoa(p.Status)
		case Redirected:
			detail = fmt.Sprintf("status %d to %s", p.Status, clip(p.Location))
		case Noindex:
			detail = noindexOf(p)
		case Elsewhere:
			detail = clip(canonicalOf(p))
		}
		c.add(kind, p.URL, detail, p.Source, p.Via)
	}
}

// unlisted takes up a page that is in no sitemap.
func (c *reconciler) unlisted(f fact, p *output.Page) {
	switch name := originOf(p.URL); {
	case !fine(p.Status):
	case !c.hosts[name]:
		host(c.bare, p.URL)
	case isHTML(p) && !f.has(noindex) && !f.has(elsewhere) && !c.within.trail:
		c.rows[NotListed].add(Discrepant{URL: p.URL, Detail: origin(p.Source, p.Via)})
	}
}

// origin says how a page was found.
func origin(source, via string) string {
	switch source {
	case "start":
		return "a start URL"
	case "redirect":
		return "redirected from " + via
	}
	return "linked from " + via
}

// rejection sorts what was left alone into the kinds it belongs to.
func (c *reconciler) rejection(k key, r *output.Rejection) {
	f := c.facts.byURL[k]
	if !f.has(listed) || f.status != 0 {
		return
	}
	for _, kind := range c.faults(f) {
		detail := strings.TrimPrefix(because(r), ": ")
		switch kind {
		case NotFetched:
			if !c.within.trail {
				continue // the entry itself will say so
			}
			detail = string(r.Reason) + because(r)
		case Disallowed:
			detail = fmt.Sprintf("%s (line %d)", r.Rule, r.Line)
		}
		c.add(kind, r.URL, clip(detail), r.Source, r.Via)
	}
}

func (c *reconciler) add(kind Kind, url, detail, source, via string) {
	row := Discrepant{URL: url, Detail: detail}
	if c.within.trail && source == "sitemap" {
		row.Sitemap = via
	}
	c.rows[kind].add(row)
}

// choose fixes the lists, but for those that only the entries can fill.
func (c *reconciler) choose() {
	c.lists, c.byURL = make(map[Kind]List[Discrepant]), make(map[key][]*Discrepant)
	for kind, rows := range c.rows {
		if kind == FalseDate || kind == NotFetched {
			continue
		}
		list := rows.list()
		c.lists[kind] = list
		for i := range list.Rows {
			if kind != NotListed && list.Rows[i].Sitemap == "" {
				k := keyOf(list.Rows[i].URL)
				c.byURL[k] = append(c.byURL[k], &list.Rows[i])
			}
		}
	}
}

// nameEntry goes through the entries once more.
func (c *reconciler) nameEntry(e *output.Entry) {
	k := keyOf(e.URL)
	f := c.facts.byURL[k]
	for _, row := range c.byURL[k] {
		if better := (Discrepant{URL: row.URL, Sitemap: e.Sitemap, LastMod: e.LastMod}); row.Sitemap == "" || byEntry(better, *row) < 0 {
			row.Sitemap, row.LastMod = e.Sitemap, e.LastMod
		}
	}
	faults := c.faults(f)
	if slices.Contains(faults, NotFetched) {
		faults = nil // it may have none
		row := Discrepant{URL: e.URL, Sitemap: e.Sitemap, LastMod: e.LastMod, Detail: c.notFetched(f)}
		if f.has(met) {
			c.rows[NotFetched].offer(row)
		} else {
			c.facts.mark(k, met)
			c.rows[NotFetched].add(row)
		}
	}
	if detail := c.falseDate(e); detail != "" {
		c.rows[FalseDate].add(Discrepant{URL: e.URL, Sitemap: e.Sitemap, Detail: detail, LastMod: e.LastMod})
		faults = append(faults, FalseDate)
	}
	if len(faults) > 0 {
		c.files.faults[keyOf(e.Sitemap)]++
	}
}

func (c *reconciler) notFetched(f fact) string {
	if reason := c.facts.reason(f); reason != "" {
		return string(reason)
	}
	return "it was not its turn yet"
}

// falseDate says why the date of an entry cannot be true; empty: it can.
func (c *reconciler) falseDate(e *output.Entry) string {
	read := c.files.read[keyOf(e.Sitemap)]
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

func (c *reconciler) list() Sitemaps {
	result := c.result
	result.Files = c.files.list()
	bare := newFirsts(c.limit, strings.Compare)
	for name := range c.bare {
		bare.add(name)
	}
	result.Bare = bare.list()
	result.Inconclusive = c.within.doubts(NotFetched)
	result.Kinds = []Discrepancy{}
	if result.URLs == 0 {
		return result
	}
	for _, k := range kinds {
		list, ok := c.lists[k.kind]
		if !ok {
			list = c.rows[k.kind].list()
		}
		result.Kinds = append(result.Kinds, Discrepancy{
			Kind: k.kind, Title: k.title, Meaning: k.meaning, Inconclusive: c.within.doubts(k.kind), URLs: list,
		})
	}
	return result
}
