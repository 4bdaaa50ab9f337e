package visit

import (
	"errors"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// limitAnchors is the limit on ids and targets, as limits_reached of pages.jsonl names it.
const limitAnchors = "anchor-bytes"

// resource is a file that a page or a stylesheet uses.
type resource struct {
	weburl.URL
	kind string
	text string // of the first reference to it
	read bool   // the check reads it
}

// reads reports whether the response to a check is read, for what it uses or for what it says about itself.
func (v *Visitor) reads(use string) bool {
	switch use {
	case discover.UseStylesheet, discover.UseCanonical, discover.UseHreflang:
		return true
	case discover.UseCSS: // an import
		return !v.set.Discover.Checks.Archive
	case discover.UseModule, "iframe", "object", "embed":
		return v.set.Discover.Checks.Archive
	}
	return false
}

// addResource adds a resource. An invalid URL is skipped as in a link. If one of several references
// to it is as a stylesheet, that one counts: it is often preloaded before. In an archive an asset counts more than a link.
func (l *pageLinks) addResource(r extract.Resource) {
	if r.Imported && l.v.set.Discover.Checks.Archive { // which also requests images of the kind css, but does not read them
		r.Kind = discover.UseStylesheet
	}
	read, key := r.Imported || r.Kind != discover.UseCSS && l.v.reads(r.Kind), r.URL
	if r.Err != nil {
		key = r.Ref
	}
	if at, known := l.resourceURLs[key]; known {
		l.promote(at, resource{kind: r.Kind, text: r.Text, read: read})
		return
	}
	if l.size > maxLinkBytes {
		l.cut(limitLinkBytes)
		return
	}
	if l.resourceURLs == nil {
		l.resourceURLs = make(map[string]int)
	}
	u, _ := weburl.Of(r.URL)
	if r.Err != nil {
		if l.size += escape.MaxBytes + len(r.Text) + len(l.meta); meansPage(r.Ref, r.URL) {
			l.resourceURLs[key] = -1
			l.links = append(l.links, pageLink{URL: u, kind: r.Kind, text: r.Text, ref: r.Ref, err: r.Err, asset: true})
		}
		return
	}
	if wanted, _ := l.v.Discovery.WantsCheck(u, r.Kind); !wanted { // another element may use it as an asset
		return
	}
	if l.size += len(u.Canonical) + len(r.Text) + len(l.meta); len(l.resources) >= l.maxResources {
		l.cut(limitMaxLinks)
		return
	}
	l.resourceURLs[key] = len(l.resources)
	l.resources = append(l.resources, resource{u, r.Kind, r.Text, read})
}

// promote makes the check of a resource that of a further reference to it, if that asks for more.
func (l *pageLinks) promote(at int, to resource) {
	if at < 0 {
		return
	}
	r := &l.resources[at]
	if _, whole := l.v.Discovery.WantsCheck(r.URL, to.kind); to.read && !r.read || whole && r.kind == discover.UseLink {
		r.kind, r.text, r.read = to.kind, to.text, to.read
	}
}

// maxInnerResources limits the distinct URLs that the stylesheets, modules and frames of a page use together, if
// max-links does not. Each has an equal share, and those that it uses itself share what it leaves. A part
// remains unused, so that a chain of imports or frames ends soon.
const maxInnerResources = 10_000

// addResources adds what was collected to the URLs to check, and to the line of links.jsonl. Upgrade is as in addLinks.
func (l *pageLinks) addResources(out *outcome, upgrade bool) error {
	if upgrade || l.doc.Prov.Upgrade {
		l.upgrade()
	}
	read, rest := 0, min(l.maxResources, maxInnerResources)
	if l.doc.Prov.IsCheck() {
		rest -= len(l.resources)
	}
	for _, r := range l.resources {
		if r.read {
			read++
		}
	}
	for _, r := range l.resources {
		t := l.prov
		if r.read {
			t.Uses = rest / (read + 1)
		}
		out.found.AddCheck(r.URL, t, r.kind, r.read)
	}
	return l.addLine(out)
}

// addLine adds the line of links.jsonl to the outcome.
func (l *pageLinks) addLine(out *outcome) error {
	line := &output.Links{URL: l.doc.URL, To: l.to}
	for _, r := range l.resources {
		line.Resources = append(line.Resources, output.Link{URL: r.Canonical, Text: r.text, Kind: r.kind})
	}
	for i := range l.links {
		if link := &l.links[i]; link.asset && !errors.Is(link.err, weburl.ErrTooLong) {
			line.Resources = append(line.Resources, output.Link{URL: link.listed(), Text: link.text, Kind: link.kind})
		}
	}
	if len(line.To)+len(line.Resources) == 0 || l.unlisted || !l.v.set.Links {
		return nil
	}
	return results.Links.Add(&out.lines, line)
}

// upgrade replaces the http URLs of the resources, as browsers do. Two of them may then be the same.
func (l *pageLinks) upgrade() {
	l.prov.Upgrade = true
	all, known := l.resources, make(map[string]int, len(l.resources))
	l.resources = all[:0]
	for _, r := range all {
		r.URL = upgraded(r.URL)
		if at, ok := known[r.Canonical]; ok {
			l.promote(at, r)
			continue
		}
		known[r.Canonical] = len(l.resources)
		l.resources = append(l.resources, r)
	}
}

// upgraded returns the https URL that browsers request instead of an http URL. They leave URLs of
// their own machine as they are.
func upgraded(u weburl.URL) weburl.URL {
	rest, insecure := strings.CutPrefix(u.Canonical, "http://")
	if !insecure || weburl.IsLocal(u.Hostname) {
		return u
	}
	secure, err := weburl.Parse("https://" + rest)
	if err != nil {
		return u
	}
	return secure
}

// addID adds an id of the page.
func (l *pageLinks) addID(id string) {
	if l.isNewAnchor(id) {
		l.ids = append(l.ids, id)
	}
}

// addTarget adds the target of a link with a fragment to a page of the crawl.
func (l *pageLinks) addTarget(link *pageLink, ref string) {
	if link.err != nil || !l.v.set.Discover.Checks.Fragments || !strings.Contains(ref, "#") {
		return
	}
	fragment := extract.Fragment(ref)
	if fragment == "" || !l.v.Scope.Holds(link.URL) {
		return
	}
	if target := link.Canonical + "#" + fragment; l.isNewAnchor(target) {
		l.targets = append(l.targets, target)
	}
}

// anchorOverhead is what an id or a target takes besides its text, in the map and in the list that
// grows. So a page has at most some 50,000.
const anchorOverhead = 320

// isNewAnchor reports whether an id or a target is new and within the limit.
func (l *pageLinks) isNewAnchor(text string) bool {
	if l.knownAnchors[text] || l.anchorBytes > maxLinkBytes {
		return false
	}
	if l.anchorBytes += len(text) + anchorOverhead; l.anchorBytes > maxLinkBytes {
		l.ids, l.targets, l.knownAnchors = nil, nil, nil
		return false
	}
	if l.knownAnchors == nil {
		l.knownAnchors = make(map[string]bool)
	}
	l.knownAnchors[text] = true
	return true
}

// addAnchors adds the line of anchors.jsonl. An incomplete list of ids would make links seem
// broken, so it is left out.
func (l *pageLinks) addAnchors(out *outcome) error {
	page := out.page
	switch {
	case !l.v.set.Discover.Checks.Fragments || l.unlisted:
		return nil
	case l.anchorBytes > maxLinkBytes:
		page.LimitsReached = append(page.LimitsReached, limitAnchors)
		return nil
	}
	line := &output.Anchors{URL: page.URL, IDs: l.ids, Targets: l.targets}
	if line.IDs == nil {
		line.IDs = []string{}
	}
	if line.Targets == nil {
		line.Targets = []string{}
	}
	return results.Anchors.Add(&out.lines, line)
}
