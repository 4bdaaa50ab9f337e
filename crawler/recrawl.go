package crawler

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// beginAgain puts the output of a crawl aside and brings all it has asked for back
// into the frontier.
func (c *Crawler) beginAgain() error {
	s, err := c.claim()
	if err != nil {
		return err
	}
	if !s.Revisiting { // else a recrawl was begun and goes on
		for s.Round++; output.Rotated(c.cfg.Output, s.Round); s.Round++ { // of a crawl that was removed
		}
		s.Began, s.Revisiting = time.Now(), true
		s.setConfig(c.cfg)
		if err := output.SaveState(c.cfg.Output, s); err != nil {
			return err
		}
	}
	return c.revisit(s)
}

// revisit does what a recrawl begins with. Killed, it does it again: nothing is
// fetched before it is through.
func (c *Crawler) revisit(s *state) error {
	old, err := output.Rotate(c.cfg.Output, s.Round, c.opts.Formats...)
	if err != nil {
		return err
	}
	if _, err := c.frontier.Finish(c.books, nil, new(counted).bytes()); err != nil {
		return err
	}
	again := &revisits{c: c}
	if err := again.all(old); err != nil {
		return err
	}
	s.Revisiting = false
	return c.openCounted(s)
}

// revisits brings URLs back into the frontier, many at a time.
type revisits struct {
	c     *Crawler
	items []frontier.Item
}

// all brings back what the files of a crawl list.
func (r *revisits) all(old output.Files) error {
	sitemaps := make(map[string]bool)
	err := each(old.Sitemaps, func(s *output.Sitemap) error {
		sitemaps[s.URL] = true
		t := trail{source: fromSitemap, via: s.Via, listed: robotsext.Origin(s.Host), nested: s.Nested}
		return r.add(sitemapKey(s.URL, t.listed), t)
	})
	if err != nil {
		return err
	}
	err = each(old.Pages, func(p *output.Page) error {
		return r.add(p.URL, trail{source: sourceOf(p.Source), start: p.Source == fromStart.String(), depth: p.Depth, via: p.Via})
	})
	if err != nil {
		return err
	}
	err = each(old.Rejected, func(j *output.Rejection) error {
		t := trailOf(j)
		switch {
		case j.Reason == output.Address && leftAtSight(j):
			// it stands in the journal
		case slices.Contains([]output.Reason{output.Disallowed, output.Failed, output.HostFull, output.Alias, output.Address, output.Trap, output.SitemapFull}, j.Reason):
			if t.source != fromSitemap || !sitemaps[j.URL] {
				return r.add(j.URL, t)
			}
		}
		return nil // the others stand in the journal or in the frontier
	})
	if err != nil {
		return err
	}
	return r.flush()
}

// trailOf is how the crawl came to a URL that it left alone.
func trailOf(r *output.Rejection) trail {
	return trail{source: sourceOf(r.Source), start: r.Source == fromStart.String(), depth: r.Depth, via: r.Via}
}

// add brings a URL back, ahead of those of its kind that were never asked for. What is no URL, as somebody may have edited the files, is
// left out.
func (r *revisits) add(url string, t trail) error {
	host, err := frontier.HostOf(url)
	if err != nil {
		return nil
	}
	r.items = append(r.items, frontier.Item{URL: url, Host: host, Priority: max(t.priority(), 1) - 1, Meta: t.encode()})
	if len(r.items) < seedBatch {
		return nil
	}
	return r.flush()
}

func (r *revisits) flush() error {
	_, err := r.c.frontier.Revisit(r.c.books, r.items)
	r.items = r.items[:0]
	return err
}

// each reads a file of lines that may be missing.
func each[T any](name string, f func(*T) error) error {
	err := output.Each(name, func(_ int64, v *T) error { return f(v) })
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
