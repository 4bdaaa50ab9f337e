package report

import (
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// references finds links that work, but should be written in another way.
type references struct {
	lists     *findingLists
	redirects *redirects
	origins   map[string]*Origin // of the crawl
	slashes   *namedURLs         // links with a double slash in the path

	forbidden *namedURLs      // URLs on forbidden hosts that pages use
	users     map[pair]bool   // pages that use them otherwise than as a link or asset
	hosts     weburl.HostList // the forbidden hosts
	own       map[string]bool // names of the hosts of start URLs
	origin    map[string]bool // origins by whether they are forbidden
}

func newReferences(all workerDirs, lists *findingLists, r *redirects, origins map[string]*Origin) *references {
	x := &references{
		lists: lists, redirects: r, origins: origins, slashes: newNamedURLs(), forbidden: newNamedURLs(),
		users: make(map[pair]bool), own: make(map[string]bool), origin: make(map[string]bool),
	}
	for _, s := range all {
		hosts, _ := weburl.ParseHosts(s.state.Config.ForbidHost) // the crawl has checked them
		x.hosts = append(x.hosts, hosts...)
	}
	for _, start := range all.urls() {
		if u, err := weburl.Parse(start); err == nil {
			x.own[u.Hostname] = true
		}
	}
	return x
}

// forbids reports whether a URL is on a forbidden host.
func (x *references) forbids(url string) bool {
	if len(x.hosts) == 0 {
		return false
	}
	origin := originOf(url)
	forbidden, known := x.origin[origin]
	if !known {
		if u, err := weburl.Parse(origin + "/"); err == nil {
			has, exact := x.hosts.Has(u)
			forbidden = exact || has && !x.own[u.Hostname]
		}
		if len(x.origin) < maxNames {
			x.origin[strings.Clone(origin)] = forbidden
		}
	}
	return forbidden
}

// doubled reports whether a link to a host of the crawl has a double slash in its path.
func (x *references) doubled(url string) bool {
	const scheme = len("https://")
	if len(url) < scheme || !strings.Contains(url[scheme:], "//") {
		return false
	}
	origin := originOf(url)
	path := url[len(origin):]
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	if o := x.origins[origin]; o == nil || o.Pages == 0 || !strings.Contains(path, "//") {
		return false
	}
	return strings.Contains(strings.ReplaceAll(path, "://", ""), "//")
}

// each calls f for each reference of a page that is a finding.
func (x *references) each(l *linksLine, f func(*namedURLs, key, string)) {
	for _, to := range l.To {
		if url := to.URL; url != l.URL {
			if x.doubled(url) {
				f(x.slashes, keyOf(url), url)
			}
			if x.forbids(url) {
				f(x.forbidden, keyOf(url), url)
			}
		}
	}
	for i, to := range l.Resources {
		if x.forbids(to.URL) && !l.To.has(to.URL) && !l.Resources[:i].has(to.URL) {
			f(x.forbidden, keyOf(to.URL), to.URL)
		}
	}
}

// count counts the pages that use a URL, each once. The lines of pages are counted already.
func (x *references) count(l *linksLine) {
	x.each(l, func(n *namedURLs, k key, _ string) {
		if n != x.forbidden || !x.users[pairOf(keyOf(l.URL), k)] {
			n.counts[k]++
		}
	})
}

func (x *references) name(l *linksLine) {
	x.each(l, func(n *namedURLs, k key, url string) { n.name(k, url, l.URL) })
}

// eachOf calls f for each URL on a forbidden host that the line of a page names.
func (x *references) eachOf(p *output.Page, f func(k key, url, as string)) {
	if len(x.hosts) == 0 {
		return
	}
	forbid := func(url, as string) {
		if url != "" && x.forbids(url) {
			f(keyOf(url), url, as)
		}
	}
	forbid(p.Canonical, "canonical URL")
	for _, h := range p.Hreflang {
		forbid(h.URL, "hreflang URL")
	}
	if redirected(p.Status) {
		to, _ := targetOf(p.Location)
		forbid(to, "target of a redirect")
	}
}

func (x *references) countPage(from key, p *output.Page) {
	x.eachOf(p, func(k key, _, _ string) {
		if u := pairOf(from, k); !x.users[u] {
			x.users[u] = true
			x.forbidden.counts[k]++
		}
	})
}

func (x *references) namePage(p *output.Page) {
	x.eachOf(p, func(k key, url, as string) {
		x.forbidden.name(k, url, p.URL)
		x.forbidden.describe(k, as)
	})
}

// page adds the finding of a page that redirects and to which pages link.
func (x *references) page(k key, p *output.Page) {
	if !redirected(p.Status) || x.redirects.faulty[k] {
		return
	}
	to, _ := targetOf(p.Location)
	rule, foundOn := ruleLinkRedirected, ""
	if p.Status == http.StatusMovedPermanently || p.Status == http.StatusPermanentRedirect {
		rule = ruleLinkMoved
	}
	if p.Source == "link" {
		foundOn = p.FoundOn
	}
	if foundOn != "" || x.lists.referrers.counts[k].pages > 0 {
		x.lists.addReferred(rule, Finding{URL: p.URL, Detail: statusText(p.Status), Related: to}, foundOn)
	}
}
