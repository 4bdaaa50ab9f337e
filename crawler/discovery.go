package crawler

import (
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A discovery decides about the URLs that a crawl finds in pages, redirects, sitemaps and
// robots.txt files. URLs that belong to the crawl go into the frontier; the others are
// skipped.
type discovery struct {
	cfg       *Config
	log       *slog.Logger
	notice    func(string)
	lifecycle *lifecycle.Lifecycle
	tally     *tally
	traps     *trap.Detector

	guard        *guard.Guard       // which addresses may be connected to; nil: all
	local        frontier.Host      // of Options.Local, whose requests need no guard; empty: there is none
	localDir     string             // the directory that Options.Local serves
	localSitemap string             // of Options.Local
	credentials  *credentials.Store // nil: none
	scope        *scope.Scope
	scopeMu      sync.RWMutex // held while URLs are judged by scope and skipped, or scope grows
	params       *params.Rules
	hosts        *quota.Hosts
	sitemaps     *quota.Sitemaps
	order        *entryOrder
	noticeWider  sync.Once    // see joinRedirectTarget
	refused      urlSet       // checks that max-hosts refused, so that each has one line
	recrawl      atomic.Int64 // state.CheckRecrawl

	aliasMu sync.Mutex
	aliases map[string][]uint64 // hashes of the sitemaps that redirect to one, by its URL; see alias

	// Set by use, when the crawl has opened them.
	frontier frontier.Frontier
	member   cluster.Member
	record   *record.Recorder
	recorder recorder
}

// attach sets what the crawl has opened.
func (d *discovery) attach(f frontier.Frontier, m cluster.Member, r *record.Recorder, w recorder) {
	d.frontier, d.member, d.record, d.recorder = f, m, r, w
}

// checkHost returns an error if the host of a URL is an IP address that the guard refuses.
// Names are checked when they are connected to.
func (d *discovery) checkHost(a weburl.URL) error {
	if d.guard == nil || a.Server == d.local {
		return nil
	}
	return d.guard.CheckHost(a.Hostname)
}

// isOutsideLocal reports whether the local site does not serve a URL of its server.
func (d *discovery) isOutsideLocal(server frontier.Host, path string) bool {
	return server == d.local && !strings.HasPrefix(path, d.localDir) && path+"/" != d.localDir
}

// cleanURL returns a URL from a page or a sitemap without the query parameters that do not
// change the page: those of drop-params and, with clean-param, those in Clean-param lines
// of robots.txt. A nil file is not known yet.
//
// Start URLs and the targets of redirects stay as they are. The user wants exactly these,
// and a site that adds a parameter by a redirect may have no page without it.
func (d *discovery) cleanURL(url string, file *robotstxt.File) string {
	if !d.cfg.Scope.CleanParam {
		file = nil
	}
	if file == nil && len(d.cfg.Scope.DropParams) == 0 {
		return url
	}
	return d.params.Clean(url, file)
}

// nofollowReason returns the directive that forbids following a link; empty: none.
func (d *discovery) nofollowReason(page *robotstag.Rule, rel string) string {
	switch {
	case !d.cfg.Robots.ObeyNofollow:
		return ""
	case page != nil:
		return "the page has \"" + page.String() + "\" in the " + page.Source.String()
	case !robotstag.ParseRel(rel).Follow():
		return "the link has rel=\"" + escape.Clip(rel, escape.MaxBytes) + "\""
	}
	return ""
}

// discoveries are the URLs that one document leads to. discovery.admit applies them.
type discoveries struct {
	d       *discovery
	items   []frontier.Item
	skipped []record.SkippedURL // those with reason MaxHosts only if their host is not admitted
	checks  []frontier.Item     // URLs to check; admit adds them to items or to refused
	refused []frontier.Item     // checks on hosts beyond max-hosts

	joinHost *weburl.URL // its host or directory joins the crawl; nil: none
}

func newDiscoveries(d *discovery) *discoveries { return &discoveries{d: d} }

// addLink adds a URL found in a page; meta is t encoded. Unfollowed is why the link must
// not be followed; empty: it may.
func (f *discoveries) addLink(a weburl.URL, t provenance.Provenance, meta []byte, unfollowed string) {
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityLink, Meta: meta}
	switch {
	case unfollowed != "":
		f.skip(item, a, t, output.Nofollow, unfollowed)
	case !f.d.scope.Holds(a): // before the address: nothing is missed there
		f.skip(item, a, t, output.OutOfScope, "")
	case f.skipBlocked(item, a, t):
	default:
		f.addInScope(item, a, t)
	}
}

// addInScope adds a URL that belongs to the crawl, unless it is too deep.
func (f *discoveries) addInScope(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	if f.d.scope.TooDeep(t.Depth) {
		f.skip(item, a, t, output.MaxDepth, "")
		return
	}
	f.addWithinBounds(item, a, t)
}

// addWithinBounds adds a URL that belongs to the crawl, unless it exceeds a limit on single
// URLs.
func (f *discoveries) addWithinBounds(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	reason, detail := f.d.scope.Exceeded(a.Canonical, t)
	switch {
	case reason != "":
		f.skip(item, a, t, reason, detail)
	case f.d.cfg.Scope.Kind == ScopeHost, f.d.cfg.Scope.Kind == ScopePath: // its hosts were named
		f.items = append(f.items, item)
	default:
		f.skip(item, a, t, output.MaxHosts, "")
	}
}

// skipInvalid skips a link that is not a valid URL but was meant to be one. Unfollowed is as in addLink.
func (f *discoveries) skipInvalid(v *visit, link *pageLink, unfollowed string) {
	t := provenance.Provenance{Source: provenance.Link, Depth: v.prov.Depth + 1, FoundOn: provenance.Referrer(v.url)}
	if link.Canonical != "" {
		f.skipBeginning(link.URL, t, link.err)
		return
	}
	shown, reason, detail := clippedRef(link.ref), output.InvalidURL, link.err.Error()
	if unfollowed != "" {
		reason, detail = output.Nofollow, unfollowed
	}
	f.skip(frontier.Item{URL: shown.Canonical}, shown, t, reason, detail)
}

// skipTooLong skips a URL that is too long to be parsed, if err says so.
func (f *discoveries) skipTooLong(base, ref string, t provenance.Provenance, err error) bool {
	if !errors.Is(err, weburl.ErrTooLong) {
		return false
	}
	a, ok := weburl.Truncated(base, ref)
	if ok {
		f.skipBeginning(a, t, err)
	}
	return ok
}

// skipBeginning skips a URL that is too long. Only its beginning is listed.
func (f *discoveries) skipBeginning(a weburl.URL, t provenance.Provenance, err error) {
	f.skip(frontier.Item{URL: a.Canonical}, a, t, output.TooLong, err.Error()+"; the URL is shortened")
}

// clippedRef returns an invalid reference as the output shows it.
func clippedRef(ref string) weburl.URL {
	ref = secret.RedactInvalidURL(ref)
	return weburl.URL{Canonical: escape.Clip(ref, escape.MaxBytes)}
}

func (f *discoveries) skip(item frontier.Item, a weburl.URL, t provenance.Provenance, reason output.Reason, detail string) {
	f.skipped = append(f.skipped, record.SkippedURL{Item: item, URL: a, Rejection: output.Rejection{
		URL: a.Canonical, Reason: reason, Depth: t.Depth, FoundOn: t.FoundOn, Source: t.Source.String(), Detail: escape.Detail(detail),
	}})
}

// admit skips the URLs that are to be skipped, and returns those that belong into the
// frontier. It skips first, so that at the end of the crawl a URL in both is known to be in
// the frontier.
func (d *discovery) admit(found *discoveries) ([]frontier.Item, error) {
	if found.joinHost != nil {
		if d.cfg.Scope.Kind == ScopePath { // the directories of others decide too whether it joins
			if err := d.member.Sync(d.lifecycle.CommitCtx); err != nil {
				return nil, err
			}
		}
		if err := d.joinRedirectTarget(*found.joinHost); err != nil {
			return nil, err
		}
	}
	if err := d.skip(found); err != nil {
		return nil, err
	}
	if err := d.admitChecks(found); err != nil {
		return nil, err
	}
	return found.items, nil
}

// skip skips URLs, except those that have come into scope meanwhile.
func (d *discovery) skip(found *discoveries) error {
	d.scopeMu.RLock() // the scope must not grow between the check and Skip
	defer d.scopeMu.RUnlock()
	pending := found.skipped
	found.skipped = nil
	for _, l := range pending {
		if l.Rejection.Reason == output.OutOfScope && d.scope.Holds(l.URL) {
			t, err := provenance.Decode(l.Item.Meta)
			if err != nil {
				return err
			}
			found.addInScope(l.Item, l.URL, t)
			continue
		}
		found.skipped = append(found.skipped, l)
	}
	pending = found.skipped
	found.skipped = pending[:0]
	for _, l := range pending {
		if l.Rejection.Reason == output.MaxHosts {
			admitted, err := d.hosts.Admit(d.lifecycle.CommitCtx, d.frontier, l.URL.Server)
			if err != nil {
				return err
			}
			if admitted {
				found.items = append(found.items, l.Item)
				continue
			}
		}
		found.skipped = append(found.skipped, l)
	}
	return d.recorder.Skip(found.skipped)
}

// seed adds URLs to the frontier at once, before their document is finished.
func (d *discovery) seed(found *discoveries) error {
	items, err := d.admit(found)
	if err != nil {
		return err
	}
	return d.add(items)
}
