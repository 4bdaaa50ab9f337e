package plancount

import (
	"context"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// maxElsewhere limits Counter.elsewhere. A host joins the crawl a few seconds after its first entry.
const maxElsewhere = 200_000

// keep keeps a sitemap entry that belongs to the crawl if a start URL redirects to its host. The lock is held.
func (s *Counter) keep(l *record.SkippedURL) {
	t, err := provenance.Decode(l.Item.Meta)
	mayCount := l.Rejection.Reason == output.OutOfScope || l.Rejection.Reason == output.NotAuthorized && len(t.Listing) > 0
	if err == nil && mayCount && l.URL.Server != "" && !s.c.HoldsServer(l.URL.Server) && len(s.elsewhere) < maxElsewhere {
		s.elsewhere = append(s.elsewhere, *l)
		s.elsewhereIn[t.FoundOn]++
	}
}

// TakeScope implements the recorder of package crawler.
func (s *Counter) TakeScope(_ weburl.URL, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	s.mu.Lock()
	var taken, rest []record.SkippedURL
	for _, l := range s.elsewhere {
		if match(l) {
			taken = append(taken, l)
			s.files = slices.DeleteFunc(s.files, func(f *plan.Sitemap) bool {
				return f.URL == l.Rejection.URL && f.Unread == string(l.Rejection.Reason)
			})
		} else {
			rest = append(rest, l)
		}
	}
	s.elsewhere = rest
	s.mu.Unlock()
	return give(taken)
}

// TakeListed implements the recorder of package crawler.
func (s *Counter) TakeListed(_ robotsext.Origin, match func(record.SkippedURL) bool, give func([]record.SkippedURL) error) error {
	return s.TakeScope(weburl.URL{}, match, give)
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

// addStart notes a start URL, or where one redirects, and queues it if they are requested.
func (s *Counter) addStart(item frontier.Item) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	item.URL = provenance.StartKey(item.URL)
	if !s.probing {
		s.starts = append(s.starts, item)
		return nil
	}
	_, err := s.Frontier.Memory.Add(context.Background(), []frontier.Item{item})
	return err
}
