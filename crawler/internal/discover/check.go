package discover

import (
	"hash/maphash"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The kinds of use that this package decides about. Package extract has those of elements.
const (
	UseStylesheet = "stylesheet"
	UseCSS        = "css"       // url() or @import
	UseLink       = "link"      // by a link element that names neither an asset nor a page, such as a feed
	UseRedirect   = "redirect"  // the target of a redirect that leaves the crawl
	UseCanonical  = "canonical" // the canonical URL of a page
	UseHreflang   = "hreflang"  // a version of a page for another language
	UseModule     = "module"    // a script that may import others; of an archive only
)

// WantsCheck reports whether a URL is checked that a page uses in this way, and whether it is an asset that an
// archive has whole. A link element that names no asset is a link if it leaves the crawl.
func (d *Discovery) WantsCheck(a weburl.URL, use string) (wanted, whole bool) {
	set := &d.set.Checks
	switch use {
	case "a", "area", "frame", "meta", "header", UseRedirect:
		return set.External, false
	case UseLink:
		if !d.Scope.Holds(a) {
			return set.External, false
		}
		return set.Assets, false // a feed is not shown
	case UseCanonical:
		return set.Canonical, false
	case UseHreflang:
		return set.Hreflang, false
	}
	return set.Assets, set.Archive
}

// AddCheck adds a URL to check, if the settings want that. T is that of a link on the same page. Read says that the
// response is read.
func (f *Found) AddCheck(a weburl.URL, t provenance.Provenance, use string, read bool) {
	wanted, whole := f.d.WantsCheck(a, use)
	if !wanted || f.d.Scope.ExcludedCheck(a.Canonical) != "" {
		return
	}
	t.Check = use
	priority := uint8(provenance.PriorityLink)
	switch {
	case whole:
		priority = provenance.PriorityAsset // so that pages are complete when a limit ends the crawl
	case use == UseCanonical || use == UseHreflang:
		priority = provenance.PriorityTarget // a later page may link to it
	}
	key := provenance.CheckKey(a.Canonical, t.Recrawl, read || whole)
	item := frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: a.Server, Priority: priority, Meta: t.Encode()}
	f.d.markRepeated(&item, a, t)
	f.checks = append(f.checks, item)
}

// AddTargets adds the canonical URL and the versions for other languages that a page names.
func (f *Found) AddTargets(page *output.Page, t provenance.Provenance) {
	add := func(url, use string) {
		if a, err := weburl.Of(url); err == nil && a.Canonical != page.URL {
			f.AddCheck(a, t, use, true)
		}
	}
	if page.Canonical != "" {
		add(page.Canonical, UseCanonical)
	}
	for _, h := range page.Hreflang {
		add(h.URL, UseHreflang)
	}
}

// admitChecks adds the checks to Items, and returns the lines of those on new hosts beyond max-hosts.
func (d *Discovery) admitChecks(found *Found) (refused []*output.Check, err error) {
	for _, item := range found.checks {
		admitted, err := d.hosts.Admit(d.Lifecycle.CommitCtx, d.Frontier, item.Host)
		switch {
		case err != nil:
			return nil, err
		case admitted:
			found.Items = append(found.Items, item)
		case d.refused.Add(item.Key().String()):
			p, err := provenance.Decode(item.Meta)
			if err != nil {
				return nil, err
			}
			refused = append(refused, &output.Check{URL: item.URL, Result: output.CheckUnverified, Kind: p.Check, FoundOn: p.FoundOn, Reason: output.MaxHosts})
		}
	}
	return refused, nil
}

// A URLSet is a set of URLs.
type URLSet struct {
	mu     sync.Mutex // guards hashes
	seed   maphash.Seed
	hashes map[uint64]struct{}
}

// maxURLSet limits the size of a URLSet.
const maxURLSet = 100_000

// Add adds a URL and reports whether it is new. A full set reports false.
func (r *URLSet) Add(key string) bool {
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
