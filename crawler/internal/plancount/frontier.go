package plancount

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/plan"
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
		ask := t.IsSitemap() || item.Kind == provenance.KindListing
		if t.FromStart {
			if err := f.counter.addStart(item, t); err != nil {
				return nil, err
			}
		}
		if !ask {
			added[i], ask = f.counter.addPage(item, t)
		}
		if !ask {
			continue
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
