// Package visit takes one URL from its lease to its commit.
//
// A page, a sitemap and a check take the same path:
//
//	decode   what the lease is for                                  item.go
//	admit    robots.txt, and whether the host is due                admit.go
//	visit    a page, a sitemap or a check: one request              page.go, sitemap.go, check.go
//	read     what the response says                                 the same, and a file for each topic
//	commit   acts on what the stages have returned                  commit.go
//
// A stage takes values and returns an [outcome]. The functions that read a page fill one. The first stage
// that decides ends the path. Only commit skips, defers, retries and records a URL, adds to the frontier what
// it leads to, and finishes its lease. A request that failed is in failure.go.
//
// To add a stage, write a function that takes an item and what is known of it and returns an outcome. Call it
// in Visitor.admit, in Visitor.admitPage if it is only for pages, or in page, sitemap or check. To add
// something that a page says, read it in a file of its own and add it to Visitor.readContent.
package visit

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Settings are the settings of a crawl for visiting URLs.
type Settings struct {
	Discover discover.Settings // which URLs belong to the crawl
	Requests fetch.Config      // how they are requested

	Token     string        // the product token; its rules and directives bind
	Retries   int           // after a temporary failure
	LeaseTime time.Duration // of each lease
	Rest      int64         // how many bytes of a response are received beyond those that are read, for an archive

	Noindex      bool           // noindex and noarchive are obeyed
	Fields       *extract.Rules // that are extracted; nil if none
	Headers      []string       // canonical names of header fields that are kept
	Links        bool           // links are listed
	LinkTexts    bool           // with their texts
	MaxLinks     int            // URLs that are followed or checked from one page; 0 means no limit
	SitemapsOnly bool           // pages come from sitemaps only; links are not followed

	Purposes      []usage.Purpose // of the crawl
	FilePurposes  []usage.Purpose // those for which files of the site are requested
	RefuseUnknown bool            // a purpose about which nothing is said is refused
}

// Recrawls saves the number of the latest recrawl.
type Recrawls interface {
	// JoinRecrawl saves the number of the recrawl in which a URL was queued, and returns the latest.
	JoinRecrawl(number int) (latest int, err error)
}

// Parts are the parts of a crawl: those that decide about URLs, and those that visit them. All are needed, except as
// said.
type Parts struct {
	discover.Parts
	Discovery *discover.Discovery
	Robots    *robotsext.Robots
	Fetcher   *fetch.Fetcher // of pages; nil in a plan, for which a page is done when its robots.txt has decided
	Client    *http.Client   // for sitemaps
	Recrawls  Recrawls
	Delays    *politeness.Delays
	Addresses *politeness.Addresses // nil if per-ip is no limit
	Limits    *quota.Pages
	Traps     *trap.Detector
}

// A Visitor visits the URLs of a crawl. It is safe for concurrent use.
type Visitor struct {
	*Parts
	set     Settings
	outages discover.URLSet // URLs that failed when their site was down
	causes  *notice.Hosts   // why hosts are not read
	unread  *notice.Hosts   // files about the use of pages that are not read
}

// New returns a visitor.
func New(set Settings, c *Parts) *Visitor {
	return &Visitor{
		Parts: c, set: set,
		causes: notice.NewHosts(c.Board, "other hosts have problems too; the report names them"),
		unread: notice.NewHosts(c.Board, "other sites name such files too, which the crawl does not read; the log names them"),
	}
}

// Visit takes a leased URL to its commit, and returns what was recorded: the page, nil if there is none, and
// lines of other files. If waiting has ended, the URL is returned unchanged. An error is about the crawl
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
		out.leaseLost()
	}
	if err == nil {
		page, lines, err = v.commit(&it, &adm, &out)
	}
	if err != nil {
		out.page = nil
		return nil, nil, errors.Join(err, v.releasePage(&it, &out))
	}
	return page, lines, nil
}

// process runs one stage after the other, until one has decided.
func (v *Visitor) process(it *item) (adm admitted, out outcome, err error) {
	if it.prov.Recrawl, err = v.Recrawls.JoinRecrawl(it.prov.Recrawl); err != nil {
		return adm, out, err
	}
	kind, check := it.lease.Kind, provenance.IsCheck(it.lease.Kind)
	if check {
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
	switch {
	case check:
		out, err = v.check(it, &adm)
	case kind == provenance.KindSitemap:
		out, err = v.sitemap(it, &adm)
	case kind == provenance.KindStart:
		out, err = v.probe(it, &adm)
	default:
		out, err = v.page(it, &adm)
	}
	return adm, out, err
}
