package report

import (
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// fragments finds links to ids that the target page does not have.
type fragments struct {
	facts     *facts
	redirects *redirects
	targets   map[key]fragmentTarget // by URL with fragment
	pages     map[key]bool           // of targets; whether the ids of the page are known
	ids       map[pair]bool          // of pages and the ids that links lead to; whether the page has the id
	missing   *namedURLs

	unknownPages int // pages of targets whose ids are not known
}

// A fragmentTarget is a URL with a fragment.
type fragmentTarget struct {
	page          key
	id, unescaped uint64 // hashes of the fragment
	pages         int    // that link to it
}

func newFragments(f *facts, r *redirects) *fragments {
	return &fragments{facts: f, redirects: r, targets: make(map[key]fragmentTarget), pages: make(map[key]bool), ids: make(map[pair]bool), missing: newNamedURLs()}
}

// addTargets records the targets of a page.
func (f *fragments) addTargets(_ *workerDir, a *output.Anchors) {
	for _, url := range a.Targets {
		k := keyOf(url)
		t, known := f.targets[k]
		if !known {
			t = fragmentTargetOf(url)
		}
		t.pages++
		f.targets[k] = t
	}
}

func fragmentTargetOf(text string) fragmentTarget {
	page, fragment, _ := strings.Cut(text, "#")
	t := fragmentTarget{page: keyOf(page), id: xxhash.Sum64String(fragment)}
	t.unescaped = t.id
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		t.unescaped = xxhash.Sum64String(unescaped)
	}
	return t
}

// follow finds the page of each target, whose ids addIDs then looks for.
func (f *fragments) follow() {
	for k, t := range f.targets {
		t.page = f.redirects.lastOf(t.page)
		if is := f.facts.byURL[t.page]; !is.has(htmlPage) || is.has(withheld|incomplete) {
			delete(f.targets, k) // its ids are not known
			continue
		}
		f.targets[k], f.pages[t.page] = t, false
		f.ids[pairOf(t.page, t.id)], f.ids[pairOf(t.page, t.unescaped)] = false, false
	}
}

// addIDs records which of its targets a page has.
func (f *fragments) addIDs(_ *workerDir, a *output.Anchors) {
	page := keyOf(a.URL)
	if _, is := f.pages[page]; !is {
		return
	}
	f.pages[page] = true
	for _, id := range a.IDs {
		p := pairOf(page, xxhash.Sum64String(id))
		if _, is := f.ids[p]; is {
			f.ids[p] = true
		}
	}
}

// conclude finds the targets that are missing, and selects those for the list. A page without a
// line was fetched before fragments were checked.
func (f *fragments) conclude(limit int) {
	for k, t := range f.targets {
		if f.pages[t.page] && !f.ids[pairOf(t.page, t.id)] && !f.ids[pairOf(t.page, t.unescaped)] {
			f.missing.counts[k] = t.pages
		}
	}
	for _, known := range f.pages {
		if !known {
			f.unknownPages++
		}
	}
	f.ids, f.targets, f.pages = nil, nil, nil
	f.missing.choose(limit)
}

// name names the missing targets.
func (f *fragments) name(_ *workerDir, a *output.Anchors) {
	for _, url := range a.Targets {
		f.missing.name(keyOf(url), url, a.URL)
	}
}
