package crawler

import (
	"errors"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// limitAnchors is the limit on ids and targets, as limits_reached of pages.jsonl names it.
const limitAnchors = "anchor-bytes"

// use is a resource that a page or a stylesheet uses.
type use struct {
	weburl.URL
	kind string
	mode provenance.CheckMode
}

// use adds a resource. An invalid URL is skipped like that of a link. If one of several uses is a
// stylesheet, that one counts: it is often preloaded before.
func (l *pageLinks) use(base string, u extract.Use) {
	if l.refs == nil && !l.init(base) {
		return
	}
	ref, _, _ := strings.Cut(u.URL, "#")
	mode := checkMode(u.Kind)
	if u.Imported {
		mode = provenance.CheckRead
	}
	if at, known := l.useRefs[ref]; known {
		l.read(at, u.Kind, mode)
		return
	}
	if l.useRefs == nil || len(l.useRefs) >= maxSpellings {
		l.useRefs = make(map[string]int)
	}
	l.useRefs[ref] = -1
	if l.size > maxLinkBytes {
		l.cut(limitLinkBytes)
		return
	}
	a, err := l.refs.Resolve(ref)
	if err != nil {
		l.size += escape.MaxBytes + len(l.meta)
		if weburl.IsWeb(ref) || errors.Is(err, weburl.ErrTooLong) {
			l.links = append(l.links, pageLink{ref: ref, err: err})
		}
		return
	}
	if !l.checksUse(u.Kind, a) {
		delete(l.useRefs, ref) // another element may use it as an asset
		return
	}
	l.size += len(a.Canonical) + len(l.meta)
	if at, known := l.useURLs[a.Canonical]; known {
		l.useRefs[ref] = at
		l.read(at, u.Kind, mode)
		return
	}
	if most := l.d.cfg.Limits.MaxLinks; most > 0 && len(l.uses) >= most {
		l.cut(limitMaxLinks)
		return
	}
	if l.useURLs == nil {
		l.useURLs = make(map[string]int)
	}
	l.useRefs[ref], l.useURLs[a.Canonical] = len(l.uses), len(l.uses)
	l.uses = append(l.uses, use{a, u.Kind, mode})
}

// checksUse reports whether a resource is checked. A link element of another kind, such as license,
// is a link if it leaves the crawl.
func (l *pageLinks) checksUse(kind string, u weburl.URL) bool {
	if kind == useLink && !l.d.scope.Holds(u) {
		return l.d.cfg.Scope.checks(CheckExternal)
	}
	return l.d.cfg.Scope.checks(CheckAssets)
}

// read makes the check of a resource read it, if a further use of it asks for that.
func (l *pageLinks) read(at int, kind string, mode provenance.CheckMode) {
	if at >= 0 && mode == provenance.CheckRead && l.uses[at].mode != mode {
		l.uses[at].kind, l.uses[at].mode = kind, mode
	}
}

// addUses adds what was collected to the URLs to check, and writes the line of links.jsonl.
func (l *pageLinks) addUses(found *discoveries, v *visit, to []output.Link) error {
	line := &output.Links{URL: v.u.String(), To: to}
	for _, u := range l.uses {
		found.addCheck(u.URL, l.prov, u.kind, u.mode)
		line.Uses = append(line.Uses, output.Link{URL: u.Canonical, Kind: u.kind})
	}
	if len(line.To)+len(line.Uses) == 0 || l.unlisted || l.d.cfg.Output.Links == LinksNone {
		return nil
	}
	return v.lines.Links(line)
}

// addID adds an id of the page.
func (l *pageLinks) addID(id string) {
	if l.isNewAnchor(id) {
		l.ids = append(l.ids, id)
	}
}

// addTarget adds the target of a link with a fragment to a page of the crawl.
func (l *pageLinks) addTarget(link *pageLink, ref string) {
	if link.err != nil || !l.d.cfg.Scope.checks(CheckFragments) {
		return
	}
	fragment := extract.Fragment(ref)
	if fragment == "" || !l.d.scope.Holds(link.URL) {
		return
	}
	if target := link.Canonical + "#" + fragment; l.isNewAnchor(target) {
		l.targets = append(l.targets, target)
	}
}

// isNewAnchor reports whether an id or a target is new and within the limit.
func (l *pageLinks) isNewAnchor(text string) bool {
	if l.knownAnchors[text] || l.anchorBytes > maxLinkBytes {
		return false
	}
	if l.anchorBytes += len(text); l.anchorBytes > maxLinkBytes {
		return false
	}
	if l.knownAnchors == nil {
		l.knownAnchors = make(map[string]bool)
	}
	l.knownAnchors[text] = true
	return true
}

// addAnchors writes the line of anchors.jsonl. An incomplete list of ids would make links seem
// broken, so it is left out.
func (l *pageLinks) addAnchors(page *output.Page) error {
	switch {
	case !l.d.cfg.Scope.checks(CheckFragments) || l.unlisted:
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
	return l.v.lines.Anchors(line)
}
