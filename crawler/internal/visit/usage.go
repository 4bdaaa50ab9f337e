package visit

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// admitUsage decides by what the files of a site say about the use of a page, and sets adm.site. It may request
// tdmrep.json first, if files has a purpose for which that is read. That uses the request slot of the lease, so
// the URL itself waits for the next slot.
func (v *Visitor) admitUsage(it *item, adm *admitted, files []usage.Purpose) outcome {
	ctx, slot := politeness.WithSlot(v.Lifecycle.Working, it.lease.Host)
	var err error
	adm.site, err = v.Robots.SiteUsage(ctx, it.u, files...)
	if host, used := v.hostAfter(slot, nil); used {
		return outcome{verdict: wait, host: host}
	}
	// Only a context that has ended fails here. Another lease of the server may have requested
	// tdmrep.json meanwhile.
	if err != nil || v.isStale(it, adm.site.TDMRepFetchedAt) {
		return waitUntil(time.Time{})
	}
	why, by := permission.Refused(v.set.Purposes, adm.site.Statements, false)
	if by == nil {
		return outcome{}
	}
	out := skipWith(output.Usage, why)
	rule := by.Raw
	out.rejection.Line, out.rejection.RobotsURL = by.Source.Line, string(it.origin)+by.Source.Name
	if by.Source.Kind == usage.InRobots {
		rule = by.Source.Name + ": " + by.Raw
		out.rejection.RobotsURL, out.rejection.Group = it.origin.RobotsURL(), adm.group.Name()
	}
	out.rejection.Rule = escape.Detail(rule)
	return out
}

// addPermission adds the line of a page to permissions.jsonl, and sets page.refused if the crawl
// must not use the page. A page that has not changed keeps its statements of the previous crawl.
// Doc is nil if the page is not HTML.
func (v *Visitor) addPermission(it *item, adm *admitted, out *outcome, header http.Header, doc *extract.Document) error {
	page := out.page
	own := permission.Statements(header, doc, v.set.Token, page.FetchedAt)
	if page.Status == http.StatusNotModified {
		before, err := v.Results.PreviousPermission(page.URL)
		if err != nil {
			return err
		}
		for i := range before.Statements {
			s := &before.Statements[i]
			if s.Source.Kind == usage.InMeta || s.Source.Kind == usage.InHeader && !slices.ContainsFunc(own, func(o usage.Statement) bool { return o.Source.Name == s.Source.Name }) {
				again, _ := permission.Reread(s, v.set.Token, page.FetchedAt) // its date may have passed
				own = append(own, again)
			}
		}
	}
	line := &output.Permission{
		URL: page.URL, FetchedAt: page.FetchedAt, Robots: adm.site.RobotsHash, TDMRep: adm.site.TDMRepHash,
		Statements: slices.Concat(adm.site.Statements, own), TDMRepProblem: secret.RedactText(adm.site.TDMRepProblem),
	}
	usage.Redact(line.Statements)
	v.noticeUnread(it, adm, line.Statements)
	permission.SetVerdicts(line, v.set.Purposes, v.set.RefuseUnknown)
	page.refused, page.permissionsRead = line.Withheld, true
	return results.Permissions.Add(&out.lines, line)
}

// refusal returns why the crawl must not use a response for its purposes, or "" if it may. Doc is nil if it is no page.
func (v *Visitor) refusal(adm *admitted, resp *fetch.Response, doc *extract.Document) string {
	own := permission.Statements(resp.Header, doc, v.set.Token, resp.Began)
	why, _ := permission.Refused(v.set.Purposes, slices.Concat(adm.site.Statements, own), v.set.RefuseUnknown)
	return why
}

// noticeUnread reports, once for each origin, which files about the use of its pages the site names
// and the crawl does not read. Such a file may disallow a purpose of the crawl.
func (v *Visitor) noticeUnread(it *item, adm *admitted, statements []usage.Statement) {
	if len(v.set.Purposes) == 0 {
		return
	}
	license := slices.IndexFunc(statements, func(s usage.Statement) bool { return s.Kind == usage.KindRSL && s.URL != "" })
	if license >= 0 {
		file := escape.Detail(statements[license].URL)
		if v.unread.Show(string(it.origin), "license", fmt.Sprintf("%s names a license file (%s), which a crawl does not read; to read it: politecrawl permit --purpose %s URL", it.origin, file, v.set.Purposes[0])) {
			v.Log.Warn("license file not read", "host", it.origin, "url", file)
		}
	}
	if slices.Contains(v.set.FilePurposes, usage.TDM) {
		return
	}
	names := slices.ContainsFunc(statements, func(s usage.Statement) bool { return s.Kind == usage.KindTDMRep })
	if adm.file() != nil && bytes.Contains(adm.robots.Body, []byte("tdmrep.json")) {
		names = true
	}
	if names && v.unread.Show(string(it.origin), "tdmrep", fmt.Sprintf("%s uses the TDM Reservation Protocol, and the crawl does not read its tdmrep.json; to read it, use --permissions", it.origin)) {
		v.Log.Warn("tdmrep.json not read", "host", it.origin)
	}
}
