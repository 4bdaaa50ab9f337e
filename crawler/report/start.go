package report

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// starts finds start URLs with noindex, and sites that show nothing without scripts.
type starts struct {
	facts     *facts
	redirects *redirects
	sites     map[string]*site // by origin
	redirect  []startRedirect  // start URLs that redirect to a page with noindex
}

type startRedirect struct {
	url  string
	last key
}

// A site is what is known about the HTML pages of an origin.
type site struct {
	pages int    // that need scripts
	url   string // of the one nearest to the start
	depth int
	other bool // it has a page that needs none, or whose content is not known
}

func newStarts(f *facts, r *redirects) *starts {
	return &starts{facts: f, redirects: r, sites: make(map[string]*site)}
}

// add records a page with the marks of marksOf.
func (s *starts) add(p *output.Page, is marks) {
	if is&htmlPage == 0 && (p.Status != http.StatusNotModified || p.HasContent()) {
		return
	}
	origin := originOf(p.URL)
	of := s.sites[origin]
	if of == nil {
		of = &site{}
		s.sites[strings.Clone(origin)] = of // it shares memory with the line
	}
	if !p.NeedsJavaScript || is&incomplete != 0 {
		of.other = true
		return
	}
	if of.pages == 0 || cmp.Or(cmp.Compare(p.Depth, of.depth), cmp.Compare(p.URL, of.url)) < 0 {
		of.url, of.depth = strings.Clone(p.URL), p.Depth
	}
	of.pages++
}

// name adds the finding of a start URL. The redirects must be known.
func (s *starts) name(k key, p *output.Page, l *findingLists) {
	if p.Source != "start" {
		return
	}
	last, _ := s.redirects.lastOf(k)
	switch f := s.facts.byURL[last]; {
	case !f.has(noindex) || !succeeded(int(f.status)):
	case last == k:
		l.add(ruleStartNoindex, Finding{URL: p.URL, Detail: noindexOf(p)})
	default:
		s.redirect = append(s.redirect, startRedirect{p.URL, last})
	}
}

// addTo adds the findings that need all pages. The steps of redirects have their URLs.
func (s *starts) addTo(l *findingLists) {
	for _, r := range s.redirect {
		row := Finding{URL: r.url, Detail: "redirects to a page with noindex"}
		if step := s.redirects.steps[r.last]; step != nil { // else beyond the limit of rows
			row.Related = step.URL
		}
		l.add(ruleStartNoindex, row)
	}
	for _, of := range s.sites {
		if !of.other {
			l.add(ruleNeedsJavaScript, Finding{URL: of.url, Detail: subject(of.pages, "page", "has", "have") + " no text and no links without scripts"})
		}
	}
}
