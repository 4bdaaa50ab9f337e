package discover

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// maxUnread limits the origins whose robots.txt is requested because of the entries of one sitemap.
const maxUnread = 10

// A crossListing decides about entries of one sitemap. Their origin is neither that of the sitemap nor the
// one for which it is read. They count if the robots.txt of their own origin lists the sitemap, or what
// leads to it (ROB-SMP-25).
type crossListing struct {
	d       *Discovery
	doc     *Document
	asked   *robotsext.Record // of the origin for which the sitemap is read; nil if not needed yet
	hashes  []uint64          // of the URLs of the sitemap, and of the redirects and indexes that lead to it
	origins map[robotsext.Origin]*robotsListing

	indexed map[robotsext.Origin]bool // origins of sitemaps that it lists
}

// robotsListing is what the robots.txt of an origin lists, or nil if it was not read or is unreachable.
type robotsListing struct {
	lines   map[uint64]bool // hashes of the URLs
	refusal error           // for entries of the origin; nil if they count
}

// errUnread is the refusal of an entry that counts if the robots.txt of its origin turns out to list the
// sitemap.
var errUnread = errors.New("the robots.txt of its origin is not known to list the sitemap")

// redirecting returns the hashes of sitemap URLs that redirect to url, and of what leads to them.
func (d *Discovery) redirecting(url string) []uint64 {
	d.aliases.Lock()
	defer d.aliases.Unlock()
	return slices.Clone(d.aliases.hashes[url])
}

// alias notes that a sitemap redirects to a URL: what lists the one lists the other too. If it was read before, its index
// entries are judged again.
func (d *Discovery) alias(doc *Document, url string) error {
	listing := doc.Prov.Listed(doc.URL)
	d.aliases.Lock()
	if d.aliases.hashes == nil {
		d.aliases.hashes = make(map[string][]uint64)
	}
	d.aliases.hashes[url] = append(d.aliases.hashes[url], listing...)
	d.aliases.Unlock()
	rec, err := d.robotsOf(doc.Prov.SitemapOf)
	if err != nil || !lists(rec, listing) {
		return err
	}
	url = provenance.Referrer(url)
	return d.queueEntries(doc.Prov.SitemapOf, url, func(t provenance.Provenance, _ weburl.URL) bool { return t.FoundOn == url })
}

// judge returns why an entry does not count, or nil if it counts.
func (l *crossListing) judge(entry sitemap.Entry) (refusal, err error) {
	a, invalid := weburl.Parse(entry.Loc)
	if invalid != nil {
		return invalid, nil
	}
	if entry.Sitemap {
		l.indexed[a.Origin] = true
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

// read returns what the robots.txt of the origin of a lists. If the origin for which the sitemap is read
// redirects its robots.txt there, that one is used.
func (l *crossListing) read(a weburl.URL) (robots *robotsListing, err error) {
	if l.asked == nil {
		if l.asked, err = l.d.robotsOf(l.doc.Prov.SitemapOf); err != nil {
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

// unread returns the robots.txt files that decide about entries, and are not known yet: of origins that belong to
// the crawl now, or have a sitemap.
func (l *crossListing) unread() *Found {
	found := l.d.NewFound()
	for _, o := range slices.Sorted(maps.Keys(l.origins)) {
		server := weburl.ServerOf(string(o))
		if len(found.Items) < maxUnread && l.origins[o] == nil && (l.indexed[o] || l.d.Scope.HoldsServer(server)) {
			t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: provenance.Referrer(l.doc.URL), Recrawl: l.doc.Prov.Recrawl}
			found.Items = append(found.Items, frontier.Item{Kind: provenance.KindListing, URL: o.RobotsURL(), Host: server, Priority: provenance.PrioritySitemap, Meta: t.Encode()})
		}
	}
	return found
}

// robotsOf returns the robots.txt of an origin as far as it is known. Its Outcome is 0 if it was not read.
func (d *Discovery) robotsOf(o robotsext.Origin) (*robotsext.Record, error) {
	host, err := d.Frontier.Host(d.Lifecycle.CommitCtx, weburl.ServerOf(string(o)))
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

// QueueListed queues the sitemap entries of an origin that were skipped before its robots.txt was known, if
// it lists their sitemap.
func (d *Discovery) QueueListed(rec *robotsext.Record) error {
	if rec.Outcome == robotsext.OutcomeUnreachable {
		return nil
	}
	var lines map[uint64]bool
	return d.queueEntries(rec.Origin, "", func(t provenance.Provenance, a weburl.URL) bool {
		if lines == nil { // else most robots.txt files are parsed in vain
			lines = linesOf(rec)
		}
		return slices.ContainsFunc(t.Listing, func(hash uint64) bool { return lines[hash] }) || t.IsSitemap() && lines[provenance.HashListing(a.Canonical)]
	})
}

// queueEntries queues the sitemap entries of an origin that were skipped because nothing listed the sitemap, and
// that count now. FoundOn is their sitemap, or empty for any.
func (d *Discovery) queueEntries(o robotsext.Origin, foundOn string, counts func(provenance.Provenance, weburl.URL) bool) error {
	found := d.NewFound()
	err := d.Recorder.TakeListed(o, foundOn, func(l results.SkippedURL) bool {
		if l.URL.Origin != o || l.Rejection.Reason != output.NotAuthorized {
			return false
		}
		t, err := provenance.Decode(l.Item.Meta)
		return err == nil && t.IndexDepth <= MaxNested && (t.IsSitemap() || d.Scope.Holds(l.URL)) && counts(t, l.URL)
	}, func(some []results.SkippedURL) error {
		for _, l := range some {
			t, err := provenance.Decode(l.Item.Meta)
			if err != nil {
				return err
			}
			switch {
			case t.IsSitemap():
				if d.Sitemaps.Take(t.SitemapOf) {
					found.Items = append(found.Items, l.Item)
				}
			case d.order.isUnchanged(t.LastMod):
				found.skip(l.Item, l.URL, t, output.BeforeSince, "")
			default:
				found.addWithinBounds(l.Item, l.URL, t)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.seed(found)
}
