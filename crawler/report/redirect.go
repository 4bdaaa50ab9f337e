package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Redirects are the chains of URLs that redirect.
type Redirects struct {
	URLs     int         `json:"urls"`      // URLs that redirect
	Loops    int         `json:"loops"`     // chains that return to an earlier URL
	DeadEnds int         `json:"dead_ends"` // other chains that do not end with a page
	Long     int         `json:"long"`      // other chains of more than one redirect
	Chains   List[Chain] `json:"chains"`    // loops first, then dead ends, then the longest
}

// A Chain is a sequence of redirects.
type Chain struct {
	Steps  []Step `json:"steps"`            // the URLs in order; a loop ends with the first repeated URL
	Hops   int    `json:"hops"`             // number of redirects
	End    string `json:"end"`              // SCHEMA.md names the ends
	Reason string `json:"reason,omitempty"` // why the last URL was skipped
}

// A Step is a URL of a redirect chain.
type Step struct {
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"` // 0 if not fetched
}

// The ends of chains, in the order of the report.
const (
	endLoop       = "loop"
	endTooLong    = "too-long" // after more redirects than browsers follow
	endBroken     = "broken"
	endNoLocation = "no-location" // no Location, or not a URL
	endSkipped    = "skipped"     // the last URL was rejected
	endPage       = "page"
	endNotFetched = "not-fetched" // the last URL was not fetched yet
)

var ends = []string{endLoop, endTooLong, endBroken, endNoLocation, endSkipped, endPage, endNotFetched}

// redirects collects the chains.
type redirects struct {
	facts  *facts
	rows   int
	next   map[key]key    // 0 without a location
	to     map[key]string // fragments of locations, with the number sign
	steps  map[key]*Step  // of the chains in the list
	faulty map[key]bool   // URLs of loops and dead ends, and the first ones of long chains
	result Redirects
	chains []path

	faults [chainFaults]int // chains by fault
}

// A path is a chain of keys.
type path struct {
	keys   []key
	end    string
	reason output.Reason
}

func newRedirects(f *facts, rows int) *redirects {
	return &redirects{facts: f, rows: rows, next: make(map[key]key), to: make(map[key]string), steps: make(map[key]*Step), faulty: make(map[key]bool)}
}

func (r *redirects) add(k key, p *output.Page) {
	if !redirected(p.Status) {
		delete(r.to, k)
		delete(r.next, k) // it redirected to itself before it had its cookies
		return
	}
	r.next[k] = 0
	to, fragment := targetOf(p.Location)
	if to != "" {
		r.next[k] = keyOf(to)
	}
	if fragment != "" {
		r.to[k] = strings.Clone(fragment) // it is part of a URL
	}
}

// follow walks all chains and selects those for the list.
func (r *redirects) follow() {
	r.result.URLs = len(r.next)
	inner := make(map[key]bool, len(r.next)) // targets of other redirects
	for from, to := range r.next {
		if _, more := r.next[to]; more && to != from {
			inner[to] = true
		}
	}
	worst := newTopRows(r.rows, func(a, b path) int {
		return cmp.Or(cmp.Compare(rank(a.end), rank(b.end)), cmp.Compare(len(b.keys), len(a.keys)), slices.Compare(a.keys, b.keys))
	})
	walked := make(map[key]bool, len(r.next))
	for from := range r.next {
		if !inner[from] {
			r.count(worst, r.walk(from, walked))
		}
	}
	for _, from := range r.unwalked(walked) { // loops that no chain leads to
		if !walked[from] {
			r.count(worst, r.walk(from, walked))
		}
	}
	r.result.Chains.Total = worst.total
	r.chains = worst.list().Rows
	for _, w := range r.chains {
		for _, k := range w.keys {
			r.steps[k] = new(Step)
		}
	}
	r.markTargets()
}

// unwalked returns the redirects that no walk has passed, in a fixed order: a loop starts at
// a URL that a page links to.
func (r *redirects) unwalked(walked map[key]bool) []key {
	keys := make(map[bool][]key) // by whether a page links to them
	for k := range r.next {
		if !walked[k] {
			isLinked := r.facts.byURL[k].has(linked)
			keys[isLinked] = append(keys[isLinked], k)
		}
	}
	slices.Sort(keys[true])
	slices.Sort(keys[false])
	return append(keys[true], keys[false]...)
}

// walk follows a chain from its beginning.
func (r *redirects) walk(from key, walked map[key]bool) path {
	var w path
	for at := from; ; {
		again := slices.Contains(w.keys, at)
		w.keys = append(w.keys, at)
		to, more := r.next[at]
		switch {
		case again:
			w.end = endLoop
			return w
		case !more:
			w.end, w.reason = r.endAt(at)
			return w
		case len(w.keys) > redirection.Max:
			w.end = endTooLong
			for ; more && !walked[at]; at, more = r.next[at] { // the rest begins no chain
				walked[at] = true
			}
			return w
		}
		walked[at] = true
		if to == 0 {
			w.end = endNoLocation
			return w
		}
		at = to
	}
}

func (r *redirects) endAt(k key) (end string, reason output.Reason) {
	f := r.facts.byURL[k]
	reason = r.facts.reason(f)
	switch {
	case succeeded(int(f.status)):
		return endPage, ""
	case r.facts.broken(f):
		return endBroken, reason
	case reason != "":
		return endSkipped, reason
	}
	return endNotFetched, ""
}

// rank is the position of an end in the report.
func rank(end string) int { return slices.Index(ends, end) }

// hops counts the redirects.
func (w path) hops() int {
	n := len(w.keys) - 1
	if w.end == endNoLocation {
		return n + 1
	}
	return n
}

func (r *redirects) count(worst *topRows[path], w path) {
	fault := w.fault()
	switch r.faults[fault]++; fault {
	case chainFine:
	case chainLong:
		r.faulty[w.keys[0]] = true
	default:
		for _, k := range w.keys {
			r.faulty[k] = true
		}
	}
	worst.add(w)
}

// A chainFault is what is wrong with a chain.
type chainFault int

const (
	chainFine chainFault = iota
	chainLoop
	chainDeadEnd
	chainLong
	chainFaults // their number
)

func (w path) fault() chainFault {
	switch {
	case w.end == endLoop:
		return chainLoop
	case w.end == endBroken, w.end == endNoLocation, w.end == endTooLong:
		return chainDeadEnd
	case w.hops() > 1:
		return chainLong
	}
	return chainFine
}

// lastOf follows the redirects of a URL. Fragment is from the last Location that has one, with its
// number sign: it replaces the fragment of a link.
func (r *redirects) lastOf(k key) (last key, fragment string) {
	for range redirection.Max {
		to := r.next[k]
		if to == 0 {
			break
		}
		fragment = cmp.Or(r.to[k], fragment)
		k = to
	}
	return k, fragment
}

// markTargets marks the targets of linked redirects as linked.
func (r *redirects) markTargets() {
	for from := range r.next {
		for at, hops := from, 0; r.facts.byURL[at].has(linked) && hops < redirection.Max; hops++ {
			to, more := r.next[at]
			if !more || r.facts.byURL[to].has(linked) {
				break
			}
			r.facts.markKnown(to, linked)
			at = to
		}
	}
}

// name fills in the URLs of the chains in the list.
func (r *redirects) name(k key, p *output.Page) {
	if step := r.steps[k]; step != nil {
		*step = Step{p.URL, p.Status}
	}
	if to := r.next[k]; to != 0 {
		if step := r.steps[to]; step != nil && step.URL == "" {
			step.URL, _ = targetOf(p.Location)
		}
	}
}

func (r *redirects) list() Redirects {
	result := r.result
	result.Loops, result.DeadEnds, result.Long = r.faults[chainLoop], r.faults[chainDeadEnd], r.faults[chainLong]
	var rows []Chain
	for _, w := range r.chains {
		c := Chain{Hops: w.hops(), End: w.end, Reason: string(w.reason)}
		for _, k := range w.keys {
			c.Steps = append(c.Steps, *r.steps[k])
		}
		rows = append(rows, c)
	}
	result.Chains.Rows = listOf(r.rows, rows, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(rank(a.End), rank(b.End)), cmp.Compare(b.Hops, a.Hops), cmp.Compare(a.Steps[0].URL, b.Steps[0].URL))
	}).Rows
	return result
}

// targetOf splits the Location of a line into its URL and its fragment. Both are empty if the Location is not a valid URL.
// The fragment has its number sign, and is empty if the Location has none.
func targetOf(location string) (url, fragment string) {
	u, err := weburl.Parse(location)
	if err != nil {
		return "", ""
	}
	if i := strings.IndexByte(location, '#'); i >= 0 {
		fragment = location[i:]
	}
	return u.Canonical, fragment
}
