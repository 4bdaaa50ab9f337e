package report

import (
	"cmp"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Redirects are the chains of URLs that redirect.
type Redirects struct {
	URLs   int         `json:"urls"`   // that redirect
	Loops  int         `json:"loops"`  // chains that lead back into themselves
	Dead   int         `json:"dead"`   // chains that end at no page, loops aside
	Long   int         `json:"long"`   // chains of more than one redirect, loops aside
	Chains List[Chain] `json:"chains"` // loops, then those that end at no page, then the longest
}

// A Chain is a redirect that no other one leads to, and where it ends.
type Chain struct {
	Steps []Step `json:"steps"`         // the URLs, first to last; of a loop, up to the first that comes again
	Hops  int    `json:"hops"`          // redirects, except one to itself
	End   string `json:"end"`           // SCHEMA.md names the ends
	Why   string `json:"why,omitempty"` // the reason, where the end was rejected
}

// A Step is a URL of a chain.
type Step struct {
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"` // 0: it was not fetched
}

// The ends of chains, in the order of the report.
const (
	endLoop   = "loop"
	endNever  = "never" // after more than maxHops
	endBroken = "broken"
	endNone   = "nowhere" // there is no Location, or it is no URL
	endLeft   = "left"    // the URL was rejected
	endPage   = "page"
	endUnseen = "unseen" // the URL was not fetched yet
)

var ends = []string{endLoop, endNever, endBroken, endNone, endLeft, endPage, endUnseen}

// maxHops limits a chain. Crawls and browsers give up before.
const maxHops = 50

// redirects follows them.
type redirects struct {
	facts  *facts
	rows   int
	next   map[key]key   // 0: nowhere
	steps  map[key]*Step // of the chains in the list
	result Redirects
	chains []walk
}

// A walk is a chain without its URLs.
type walk struct {
	keys []key
	end  string
	why  output.Reason
}

func newRedirects(f *facts, rows int) *redirects {
	return &redirects{facts: f, rows: rows, next: make(map[key]key), steps: make(map[key]*Step)}
}

func (r *redirects) learn(k key, p *output.Page) {
	if !redirected(p.Status) {
		return
	}
	r.next[k] = 0
	if to := resolve(p.URL, p.Location); p.Location != "" && to != "" {
		r.next[k] = keyOf(to)
	}
}

// follow walks all chains and picks those that will be in the list.
func (r *redirects) follow() {
	r.result.URLs = len(r.next)
	inner := make(map[key]bool, len(r.next)) // redirects to which another leads
	for from, to := range r.next {
		if _, more := r.next[to]; more && to != from {
			inner[to] = true
		}
	}
	worst := newFirsts(r.rows, func(a, b walk) int {
		return cmp.Or(cmp.Compare(rank(a.end), rank(b.end)), cmp.Compare(len(b.keys), len(a.keys)), slices.Compare(a.keys, b.keys))
	})
	walked := make(map[key]bool, len(r.next))
	for from := range r.next {
		if !inner[from] {
			r.take(worst, r.walk(from, walked))
		}
	}
	for _, from := range r.unwalked(walked) { // loops to which no chain leads
		if !walked[from] {
			r.take(worst, r.walk(from, walked))
		}
	}
	r.result.Chains.Total = worst.total
	r.chains = worst.list().Rows
	for _, w := range r.chains {
		for _, k := range w.keys {
			r.steps[k] = new(Step)
		}
	}
	r.spread()
}

// unwalked returns the redirects that no walk passed, in a fixed order: a loop begins where
// a page links to it.
func (r *redirects) unwalked(walked map[key]bool) []key {
	var entries, others []key
	for k := range r.next {
		switch {
		case walked[k]:
		case r.facts.byURL[k].has(linked):
			entries = append(entries, k)
		default:
			others = append(others, k)
		}
	}
	slices.Sort(entries)
	slices.Sort(others)
	return append(entries, others...)
}

// walk follows a chain from its beginning.
func (r *redirects) walk(from key, walked map[key]bool) walk {
	var w walk
	for at := from; ; {
		again := slices.Contains(w.keys, at)
		w.keys = append(w.keys, at)
		switch {
		case again:
			w.end = endLoop
			return w
		case len(w.keys) > maxHops:
			w.end = endNever
			for more := true; more && !walked[at]; at, more = r.next[at] { // the rest begins no chain
				walked[at] = true
			}
			return w
		}
		to, more := r.next[at]
		if !more {
			w.end, w.why = r.endAt(at)
			return w
		}
		walked[at] = true
		if to == 0 {
			w.end = endNone
			return w
		}
		at = to
	}
}

func (r *redirects) endAt(k key) (end string, why output.Reason) {
	f := r.facts.byURL[k]
	why = r.facts.reason(f)
	switch {
	case fine(int(f.status)):
		return endPage, ""
	case r.facts.broken(f):
		return endBroken, why
	case why != "":
		return endLeft, why
	}
	return endUnseen, ""
}

// rank is the place of an end in the order of the report.
func rank(end string) int { return slices.Index(ends, end) }

// hops counts the redirects that lead to another URL.
func (w walk) hops() int {
	n := len(w.keys) - 1
	switch {
	case w.end == endNone:
		return n + 1
	case w.end == endLoop && w.keys[n] == w.keys[n-1]:
		return n - 1
	}
	return n
}

func (r *redirects) take(worst *firsts[walk], w walk) {
	switch w.end {
	case endLoop:
		r.result.Loops++
	case endBroken, endNone, endNever:
		r.result.Dead++
	}
	if w.end != endLoop && w.hops() > 1 {
		r.result.Long++
	}
	worst.add(w)
}

// spread marks the targets of linked redirects as linked.
func (r *redirects) spread() {
	for from := range r.next {
		for at, hops := from, 0; r.facts.byURL[at].has(linked) && hops < maxHops; hops++ {
			to, more := r.next[at]
			if !more || r.facts.byURL[to].has(linked) {
				break
			}
			r.facts.markKnown(to, linked)
			at = to
		}
	}
}

// name notes the URLs of the chains in the list.
func (r *redirects) name(k key, p *output.Page) {
	if step := r.steps[k]; step != nil {
		*step = Step{p.URL, p.Status}
	}
	if to := r.next[k]; to != 0 {
		if step := r.steps[to]; step != nil && step.URL == "" {
			step.URL = resolve(p.URL, p.Location)
		}
	}
}

func (r *redirects) list() Redirects {
	result := r.result
	var rows []Chain
	for _, w := range r.chains {
		c := Chain{Hops: w.hops(), End: w.end, Why: string(w.why)}
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

// resolve returns the URL, as the crawl has it, to which a reference in the document at base
// leads; empty: there is none.
func resolve(base, ref string) string {
	u, err := weburl.Resolve(base, ref)
	if err != nil {
		return ""
	}
	return u.Canonical
}

// canonicalOf is the URL that a page names as its canonical one; empty: none.
func canonicalOf(p *output.Page) string {
	if p.Canonical == "" {
		return ""
	}
	return resolve(p.URL, p.Canonical)
}
