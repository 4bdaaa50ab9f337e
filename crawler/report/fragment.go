package report

import (
	"net/url"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// fragments finds links to ids that the target page does not have.
type fragments struct {
	facts     *facts
	redirects *redirects
	ids       []pair                 // of pages and their ids
	targets   map[key]fragmentTarget // by URL with fragment
	missing   *namedURLs
}

// A fragmentTarget is a URL with a fragment.
type fragmentTarget struct {
	page          key
	id, unescaped uint64 // hashes of the fragment
	pages         int    // that link to it
}

func newFragments(f *facts, r *redirects) *fragments {
	return &fragments{facts: f, redirects: r, targets: make(map[key]fragmentTarget), missing: newNamedURLs()}
}

// add records the ids and the targets of a page.
func (f *fragments) add(_ *workerDir, a *output.Anchors) {
	page := keyOf(a.URL)
	for _, id := range a.IDs {
		f.ids = append(f.ids, pairOf(page, xxhash.Sum64String(id)))
	}
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

// conclude finds the targets that are missing, and selects those for the list.
func (f *fragments) conclude(limit int) {
	slices.Sort(f.ids)
	has := func(page key, id uint64) bool {
		_, found := slices.BinarySearch(f.ids, pairOf(page, id))
		return found
	}
	for k, t := range f.targets {
		page := f.redirects.lastOf(t.page)
		if is := f.facts.byURL[page]; !is.has(htmlPage) || is.has(withheld|incomplete) {
			continue // its ids are not known
		}
		if !has(page, t.id) && !has(page, t.unescaped) {
			f.missing.counts[k] = t.pages
		}
	}
	f.ids, f.targets = nil, nil
	f.missing.choose(limit)
}

// name names the missing targets.
func (f *fragments) name(_ *workerDir, a *output.Anchors) {
	for _, url := range a.Targets {
		f.missing.name(keyOf(url), url, a.URL)
	}
}
