package plancount

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Frontier holds the sitemaps, one page of each origin so that its robots.txt is requested,
// and the start URLs if their redirects matter. All other pages are only counted.
type Frontier struct {
	*frontier.Memory
	counter *Counter
}

// Add implements frontier.Frontier.
func (f *Frontier) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	added := make([]bool, len(items))
	for i, item := range items {
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return nil, err
		}
		if t.FromStart {
			if err := f.counter.addStart(item, t); err != nil {
				return nil, err
			}
		}
		if provenance.IsPage(item.Kind) {
			var ask bool
			if added[i], ask = f.counter.addPage(item, t); !ask {
				continue
			}
		}
		fresh, err := f.Memory.Add(ctx, items[i:i+1])
		if err != nil {
			return nil, err
		}
		added[i] = fresh[0]
	}
	return added, nil
}

// unread returns the sitemaps that remain unread, sorted by URL.
func (f *Frontier) unread(why string) (list []*plan.Sitemap, err error) {
	for item, err := range f.Waiting(context.Background()) {
		if err != nil {
			return list, err
		}
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return list, fmt.Errorf("plan: %w", err)
		}
		if !t.IsSitemap() {
			continue // a start URL, which its host reports
		}
		list = append(list, &plan.Sitemap{URL: item.URL, Origin: string(t.SitemapOf), Unread: why})
	}
	slices.SortFunc(list, func(a, b *plan.Sitemap) int { return cmp.Compare(a.URL, b.URL) })
	return list, nil
}

// maxElsewhere limits Counter.elsewhere. A host joins the crawl a few seconds after its first entry.
const maxElsewhere = 200_000

// keep keeps a sitemap entry that belongs to the crawl if a start URL redirects to its host, or if the robots.txt
// of its origin turns out to list the sitemap. The lock is held.
func (s *Counter) keep(l *results.SkippedURL) {
	if l.URL.Server == "" || len(s.elsewhere) >= maxElsewhere {
		return
	}
	t, err := provenance.Decode(l.Item.Meta)
	outside := !s.discovery.Scope.HoldsServer(l.URL.Server)
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
func (s *Counter) TakeListed(o robotsext.Origin, _ string, match func(results.SkippedURL) bool, give func([]results.SkippedURL) error) error {
	return s.TakeScope(weburl.URL{}, func(l results.SkippedURL) bool { return l.URL.Origin == o && match(l) }, give)
}

// probe queues the start URLs, once, to learn where they redirect. That is worth the requests if a sitemap is
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
