package report

import (
	"cmp"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
)

// Directives are the robots directives of pages.
type Directives struct {
	Pages    int             `json:"pages"`    // pages with directives
	Withheld int             `json:"withheld"` // pages whose title and content were left out because of them
	Rules    List[Directive] `json:"rules"`    // the most frequent first
}

// A Directive is one directive of pages.
type Directive struct {
	Rule     string   `json:"rule"`   // noindex, nofollow, max-snippet: 20, …
	Pages    int      `json:"pages"`  // pages with this directive
	Header   int      `json:"header"` // occurrences in headers
	Meta     int      `json:"meta"`   // occurrences in meta elements
	Examples []string `json:"examples"`
}

// directives collects the directives.
type directives struct {
	rows          int
	result        Directives
	withheldLinks int // withheld pages with links
	rules         map[string]*directiveRule
}

// A directiveRule is a directive with its pages.
type directiveRule struct {
	Directive
	urls *topRows[string]
}

func newDirectives(rows int) *directives {
	return &directives{rows: rows, rules: make(map[string]*directiveRule)}
}

func (d *directives) page(p *output.Page) {
	if p.Withheld != "" {
		d.result.Withheld++
		if p.Links > 0 {
			d.withheldLinks++
		}
	}
	if len(p.Directives) > 0 {
		d.result.Pages++
	}
	seen := make(map[*directiveRule]bool)
	for _, directive := range p.Directives {
		rule := d.rule(directive.Rule)
		if source, _ := robotstag.ParseSource(directive.Source); source.Field == "meta" {
			rule.Meta++
		} else {
			rule.Header++
		}
		seen[rule] = true
	}
	for rule := range seen {
		rule.Pages++
		rule.urls.add(p.URL)
	}
}

func (d *directives) rule(name string) *directiveRule {
	name = clip(name)
	if d.rules[name] == nil && len(d.rules) >= maxNames {
		name = otherNames
	}
	if d.rules[name] == nil {
		d.rules[name] = &directiveRule{Directive{Rule: name}, newTopRows(maxExamples, strings.Compare)}
	}
	return d.rules[name]
}

func (d *directives) list() Directives {
	var rows []Directive
	for _, rule := range d.rules {
		rule.Examples = rule.urls.list().Rows
		rows = append(rows, rule.Directive)
	}
	d.result.Rules = listOf(d.rows, rows, func(a, b Directive) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Rule, b.Rule))
	})
	return d.result
}

// noindexOf returns the noindex directive of a page, or "" if none.
func noindexOf(p *output.Page) string {
	for _, d := range p.Directives {
		if d.Rule == p.Withheld || d.Rule == string(robotstag.NoIndex) || d.Rule == string(robotstag.None) {
			return clip(`"` + d.Rule + `" in the ` + d.Source)
		}
	}
	return clip(p.Withheld)
}
