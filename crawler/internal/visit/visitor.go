package visit

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/cluster"
	"github.com/politecrawl/politecrawl/crawler/internal/credentials"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Settings are the settings of a crawl for visiting URLs.
type Settings struct {
	Token     string        // the product token, whose rules and directives bind
	UserAgent string        // of sitemap requests; pages have a Fetcher
	Timeout   time.Duration // of the request for a start URL of a plan
	Retries   int           // after a temporary failure
	LeaseTime time.Duration // of each lease

	Noindex      bool           // noindex and noarchive are obeyed
	Types        fetch.Types    // that are read
	Fields       *extract.Rules // that are extracted; nil: none
	Headers      []string       // canonical names of header fields that are kept
	Links        bool           // links are listed
	LinkTexts    bool           // with their texts
	MaxLinks     int            // URLs that are followed or checked from one page; 0: no limit
	TrapPages    int            // for messages; see package trap
	StartURLs    int            // their number, for messages
	SitemapsOnly bool           // pages come from sitemaps only; links are not followed
	MaxEntries   int            // of an origin, for messages

	Checks discover.Checks

	Purposes      []usage.Purpose // of the crawl
	FilePurposes  []usage.Purpose // those for which files of the site are requested
	RefuseUnknown bool            // a purpose about which nothing is said is refused
}

// A Fetcher requests pages. That of a plan requests none.
type Fetcher interface {
	// Wants reports whether pages are requested at all. If not, a page is done when its
	// robots.txt allows it.
	Wants() bool
	// Fetch returns a response with the duration of the request even if it fails.
	Fetch(fetch.Request) (*fetch.Response, error)
}

// A Committer records the outcome of a URL, and then reports it to the frontier. That of a plan counts instead.
type Committer interface {
	Commit(frontier.Outcome, *output.Page, results.Batch) error
}

// Recrawls knows the number of the latest recrawl.
type Recrawls interface {
	// JoinRecrawl notes the number of the recrawl in which a URL was queued, and returns the latest.
	JoinRecrawl(number int) (latest int, err error)
}

// A Crawl has the parts of a crawl that a Visitor uses. All are needed, except as said.
type Crawl struct {
	Frontier    frontier.Frontier
	Member      cluster.Member
	Robots      *robotsext.Robots
	Client      *http.Client // for sitemaps
	Fetcher     Fetcher
	Committer   Committer
	Recrawls    Recrawls
	Delays      *politeness.Delays
	Addresses   *politeness.Addresses // nil: per-ip is no limit
	Limits      *quota.Pages
	Traps       *trap.Detector
	Discovery   *discover.Discovery
	Results     *results.Writer
	Credentials *credentials.Store // nil: none
	Lifecycle   *lifecycle.Lifecycle
	Board       *notice.Board
	Causes      *notice.Hosts // why hosts are not read
	Unread      *notice.Hosts // files about the use of pages that are not read
	Log         *slog.Logger
}

// A Visitor visits the URLs of a crawl. It is safe for concurrent use.
type Visitor struct {
	Crawl
	set     Settings
	outages discover.URLSet // URLs whose failure showed that their site was down
}

// New returns a visitor.
func New(set Settings, c Crawl) *Visitor { return &Visitor{Crawl: c, set: set} }

// Visit takes a leased URL to its commit, and returns what was recorded: the page, nil if there is none, and
// lines of other files. If waiting has ended, the URL is returned unchanged. An error is one of the crawl
// itself, such as a full disk. Errors of a site are outcomes.
func (v *Visitor) Visit(waiting context.Context, lease frontier.Lease) (page *output.Page, lines *output.Results, err error) {
	v.Member.Hold(&lease)
	defer v.Member.Release(lease.ID)
	it, out := v.decode(lease)
	adm := admitted{}
	switch {
	case waiting.Err() != nil:
		out = waitUntil(time.Time{})
	case out.verdict == proceed:
		adm, out, err = v.process(&it)
	}
	defer out.response.Release() // what is recorded has no part of the body
	if v.Member.Lost(lease.ID) {
		out.leave()
	}
	if err == nil {
		page, lines, err = v.commit(&it, &adm, &out)
	}
	if err != nil {
		out.page = nil
		return nil, nil, errors.Join(err, v.settle(&it, &out))
	}
	return page, lines, nil
}

// process runs one stage after the other, until one has decided.
func (v *Visitor) process(it *item) (adm admitted, out outcome, err error) {
	if it.prov.Recrawl, err = v.Recrawls.JoinRecrawl(it.prov.Recrawl); err != nil {
		return adm, out, err
	}
	if provenance.IsCheck(it.lease.Kind) {
		if known, err := v.isKnownCheck(it); err != nil || known {
			return adm, outcome{verdict: done}, err
		}
	}
	release, free := v.Addresses.Acquire(v.Lifecycle.Working, it.lease.Host)
	if !free {
		return adm, outcome{verdict: wait, host: hostOutcome{until: time.Now().Add(politeness.AddressPause)}}, nil
	}
	defer release()
	if adm, out, err = v.admit(it); err != nil || out.verdict != proceed {
		return adm, out, err
	}
	switch it.lease.Kind {
	case provenance.KindCheckHead, provenance.KindCheckGet, provenance.KindCheckRead:
		out, err = v.check(it, &adm)
	case provenance.KindSitemap:
		out, err = v.sitemap(it, &adm)
	case provenance.KindStart:
		out, err = v.probe(it, &adm)
	default:
		out, err = v.page(it, &adm)
	}
	return adm, out, err
}
