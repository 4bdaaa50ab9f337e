package report

import (
	"net/http"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A key stands for a URL. The probability that two of ten million have the same one is a
// few in a million.
type key uint64

func keyOf(url string) key { return key(xxhash.Sum64String(url)) }

// A fact is what the report knows about a URL. It is small: there is one for each URL.
type fact struct {
	marks  marks
	status int16 // of its page; 0 if it has none
	reason uint8 // index in facts.reasons, from 1; 0 if not rejected

	depth uint8  // of the rejection that counts, where several directories have one
	dir   uint16 // the number of the directory with that rejection; 0 for any
}

type marks uint16

const (
	listed     marks = 1 << iota // in a sitemap
	linked                       // from another page, or a start URL
	noindex                      // its page has noindex
	elsewhere                    // its page names another as its canonical one
	counted                      // counted as listed and not fetched
	htmlPage                     // its page is HTML with status 2xx, or unchanged since
	withheld                     // its page has content that is withheld
	incomplete                   // its page has content that a limit left out
	omitted                      // counted as a URL without a row in the table of URLs
)

// indexable reports whether a search engine may list a page under its own URL.
func (f fact) indexable() bool { return f.has(htmlPage) && !f.has(noindex|elsewhere) }

// indexability says yes, or why a search engine does not list a page with a status of statusOf.
func (f fact) indexability(status int) string {
	switch {
	case redirected(status):
		return "redirect"
	case broken(status):
		return "error"
	case f.has(noindex):
		return "noindex"
	case f.has(elsewhere):
		return "canonical"
	case f.indexable():
		return "yes"
	case !succeeded(status) || status == 304:
		return "unknown"
	}
	return "not HTML"
}

// marksOf returns the marks of a page that follow from its line.
func (c *counters) marksOf(p *output.Page) marks {
	var is marks
	add := func(m marks, holds bool) {
		if holds {
			is |= m
		}
	}
	add(noindex, noindexOf(p) != "")
	add(elsewhere, p.Canonical != "" && p.Canonical != p.URL)
	add(linked, p.Source == "start" || p.Source == "link")
	add(withheld, p.Withheld != "")
	add(incomplete, incompleteContent(p))
	add(htmlPage, p.HasContent() && c.isHTML(p))
	return is
}

func (f fact) has(m marks) bool { return f.marks&m != 0 }

// succeeded reports whether a status of statusOf is 2xx, or 304 (a page that was read before).
func succeeded(status int) bool { return status/100 == 2 || status == 304 }

func redirected(status int) bool { return redirection.Is(status) }

// broken reports whether a status is that of an error, or one that browsers do not handle, such as 300.
func broken(status int) bool {
	return status >= 400 || status < 0 || status/100 == 3 && status != 304 && !redirected(status)
}

// statusOf returns the status of a page: 200 for an unchanged page whose content is known. It is negative
// for a 304 to a request without conditions, which is an error.
func statusOf(p *output.Page) int {
	switch {
	case p.Status == http.StatusNotModified && !p.Unchanged:
		return -p.Status
	case p.Status == http.StatusNotModified && p.HasContent():
		return http.StatusOK
	}
	return p.Status
}

// facts has all URLs that were fetched, rejected or listed.
type facts struct {
	byURL   map[key]fact
	reasons []output.Reason
}

func (f *facts) find(url string) (key, fact) {
	k := keyOf(url)
	return k, f.byURL[k]
}

func (f *facts) update(k key, change func(*fact)) {
	known := f.byURL[k]
	change(&known)
	f.byURL[k] = known
}

func (f *facts) mark(k key, m marks) { f.update(k, func(known *fact) { known.marks |= m }) }

// markKnown marks a URL that has a fact already.
func (f *facts) markKnown(k key, m marks) {
	if known, ok := f.byURL[k]; ok && !known.has(m) {
		f.mark(k, m)
	}
}

func (f *facts) page(k key, status int, m marks) {
	f.update(k, func(known *fact) { known.status, known.marks = int16(min(status, 999)), known.marks|m })
}

func (f *facts) reject(k key, reason output.Reason) {
	f.update(k, func(known *fact) { known.reason = f.index(reason) })
}

// index returns the number of a reason. A crawl has about a dozen; those beyond 255 count as one.
func (f *facts) index(reason output.Reason) uint8 {
	if i := slices.Index(f.reasons, reason); i >= 0 {
		return uint8(i + 1)
	}
	if len(f.reasons) < 255 {
		f.reasons = append(f.reasons, reason)
	}
	return uint8(len(f.reasons))
}

// reason says why a URL was rejected, or "" if it was not or another worker fetched it.
func (f *facts) reason(of fact) output.Reason {
	if of.reason == 0 || of.status != 0 {
		return ""
	}
	return f.reasons[of.reason-1]
}

// atFault reports whether a link to a URL may be a finding.
func (f *facts) atFault(of fact) bool {
	switch f.reason(of) {
	case output.Failed, output.Disallowed, output.InvalidURL:
		return true
	}
	return redirected(int(of.status)) || broken(int(of.status))
}

// broken reports whether requests for a URL failed.
func (f *facts) broken(of fact) bool {
	return broken(int(of.status)) || f.reason(of) == output.Failed
}
