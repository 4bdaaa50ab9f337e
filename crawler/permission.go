package crawler

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Usage says what the pages are fetched for. A site may disallow that; see package usage.
type Usage struct {
	// Purposes are purposes of the crawl, such as "train-ai"; see [usage.Purposes]. If
	// robots.txt or tdmrep.json disallows one of them for a page, the page is not fetched. If
	// the page itself does, it is left out of all output. Both have the reason
	// [output.Usage]. Default: none, which refuses nothing.
	Purposes []string `json:"purpose"`

	// Unknown says whether a page is used for a purpose about which nothing is said:
	// UnknownAllow (default) or UnknownRefuse.
	Unknown UnknownUsage `json:"unknown"`

	// Permissions requests the tdmrep.json of each origin for permissions.jsonl (default
	// false). The purpose "tdm" does that too.
	Permissions bool `json:"permissions"`
}

// UnknownUsage is a value of Usage.Unknown.
type UnknownUsage string

// The values.
const (
	UnknownAllow  UnknownUsage = "allow"
	UnknownRefuse UnknownUsage = "refuse"
)

// purposes returns the purposes of a crawl in the order of [usage.Purposes], and those for which
// files of a site are requested.
func (u *Usage) purposes() (purposes, files []usage.Purpose, err error) {
	for _, name := range u.Purposes {
		if _, err := usage.ParsePurpose(name); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range usage.Purposes {
		if slices.Contains(u.Purposes, string(p)) {
			purposes = append(purposes, p)
		}
	}
	files = purposes
	if u.Permissions {
		files = append(slices.Clone(purposes), usage.TDM)
	}
	return purposes, files, nil
}

// text returns the purposes and the value of Unknown for messages.
func (u *Usage) text() string {
	purposes, _, _ := u.purposes() // they are valid
	if len(purposes) == 0 {
		return "without a purpose"
	}
	names := make([]string, len(purposes))
	for i, p := range purposes {
		names[i] = string(p)
	}
	return fmt.Sprintf("with purpose %s, unknown %s", strings.Join(names, ","), u.Unknown)
}

// checkResumed returns an error if a resumed crawl has other purposes than before. Its record could
// not say for which ones a page was judged.
func (u *Usage) checkResumed(before *Usage) error {
	if u.text() == before.text() {
		return nil
	}
	return &ConfigError{Key: "purpose", Problem: fmt.Errorf("the crawl was started %s, and can only be resumed so; omit both to resume it, or apply others with a recrawl or in a new directory", before.text())}
}

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawler) onTDMRep(rec *robotsext.Record) {
	c.lifecycle.WhileOpen(func() error { return c.record.KeepVersion(rec) })
	problem := rec.TDMRepProblem()
	if problem != "" {
		c.notice(fmt.Sprintf("the tdmrep.json of %s says nothing about pages: %s", rec.Origin, secret.RedactText(problem)))
	}
	c.log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err, "problem", problem)
}

// checkSiteUsage decides by what the files of a site say about the use of a page. It may request
// tdmrep.json first. That uses the request slot of the lease, so the URL itself waits for the
// next slot.
func (w *worker) checkSiteUsage(v *visit) decision {
	c := w.c
	files := c.pageRules.files
	if v.prov.IsCheck() { // it has no permission, for which tdmrep.json would be requested
		files = nil
	}
	ctx, slot := politeness.WithSlot(c.lifecycle.Working, v.lease.Host)
	var err error
	v.site, err = c.network.robots.SiteUsage(ctx, v.u, files...)
	if took, used := slot.Used(); used {
		v.hostDelay = c.network.delays.After(took)
		d := waitUntil(time.Time{})
		if until, busy := slot.Busy(nil); busy && !c.lifecycle.HasFailed() {
			d.hostUntil = until
		}
		return d
	}
	// Only a context that has ended fails here. Another lease of the server may have requested
	// tdmrep.json meanwhile.
	if err != nil || w.isStale(v, v.site.TDMRepFetchedAt) {
		return waitUntil(time.Time{})
	}
	purpose, by := permission.Refused(c.pageRules.purposes, v.site.Statements, false)
	if by == nil {
		return decision{}
	}
	d := skipWith(output.Usage, permission.Refusal(purpose, by))
	rule := by.Raw
	d.skipped.Line, d.skipped.RobotsURL = by.Source.Line, string(v.origin)+by.Source.Name
	if by.Source.Kind == usage.InRobots {
		rule = by.Source.Name + ": " + by.Raw
		d.skipped.RobotsURL, d.skipped.Group = v.origin.RobotsURL(), v.group.Name()
	}
	d.skipped.Rule = escape.Detail(rule)
	return d
}

// addPermission adds the line of a page to permissions.jsonl, and sets page.refused if the crawl
// must not use the page. A page that has not changed keeps its statements of the previous crawl.
// Doc is nil if the page is not HTML.
func (w *worker) addPermission(v *visit, page *reading, header http.Header, doc *extract.Document) error {
	c := w.c
	own := permission.Statements(header, doc, c.pageRules.token, page.FetchedAt)
	if page.Status == http.StatusNotModified {
		before, err := c.record.PreviousPermission(page.URL)
		if err != nil {
			return err
		}
		for i := range before.Statements {
			s := &before.Statements[i]
			if s.Source.Kind == usage.InMeta || s.Source.Kind == usage.InHeader && !slices.ContainsFunc(own, func(o usage.Statement) bool { return o.Source.Name == s.Source.Name }) {
				again, _ := permission.Reread(s, c.pageRules.token, page.FetchedAt) // its date may have passed
				own = append(own, again)
			}
		}
	}
	line := &output.Permission{
		URL: page.URL, FetchedAt: page.FetchedAt, Robots: v.site.RobotsHash, TDMRep: v.site.TDMRepHash,
		Statements: slices.Concat(v.site.Statements, own), TDMRepProblem: secret.RedactText(v.site.TDMRepProblem),
	}
	usage.Redact(line.Statements)
	c.noticeUnread(v, line.Statements)
	permission.SetVerdicts(line, c.pageRules.purposes, c.cfg.Usage.Unknown == UnknownRefuse)
	page.refused, page.judged = line.Withheld, true
	if v.robots != nil {
		if err := c.record.KeepVersion(v.robots); err != nil { // another process may have requested it
			return err
		}
	}
	return crawldir.Permissions.Add(&v.lines, line)
}

// noticeUnread reports, once for each origin, which files about the use of its pages the site names
// and the crawl does not read. Such a file may disallow a purpose of the crawl.
func (c *Crawler) noticeUnread(v *visit, statements []usage.Statement) {
	if len(c.pageRules.purposes) == 0 {
		return
	}
	license := slices.IndexFunc(statements, func(s usage.Statement) bool { return s.Kind == usage.KindRSL && s.URL != "" })
	if license >= 0 {
		file := escape.Detail(statements[license].URL)
		if c.unreadFiles.notify(string(v.origin), "license", fmt.Sprintf("%s names a license file (%s), which a crawl does not read; to read it: politecrawl permit --purpose %s URL", v.origin, file, c.pageRules.purposes[0])) {
			c.log.Warn("license file not read", "host", v.origin, "url", file)
		}
	}
	if slices.Contains(c.pageRules.files, usage.TDM) {
		return
	}
	names := slices.ContainsFunc(statements, func(s usage.Statement) bool { return s.Kind == usage.KindTDMRep })
	if v.robots != nil && bytes.Contains(v.robots.Body, []byte("tdmrep.json")) {
		names = true
	}
	if names && c.unreadFiles.notify(string(v.origin), "tdmrep", fmt.Sprintf("%s uses the TDM Reservation Protocol, and the crawl does not read its tdmrep.json; to read it, use --permissions", v.origin)) {
		c.log.Warn("tdmrep.json not read", "host", v.origin)
	}
}

// PageUsage returns what a response says about the use of its content: its header and, for HTML, its
// meta elements. Token is the product token of the crawler. At is the time of the request.
func PageUsage(header http.Header, body []byte, token string, at time.Time) []usage.Statement {
	if !extract.IsPage(header, body) {
		return permission.Statements(header, nil, token, at)
	}
	return permission.Statements(header, extract.Read(extract.Page{Header: header, Body: body}, nil), token, at)
}
