package crawler

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
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
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A discovery decides about the URLs that a crawl finds, in pages, redirects, sitemaps and
// robots.txt files: those that belong to the crawl go into the frontier, the others are
// skipped for now.
type discovery struct {
	cfg       *Config
	log       *slog.Logger
	notice    func(string)
	lifecycle *lifecycle.Lifecycle
	tally     *tally
	traps     *trap.Detector

	guard    *guard.Guard // which addresses may be connected to; nil: all
	scope    *scope.Scope
	scopeMu  sync.RWMutex // held while URLs are judged by scope and skipped, or scope grows
	params   *params.Rules
	origins  *weburl.OriginCache
	hosts    *quota.Hosts
	sitemaps *quota.Sitemaps
	order    *entryOrder

	// Set by use, when the crawl has opened them.
	frontier frontier.Frontier
	member   cluster.Member
	record   *record.Recorder
	recorder recorder
}

// initLimits sets the limits on hosts and sitemaps, and says when they are met.
func (d *discovery) initLimits() {
	d.sitemaps = quota.NewSitemaps(d.cfg.Sitemaps.MaxFiles, d.cfg.Sitemaps.MaxEntries, func(o robotsext.Origin) {
		d.log.Warn("too many sitemaps", "host", o, "limit", d.cfg.Sitemaps.MaxFiles)
		d.notice(fmt.Sprintf("%s lists more than %d sitemaps; the others are not read (max-sitemaps)", o, d.cfg.Sitemaps.MaxFiles))
	})
	d.hosts = quota.NewHosts(d.cfg.Limits.MaxHosts, func() {
		d.log.Warn("too many hosts", "limit", d.cfg.Limits.MaxHosts)
		d.notice(fmt.Sprintf("more than %d hosts; URLs of other hosts are skipped (max-hosts)", d.cfg.Limits.MaxHosts))
	})
}

// attach gives a discovery what the crawl has opened.
func (d *discovery) attach(f frontier.Frontier, m cluster.Member, r *record.Recorder, w recorder) {
	d.frontier, d.member, d.record, d.recorder = f, m, r, w
}

// checkHost tells why a URL cannot be asked for whatever else is known of it: its host is
// an IP address that the guard refuses. For a name it is nil; that is judged by the
// addresses that it has when it is connected to.
func (d *discovery) checkHost(a weburl.URL) error {
	if d.guard == nil {
		return nil
	}
	return d.guard.CheckHost(a.Hostname)
}

// cleanURL returns a URL that was found in a page or a sitemap without the query
// parameters that do not change the page: those of drop-params and, with
// clean-param, those that the robots.txt of its host names. A nil file is one that
// is not known yet.
//
// Start URLs and the targets of redirects stay as they are: somebody wants just
// these, and where a site adds a parameter by a redirect, the URL without it would
// be no page at all.
func (d *discovery) cleanURL(url string, file *robotstxt.File) string {
	if !d.cfg.Scope.CleanParam {
		file = nil
	}
	if file == nil && len(d.cfg.Scope.DropParams) == 0 {
		return url
	}
	return d.params.Clean(url, file)
}

// nofollowReason says what keeps a link from being followed; empty: nothing does.
func (d *discovery) nofollowReason(page *robotstag.Rule, rel string) string {
	switch {
	case !d.cfg.Robots.ObeyNofollow:
		return ""
	case page != nil:
		return page.String() + " in " + page.Source.String() + " of the page"
	case !robotstag.ParseRel(rel).Follow():
		return "rel=\"" + escape.Clip(rel, escape.MaxBytes) + "\" of the link"
	}
	return ""
}

// maxDetail is how much is repeated of a site's own words in each line about a URL, in
// bytes: an error quotes an answer of 256 KiB, and a rule of robots.txt may have 500 KB and
// match all that there is.
const maxDetail = 1 << 10

// discoveries are what one document leads to. Nothing comes of them before discovery.admit.
type discoveries struct {
	d       *discovery
	items   []frontier.Item
	skipped []record.SkippedURL // those in TooManyHosts only if there is no room for their hosts

	joinHost *weburl.URL // whose host joins the crawl; nil: none does
}

func newDiscoveries(d *discovery) *discoveries { return &discoveries{d: d} }

// addLink takes up a URL found in a page; meta is t encoded. The reason why the link is
// not to be followed, if there is one, is for a person.
func (f *discoveries) addLink(a weburl.URL, t provenance.Provenance, meta []byte, unfollowed string) {
	item := frontier.Item{URL: a.Canonical, Host: a.Server, Priority: provenance.PriorityLink, Meta: meta}
	switch {
	case unfollowed != "":
		f.skip(item, a, t, output.Nofollow, unfollowed)
	case f.skipBlocked(item, a, t):
	case !f.d.scope.Holds(a):
		f.skip(item, a, t, output.OutOfScope, "")
	default:
		f.addInScope(item, a, t)
	}
}

// addInScope takes up a URL that belongs to the crawl, unless it is too deep.
func (f *discoveries) addInScope(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	if f.d.scope.TooDeep(t.Depth) {
		f.skip(item, a, t, output.MaxDepth, "")
		return
	}
	f.addWithinBounds(item, a, t)
}

// addWithinBounds takes up a URL that belongs to the crawl, unless it is beyond a limit of
// what the crawl takes up at all.
func (f *discoveries) addWithinBounds(item frontier.Item, a weburl.URL, t provenance.Provenance) {
	reason, detail := f.d.scope.Exceeded(a.Canonical, t)
	switch {
	case reason != "":
		f.skip(item, a, t, reason, detail)
	case f.d.cfg.Scope.Kind == ScopeHost: // its hosts were named
		f.items = append(f.items, item)
	default:
		f.skip(item, a, t, output.MaxHosts, "")
	}
}

// skipInvalid lists a link that was meant to lead to a page and cannot. Others, such
// as mailto: and javascript:, lead to none.
func (f *discoveries) skipInvalid(v *visit, base, ref string, err error) {
	t := provenance.Provenance{Source: provenance.Link, Depth: v.prov.Depth + 1, FoundOn: provenance.Referrer(v.u.String())}
	if f.skipTooLong(base, ref, t, err) {
		return
	}
	if !weburl.IsWeb(ref) {
		return
	}
	shown := clippedRef(ref)
	f.skip(frontier.Item{URL: shown.Canonical}, shown, t, output.InvalidURL, err.Error())
}

// skipTooLong lists a URL that is too long to be read, if err says so, by how it begins.
func (f *discoveries) skipTooLong(base, ref string, t provenance.Provenance, err error) bool {
	if !errors.Is(err, weburl.ErrTooLong) {
		return false
	}
	a, ok := weburl.Truncated(base, ref)
	if ok {
		f.skip(frontier.Item{URL: a.Canonical}, a, t, output.TooLong, err.Error()+"; the URL is shortened")
	}
	return ok
}

// clippedRef is a reference that is no URL as it stands in the output.
func clippedRef(ref string) weburl.URL {
	ref = secret.RedactInvalidURL(ref)
	return weburl.URL{Canonical: escape.Clip(ref, escape.MaxBytes)}
}

func (f *discoveries) skip(item frontier.Item, a weburl.URL, t provenance.Provenance, reason output.Reason, detail string) {
	f.skipped = append(f.skipped, record.SkippedURL{Item: item, URL: a, Rejection: output.Rejection{
		URL: a.Canonical, Reason: reason, Depth: t.Depth, FoundOn: t.FoundOn, Source: t.Source.String(), Detail: escape.Clip(secret.RedactText(detail), maxDetail),
	}})
}

// admit acts on what a document leads to: it skips what is to be skipped, and returns what
// belongs into the frontier. URLs are skipped before the others reach the frontier, so that
// what is in both is known to be there when the crawl ends.
func (d *discovery) admit(found *discoveries) ([]frontier.Item, error) {
	if found.joinHost != nil {
		if err := d.joinRedirectTarget(*found.joinHost); err != nil {
			return nil, err
		}
		d.hosts.Join(found.joinHost.Server)
	}
	if err := d.skip(found); err != nil {
		return nil, err
	}
	return found.items, nil
}

// skip skips what is to be skipped, unless it has come to belong to the crawl by now.
func (d *discovery) skip(found *discoveries) error {
	d.scopeMu.RLock() // the scope does not grow between the last look and Skip
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

// seed puts what a document leads to into the frontier at once, before the document
// is finished.
func (d *discovery) seed(found *discoveries) error {
	items, err := d.admit(found)
	if err != nil {
		return err
	}
	return d.add(items)
}
