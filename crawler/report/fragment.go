package report

import (
	"maps"
	"net/url"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// fragments finds links to ids that the target page does not have.
type fragments struct {
	facts     *facts
	redirects *redirects
	targets   map[key]fragmentTarget // by URL with fragment
	pages     map[key]bool           // of targets; whether the ids of the page are known
	ids       map[pair]bool          // of pages and the ids that links lead to; whether the page has the id

	// redirected are linked URLs whose redirects end with a fragment, which links without one lead to.
	redirected map[key]*redirectedTarget

	unknownPages int // pages of targets whose ids are not known
}

// A redirectedTarget is the target of a redirect with a fragment.
type redirectedTarget struct {
	fragmentTarget

	url      string // that redirects
	fragment string
	links    int // pages that link to it with a fragment of their own
}

// A fragmentTarget is a URL with a fragment.
type fragmentTarget struct {
	page          key
	id, unescaped uint64 // hashes of the fragment
	pages         int    // that link to it
}

func newFragments(f *facts, r *redirects) *fragments {
	return &fragments{facts: f, redirects: r, targets: make(map[key]fragmentTarget), pages: make(map[key]bool), ids: make(map[pair]bool), redirected: make(map[key]*redirectedTarget)}
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
	t := fragmentTarget{page: keyOf(page)}
	t.point(fragment)
	return t
}

// point sets the id to the id that a fragment names. Browsers look for an id that equals the fragment, and then for
// the decoded one.
func (t *fragmentTarget) point(fragment string) {
	t.id, t.unescaped = xxhash.Sum64String(fragment), xxhash.Sum64String(percentDecode(fragment))
}

// percentEncoded is an octet with percent encoding.
var percentEncoded = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// percentDecode decodes a fragment as the URL standard does: an invalid % remains, and invalid UTF-8
// becomes U+FFFD.
func percentDecode(fragment string) string {
	decoded := percentEncoded.ReplaceAllStringFunc(fragment, func(octet string) string {
		text, _ := url.PathUnescape(octet) // it is valid
		return text
	})
	return strings.ToValidUTF8(decoded, "\uFFFD")
}

// follow finds the page of each target. addIDs then looks for its ids.
func (f *fragments) follow() {
	for k := range f.redirects.next {
		if fact := f.facts.byURL[k]; !fact.has(linked) {
			continue
		}
		if t := new(redirectedTarget); f.redirect(&t.fragmentTarget, k) && f.want(t.fragmentTarget) {
			f.redirected[k] = t
		}
	}
	for k, t := range f.targets {
		from := t.page
		if last, fragment := f.redirects.lastOf(from); fragment == "" {
			t.page = last
		} else if !f.redirect(&t, from) {
			delete(f.targets, k)
			continue
		}
		if !f.want(t) {
			delete(f.targets, k)
			continue
		}
		f.targets[k] = t
		if other := f.redirected[from]; other != nil {
			other.links += t.pages
		}
	}
}

// redirect sets a target to the end of the redirects of a URL. It reports whether their Location has the
// fragment of an element.
func (f *fragments) redirect(t *fragmentTarget, from key) bool {
	last, fragment := f.redirects.lastOf(from)
	fragment = extract.Fragment(fragment)
	t.page = last
	t.point(fragment)
	return fragment != ""
}

// want makes addIDs look for the id of a target. It reports false if the ids of its page are not known.
func (f *fragments) want(t fragmentTarget) bool {
	if is := f.facts.byURL[t.page]; !is.has(htmlPage) || is.has(withheld|incomplete) {
		return false
	}
	f.pages[t.page] = false
	f.ids[pairOf(t.page, t.id)], f.ids[pairOf(t.page, t.unescaped)] = false, false
	return true
}

// nameRedirect names a URL that redirects.
func (f *fragments) nameRedirect(v *pageView) {
	if t := f.redirected[v.key]; t != nil {
		t.url, t.fragment = strings.Clone(v.URL), strings.Clone(v.Location)
	}
}

// isMissing reports whether the page of a target does not have its id. A page without a line was fetched
// before fragments were checked.
func (f *fragments) isMissing(t fragmentTarget) bool {
	return f.pages[t.page] && !f.ids[pairOf(t.page, t.id)] && !f.ids[pairOf(t.page, t.unescaped)]
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

// brokenFragments finds links to ids that the target page does not have. For a redirect, the links with
// fragments have findings of their own.
func brokenFragments(m *model, l *ruleList) finder {
	f := m.fragments
	return finder{page: f.nameRedirect, all: func() error {
		if err := m.merger.eachAnchors(f.addIDs); err != nil {
			return err
		}
		for k, t := range f.redirected {
			if pages := m.references.count(k); pages > t.links && f.isMissing(t.fragmentTarget) {
				l.add(Finding{URL: t.url, Detail: clip("redirects to " + t.fragment), Pages: pages})
			}
		}
		for _, known := range f.pages {
			if !known {
				f.unknownPages++
			}
		}
		maps.DeleteFunc(f.targets, func(_ key, t fragmentTarget) bool { return !f.isMissing(t) })
		f.ids, f.pages, f.redirected = nil, nil, nil
		if len(f.targets) == 0 {
			return nil
		}
		for _, found := range []func(url string){l.refer, l.name} {
			err := m.merger.eachAnchors(func(_ *workerDir, a *output.Anchors) {
				m.references.begin(a.URL)
				for _, url := range a.Targets {
					if _, missing := f.targets[keyOf(url)]; missing {
						found(url)
					}
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	}}
}
