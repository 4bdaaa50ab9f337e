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
	c := &Comparison{Version: version, Old: sideOf(before), New: sideOf(after), Notes: []string{}, Findings: []FindingChanges{}, Changes: []report.Findings{}}
	moved := func(u string) string { return u }
	if from, to := before.origin(), after.origin(); from != to && from != "" && to != "" {
		moved = mover(from, to)
		before = before.move(moved)
		c.note("the crawls have different origins, %s and %s: pages with the same path are compared", from, to)
	}
	c.findings(before, after, moved)
	for _, side := range []*Crawl{before, after} {
		if !side.hasPages {
			c.note("%s has no pages: only the findings are compared; name the directories of both crawls to compare more", side.path)
			return c
		}
	}
	for _, side := range []*Crawl{before, after} {
		n := 0
		for u := range side.pages {
			if side.unchanged(u) {
				n++
			}
		}
		if n > 0 {
			c.note("%s is a recrawl, and did not read the pages that are unchanged (%d): their content is not compared", side.path, n)
		}
	}
	changes := newChanges()
	c.pages(changes, before, after)
	changes.robots(before, after)
	changes.sitemaps(before, after)
	c.Changes = changes.list()
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

// Key identifies a finding of a rule in several crawls. The related URL belongs to it, except for
// duplicates: theirs is the first page of a group, which may become another one by an edit that
// fixes a finding.
func Key(rule string, f report.Finding) string {
	if strings.HasSuffix(rule, "-duplicate") {
		f.Related = ""
	}
	return rule + "\n" + f.URL + "\n" + f.Related
}

// findings compares the findings of each rule that was checked in both crawls. A crawl without
// sitemaps has none in sitemaps. Moved gives a URL the origin of the new crawl.
func (c *Comparison) findings(before, after *Crawl, moved func(u string) string) {
	for _, is := range after.report.Findings {
		var was report.Findings
		at := slices.IndexFunc(before.report.Findings, func(f report.Findings) bool { return f.ID == is.ID })
		switch {
		case at >= 0:
			was = before.report.Findings[at]
		case is.Topic != "sitemaps":
			if is.Total > 0 {
				c.note("%s: the old crawl did not check this, so none of the %d findings counts as new", is.ID, is.Total)
			}
			continue
		}
		if was.Total > len(was.Rows) || is.Total > len(is.Rows) {
			c.note("%s: the reports do not list all findings, so some may wrongly count as new or fixed", is.ID)
		}
		key := func(f report.Finding) string {
			f.URL, f.Related = moved(f.URL), moved(f.Related) // as those of the old crawl
			return Key(is.ID, f)
		}
		changes := FindingChanges{Rule: is.Rule, New: without(key, is.Rows, was.Rows), Fixed: without(key, was.Rows, is.Rows)}
		if ofContent(is.Rule) {
			changes.New = slices.DeleteFunc(changes.New, func(f report.Finding) bool { return before.unchanged(f.URL) })
			changes.Fixed = slices.DeleteFunc(changes.Fixed, func(f report.Finding) bool { return after.unchanged(f.URL) })
		}
		if len(changes.New)+len(changes.Fixed) > 0 {
			changes.Same = len(is.Rows) - len(changes.New)
			c.Findings = append(c.Findings, changes)
		}
	}
}

// ofContent reports whether the findings of a rule are about what a page says.
func ofContent(r report.Rule) bool {
	return slices.Contains([]string{"pages", "canonical", "hreflang"}, r.Topic)
}

// unchanged reports whether the server said that a page is unchanged (304), so its content is not known.
func (c *Crawl) unchanged(u string) bool { return c.pages[u].unchanged }

// without returns the findings of one list that the other does not have.
func without(key func(report.Finding) string, list, other []report.Finding) []report.Finding {
	has := make(map[string]bool, len(other))
	for _, f := range other {
		has[key(f)] = true
	}
	left := []report.Finding{}
	for _, f := range list {
		if !has[key(f)] {
			left = append(left, f)
		}
	}
	return left
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

// severities are the severities from the least to the most severe.
var severities = []report.Severity{report.SeverityNotice, report.SeverityWarning, report.SeverityError}

// atLeast reports whether a severity is at least as severe as another one.
func atLeast(s, least report.Severity) bool {
	return slices.Index(severities, s) >= slices.Index(severities, least)
}
