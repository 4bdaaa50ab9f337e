package report

import (
	"cmp"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// Directives are what pages ask of crawlers.
type Directives struct {
	Pages    int             `json:"pages"`    // that ask for anything
	Withheld int             `json:"withheld"` // of which title and content were left out for it
	Rules    List[Directive] `json:"rules"`    // the most frequent first
}

// A Directive is one thing that pages ask for.
type Directive struct {
	Rule     string   `json:"rule"`  // noindex, nofollow, max-snippet: 20, …
	Pages    int      `json:"pages"` // that ask for it
	Header   int      `json:"header"`
	Meta     int      `json:"meta"`
	Examples []string `json:"examples"`
}

// wishes collects them.
type wishes struct {
	rows            int
	pages, withheld int
	mute            int // pages that are withheld with their links
	rules           map[string]*wish
}

// A wish is a directive with the pages that ask for it.
type wish struct {
	Directive
	urls firsts[string]
}

func newWishes(rows int) *wishes { return &wishes{rows: rows, rules: make(map[string]*wish)} }

func (w *wishes) page(p *output.Page) {
	if p.Withheld != "" {
		w.withheld++
		if p.Links > 0 {
			w.mute++
		}
	}
	if len(p.Directives)+len(p.Usage) > 0 {
		w.pages++
	}
	asked := make(map[*wish]bool)
	for _, d := range p.Directives {
		rule := w.rule(d.Rule)
		if strings.HasPrefix(d.Source, "meta") {
			rule.Meta++
		} else {
			rule.Header++
		}
		asked[rule] = true
	}
	for use, granted := range p.Usage {
		word := "n"
		if granted {
			word = "y"
		}
		rule := w.rule("Content-Usage: " + use + "=" + word)
		rule.Header++
		asked[rule] = true
	}
	for rule := range asked {
		rule.Pages++
		rule.urls.add(p.URL)
	}
}

func (w *wishes) rule(name string) *wish {
	name = clip(name)
	if w.rules[name] == nil {
		if len(w.rules) >= maxNames {
			name = otherNames
		}
		if w.rules[name] == nil {
			w.rules[name] = &wish{Directive{Rule: name}, newFirsts(maxExamples, strings.Compare)}
		}
	}
	return w.rules[name]
}

func (w *wishes) list() Directives {
	most := newFirsts(w.rows, func(a, b Directive) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Rule, b.Rule))
	})
	for _, rule := range w.rules {
		row := rule.Directive
		row.Examples = rule.urls.list().Rows
		most.add(row)
	}
	return Directives{Pages: w.pages, Withheld: w.withheld, Rules: most.list()}
}

// noindexOf says by which words a page asks not to be kept; empty: it does not.
func noindexOf(p *output.Page) string {
	for _, d := range p.Directives {
		if d.Rule == p.Withheld || d.Rule == string(robotstag.NoIndex) || d.Rule == string(robotstag.None) {
			return clip(d.Rule + " in " + d.Source)
		}
	}
	return clip(p.Withheld)
}

// canonicalOf is the URL that a page names as its canonical one; empty: none.
func canonicalOf(p *output.Page) string {
	if p.Canonical == "" {
		return ""
	}
	return resolve(p.URL, p.Canonical)
}
