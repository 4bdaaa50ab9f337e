package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// purposes returns the purposes of a crawl, and those for which files of a site are requested.
func (u *Usage) purposes() (purposes, files []usage.Purpose, err error) {
	for _, name := range u.Purposes {
		p, err := usage.ParsePurpose(name)
		if err != nil {
			return nil, nil, err
		}
		purposes = append(purposes, p)
	}
	files = purposes
	if u.Permissions {
		files = append(slices.Clone(purposes), usage.TDM)
	}
	return purposes, files, nil
}

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawler) onTDMRep(rec *robotsext.Record) {
	c.lifecycle.WhileOpen(func() error { return c.record.KeepVersion(rec) })
	c.log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err)
}

// checkSiteUsage decides by what the files of a site say about the use of a page. It may request
// tdmrep.json first. That uses the request slot of the lease, so the URL itself waits for the
// next slot.
func (w *worker) checkSiteUsage(v *visit) decision {
	c := w.c
	if v.prov.IsSitemap() {
		return decision{}
	}
	ctx, slot := politeness.WithSlot(c.lifecycle.Working, v.lease.Host)
	var err error
	v.site, err = c.network.robots.SiteUsage(ctx, v.u, c.pageRules.files...)
	if took, used := slot.Used(); used {
		v.hostDelay = c.network.delays.After(took)
		d := waitUntil(time.Time{})
		if until, busy := slot.Busy(nil); busy && !c.lifecycle.HasFailed() {
			d.hostUntil = until
		}
		return d
	}
	if err != nil { // the crawl ends: robots.txt allowed the URL
		return waitUntil(time.Time{})
	}
	purpose, by := refusedUse(c.pageRules.purposes, v.site.Statements, false)
	if by == nil {
		return decision{}
	}
	d := skipWith(output.Usage, refusal(purpose, by))
	if by.Source.Kind == usage.InRobots {
		d.skipped.Rule, d.skipped.Line = escape.Clip(secret.RedactText(by.Source.Name+": "+by.Raw), maxDetail), by.Source.Line
		d.skipped.RobotsURL, d.skipped.Group = v.origin.RobotsURL(), v.group.Name()
	}
	return d
}

// refusedUse returns the first purpose that statements do not allow, and the deciding statement.
// With unknown, that is nil for a purpose about which they say nothing. An empty purpose: all are
// allowed.
func refusedUse(purposes []usage.Purpose, statements []usage.Statement, unknown bool) (usage.Purpose, *usage.Statement) {
	verdicts := usage.Merge(statements)
	for _, p := range purposes {
		switch v := verdicts[p]; {
		case v.Value == usage.Disallowed:
			return p, &statements[v.Statement-1]
		case v.Value == usage.Unknown && unknown:
			return p, nil
		}
	}
	return "", nil
}

// refusal says why a page must not be used for a purpose.
func refusal(p usage.Purpose, by *usage.Statement) string {
	if by == nil {
		return fmt.Sprintf("%s: nothing is said about it (unknown refuse)", p)
	}
	return fmt.Sprintf("%s: disallowed by %q, %s", p, secret.RedactText(by.Raw), by.Source)
}

// addPermission adds the line of a page to permissions.jsonl, and sets page.refused if the crawl
// must not use the page. A page that has not changed keeps its statements of the previous crawl.
// Doc is nil if the page is not HTML.
func (w *worker) addPermission(v *visit, page *reading, header http.Header, doc *extract.Document) error {
	c := w.c
	tokens := []string{c.pageRules.token}
	own := usage.FromHeader(header, tokens, page.FetchedAt)
	if doc != nil {
		own = append(own, usage.FromMeta(doc.Meta, tokens, page.FetchedAt)...)
	}
	if page.Status == http.StatusNotModified {
		before, err := c.record.PreviousPermission(page.URL)
		if before == nil || err != nil {
			return err // a page of another process: its line is there
		}
		for _, s := range before.Statements {
			if s.Source.Kind == usage.InMeta || s.Source.Kind == usage.InHeader && !slices.ContainsFunc(own, func(o usage.Statement) bool { return o.Source.Name == s.Source.Name }) {
				own = append(own, s)
			}
		}
	}
	line := &output.Permission{
		URL: page.URL, FetchedAt: page.FetchedAt, Robots: v.site.RobotsHash, TDMRep: v.site.TDMRepHash,
		Statements: slices.Concat(v.site.Statements, own),
	}
	for i := range line.Statements {
		s := &line.Statements[i]
		s.Raw, s.URL = secret.RedactText(s.Raw), secret.RedactText(s.URL)
	}
	line.Purposes = usage.Merge(line.Statements)
	if purpose, by := refusedUse(c.pageRules.purposes, line.Statements, c.cfg.Usage.Unknown == UnknownRefuse); purpose != "" {
		page.refused = refusal(purpose, by)
		line.Withheld = page.refused
	}
	if v.robots != nil {
		if err := c.record.KeepVersion(v.robots); err != nil { // another process may have requested it
			return err
		}
	}
	return v.lines.Permission(line)
}
