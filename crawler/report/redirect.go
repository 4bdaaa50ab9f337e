package report

import (
	"cmp"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Redirects are the ways from URLs that only point to another one.
type Redirects struct {
	URLs   int         `json:"urls"`   // that redirect
	Loops  int         `json:"loops"`  // chains that lead back into themselves
	Dead   int         `json:"dead"`   // chains that end at no page, loops aside
	Long   int         `json:"long"`   // chains of more than one redirect, loops aside
	Chains List[Chain] `json:"chains"` // loops, then those that end at no page, then the longest
}

// A Chain is a redirect that no other one leads to, and where it ends.
type Chain struct {
	Steps []Step   `json:"steps"` // the URLs, first to last; of a loop, up to the first that comes again
	Hops  int      `json:"hops"`  // redirects, but for one to itself
	End   ChainEnd `json:"end"`
	Why   string   `json:"why,omitempty"` // the reason, where the end was left alone
}

// A Step is a URL of a chain.
type Step struct {
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"` // 0: it was not fetched
}

// ChainEnd is where a chain of redirects ends.
type ChainEnd string

// The ends.
const (
	endPage   ChainEnd = "page"    // at a page
	endBroken ChainEnd = "broken"  // at one that is broken
	endLeft   ChainEnd = "left"    // at a URL that was left alone, Chain.Why says for what reason
	endLoop   ChainEnd = "loop"    // nowhere
	endNone   ChainEnd = "nowhere" // at what is no URL: there is no Location, or it cannot be read
	endNever  ChainEnd = "never"   // after more than fifty, where nobody looks on
	endUnseen ChainEnd = "unseen"  // at a URL that was not fetched yet
)

// maxHops bounds a chain. Crawls and browsers give up before.
const maxHops = 50

// redirects follows them.
type redirects struct {
	facts  *facts
	rows   int
	next   map[key]key // 0: nowhere
	urls   map[key]string
	status map[key]int
	result Redirects
	chains []walk
}

// A walk is a chain without its URLs.
type walk struct {
	keys []key
	end  ChainEnd
	why  output.Reason
}

func newRedirects(f *facts, rows int) *redirects {
	return &redirects{facts: f, rows: rows, next: make(map[key]key), urls: make(map[key]string), status: make(map[key]int)}
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

// follow walks all chains and picks those that will be in the list. What a redirect
// leads to is linked when the redirect is.
func (r *redirects) follow() {
	r.result.URLs = len(r.next)
	inner := make(map[key]bool, len(r.next)) // redirects that lie in a chain that begins before them
	for from, to := range r.next {
		if _, more := r.next[to]; more && to != from {
			inner[to] = true
		}
	}
	worst := newFirsts(r.rows, func(a, b walk) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(len(b.keys), len(a.keys)), slices.Compare(a.keys, b.keys))
	})
	walked := make(map[key]bool, len(r.next))
	for from := range r.next {
		if !inner[from] {
			r.take(&worst, r.walk(from, walked))
		}
	}
	for _, from := range r.unwalked(walked) { // loops that nothing leads into
		if !walked[from] {
			r.take(&worst, r.walk(from, walked))
		}
	}
	r.result.Chains.Total = worst.total
	r.chains = worst.list().Rows
	for _, w := range r.chains {
		for _, k := range w.keys {
			r.urls[k] = ""
		}
	}
	r.spread()
}

// unwalked returns the redirects that no walk came by, always in the same order. A
// loop begins where a page links to it.
func (r *redirects) unwalked(walked map[key]bool) []key {
	var keys []key
	for k := range r.next {
		if !walked[k] {
			keys = append(keys, k)
		}
	}
	inner := func(k key) int {
		if r.facts.byURL[k].has(linked) {
			return 0
		}
		return 1
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(inner(a), inner(b)), cmp.Compare(a, b)) })
	return keys
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

func (r *redirects) endAt(k key) (ChainEnd, output.Reason) {
	f := r.facts.byURL[k]
	reason := r.facts.reason(f)
	switch {
	case f.fine():
		return endPage, ""
	case r.facts.broken(f):
		return endBroken, reason
	case reason != "":
		return endLeft, reason
	}
	return endUnseen, ""
}

// rank sorts what ought to be seen first to the beginning.
func (w walk) rank() int {
	return slices.Index([]ChainEnd{endLoop, endNever, endBroken, endNone, endLeft, endPage, endUnseen}, w.end)
}

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

// spread marks as linked what redirects from linked URLs lead to.
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
	if _, wanted := r.urls[k]; wanted {
		r.urls[k], r.status[k] = p.URL, p.Status
	}
	if to, is := r.next[k]; is && to != 0 {
		if url, wanted := r.urls[to]; wanted && url == "" {
			r.urls[to] = resolve(p.URL, p.Location)
		}
	}
}

func (r *redirects) list() Redirects {
	result := r.result
	result.Chains.Rows = []Chain{}
	for _, w := range r.chains {
		c := Chain{Hops: w.hops(), End: w.end, Why: string(w.why)}
		for _, k := range w.keys {
			c.Steps = append(c.Steps, Step{r.urls[k], r.status[k]})
		}
		result.Chains.Rows = append(result.Chains.Rows, c)
	}
	slices.SortStableFunc(result.Chains.Rows, func(a, b Chain) int {
		rank := func(c Chain) int { return walk{end: c.End}.rank() }
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Hops, a.Hops), cmp.Compare(a.Steps[0].URL, b.Steps[0].URL))
	})
	return result
}
