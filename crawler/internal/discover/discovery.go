// Package discover decides about the URLs that documents lead to: pages, redirects, sitemaps and
// robots.txt files. URLs that belong to the crawl go into the frontier; the others are skipped, and
// recorded with a reason.
//
// A [Found] collects what a document leads to, and [Discovery.Admit] applies it.
package discover

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/scope"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/params"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/robotstag"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Settings are the settings of a crawl that decide about URLs.
type Settings struct {
	Start      []string // start URLs
	AnyHost    bool     // hosts count for the limit on hosts; false if they were named
	MaxHosts   int      // see quota.NewHosts
	Checks     Checks
	Nofollow   bool // nofollow is obeyed
	CleanParam bool // Clean-param lines apply
	Params     *params.Rules

	ProbeSitemap bool // /sitemap.xml is tried where robots.txt lists none
	MaxSitemaps  int  // of an origin
	MaxEntries   int  // of an origin
	Order        Order
	Since        time.Time // entries that have not changed since are skipped; zero means none

	Local Local
}

// Local is a site that is served on this machine. The zero value means none.
type Local struct {
	Server  frontier.Host // its requests need no guard
	Dir     string        // the directory that it serves
	Sitemap string        // URL of a sitemap that no robots.txt has to list; empty if none
}

// Checks says which URLs are checked that are no pages of the crawl. A check requests a URL to learn whether
// it works.
type Checks struct {
	Assets    bool // what pages and stylesheets use
	External  bool // links and redirects that leave the crawl
	Fragments bool // ids of pages, and links with fragments; they need no request
	Canonical bool // canonical URLs
	Hreflang  bool // versions for other languages
	Archive   bool // with Assets: these are requested by GET, to the end, and so are frames
}

// A Recorder records what a crawl does. In a plan it counts instead.
type Recorder interface {
	// Skip records URLs that are skipped.
	Skip([]results.SkippedURL) error
	// TakeScope and TakeListed remove matching URLs that were skipped, and pass them to give: those in the
	// scope of a URL, or on an origin and of a sitemap, see results.Writer.
	TakeScope(u weburl.URL, match func(results.SkippedURL) bool, give func([]results.SkippedURL) error) error
	TakeListed(o robotsext.Origin, foundOn string, match func(results.SkippedURL) bool, give func([]results.SkippedURL) error) error
	// Robots records a robots.txt that was requested.
	Robots(*robotsext.Record) error
	// Commit records the outcome of a URL, and then reports it to the frontier.
	Commit(frontier.Outcome, *output.Page, results.Batch) error
}

// Parts are the parts of a crawl that decide about URLs. All are needed, except as said.
type Parts struct {
	Scope       *scope.Scope
	Frontier    frontier.Frontier
	Member      cluster.Member     // this process in a shared crawl
	Results     *results.Writer    // the files of the crawl
	Recorder    Recorder           // Results, or the counter of a plan
	Guard       *guard.Guard       // which addresses may be connected to; nil means all
	Credentials *credentials.Store // nil if none
	Lifecycle   *lifecycle.Lifecycle
	Board       *notice.Board
	Log         *slog.Logger
}

// A Discovery decides about the URLs that a crawl finds. It is safe for concurrent use.
type Discovery struct {
	*Parts
	set Settings

	Sitemaps *quota.Sitemaps
	hosts    *quota.Hosts
	order    *entryOrder
	scopeMu  sync.RWMutex // held while URLs are judged by scope and skipped, or scope grows
	recrawl  atomic.Int64 // see Recrawl
	refused  URLSet       // checks that max-hosts refused, so that each has one line

	noticeWider sync.Once // see joinRedirectTarget
	added       struct {
		sync.Mutex
		roots []string // see Added
	}
	aliases struct {
		sync.Mutex
		hashes map[string][]uint64 // of the sitemaps that redirect to one, by its URL; see alias
	}
}

// New returns the discovery of a crawl.
func New(set Settings, c *Parts) *Discovery {
	d := &Discovery{Parts: c, set: set, order: &entryOrder{by: set.Order, now: time.Now(), since: set.Since}}
	d.Sitemaps = quota.NewSitemaps(set.MaxSitemaps, set.MaxEntries, c.Lifecycle)
	d.hosts = quota.NewHosts(set.MaxHosts, c.Lifecycle)
	return d
}

// Recrawl returns the number of the latest recrawl that this process knows.
func (d *Discovery) Recrawl() int { return int(d.recrawl.Load()) }

// SetRecrawl sets that number.
func (d *Discovery) SetRecrawl(number int) { d.recrawl.Store(int64(number)) }

// Added returns the hosts, or directories, that joined the crawl because start URLs redirect to them.
func (d *Discovery) Added() []string {
	d.added.Lock()
	defer d.added.Unlock()
	return slices.Clone(d.added.roots)
}

// addRoot notes that what a adds to the scope has joined the crawl.
func (d *Discovery) addRoot(a weburl.URL) {
	d.added.Lock()
	defer d.added.Unlock()
	d.added.roots = append(d.added.roots, d.Scope.Root(a))
}

// CheckHost returns an error if the host of a URL is an IP address that the guard refuses.
// Names are checked when they are connected to.
func (d *Discovery) CheckHost(a weburl.URL) error {
	if d.Guard == nil || a.Server == d.set.Local.Server {
		return nil
	}
	return d.Guard.CheckHost(a.Hostname)
}

// MayBeRequested reports whether a URL that was skipped is allowed now, as far as the URL
// tells.
func (d *Discovery) MayBeRequested(r *output.Rejection) bool {
	a, err := weburl.Parse(r.URL)
	return err == nil && d.CheckHost(a) == nil && d.Scope.Excluded(a.Canonical) == ""
}

// OutsideLocal returns why the local site does not serve a URL of its server, or "" if it does, or the URL
// is of another server.
func (d *Discovery) OutsideLocal(server frontier.Host, path string) string {
	local := d.set.Local
	if server != local.Server || strings.HasPrefix(path, local.Dir) || path+"/" == local.Dir {
		return ""
	}
	return "only " + local.Dir + " is served here"
}

// IsLocalSitemap reports whether a URL is the sitemap of the local site, which no robots.txt has to list.
func (d *Discovery) IsLocalSitemap(url string) bool { return url == d.set.Local.Sitemap && url != "" }

// CleanURL returns a URL from a page or a sitemap without the query parameters that do not change
// the page. These are in drop-params and, with clean-param, in Clean-param lines of robots.txt. A
// nil file is not known yet.
//
// Start URLs and the targets of redirects stay as they are. The user wants exactly these,
// and a site that adds a parameter by a redirect may have no page without it.
func (d *Discovery) CleanURL(url string, file *robotstxt.File) string {
	if !d.set.CleanParam {
		file = nil
	}
	if file == nil && d.set.Params == nil {
		return url
	}
	return d.set.Params.Clean(url, file)
}

// DuplicateOf returns the URL that a page duplicates by the robots.txt of its origin, or "".
func (d *Discovery) DuplicateOf(url string, p provenance.Provenance, file *robotstxt.File) string {
	if p.Source != provenance.Link && p.Source != provenance.Sitemap {
		return ""
	}
	if clean := d.CleanURL(url, file); clean != url {
		return clean
	}
	return ""
}

// NofollowReason returns the directive that forbids following a link, or "".
func (d *Discovery) NofollowReason(page *robotstag.Rule, rel string) string {
	switch {
	case !d.set.Nofollow:
		return ""
	case page != nil:
		return "the page has \"" + page.String() + "\" in the " + page.Source.String()
	case !robotstag.ParseRel(rel).Follow():
		return "the link has rel=\"" + escape.Clip(rel, escape.MaxBytes) + "\""
	}
	return ""
}

// A Document is what URLs are found in: a page, a redirect, a sitemap or a stylesheet.
type Document struct {
	URL      string
	Origin   robotsext.Origin
	Prov     provenance.Provenance
	Robots   *robotstxt.File // of its origin; nil if there is none
	Priority uint8           // in the frontier
	Cookies  uint64          // a hash of those with which it was requested; 0 if the crawl keeps none
}

// markRepeated marks the item of a URL that is to be requested again: its redirects (with the provenance t)
// have led back to it and set cookies. Many sites show a page only then.
func (d *Discovery) markRepeated(item *frontier.Item, a weburl.URL, t provenance.Provenance) {
	if len(t.Cookies) == 0 {
		return
	}
	if u, err := url.Parse(a.Canonical); err == nil && t.Repeats(a.Canonical, d.Credentials.CookieHash(u)) {
		provenance.Repeat(item, t.Hops, t.Recrawl)
	}
}
