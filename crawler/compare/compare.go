package compare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/report"
)

// version is the version of the JSON of a Comparison. It goes up when a field changes its
// meaning or is removed.
const version = 1

// A Comparison says what changed from an old crawl to a new one.
type Comparison struct {
	Version  int               `json:"version"`
	Old      Side              `json:"old"`
	New      Side              `json:"new"`
	Notes    []string          `json:"notes"`    // what could not be compared, and why
	Findings []FindingChanges  `json:"findings"` // rules with findings that are new or fixed, in the order of the report
	Changes  []report.Findings `json:"changes"`  // changes to pages, robots.txt files and sitemaps, by the rules that Rules returns

	BodiesChanged int         `json:"bodies_changed"` // pages with another body
	NotCompared   NotCompared `json:"not_compared"`

	findingsOnly bool // a crawl is known only by its report.json
	unlisted     bool // there is a difference that no rule need list
	unfinished   bool // a crawl has not read all URLs that it found
}

// NotCompared counts what is not compared, since one of the crawls did not read or check it.
type NotCompared struct {
	Findings int `json:"findings"` // that only one crawl has, and that are neither new nor fixed
	Pages    int `json:"pages"`    // that one crawl did not read, or not completely
}

// A Side is one of the two crawls.
type Side struct {
	Path      string       `json:"path"`
	URLs      []string     `json:"urls"` // start URLs
	State     report.State `json:"state"`
	StartedAt time.Time    `json:"started_at,omitzero"`
	Pages     int          `json:"pages"`
}

// FindingChanges are the changed findings of one rule of the report. Two findings are the same
// if they have the same [Key].
type FindingChanges struct {
	report.Rule

	New   []report.Finding `json:"new"`
	Fixed []report.Finding `json:"fixed"`
	Same  int              `json:"same"` // number of findings in both crawls
}

// Compare compares two crawls.
func Compare(before, after *Crawl) *Comparison {
	c := &Comparison{unfinished: !before.complete() || !after.complete(), Version: version, Old: sideOf(before), New: sideOf(after), Notes: []string{}, Findings: []FindingChanges{}, Changes: []report.Findings{}}
	if why := before.incomplete(); why != "" {
		c.note("the old crawl %s: new pages are not listed", why)
	}
	if why := after.incomplete(); why != "" {
		c.note("the new crawl %s: vanished pages are not listed", why)
	}
	moved := func(u string) string { return u }
	if from, to := before.origin(), after.origin(); from != to && from != "" && to != "" {
		moved = mover(from, to)
		before = before.move(moved)
		c.note("the crawls have different origins, %s and %s: pages with the same path are compared", from, to)
	}
	old, now := newView(before, after), newView(after, before)
	c.findings(old, now, moved)
	for _, side := range []*Crawl{before, after} {
		if !side.hasPages {
			c.findingsOnly = true
			c.note("%s has no pages: only the findings are compared; name the directories of both crawls to compare more", side.path)
			return c
		}
	}
	changes := newChanges()
	c.pages(changes, old, now)
	changes.robots(before, after)
	c.sitemaps(changes, old, now)
	c.Changes = changes.list()
	if n := c.NotCompared.Pages; n > 0 {
		c.note("not compared: %s that one of the crawls did not read completely", quantity(n, "page"))
	}
	return c
}

func sideOf(c *Crawl) Side {
	s := c.report.Summary
	urls := s.URLs.Rows
	if urls == nil {
		urls = []string{}
	}
	return Side{Path: c.path, URLs: urls, State: s.State, StartedAt: s.StartedAt, Pages: s.Pages}
}

func (c *Comparison) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// Key identifies a finding of a rule in several crawls. It does not depend on the related URL, which
// is one of several pages, sitemaps or redirect targets. A page can have several hreflang links; there the
// related URL says which.
func Key(rule string, f report.Finding) string {
	key := rule + "\n" + f.URL
	if strings.HasPrefix(rule, "hreflang-") {
		key += "\n" + f.Related
	}
	return key
}

// findings compares the findings of each rule that was checked in both crawls. A crawl without
// sitemaps has no findings in them. Moved gives a URL the origin of the new crawl.
func (c *Comparison) findings(before, after *view, moved func(u string) string) {
	var unread, uncheckedOld, uncheckedNew notCompared
	all := slices.Clone(after.report.Findings)
	for _, was := range before.report.Findings {
		switch {
		case slices.ContainsFunc(all, func(f report.Findings) bool { return f.ID == was.ID }):
		case was.Topic == "sitemaps": // the new crawl has no entries
			all = append(all, report.Findings{Rule: was.Rule})
		default:
			uncheckedNew.add(was.ID, was.Total)
		}
	}
	for _, is := range all {
		var was report.Findings
		at := slices.IndexFunc(before.report.Findings, func(f report.Findings) bool { return f.ID == is.ID })
		switch {
		case at >= 0:
			was = before.report.Findings[at]
		case is.Topic != "sitemaps":
			uncheckedOld.add(is.ID, is.Total)
			continue
		}
		if was.Total > len(was.Rows) || is.Total > len(is.Rows) {
			c.note("%s: the reports do not list all findings, so some may wrongly count as new or fixed", is.ID)
		}
		asOld := func(f report.Finding) report.Finding { // with URLs as those of the old crawl
			f.URL, f.Related = moved(f.URL), moved(f.Related)
			return f
		}
		key := func(f report.Finding) string { return Key(is.ID, asOld(f)) }
		changes := FindingChanges{Rule: is.Rule, New: without(key, is.Rows, was.Rows), Fixed: without(key, was.Rows, is.Rows)}
		changes.withoutSwaps(before, after)
		changes.Same = len(is.Rows) - len(changes.New)
		found := len(changes.New) + len(changes.Fixed)
		changes.New = slices.DeleteFunc(changes.New, func(f report.Finding) bool { return !before.decides(is.Rule, asOld(f)) })
		changes.Fixed = slices.DeleteFunc(changes.Fixed, func(f report.Finding) bool { return !after.decides(is.Rule, f) })
		unread.add(is.ID, found-len(changes.New)-len(changes.Fixed))
		if len(changes.New)+len(changes.Fixed) > 0 {
			c.Findings = append(c.Findings, changes)
		}
	}
	c.skip(unread, "on what one of the crawls did not read")
	c.skip(uncheckedOld, "of rules that the old crawl did not check")
	c.skip(uncheckedNew, "of rules that the new crawl did not check")
}

// notCompared are findings that are not compared for one reason.
type notCompared struct {
	findings int
	rules    []string // with their numbers of findings
}

func (n *notCompared) add(rule string, findings int) {
	if findings > 0 {
		n.findings += findings
		n.rules = append(n.rules, fmt.Sprintf("%s %d", rule, findings))
	}
}

// skip counts and notes findings that are not compared.
func (c *Comparison) skip(n notCompared, why string) {
	if c.NotCompared.Findings += n.findings; n.findings > 0 {
		c.note("not compared: %s %s (%s)", quantity(n.findings, "finding"), why, strings.Join(n.rules, ", "))
	}
}

// withoutSwaps drops findings that are the same with their URLs in another order. The report names
// one page of two with the same title, and one URL of a redirect loop.
func (c *FindingChanges) withoutSwaps(before, after *view) {
	duplicate := strings.HasSuffix(c.ID, "-duplicate")
	if !duplicate && c.ID != "redirect-loop" {
		return
	}
	found, same := make(map[string]report.Finding, len(c.New)), make(map[string]bool) // by URL
	for _, f := range c.New {
		found[f.URL] = f
	}
	c.Fixed = slices.DeleteFunc(c.Fixed, func(f report.Finding) bool {
		others := []string{f.Related}
		if !duplicate {
			others = before.trace(f.URL)
		}
		for _, u := range others {
			n, ok := found[u]
			if ok && !same[u] && (duplicate && n.Related == f.URL || !duplicate && slices.Contains(after.trace(u), f.URL)) {
				same[u] = true
				return true
			}
		}
		return false
	})
	c.New = slices.DeleteFunc(c.New, func(f report.Finding) bool { return same[f.URL] })
}

// quantity is a number with its noun.
func quantity(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Unchanged says that nothing changed, and what was compared. It is empty if something did.
func (c *Comparison) Unchanged() string {
	text := "nothing changed: no finding is new or fixed, and the pages, the URLs in sitemaps and the rules of robots.txt are the same"
	switch {
	case len(c.Findings)+len(c.Changes)+c.BodiesChanged > 0 || c.unlisted:
		return ""
	case c.findingsOnly:
		text = "nothing changed in the findings: none is new or fixed"
	}
	if c.unfinished || c.NotCompared != (NotCompared{}) {
		text += ", in what both crawls read"
	}
	return text
}

// without returns the findings of one list that the other does not have.
func without(key func(report.Finding) string, list, other []report.Finding) []report.Finding {
	has := make(map[string]bool, len(other))
	for _, f := range other {
		has[key(f)] = true
	}
	rest := []report.Finding{}
	for _, f := range list {
		if !has[key(f)] {
			rest = append(rest, f)
		}
	}
	return rest
}

// Worse reports whether the new crawl has a finding or a change of at least this severity that
// the old one does not have.
func (c *Comparison) Worse(least report.Severity) bool { return len(c.Regressions(least)) > 0 }

// Regressions returns the new findings and the changes of at least this severity, by rule.
func (c *Comparison) Regressions(least report.Severity) []report.Findings {
	var list []report.Findings
	for _, f := range c.Findings {
		if atLeast(f.Severity, least) && len(f.New) > 0 {
			list = append(list, report.Findings{Rule: f.Rule, Caveats: []string{}, Total: len(f.New), Rows: f.New})
		}
	}
	for _, f := range c.Changes {
		if atLeast(f.Severity, least) {
			list = append(list, f)
		}
	}
	return list
}

// List returns all that changed, for [report.Report.Changes]. The ID of a rule begins with "new-", "fixed-" or "change-".
func (c *Comparison) List() *report.Changes {
	list := &report.Changes{Baseline: c.Old.Path, Unchanged: c.Unchanged(), Notes: c.Notes}
	add := func(rule report.Rule, rows []report.Finding) {
		if len(rows) > 0 {
			list.Findings = append(list.Findings, report.Findings{Rule: rule, Total: len(rows), Rows: rows})
		}
	}
	for _, f := range c.Findings {
		f.ID, f.Title = "new-"+f.ID, "New: "+f.Title
		add(f.Rule, f.New)
	}
	for _, f := range c.Changes {
		f.ID = "change-" + f.ID
		add(f.Rule, f.Rows)
	}
	for _, f := range c.Findings {
		add(report.Rule{ID: "fixed-" + f.ID, Severity: report.SeverityNotice, Title: "Fixed: " + f.Title}, f.Fixed)
	}
	return list
}

// severities are the severities from the least to the most severe.
var severities = []report.Severity{report.SeverityNotice, report.SeverityWarning, report.SeverityError}

// atLeast reports whether a severity is at least as severe as another one.
func atLeast(s, least report.Severity) bool {
	return slices.Index(severities, s) >= slices.Index(severities, least)
}
