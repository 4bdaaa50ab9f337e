package visit

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/headerlist"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

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

// skipUnpaid skips a page whose site requires payment or a license. The detail is the price or
// the error code that the site has sent: in the fields of Cloudflare's pay per crawl, or in the
// challenge of the Open License Protocol (RSL).
func skipUnpaid(resp *fetch.Response) outcome {
	code, licensed := licenseChallenge(resp.Header.Values("WWW-Authenticate"))
	switch {
	case resp.Status == http.StatusPaymentRequired:
		details := []string{resp.Header.Get("Crawler-Price"), resp.Header.Get("Crawler-Error"), code}
		details = slices.DeleteFunc(details, func(text string) bool { return text == "" })
		return skipWith(output.PaymentRequired, strings.Join(details, ", "))
	case resp.Status == http.StatusUnauthorized && licensed:
		return skipWith(output.LicenseRequired, code)
	}
	return outcome{}
}

// licenseChallenge finds the first challenge of the scheme License in the fields WWW-Authenticate
// (RFC 9110 section 11.6.1), and its error code.
func licenseChallenge(fields []string) (code string, found bool) {
	for _, field := range fields {
		inside := false // the challenge
		for element := range headerlist.Elements(field) {
			if element == "" {
				continue
			}
			name, rest := cutToken(element)
			if !strings.HasPrefix(rest, "=") { // of a parameter
				if found {
					return code, true
				}
				inside = strings.EqualFold(name, "License")
				found = inside
				name, rest = cutToken(rest)
			}
			if value, ok := strings.CutPrefix(rest, "="); ok && inside && code == "" && strings.EqualFold(name, "error") {
				if code = strings.TrimLeft(value, " \t"); strings.HasPrefix(code, `"`) {
					code, _ = headerlist.CutQuoted(code)
				}
			}
		}
		if found {
			return code, true
		}
	}
	return "", false
}

// cutToken cuts a list element behind its first token and the space after it.
func cutToken(element string) (token, rest string) {
	end := strings.IndexAny(element, " \t=")
	if end < 0 {
		return element, ""
	}
	return element[:end], strings.TrimLeft(element[end:], " \t")
}
