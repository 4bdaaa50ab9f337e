package crawler

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// The kinds of URLs that are only checked. Each is requested once, with the same robots.txt rules,
// delays and address checks as pages; results are in checks.jsonl. They do not count as pages, so
// MaxPages, MaxHostPages, MaxDepth and TrapPages do not limit them; MaxLinks, MaxHosts, MaxBytes and
// MaxTime do. Include has no effect on them.
const (
	// CheckAssets checks what pages use, on any host: images, scripts, stylesheets, icons, media,
	// and what stylesheets use.
	CheckAssets = "assets"
	// CheckExternal checks links and redirects to URLs outside the crawl, also those of link elements
	// such as license, and nofollow links: a check follows nothing.
	CheckExternal = "external"
	// CheckFragments records the ids of pages and the links with fragments. It requests nothing.
	CheckFragments = "fragments"
	// CheckCanonical checks canonical URLs that the crawl does not fetch.
	CheckCanonical = "canonical"
	// CheckHreflang checks targets of hreflang links that the crawl does not fetch.
	CheckHreflang = "hreflang"
	// CheckAll checks all of these.
	CheckAll = "all"
)

// checkKinds are the valid values of Scope.Check.
var checkKinds = []string{CheckAssets, CheckExternal, CheckFragments, CheckCanonical, CheckHreflang, CheckAll}

// checks reports whether a kind is checked.
func (s *Scope) checks(kind string) bool {
	return slices.Contains(s.Check, kind) || slices.Contains(s.Check, CheckAll)
}

// The kinds of use that this package decides about. Package extract has those of elements.
const (
	useStylesheet = "stylesheet"
	useCSS        = "css"       // url() or @import
	useLink       = "link"      // by a link element that names neither an asset nor a page, such as a feed
	useRedirect   = "redirect"  // the target of a redirect that leaves the crawl
	useCanonical  = "canonical" // the canonical URL of a page
	useHreflang   = "hreflang"  // a version of a page for another language
)

// checks reports whether a URL is checked that a page uses in this way. A link element that names
// no asset is a link if it leaves the crawl.
func (d *discovery) checks(a weburl.URL, use string) bool {
	check := CheckAssets
	switch use {
	case "a", "area", "frame", "meta", "header", useRedirect:
		check = CheckExternal
	case "link":
		if !d.scope.Holds(a) {
			check = CheckExternal
		}
	case useCanonical:
		check = CheckCanonical
	case useHreflang:
		check = CheckHreflang
	}
	return d.cfg.Scope.checks(check)
}

// addCheck adds a URL to check, if the settings want that. T is that of a link on the same page.
func (f *discoveries) addCheck(a weburl.URL, t provenance.Provenance, kind string, mode frontier.Kind) {
	if !f.d.checks(a, kind) || f.d.scope.ExcludedCheck(a.Canonical) != "" {
		return
	}
	t.Check = kind
	priority := uint8(provenance.PriorityLink)
	if kind == useCanonical || kind == useHreflang {
		priority = provenance.PriorityTarget // a later page may link to it
	}
	item := frontier.Item{Kind: mode, URL: a.Canonical, Owner: provenance.CheckOwner(t.Recrawl), Host: a.Server, Priority: priority, Meta: t.Encode()}
	if f.d.repeats(a, t) {
		provenance.Repeat(&item, t.Hops, t.Recrawl)
	}
	f.checks = append(f.checks, item)
}

// checkMode returns how a URL is checked by the way in which a page uses it.
func checkMode(kind string) frontier.Kind {
	if kind == useStylesheet || kind == useCanonical || kind == useHreflang {
		return provenance.KindCheckRead
	}
	return provenance.KindCheckHead
}

// addTargets adds the canonical URL and the versions for other languages that a page names.
func (f *discoveries) addTargets(page *output.Page, t provenance.Provenance) {
	if len(f.d.cfg.Scope.Check) == 0 {
		return
	}
	add := func(url, kind string) {
		if a, err := weburl.Of(url); err == nil && a.Canonical != page.URL {
			f.addCheck(a, t, kind, checkMode(kind))
		}
	}
	if page.Canonical != "" {
		add(page.Canonical, useCanonical)
	}
	for _, h := range page.Hreflang {
		add(h.URL, useHreflang)
	}
}

// admitChecks adds the checks to items, except those on new hosts beyond max-hosts.
func (d *discovery) admitChecks(found *discoveries) error {
	for _, item := range found.checks {
		admitted, err := d.hosts.Admit(d.lifecycle.CommitCtx, d.frontier, item.Host)
		switch {
		case err != nil:
			return err
		case admitted:
			found.items = append(found.items, item)
		case d.refused.add(item.Key().String()):
			found.refused = append(found.refused, item)
		}
	}
	return nil
}

// A urlSet is a set of URLs.
type urlSet struct {
	mu     sync.Mutex // guards hashes
	seed   maphash.Seed
	hashes map[uint64]struct{}
}

// maxURLSet limits the size of a urlSet.
const maxURLSet = 100_000

// add adds a URL and reports whether it is new. A full set reports false.
func (r *urlSet) add(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.hashes == nil {
		r.seed, r.hashes = maphash.MakeSeed(), make(map[uint64]struct{})
	}
	hash := maphash.String(r.seed, key)
	if _, known := r.hashes[hash]; known || len(r.hashes) >= maxURLSet {
		return false
	}
	r.hashes[hash] = struct{}{}
	return true
}

// refuseChecks writes the lines of checks that max-hosts refused.
func (w *worker) refuseChecks(v *visit, items []frontier.Item) error {
	for _, item := range items {
		p, err := provenance.Decode(item.Meta)
		if err != nil {
			return err
		}
		line := &output.Check{URL: item.URL, Result: output.CheckUnverified, Kind: p.Check, FoundOn: p.FoundOn, Reason: output.MaxHosts}
		if err := crawldir.Checks.Add(&v.lines, line); err != nil {
			return err
		}
	}
	return nil
}

// checkLine returns the line about a URL that is checked.
func (v *visit) checkLine() *output.Check {
	if v.check == nil {
		v.check = &output.Check{URL: v.url, Kind: v.prov.Check, FoundOn: v.prov.FoundOn}
	}
	return v.check
}

// skipKnownCheck ends a check of a URL that the crawl fetches as a page or that another check reads,
// one that was left over from before a recrawl, and one that changed settings no longer want. It
// leaves no line.
func (w *worker) skipKnownCheck(v *visit) (decision, error) {
	d := w.c.discovery
	url, recrawl := v.url, provenance.RecrawlOf(v.lease.Owner)
	if a, err := weburl.Parse(url); err != nil || recrawl < v.prov.Recrawl || !d.checks(a, v.prov.Check) {
		return decision{verdict: done}, nil
	}
	keys := []frontier.Key{{URL: url}}
	if v.lease.Kind != provenance.KindCheckRead {
		keys = append(keys, frontier.Key{Kind: provenance.KindCheckRead, URL: url, Owner: provenance.CheckOwner(recrawl)})
	}
	known, err := d.frontier.Known(d.lifecycle.CommitCtx, keys)
	if err != nil {
		return decision{}, err
	}
	for _, k := range known {
		if k {
			return decision{verdict: done}, nil
		}
	}
	return decision{}, nil
}

// checkURL requests a URL to learn whether it works.
func (w *worker) checkURL(v *visit) (decision, error) {
	c := w.c
	mode := v.lease.Kind
	request := fetch.Request{URL: v.url, Method: http.MethodGet}
	switch mode {
	case provenance.KindCheckHead:
		request.Method = http.MethodHead
	case provenance.KindCheckGet:
		request.Header, request.MaxBody = http.Header{"Range": {"bytes=0-0"}}, 1
	}
	resp, failure := w.pages.Fetch(request)
	v.response = resp
	line := v.checkLine()
	line.FetchedAt, line.DurationMS = resp.Began.UTC(), resp.Took.Milliseconds()
	if failure != nil {
		d, err := w.decideFailure(v, resp.Took, failure)
		if err != nil {
			return d, err
		}
		failed := d.verdict == retry || d.verdict == skip && d.skipped.Reason == output.Failed
		if mode == provenance.KindCheckHead && failed && !fetch.IsDialing(failure) {
			again := w.checkAgain(v)
			again.hostUntil = d.hostUntil
			return again, nil
		}
		return d, nil
	}
	v.hostDelay = c.network.delays.After(resp.Took)
	if err := w.observe(v, resp.Status); err != nil {
		return decision{}, err
	}
	if mode == provenance.KindCheckHead && resp.Status/100 != 2 {
		return w.checkAgain(v), nil
	}
	if resp.Status != statusDenied {
		if d := w.retry(v, resp.Status, nil); d.verdict == retry {
			return d, nil
		}
	}
	line.Status, line.Result, line.Bytes = resp.Status, checkResult(resp.Status), len(resp.Body)
	line.ContentType = escape.Clip(secret.RedactText(resp.Header.Get("Content-Type")), escape.MaxBytes)
	found, err := w.readCheck(v, resp, mode)
	if err != nil {
		return decision{}, err
	}
	c.log.Debug("URL checked", "url", line.URL, "status", line.Status, "result", line.Result)
	return decision{verdict: done, check: line, found: found}, crawldir.Checks.Add(&v.lines, line)
}

// checkAgain queues a check that GET has to make: many sites answer HEAD with an error, or with a
// redirect to one, where GET succeeds. It takes a request slot of its own.
func (w *worker) checkAgain(v *visit) decision {
	item := v.lease.Item
	item.Kind = provenance.KindCheckGet
	return decision{verdict: done, found: &discoveries{d: w.c.discovery, items: []frontier.Item{item}}}
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

// readCheck reads the response to a check: the target of a redirect, what a stylesheet uses, or
// what a page says about itself.
func (w *worker) readCheck(v *visit, resp *fetch.Response, mode frontier.Kind) (*discoveries, error) {
	d, line := w.c.discovery, v.check
	found := newDiscoveries(d)
	switch location := redirection.Location(resp.Status, resp.Header); {
	case location != "":
		found.redirectCheck(v, location, mode)
	case resp.Status/100 != 2 || mode != provenance.KindCheckRead:
	case v.prov.Check == useStylesheet || v.prov.Check == useCSS:
		return found, found.addStylesheet(v, extract.Page{URL: v.url, Header: resp.Header, Body: resp.Body})
	case extract.IsPage(resp.Header, resp.Body):
		doc := extract.Read(extract.Page{URL: v.url, Header: resp.Header, Body: resp.Body}, &extract.Handlers{})
		directives := w.directives(resp.Header, doc)
		if rule := directives.NoIndex(time.Now()); rule != nil {
			line.Noindex = rule.String()
		}
		line.Canonical = canonicalOf(v.url, directives)
		page := &output.Page{URL: line.URL}
		addFacts(page, doc)
		line.Hreflang = page.Hreflang
	}
	return found, nil
}

// redirectCheck adds the target of a redirect, which is a check of its own.
func (f *discoveries) redirectCheck(v *visit, location string, mode frontier.Kind) {
	line := v.check
	to, err := redirection.Resolve(v.url, location)
	if err != nil {
		line.Detail = escape.Detail("the redirect leads to no valid URL: " + err.Error())
		return
	}
	line.Result, line.Location = output.CheckRedirected, shownLocation(v.url, location)
	a, t := to.URL, v.prov.Redirected(v.url, v.cookies)
	if t.Hops > redirection.Max {
		line.Result, line.Reason, line.Detail = output.CheckBroken, output.TooManyRedirects, fmt.Sprintf("more than %d", redirection.Max)
		return
	}
	if mode == provenance.KindCheckGet {
		mode = provenance.KindCheckHead // another site may accept HEAD
	}
	f.addCheck(a, t, t.Check, mode)
}

// addStylesheet adds what a stylesheet uses.
func (f *discoveries) addStylesheet(v *visit, sheet extract.Page) error {
	l := newPageLinks(f.d, v)
	defer l.release()
	extract.ReadStylesheet(sheet, l.addResource)
	for i := range l.links { // invalid ones
		f.skipInvalid(v, &l.links[i], "")
	}
	if l.limit != "" {
		v.check.Detail = "it uses more URLs than are checked (" + l.limit + ")"
	}
	return l.addResources(f, v, nil)
}

// skipCheck ends a check that was not made, or that failed.
func (w *worker) skipCheck(v *visit, r *output.Rejection) error {
	line := v.checkLine()
	line.Result, line.Reason, line.Detail = output.CheckUnverified, r.Reason, r.Detail
	switch {
	case r.Reason == output.Failed || r.Reason == output.InvalidURL:
		line.Result = output.CheckBroken
	case r.Rule != "":
		line.Detail = fmt.Sprintf("%s, line %d of %s", r.Rule, r.Line, r.RobotsURL)
	}
	w.c.log.Debug("URL checked", "url", line.URL, "result", line.Result, "reason", line.Reason, "error", line.Detail)
	return crawldir.Checks.Add(&v.lines, line)
}
