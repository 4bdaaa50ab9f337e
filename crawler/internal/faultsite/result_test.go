package faultsite_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// result is a crawl of faulty hosts and a healthy one, read from its files.
type result struct {
	t    *testing.T
	cfg  crawler.Config
	host string // origin of the host that is judged

	pages    map[string]*output.Page
	rejected map[string]*output.Rejection
	robots   map[string]*robotsLine
	sitemaps map[string]*output.Sitemap
}

// robotsLine is a line of robots.jsonl, as far as it matters here.
type robotsLine struct {
	Origin  string `json:"origin"`
	Outcome string `json:"outcome"`
	Status  int    `json:"status"`
	Error   string `json:"error"`

	Truncated bool `json:"truncated"`
}

func (r *result) read() {
	r.pages = byURL(r, "pages.jsonl", func(p *output.Page) string { return p.URL })
	r.rejected = byURL(r, "rejected.jsonl", func(p *output.Rejection) string { return p.URL })
	r.robots = byURL(r, "robots.jsonl", func(p *robotsLine) string { return p.Origin })
	r.sitemaps = byURL(r, "sitemaps.jsonl", func(p *output.Sitemap) string { return p.URL })
}

// byURL reads a file of lines by their URL. A URL has one line; a robots.txt has one for each fetch.
func byURL[T any](r *result, name string, url func(*T) string) map[string]*T {
	lines := make(map[string]*T)
	for line, err := range output.Read[T](filepath.Join(r.cfg.Output.Dir, name)) {
		must(r.t, err)
		u := url(line)
		if _, twice := lines[u]; twice && name != "robots.jsonl" { // a robots.txt is requested again after a fault of a page
			r.t.Errorf("%s has two lines about %s", name, u)
		}
		lines[u] = line
	}
	return lines
}

// page checks that a URL was fetched, and has no other line.
func (r *result) page(url string, status int) {
	r.t.Helper()
	switch p := r.pages[url]; {
	case p == nil:
		r.t.Errorf("%s was not fetched: %+v", url, r.rejected[url])
	case p.Status != status:
		r.t.Errorf("%s has status %d, want %d", url, p.Status, status)
	case r.rejected[url] != nil:
		r.t.Errorf("%s was fetched and rejected: %+v", url, r.rejected[url])
	}
}

// refused checks that a URL was skipped, with a reason and an explanation.
func (r *result) refused(url string, reason output.Reason, says string) {
	r.t.Helper()
	line := r.rejected[url]
	switch {
	case line == nil || r.pages[url] != nil:
		r.t.Errorf("%s was not rejected: %+v", url, r.pages[url])
		return
	case line.Reason != reason:
		r.t.Errorf("%s was rejected: %s, want %s", url, line.Reason, reason)
	}
	if reason == output.Failed || reason == output.RobotsUnreachable {
		r.said(url, line.Detail, says)
	}
}

// closed checks that the URLs that the robots.txt of a host disallows were skipped.
func (r *result) closed(origin string) {
	r.t.Helper()
	r.refused(origin+"/closed/page", output.Disallowed, "")
}

// riddles are texts that only the authors of the program understand. A robots.txt with damaged gzip
// has the name of that format.
var riddles = regexp.MustCompile(`context deadline|context canceled|Client\.Timeout|read tcp|write tcp|dial tcp|Get "|0x|%!|^EOF$|: EOF$|unexpected EOF$|transportRead|socks|proxyconnect|(^|: )[a-z0-9/]*(http|http2|x509|bufio|tls): |[^[:print:]…“”]`)

// said checks that a text says what it should, in plain words.
func (r *result) said(what, text, says string) {
	r.t.Helper()
	if !strings.Contains(text, says) || text == "" || riddles.MatchString(text) || len(text) > 300 {
		r.t.Errorf("%s: the record says %q, want %q, in words for people", what, text, says)
	}
}

// ofPage judges a fault of a page.
func (r *result) ofPage(want faultsite.Want) {
	r.page(r.host+"/", 200)
	r.page(r.host+"/after", 200)
	r.closed(r.host)
	fault := r.host + "/fault"
	switch want.Outcome {
	case faultsite.Fetched:
		r.page(fault, want.Status)
	case faultsite.Chained:
		r.page(fault, want.Status)
		r.gaveUp()
	default:
		r.refused(fault, output.Failed, want.Detail)
	}
	r.leads(r.host+"/behind", want.Follows)
	if p := r.pages[fault]; p != nil && (p.Truncated != "") != want.Truncated {
		r.t.Errorf("the page was cut by: %q, want %v", p.Truncated, want.Truncated)
	}
}

// leads checks whether a URL that only the faulty response links to was crawled.
func (r *result) leads(url string, follows bool) {
	r.t.Helper()
	if follows {
		r.page(url, 200)
	} else if r.pages[url] != nil {
		r.t.Errorf("%s was crawled, which only an answer without worth leads to", url)
	}
}

// gaveUp checks that a chain of redirects was abandoned.
func (r *result) gaveUp() {
	r.t.Helper()
	for _, line := range r.rejected {
		if line.Reason == output.TooManyRedirects && strings.HasPrefix(line.URL, r.host+"/fault/") {
			return
		}
	}
	r.t.Errorf("no end of the redirects was listed: %+v", r.rejected)
}

// ofRobots judges a fault of a robots.txt.
func (r *result) ofRobots(want faultsite.Want) {
	line := r.robots[r.host]
	if line == nil {
		r.t.Fatal("robots.jsonl has no line about the host")
	}
	if line.Outcome != string(want.Outcome) || line.Truncated != want.Truncated || line.Status != want.Status && want.Outcome != faultsite.Unreachable {
		r.t.Errorf("robots.jsonl: %+v, want %+v", line, want)
	}
	switch {
	case want.Outcome == faultsite.Unreachable:
		r.said("robots.txt", line.Error, want.Detail)
		r.refused(r.host+"/", output.RobotsUnreachable, want.Detail)
		return
	case want.Outcome == faultsite.AllowAll || want.NoRules:
		r.page(r.host+"/closed/page", 404)
	default:
		r.closed(r.host)
	}
	r.page(r.host+"/", 200)
	r.page(r.host+"/after", 200)
}

// ofSitemap judges a fault of a sitemap.
func (r *result) ofSitemap(want faultsite.Want) {
	r.page(r.host+"/", 200)
	r.page(r.host+"/after", 200)
	r.closed(r.host)
	url := r.host + "/sitemap.xml"
	line := r.sitemaps[url]
	if line == nil {
		r.t.Fatal("sitemaps.jsonl has no line about the sitemap")
	}
	if line.Status != want.Status {
		r.t.Errorf("sitemaps.jsonl: %+v, want %+v", line, want)
	}
	switch want.Outcome {
	case faultsite.Failed:
		r.refused(url, output.Failed, want.Detail)
	case faultsite.Faulty:
		r.said("the sitemap", line.Detail, want.Detail)
	case faultsite.Chained:
		r.gaveUp()
	default:
		if line.Detail != "" {
			r.t.Errorf("sitemaps.jsonl: %+v, want no detail", line)
		}
	}
	r.leads(r.host+"/listed", want.Follows)
}

// requests judges by how often the host met with its fault.
func (r *result) requests(p faultsite.Place, faults int, want faultsite.Want) {
	r.t.Helper()
	least := 1
	switch {
	case want.Repeated:
		least = 2
	case strings.HasPrefix(p.Fault, "redirect-"):
		least = faults // as many as there are hops
	}
	most := least
	if want.Retried { // the retry may be repeated, too
		least, most = least+1, 2*least
	}
	if faults < least || faults > most {
		r.t.Errorf("the fault was met with %d times, want %d to %d", faults, least, most)
	}
}
