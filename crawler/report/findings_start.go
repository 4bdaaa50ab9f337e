package report

import "fmt"

// findings collects the findings of all rules.
func findings(r *Report) []Findings {
	rows := make(map[string]*Findings)
	list := make([]Findings, len(rules))
	for i, rule := range rules {
		list[i] = Findings{Rule: rule, Caveats: []string{}, Rows: []Finding{}}
		rows[rule.ID] = &list[i]
	}
	links := rows[ruleBrokenLink]
	links.Total = r.Broken.Total
	for _, b := range r.Broken.Rows {
		detail := b.Detail
		if b.Status != 0 {
			detail = fmt.Sprintf("status %d", b.Status)
		}
		links.Rows = append(links.Rows, Finding{URL: b.URL, Detail: detail, Pages: b.Links, FoundOn: b.LinkedFrom})
	}
	for _, d := range r.Sitemaps.Discrepancies {
		f := rows["sitemap-"+d.Kind]
		f.Total, f.Caveats = d.URLs.Total, d.Caveats
		for _, u := range d.URLs.Rows {
			f.Rows = append(f.Rows, Finding{URL: u.URL, Detail: u.Detail, Related: u.Sitemap})
		}
	}
	return list
}
