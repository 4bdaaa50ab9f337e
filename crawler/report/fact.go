package report

import (
	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A key stands for a URL: two of ten million have the same one with a probability
// of a few in a million.
type key uint64

func keyOf(url string) key { return key(xxhash.Sum64String(url)) }

// A fact is what has to be known of every URL at once. There is one for each URL
// of a crawl, so it is small.
type fact struct {
	marks  marks
	status int16 // of its page; 0: it has none
	reason uint8 // its place in facts.reasons, from 1; 0: it was not left alone

	depth   uint8  // where several directories may say why it was left alone: in the line that counts
	segment uint16 // the number of the directory with that line; 0: any
}

type marks uint16

const (
	listed    marks = 1 << iota // in a sitemap
	trailed                     // found in a sitemap before it was found elsewhere
	linked                      // from another page, or a start URL
	noindex                     // its page asks to be left out
	elsewhere                   // its page names another as its canonical one
	met                         // gone through as what a sitemap lists
)

func (f fact) has(m marks) bool { return f.marks&m != 0 }

// fine tells whether there is a page.
func (f fact) fine() bool { return fine(int(f.status)) }

// fine tells whether a status says that there is a page. 304 is the answer to
// whoever has it already.
func fine(status int) bool { return status/100 == 2 || status == 304 }

func redirected(status int) bool { return status/100 == 3 && status != 304 }

func broken(status int) bool { return status >= 400 }

// facts are those of all URLs that were fetched, left alone or listed.
type facts struct {
	byURL   map[key]fact
	reasons []output.Reason
}

func newFacts() *facts { return &facts{byURL: make(map[key]fact)} }

func (f *facts) mark(k key, m marks) {
	known := f.byURL[k]
	known.marks |= m
	f.byURL[k] = known
}

// markKnown marks a URL that something is known of already.
func (f *facts) markKnown(k key, m marks) {
	if known, ok := f.byURL[k]; ok && !known.has(m) {
		known.marks |= m
		f.byURL[k] = known
	}
}

func (f *facts) page(k key, status int, m marks) {
	known := f.byURL[k]
	known.status, known.marks = int16(min(status, 999)), known.marks|m
	f.byURL[k] = known
}

func (f *facts) leave(k key, reason output.Reason) {
	known := f.byURL[k]
	known.reason = f.place(reason)
	f.byURL[k] = known
}

// elect notes which directory says why a URL was left alone.
func (f *facts) elect(k key, segment uint16, depth uint8) {
	known := f.byURL[k]
	known.segment, known.depth = segment, depth
	f.byURL[k] = known
}

// place returns the number of a reason. There are a dozen; what comes after 255
// was not written by a crawl.
func (f *facts) place(reason output.Reason) uint8 {
	for i, r := range f.reasons {
		if r == reason {
			return uint8(i + 1)
		}
	}
	if len(f.reasons) < 255 {
		f.reasons = append(f.reasons, reason)
	}
	return uint8(len(f.reasons))
}

// reason says why a URL was left alone; empty: it was not.
func (f *facts) reason(of fact) output.Reason {
	if of.reason == 0 || of.status != 0 { // a page that was fetched after all
		return ""
	}
	return f.reasons[of.reason-1]
}

// broken tells whether a URL was asked for in vain.
func (f *facts) broken(of fact) bool {
	return broken(int(of.status)) || f.reason(of) == output.Failed
}
