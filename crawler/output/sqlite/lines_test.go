package sqlite

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// lines is a crawl as its lines of JSON tell it.
type lines struct {
	pages    []*output.Page
	rejected []*output.Rejection
	links    []*output.Links
	entries  []*output.Entry
	robots   []*robotsLine
}

type robotsLine struct {
	Origin, Outcome string
	Status          int
}

func readLines[T any](t *testing.T, dir, name string) (all []*T) {
	t.Helper()
	for line, err := range output.Read[T](filepath.Join(dir, name)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

func (l *lines) page(url string) *output.Page {
	for _, p := range l.pages {
		if p.URL == url {
			return p
		}
	}
	return nil
}

func (l *lines) rejection(url string) *output.Rejection {
	for _, r := range l.rejected {
		if r.URL == url {
			return r
		}
	}
	return nil
}

// from are the pages that link to a URL.
func (l *lines) from(url string) (all []string) {
	for _, from := range l.links {
		if slices.Contains(from.To, url) {
			all = append(all, from.URL)
		}
	}
	slices.Sort(all)
	return all
}

func (l *lines) listed(url string) bool {
	return slices.ContainsFunc(l.entries, func(e *output.Entry) bool { return e.URL == url })
}

func html(p *output.Page) bool {
	return p.Status/100 == 2 && strings.HasPrefix(p.ContentType, "text/html")
}

// sorted sorts rows by their columns.
func sorted(rows []string) []string {
	slices.SortFunc(rows, func(a, b string) int { return slices.Compare(strings.Split(a, "|"), strings.Split(b, "|")) })
	return rows
}

func (l *lines) broken() (rows []string) {
	for _, p := range l.pages {
		for _, from := range l.from(p.URL) {
			if p.Status >= 400 && from != p.URL {
				rows = append(rows, fmt.Sprintf("%s|%d|NULL|%s", p.URL, p.Status, from))
			}
		}
	}
	for _, r := range l.rejected {
		for _, from := range l.from(r.URL) {
			if r.Reason == output.Failed {
				rows = append(rows, fmt.Sprintf("%s|NULL|%s|%s", r.URL, r.Detail, from))
			}
		}
	}
	return sorted(rows)
}

func (l *lines) untitled() (rows []string) {
	for _, p := range l.pages {
		if html(p) && p.Title == "" && p.Withheld == "" {
			rows = append(rows, p.URL)
		}
	}
	return sorted(rows)
}

func (l *lines) targets() (rows []string) {
	for _, p := range l.pages {
		if p.Source == "redirect" {
			rows = append(rows, fmt.Sprintf("%s|%s|%d", p.Via, p.URL, p.Status))
		}
	}
	return sorted(rows)
}

func (l *lines) spared() (rows []string) {
	var linked []*output.Page
	for _, p := range l.pages {
		if p.Location != "" && len(l.from(p.URL)) > 0 {
			linked = append(linked, p)
		}
	}
	slices.SortFunc(linked, func(a, b *output.Page) int {
		return cmp.Or(len(l.from(b.URL))-len(l.from(a.URL)), strings.Compare(a.URL, b.URL))
	})
	for _, p := range linked {
		rows = append(rows, fmt.Sprintf("%s|%d|%s|%d", p.URL, p.Status, p.Location, len(l.from(p.URL))))
	}
	return rows
}

func (l *lines) copies() (rows []string) {
	copies := make(map[string][]string)
	for _, p := range l.pages {
		if p.DuplicateOf != "" {
			copies[p.DuplicateOf] = append(copies[p.DuplicateOf], p.URL)
		}
	}
	for url, all := range copies {
		rows = append(rows, fmt.Sprintf("%s|%d|%s", url, len(all), strings.Join(all, " ")))
	}
	return sorted(rows)
}

func (l *lines) blocked() (rows []string) {
	counts := make(map[output.Rejection]int)
	for _, r := range l.rejected {
		if r.Reason == output.Disallowed {
			counts[output.Rejection{RobotsURL: r.RobotsURL, Line: r.Line, Rule: r.Rule}]++
		}
	}
	var rules []output.Rejection
	for r := range counts {
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b output.Rejection) int {
		return cmp.Or(strings.Compare(a.RobotsURL, b.RobotsURL), a.Line-b.Line, strings.Compare(a.Rule, b.Rule))
	})
	for _, r := range rules {
		rows = append(rows, fmt.Sprintf("%s|%d|%s|%d", r.RobotsURL, r.Line, r.Rule, counts[r]))
	}
	return rows
}

func (l *lines) closed() (rows []string) {
	for _, r := range l.rejected {
		for _, from := range l.from(r.URL) {
			if r.Reason == output.Disallowed {
				rows = append(rows, r.URL+"|"+r.Rule+"|"+from)
			}
		}
	}
	return sorted(rows)
}

func (l *lines) unfetched() (rows []string) {
	for _, e := range l.entries {
		if l.page(e.URL) != nil {
			continue
		}
		reason := "NULL"
		if r := l.rejection(e.URL); r != nil {
			reason = string(r.Reason)
		}
		rows = append(rows, e.URL+"|"+e.Sitemap+"|"+reason)
	}
	return sorted(rows)
}

func (l *lines) unlinked() (rows []string) {
	for _, e := range l.entries {
		if len(slices.DeleteFunc(l.from(e.URL), func(from string) bool { return from == e.URL })) == 0 {
			rows = append(rows, e.URL+"|"+e.Sitemap)
		}
	}
	return sorted(rows)
}

func (l *lines) unlisted() (rows []string) {
	for _, p := range l.pages {
		if html(p) && !l.listed(p.URL) {
			rows = append(rows, p.URL)
		}
	}
	return sorted(rows)
}

func (l *lines) statuses() (rows []string) {
	counts := make(map[int]int)
	for _, p := range l.pages {
		counts[p.Status]++
	}
	for status, n := range counts {
		rows = append(rows, fmt.Sprintf("%d|%d", status, n))
	}
	return sorted(rows)
}

func (l *lines) mostLinked() (rows []string) {
	counts := make(map[string]int)
	for _, from := range l.links {
		for _, to := range from.To {
			counts[to]++
		}
	}
	var urls []string
	for url := range counts {
		urls = append(urls, url)
	}
	slices.SortFunc(urls, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, url := range urls[:10] {
		rows = append(rows, fmt.Sprintf("%s|%d", url, counts[url]))
	}
	return rows
}

func (l *lines) noindex() (rows []string) {
	for _, p := range l.pages {
		for _, d := range p.Directives {
			if d.Rule == "noindex" {
				rows = append(rows, p.URL+"|"+d.Source)
			}
		}
	}
	return sorted(rows)
}

func (l *lines) headings() (rows []string) {
	for _, p := range l.pages {
		if heading, ok := p.Fields["heading"]; ok {
			rows = append(rows, fmt.Sprintf("%s|%s", p.URL, heading))
		}
	}
	return sorted(rows)
}

func (l *lines) outages() (rows []string) {
	out := make(map[string]bool)
	for _, r := range l.robots {
		out[r.Origin] = out[r.Origin] || r.Outcome == "unreachable"
	}
	for _, r := range l.robots {
		if out[r.Origin] {
			rows = append(rows, fmt.Sprintf("%s|%s|%d", r.Origin, r.Outcome, r.Status))
		}
	}
	return rows
}
