package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// startRecrawl rotates the files of a crawl and requeues its URLs.
func (c *Crawl) startRecrawl() error {
	s, err := c.openExisting()
	if err != nil {
		return err
	}
	changes, err := c.config.Changes(s.Config)
	if err == nil {
		err = changes.Recrawl
	}
	if err != nil {
		return err
	}
	if !s.RecrawlPending { // otherwise a recrawl was started and resumes
		lost, err := c.parts.Results.Lost(s.RewritingRejected)
		if err != nil {
			return err
		}
		for s.Recrawls++; results.Rotated(c.set.Results.Dir, s.Recrawls); s.Recrawls++ { // rotated files of a crawl that was removed
		}
		s.CheckRecrawl = max(s.Recrawls, s.CheckRecrawl+1)
		for i := range lost { // their URLs are not requeued
			if lost[i].File != results.JournalFile {
				lost[i].File = results.RotatedName(lost[i].File, s.Recrawls)
			}
		}
		s.Lost, s.RejectedIncomplete, s.RewritingRejected = nil, false, false
		c.noteLosses(s, lost)
		s.StartedAt, s.RecrawlPending, s.Ended = time.Now(), true, nil
		if err := c.setConfig(s, changes, false); err != nil {
			return err
		}
		if err := results.SaveState(c.set.Results.Dir, s); err != nil {
			return err
		}
	}
	return c.requeueAll(s)
}

// requeueAll prepares a recrawl. After a kill it runs again: nothing is fetched before it
// completes.
func (c *Crawl) requeueAll(s *State) error {
	if err := results.Rotate(c.set.Results.Dir, s.Recrawls, c.set.Results.Available...); err != nil {
		return err
	}
	if err := c.parts.Results.Reset(); err != nil {
		return err
	}
	again := &requeuer{c: c, recrawl: s.CheckRecrawl}
	if err := again.addAll(s.Recrawls); err != nil {
		return err
	}
	if err := results.RemoveGenerations(c.set.Results.Dir, s.Recrawls, c.set.KeepGenerations); err != nil {
		return fmt.Errorf("cannot remove the files of earlier crawls: %w", err)
	}
	s.RecrawlPending = false
	changes, err := c.config.Changes(s.Config)
	if err != nil {
		return err
	}
	return c.openCommitted(s, changes)
}

// requeuer adds URLs to the frontier again, many at a time.
type requeuer struct {
	c           *Crawl
	recrawl     int // in which they are queued
	items       []frontier.Item
	unconfirmed []frontier.Item // added only if the frontier knows them
	requeued    map[string]bool // the URLs of unconfirmed that the frontier knows; nil if not recorded
}

// JoinRecrawl implements visit.Recrawls. This process learns of the recrawl of another worker from the URLs that
// this one has queued, or that were found since, and saves its number before it uses it.
func (c *Crawl) JoinRecrawl(number int) (latest int, err error) {
	if latest = c.parts.Discovery.Recrawl(); number <= latest {
		return latest, nil
	}
	c.stateMu.Lock()
	defer c.stateMu.Unlock()
	if number <= c.state.CheckRecrawl {
		return c.state.CheckRecrawl, nil
	}
	c.state.CheckRecrawl = number
	c.parts.Discovery.SetRecrawl(number)
	return number, results.SaveState(c.set.Results.Dir, c.state)
}

// addAll requeues the URLs that the files with a number list.
func (r *requeuer) addAll(number int) error {
	foundOn := make(map[string]string) // each sitemap
	err := results.Sitemaps.Each(r.c.parts.Results, number, func(_ int64, s *output.Sitemap) error {
		foundOn[s.URL] = s.FoundOn
		return nil
	})
	if err != nil {
		return err
	}
	err = results.Sitemaps.Each(r.c.parts.Results, number, func(_ int64, s *output.Sitemap) error {
		t := provenance.Provenance{Source: provenance.Sitemap, FoundOn: s.FoundOn, SitemapOf: robotsext.Origin(s.Origin), IndexDepth: s.IndexDepth}
		for above, n := s.FoundOn, 0; foundOn[above] != "" && n < discover.MaxNested+redirection.Max; above, n = foundOn[above], n+1 {
			t.Listing = append(t.Listing, provenance.HashListing(above))
		}
		return r.add(s.URL, t)
	})
	if err != nil {
		return err
	}
	err = results.Pages.Each(r.c.parts.Results, number, func(_ int64, p *output.Page) error {
		t := provenance.Provenance{Source: provenance.SourceOf(p.Source), FromStart: p.Source == provenance.Start.String(), Depth: p.Depth, FoundOn: p.FoundOn}
		if slices.Contains(p.Redirects, provenance.Referrer(p.URL)) {
			return nil // its first line queues it, and it redirects there again
		}
		if t.Source == provenance.Redirect {
			t.Hops, t.Earlier = len(p.Redirects), p.Redirects[:max(0, len(p.Redirects)-1)]
			if none := r.c.set.Visit.Requests.Credentials.CookieHash(nil); none != 0 { // a recrawl begins without cookies
				t.Cookies = slices.Repeat([]uint64{none}, len(p.Redirects))
			}
			return r.addKnown(p.URL, t) // under one key or the other
		}
		return r.add(p.URL, t)
	})
	if err != nil {
		return err
	}
	err = results.Rejected.Each(r.c.parts.Results, number, func(_ int64, j *output.Rejection) error {
		if slices.Contains(leasedReasons, j.Reason) {
			return r.addKnown(j.URL, provenanceOf(j))
		}
		return nil // the others are in the journal or the frontier
	})
	if err != nil {
		return err
	}
	return r.flush()
}

// leasedReasons are the reasons for which a URL is skipped after it was leased, so that the
// frontier knows it. If its own address is refused, it is only in the journal.
var leasedReasons = []output.Reason{
	output.Disallowed, output.Failed, output.MaxHostPages, output.DuplicateURL, output.BlockedAddress, output.Trap, output.MaxSitemapEntries,
	output.Excluded, output.ContentType, output.PaymentRequired, output.LicenseRequired, output.Usage,
}

// provenanceOf returns how the crawl found a URL that it skipped.
func provenanceOf(r *output.Rejection) provenance.Provenance {
	return provenance.Provenance{Source: provenance.SourceOf(r.Source), FromStart: r.Source == provenance.Start.String(), Depth: r.Depth, FoundOn: r.FoundOn}
}

// add requeues a URL before those of its kind that were never requested. Invalid URLs, as
// in edited files, are ignored.
func (r *requeuer) add(url string, t provenance.Provenance) error {
	return r.addTo(&r.items, r.item(url, t))
}

// addKnown requeues a rejected page if the frontier knows it. Otherwise it was never leased
// and is in the journal, or is a sitemap. The target of a redirect may have a key of its
// own.
func (r *requeuer) addKnown(url string, t provenance.Provenance) error {
	item := r.item(url, t)
	if t.Source == provenance.Redirect {
		target := item
		target.Kind = provenance.KindRedirect
		if err := r.addTo(&r.unconfirmed, target); err != nil {
			return err
		}
	}
	return r.addTo(&r.unconfirmed, item)
}

// item returns the item of a URL that is requeued.
func (r *requeuer) item(url string, t provenance.Provenance) frontier.Item {
	t.Recrawl = r.recrawl
	item := t.Item(url, "")
	item.Priority = max(item.Priority, 1) - 1
	return item
}

func (r *requeuer) addTo(items *[]frontier.Item, item frontier.Item) error {
	hosts, err := frontier.HostsOf([]frontier.Item{item})
	if err != nil {
		return nil
	}
	item.Host = hosts[0]
	*items = append(*items, item)
	if len(*items) < discover.SeedBatch {
		return nil
	}
	return r.flush()
}

func (r *requeuer) flush() error {
	if err := r.confirm(); err != nil {
		return err
	}
	again, ok := r.c.parts.Frontier.(frontier.Revisiter)
	if !ok {
		return fmt.Errorf("cannot request URLs again: %T is no frontier.Revisiter", r.c.parts.Frontier)
	}
	_, err := again.Revisit(r.c.parts.Lifecycle.CommitCtx, r.items)
	r.items = r.items[:0]
	return err
}

// confirm requeues the unconfirmed URLs that the frontier knows.
func (r *requeuer) confirm() error {
	keys := make([]frontier.Key, len(r.unconfirmed))
	for i := range r.unconfirmed {
		keys[i] = r.unconfirmed[i].Key()
	}
	known, err := r.c.parts.Frontier.Known(r.c.parts.Lifecycle.CommitCtx, keys)
	if err != nil {
		return err
	}
	for i, item := range r.unconfirmed {
		if !known[i] {
			continue
		}
		r.items = append(r.items, item)
		if r.requeued != nil {
			r.requeued[item.URL] = true
		}
	}
	r.unconfirmed = r.unconfirmed[:0]
	return nil
}
