package visit

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// maxJudged is how many bytes of an asset are read to learn whether an archive may have it.
const maxJudged = 64 << 10

// check visits a URL that is requested only to learn whether it works.
func (v *Visitor) check(it *item, adm *admitted) (outcome, error) {
	var files []usage.Purpose // checks write no permissions, so only an archive needs tdmrep.json
	request := fetch.Request{URL: it.url, Method: http.MethodGet}
	switch it.lease.Kind {
	case provenance.KindCheckHead:
		request.Method = http.MethodHead
	case provenance.KindCheckGet:
		request.Header, request.MaxBody = http.Header{"Range": {"bytes=0-0"}}, 1
	default:
		if request.Rest = v.set.Rest; !v.reads(it.prov.Check) {
			request.MaxBody = maxJudged
		}
		if v.set.Discover.Checks.Archive {
			files = v.set.FilePurposes
		}
	}
	if out := v.admitUsage(it, adm, files); out.verdict != proceed {
		return out, nil
	}
	resp, failure := v.Fetcher.Fetch(request)
	var out outcome
	var err error
	if failure != nil {
		if out, err = v.failed(it, resp.Took, failure); err != nil {
			return out, err
		}
		failed := out.verdict == retry || out.verdict == skip && out.rejection.Reason == output.Failed
		if request.Method == http.MethodHead && failed && !fetch.IsDialing(failure) {
			host := out.host
			out = v.queueGetCheck(it)
			out.host = host
		}
	} else {
		out, err = v.readCheck(it, adm, resp, request.Method)
		out.host = hostOutcome{delay: v.Delays.After(resp.Took), status: resp.Status}
	}
	out.response = resp
	return out, err
}

// readCheck decides about a check by its response to a method.
func (v *Visitor) readCheck(it *item, adm *admitted, resp *fetch.Response, method string) (outcome, error) {
	if method == http.MethodHead && resp.Status/100 != 2 {
		return v.queueGetCheck(it), nil
	}
	if resp.Status != statusDenied {
		if out := v.retryStatus(it, resp.Status); out.verdict == retry {
			return out, nil
		}
	}
	line := it.checkLine(resp)
	line.Status, line.Result, line.Bytes = resp.Status, checkResult(resp.Status), resp.Size+int(resp.Dropped)
	line.ContentType = escape.Clip(secret.RedactText(resp.Header.Get("Content-Type")), escape.MaxBytes)
	out := outcome{verdict: done, found: v.Discovery.NewFound()}
	at, read := it.document(adm), it.lease.Kind == provenance.KindCheckRead
	switch location := redirection.Location(resp.Status, resp.Header); {
	case location != "":
		redirectCheck(out.found, at, location, read, line)
	case resp.Status/100 == 2 && read && v.reads(it.prov.Check):
		if refusal, err := v.readChecked(&out, adm, at, resp, line); err != nil || refusal != "" {
			return skipWith(output.Usage, refusal), err
		}
	}
	v.Log.Debug("URL checked", "url", line.URL, "status", line.Status, "result", line.Result)
	return out, results.Checks.Add(&out.lines, line)
}

// readChecked reads the response to a check: what it uses, and what a page says about itself. It returns why an archive
// must not use it, or "" if it may.
func (v *Visitor) readChecked(out *outcome, adm *admitted, at *discover.Document, resp *fetch.Response, line *output.Check) (refusal string, err error) {
	page := extract.Page{URL: at.URL, Header: resp.Header, Body: resp.Body}
	var doc *extract.Document
	var l *pageLinks
	switch use := at.Prov.Check; {
	case use == discover.UseStylesheet || use == discover.UseCSS:
		l = v.newPageLinks(at)
		extract.ReadStylesheet(page, l.addResource)
	case use == discover.UseModule:
		l = v.newPageLinks(at)
		extract.ReadScript(page, l.addResource)
	case !extract.IsPage(resp.Header, resp.Body) && mimetype.Of(resp.Header, resp.Body).Essence != "image/svg+xml":
		return "", nil
	case use == discover.UseCanonical || use == discover.UseHreflang:
		v.describeTarget(extract.Read(page, &extract.Handlers{}), resp, line)
		return "", nil
	default:
		doc, l = v.extractPage(at, page)
		v.describeTarget(doc, resp, line)
	}
	defer l.release()
	if refusal = v.refusal(adm, resp, doc); refusal != "" && v.set.Discover.Checks.Archive {
		return refusal, nil
	}
	for i := range l.links { // invalid ones
		link := &l.links[i]
		out.found.SkipInvalid(at, link.ref, link.URL, link.err, "")
	}
	if l.limit != "" {
		line.Detail = "it uses more URLs than are checked (" + l.limit + ")"
	}
	l.unlisted = line.Noindex != "" && v.set.Noindex
	return "", l.addResources(out, doc != nil && doc.UpgradeInsecure)
}

// describeTarget adds what a page says about itself, such as a canonical one.
func (v *Visitor) describeTarget(doc *extract.Document, resp *fetch.Response, line *output.Check) {
	directives := v.directives(resp.Header, doc)
	if rule := directives.NoIndex(time.Now()); rule != nil {
		line.Noindex = rule.String()
	}
	line.Canonical = canonicalOf(line.URL, directives)
	page := &output.Page{URL: line.URL}
	addFacts(page, doc)
	line.Hreflang = page.Hreflang
}

// redirectCheck adds the target of a redirect, which is a check of its own: another site may accept HEAD.
func redirectCheck(found *discover.Found, doc *discover.Document, location string, read bool, line *output.Check) {
	to, err := redirection.Resolve(doc.URL, location)
	if err != nil {
		line.Detail = escape.Detail("the redirect leads to no valid URL: " + err.Error())
		return
	}
	line.Result, line.Location = output.CheckRedirected, discover.LocationText(doc.URL, location)
	t := doc.Prov.Redirected(doc.URL, doc.Cookies)
	if t.Hops > redirection.Max {
		line.Result, line.Reason, line.Detail = output.CheckBroken, output.TooManyRedirects, fmt.Sprintf("more than %d", redirection.Max)
		return
	}
	found.AddCheck(to.URL, t, t.Check, read)
}

// checkLine returns the line about a URL that is checked. Resp is nil if no request was sent.
func (it *item) checkLine(resp *fetch.Response) *output.Check {
	line := &output.Check{URL: it.url, Kind: it.prov.Check, FoundOn: it.prov.FoundOn}
	if resp != nil {
		line.FetchedAt, line.DurationMS = resp.Began.UTC(), resp.Took.Milliseconds()
	}
	return line
}

// isKnownCheck reports whether a check is superfluous: the crawl fetches the URL as a page, another check
// reads it, it is left over from before a recrawl, or changed settings do not want it. It leaves no line.
// An archive also requests what may not become a page, because of its type or a limit, and what a page is not read for.
func (v *Visitor) isKnownCheck(it *item) (bool, error) {
	recrawl := provenance.RecrawlOf(it.lease.Owner)
	a, err := weburl.Parse(it.url)
	wanted, whole := v.Discovery.WantsCheck(a, it.prov.Check)
	if err != nil || recrawl < it.prov.Recrawl || !wanted {
		return true, nil
	}
	keys, read := []frontier.Key{{URL: it.url}}, provenance.CheckKey(it.url, recrawl, true)
	if whole && (len(v.set.Requests.Types) > 0 || v.Limits.LimitsHosts() || v.reads(it.prov.Check) && it.prov.Check != "iframe") {
		keys = nil
	}
	if it.lease.Kind != read.Kind {
		keys = append(keys, read)
	}
	known, err := v.Frontier.Known(v.Lifecycle.CommitCtx, keys)
	return slices.Contains(known, true), err
}

// queueGetCheck queues a check that GET has to make: many sites answer HEAD with an error, or with a
// redirect to one, where GET succeeds. It takes a request slot of its own.
func (v *Visitor) queueGetCheck(it *item) outcome {
	again := it.lease.Item
	again.Kind = provenance.KindCheckGet
	return outcome{verdict: done, found: v.Discovery.NewFound(again)}
}

// statusDenied is a status of no standard, with which some sites reject crawlers.
const statusDenied = 999

// checkResult returns the result of a response that is no redirect.
func checkResult(status int) output.CheckResult {
	switch {
	case status/100 == 2, status == http.StatusRequestedRangeNotSatisfiable: // the first byte of an empty resource
		return output.CheckOK
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusTooManyRequests, status == statusDenied:
		return output.CheckUnverified
	}
	return output.CheckBroken
}

// skipCheck ends a check that was not made, or that failed.
func (v *Visitor) skipCheck(it *item, out *outcome) error {
	line, r := it.checkLine(out.response), &out.rejection
	line.Result, line.Reason, line.Detail = output.CheckUnverified, r.Reason, r.Detail
	switch {
	case r.Reason == output.Failed || r.Reason == output.InvalidURL:
		line.Result = output.CheckBroken
	case r.Rule != "":
		line.Detail = fmt.Sprintf("%s, line %d of %s", r.Rule, r.Line, r.RobotsURL)
	}
	v.Log.Debug("URL checked", "url", line.URL, "result", line.Result, "reason", line.Reason, "error", line.Detail)
	return results.Checks.Add(&out.lines, line)
}

// probe requests a start URL of a plan to learn whether it redirects to another host, which then belongs to the
// crawl.
func (v *Visitor) probe(it *item, adm *admitted) (outcome, error) {
	ctx, cancel := context.WithTimeout(v.Lifecycle.Working, v.set.Requests.Timeout)
	defer cancel()
	began := time.Now()
	resp, err := v.request(ctx, http.MethodHead, it.url)
	out := outcome{verdict: done, host: hostOutcome{delay: v.Delays.After(time.Since(began))}}
	if err != nil {
		return out, nil // the crawl will report it
	}
	_ = resp.Body.Close()
	out.host.status = resp.StatusCode
	if location := redirection.Location(resp.StatusCode, resp.Header); location != "" {
		out.found = v.Discovery.Redirect(it.document(adm), location)
	}
	return out, nil
}
