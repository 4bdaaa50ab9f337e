package crawler

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/shown"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// A discovery decides about the URLs that a crawl finds, in pages, redirects, sitemaps and
// robots.txt files: those that belong to the crawl go into the frontier, the others are
// skipped for now.
type discovery struct {
	cfg    *Config
	log    *slog.Logger
	notice func(string)
	life   *lifecycle
	tally  *tally
	traps  *trap.Detector

	guard    *guard.Guard // which addresses may be connected to; nil: all
	scope    *scope.Scope
	joining  sync.RWMutex // held while URLs are judged by scope and skipped, or scope grows
	params   *params.Rules
	origins  *weburl.OriginCache
	hosts    *quota.Hosts
	sitemaps *quota.Sitemaps
	order    *order

	// Set by use, when the crawl has opened them.
	frontier frontier.Frontier
	member   cluster.Member
	record   *record.Recorder
	recorder recorder
}

// limit sets the limits on hosts and sitemaps, and says when they are met.
func (d *discovery) limit() {
	d.sitemaps = quota.NewSitemaps(d.cfg.Sitemaps.MaxFiles, d.cfg.Sitemaps.MaxEntries, func(o robotsext.Origin) {
		d.log.Warn("too many sitemaps", "host", o, "limit", d.cfg.Sitemaps.MaxFiles)
		d.notice(fmt.Sprintf("%s lists more than %d sitemaps; the others are not read (max-sitemaps)", o, d.cfg.Sitemaps.MaxFiles))
	})
	d.hosts = quota.NewHosts(d.cfg.Limits.MaxHosts, func() {
		d.log.Warn("too many hosts", "limit", d.cfg.Limits.MaxHosts)
		d.notice(fmt.Sprintf("there are more than %d hosts; those that are new are left alone (max-hosts)", d.cfg.Limits.MaxHosts))
	})
}

// use gives a discovery what the crawl has opened.
func (d *discovery) use(f frontier.Frontier, m cluster.Member, r *record.Recorder, w recorder) {
	d.frontier, d.member, d.record, d.recorder = f, m, r, w
}

// refusal tells why a URL cannot be asked for whatever else is known of it: its host is
// an IP address that the guard refuses. For a name it is nil; that is judged by the
// addresses that it has when it is connected to.
func (d *discovery) refusal(a weburl.URL) error {
	if d.guard == nil {
		return nil
	}
	return d.guard.CheckHost(a.Hostname)
}

// cleaned returns a URL that was found in a page or a sitemap without the query
// parameters that do not change the page: those of drop-params and, with
// clean-param, those that the robots.txt of its host names. A nil file is one that
// is not known yet.
//
// Start URLs and the targets of redirects stay as they are: somebody wants just
// these, and where a site adds a parameter by a redirect, the URL without it would
// be no page at all.
func (d *discovery) cleaned(url string, file *robotstxt.File) string {
	if !d.cfg.Scope.CleanParam {
		file = nil
	}
	if file == nil && len(d.cfg.Scope.DropParams) == 0 {
		return url
	}
	return d.params.Clean(url, file)
}

// nofollow says what keeps a link from being followed; empty: nothing does.
func (d *discovery) nofollow(page *robotstag.Rule, rel string) string {
	switch {
	case !d.cfg.Robots.ObeyNofollow:
		return ""
	case page != nil:
		return page.String() + " in " + page.Source.String() + " of the page"
	case !robotstag.ParseRel(rel).Follow():
		return "rel=\"" + shown.Clip(rel, shown.MaxBytes) + "\" of the link"
	}
	return ""
}
