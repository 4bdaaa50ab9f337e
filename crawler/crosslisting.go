package crawler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// maxUnread limits the origins whose robots.txt is requested because of the entries of one sitemap.
const maxUnread = 10

// listingTime limits the time for them.
const listingTime = time.Minute

// A crossListing decides about the entries of one sitemap whose origin is neither that of the sitemap nor the one
// for which it is read: they count if the robots.txt of their own origin lists the sitemap, or what leads to
// it (ROB-SMP-25).
type crossListing struct {
	d       *discovery
	v       *visit
	asked   *robotsext.Record // of the origin for which the sitemap is read; nil: not needed yet
	hashes  []uint64          // of the URLs of the sitemap, and of the redirects and indexes that lead to it
	origins map[robotsext.Origin]*robotsListing
}

// robotsListing is what the robots.txt of an origin lists. Nil: it was not read, or is unreachable.
type robotsListing struct {
	lines   map[uint64]bool // hashes of the URLs
	refusal error           // for entries of the origin; nil: they count
}

// errUnread is the refusal of an entry that counts if the robots.txt of its origin turns out to list the
// sitemap.
var errUnread = errors.New("the robots.txt of its origin is not known to list the sitemap")

func newCrossListing(d *discovery, v *visit) *crossListing {
	return &crossListing{d: d, v: v, hashes: v.prov.Listed(v.url), origins: make(map[robotsext.Origin]*robotsListing)}
}

// refuse returns why an entry does not count; nil: it counts.
func (l *crossListing) refuse(entry sitemap.Entry) (refusal, err error) {
	a, invalid := weburl.Parse(entry.Loc)
	if invalid != nil {
		return invalid, nil
	}
	robots, known := l.origins[a.Origin]
	if !known {
		if robots, err = l.read(a); err != nil {
			return nil, err
		}
		l.origins[a.Origin] = robots
	}
	if robots == nil {
		return errUnread, nil
	}
	if entry.Sitemap && robots.lines[provenance.HashListing(a.Canonical)] {
		return nil, nil
	}
	return robots.refusal, nil
}

// read returns what the robots.txt of the origin of a lists. That of the origin for which the sitemap is read
// is that of a too if it redirects there.
func (l *crossListing) read(a weburl.URL) (robots *robotsListing, err error) {
	if l.asked == nil {
		if l.asked, err = l.d.robotsOf(l.v.prov.SitemapOf); err != nil {
			return nil, err
		}
	}
	rec := l.asked
	if chain := len(rec.RedirectChain); chain == 0 || rec.RedirectChain[chain-1] != a.Origin.RobotsURL() || !lists(rec, l.hashes) {
		if rec, err = l.d.robotsOf(a.Origin); err != nil {
			return nil, err
		}
	}
	if rec.Outcome == 0 || rec.Outcome == robotsext.OutcomeUnreachable {
		return nil, nil
	}
	robots = &robotsListing{lines: linesOf(rec)}
	if !lists(rec, l.hashes) {
		robots.refusal = fmt.Errorf("%s does not list the sitemap", a.Origin.RobotsURL())
	}
	return robots, nil
}

// unread returns origins that belong to the crawl now, and whose robots.txt was not known when they were met.
func (l *crossListing) unread() (some []robotsext.Origin) {
	for _, o := range slices.Sorted(maps.Keys(l.origins)) {
		if len(some) < maxUnread && l.origins[o] == nil && l.d.scope.HoldsServer(weburl.ServerOf(string(o))) {
			some = append(some, o)
		}
	}
	return some
}

// robotsOf returns the robots.txt of an origin as far as it is known. Outcome 0: it was not read.
func (d *discovery) robotsOf(o robotsext.Origin) (*robotsext.Record, error) {
	host, err := d.frontier.Host(d.lifecycle.CommitCtx, weburl.ServerOf(string(o)))
	if err != nil {
		return nil, err
	}
	rec, err := politeness.ReadRecord(host, o)
	if rec == nil || err != nil { // one that cannot be read is requested again before it is used
		return new(robotsext.Record), nil
	}
	return rec, nil
}

// linesOf returns the hashes of the sitemaps that a robots.txt lists.
func linesOf(rec *robotsext.Record) map[uint64]bool {
	lines := make(map[uint64]bool)
	if rec.Outcome != robotsext.OutcomeRules {
		return lines
	}
	for _, line := range robotstxt.Parse(rec.Body, nil).Sitemaps {
		if a, err := weburl.Parse(line.URL); err == nil {
			lines[provenance.HashListing(a.Canonical)] = true
		}
	}
	return lines
}

// lists reports whether a robots.txt lists one of the URLs with these hashes.
func lists(rec *robotsext.Record, hashes []uint64) bool {
	lines := linesOf(rec)
	return slices.ContainsFunc(hashes, func(hash uint64) bool { return lines[hash] })
}

// learnListings requests the robots.txt of origins, after the sitemap v, to decide about its entries there.
// OnRobots, or queueListed, then queues those that count. Until is the end of a Retry-After of the server of v.
func (w *worker) learnListings(v *visit, origins []robotsext.Origin) (until time.Time, err error) {
	c := w.c
	ctx, cancel := context.WithTimeout(c.lifecycle.Working, listingTime)
	defer cancel()
	ctx, slot := politeness.WithSlot(ctx, v.lease.Host)
	slot.Spend()
	for _, o := range origins {
		u, err := url.Parse(string(o) + "/")
		if err != nil {
			continue
		}
		rec, err := c.network.robots.Record(ctx, u)
		if err != nil {
			break // the time is over
		}
		if err := c.discovery.queueListed(rec); err != nil {
			return until, err
		}
	}
	if took, used := slot.Used(); used {
		v.hostDelay = max(v.hostDelay, c.network.delays.After(took))
	}
	until, _ = slot.Busy(nil)
	return until, nil
}

// queueListed queues the sitemap entries that were skipped because it was not known whether the robots.txt of
// their origin lists the sitemap, and that it lists.
func (d *discovery) queueListed(rec *robotsext.Record) error {
	if rec.Outcome == robotsext.OutcomeUnreachable {
		return nil
	}
	var lines map[uint64]bool
	found := newDiscoveries(d)
	err := d.recorder.TakeListed(rec.Origin, func(l record.SkippedURL) bool {
		if l.URL.Origin != rec.Origin || l.Rejection.Reason != output.NotAuthorized || !d.scope.Holds(l.URL) {
			return false
		}
		if lines == nil { // else most robots.txt files are parsed in vain
			lines = linesOf(rec)
		}
		t, err := provenance.Decode(l.Item.Meta)
		return err == nil && t.IndexDepth <= maxNested &&
			(slices.ContainsFunc(t.Listing, func(hash uint64) bool { return lines[hash] }) || t.IsSitemap() && lines[provenance.HashListing(l.URL.Canonical)])
	}, func(some []record.SkippedURL) error {
		for _, l := range some {
			t, err := provenance.Decode(l.Item.Meta)
			if err != nil {
				return err
			}
			switch {
			case !t.IsSitemap() && d.order.isUnchanged(t.LastMod):
				found.skip(l.Item, l.URL, t, output.BeforeSince, "")
			case !t.IsSitemap():
				found.addWithinBounds(l.Item, l.URL, t)
			case d.sitemaps.Take(t.SitemapOf):
				found.items = append(found.items, l.Item)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.seed(found)
}
