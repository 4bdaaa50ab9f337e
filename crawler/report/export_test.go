package report

import "testing"

// WriteEverything makes the directory of a crawl with a case of every kind.
func WriteEverything(t *testing.T) string { return everything().write(t) }

// FindingsOf returns the findings of a rule; nil: the rule does not apply.
func FindingsOf(r *Report, rule string) *Findings {
	for i := range r.Findings {
		if r.Findings[i].ID == rule {
			return &r.Findings[i]
		}
	}
	return nil
}

// SitemapFindings returns the findings of the sitemaps.
func SitemapFindings(r *Report) []Findings {
	var list []Findings
	for _, f := range r.Findings {
		if f.Topic == topicSitemaps {
			list = append(list, f)
		}
	}
	return list
}
