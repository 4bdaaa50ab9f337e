package plancount

import (
	"context"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// maxElsewhere limits Counter.elsewhere. A host joins the crawl a few seconds after its first entry.
const maxElsewhere = 200_000

// keep keeps a sitemap entry that belongs to the crawl if a start URL redirects to its host, or if the robots.txt
// of its origin turns out to list the sitemap. The lock is held.
func (s *Counter) keep(l *results.SkippedURL) {
	if l.URL.Server == "" || len(s.elsewhere) >= maxElsewhere {
		return
	}
	t, err := provenance.Decode(l.Item.Meta)
	outside := !s.c.Discovery.Scope.HoldsServer(l.URL.Server)
	if err != nil || !(l.Rejection.Reason == output.OutOfScope && outside || l.Rejection.Reason == output.NotAuthorized && len(t.Listing) > 0) {
		return
	}
	s.elsewhere = append(s.elsewhere, *l)
	if outside {
		s.elsewhereIn[t.FoundOn]++
	}
}

// TakeScope implements discover.Recorder.
func (s *Counter) TakeScope(_ weburl.URL, match func(results.SkippedURL) bool, give func([]results.SkippedURL) error) error {
	s.mu.Lock()
	var taken []results.SkippedURL
	s.elsewhere = slices.DeleteFunc(s.elsewhere, func(l results.SkippedURL) bool {
		if !match(l) {
			return false
		}
		taken = append(taken, l)
		if l.Item.Kind == provenance.KindSitemap {
			s.files = slices.DeleteFunc(s.files, func(f *plan.Sitemap) bool {
				return f.URL == l.Rejection.URL && f.Unread == string(l.Rejection.Reason)
			})
		}
		return true
	})
	s.mu.Unlock()
	return give(taken)
}

// TakeListed implements discover.Recorder.
func (s *Counter) TakeListed(o robotsext.Origin, match func(results.SkippedURL) bool, give func([]results.SkippedURL) error) error {
	return s.TakeScope(weburl.URL{}, func(l results.SkippedURL) bool { return l.URL.Origin == o && match(l) }, give)
}

// probe queues the start URLs, once, to learn where they redirect, if that is worth the requests: a sitemap is
// authorized for pages of a host outside the crawl, or has no others. The lock is held.
func (s *Counter) probe(worth bool) error {
	if s.probing || !worth {
		return nil
	}
	s.probing = true
	_, err := s.Frontier.Memory.Add(context.Background(), s.starts)
	return err
}

// addStart notes the first start URL of each origin, and queues where they redirect.
func (s *Counter) addStart(item frontier.Item, t provenance.Provenance) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	origin := weburl.OriginOf(item.URL)
	item.Kind = provenance.KindStart
	if t.Source == provenance.Start {
		if !slices.ContainsFunc(s.starts, func(other frontier.Item) bool { return weburl.OriginOf(other.URL) == origin }) {
			s.starts = append(s.starts, item)
		}
		return nil
	}
	_, err := s.Frontier.Memory.Add(context.Background(), []frontier.Item{item})
	return err
}
