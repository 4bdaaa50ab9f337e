package report

import "testing"

// WriteCrawls makes the directories of crawls with a case of every kind, and with a fault of each rule.
func WriteCrawls(t *testing.T) map[string]string {
	return map[string]string{"a case of everything": everything().write(t), "every fault": everyFault().write(t)}
}

// WriteCrawlsOfWorkers makes the crawls of WriteCrawls, one with several lines of each URL, and one of several workers.
func WriteCrawlsOfWorkers(t *testing.T) map[string][]string {
	crawls := map[string][]string{"several lines": {mergedCrawl().write(t)}}
	for name, dir := range WriteCrawls(t) {
		crawls[name] = []string{dir}
	}
	for _, c := range bigWorkers() {
		crawls["several workers"] = append(crawls["several workers"], c.write(t))
	}
	return crawls
}

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
