package results

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// However many URLs were skipped, Take holds few at a time.
func TestTakeGivesURLsInParts(t *testing.T) {
	const n = 2*batchSize + 7
	r := openWriter(t, nil)
	s := r.Skipped
	var all []SkippedURL
	for i := range n {
		a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
		all = append(all, SkippedURL{URL: a, Rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: 1}})
	}
	if first, err := s.Add(all); err != nil || len(first) != n {
		t.Fatal(err, len(first))
	}
	refuse := func(u SkippedURL) bool {
		t.Errorf("it looks at %s for a scope without URLs", u.URL.Canonical)
		return false
	}
	if err := r.TakeScope(weburl.URL{Server: "other.test", Hostname: "other.test"}, refuse, nil); err != nil {
		t.Error(err)
	}
	seen, parts := make(map[string]bool), 0
	give := func(some []SkippedURL) error {
		parts++
		for _, l := range some {
			seen[l.Rejection.URL] = true
		}
		if len(some) > batchSize {
			t.Errorf("%d at a time", len(some))
		}
		_, err := s.Add(some[:1]) // which may be skipped again meanwhile, and is not met again
		return err
	}
	if err := r.TakeScope(all[n-1].URL, func(SkippedURL) bool { return true }, give); err != nil || len(seen) != n || parts != 3 {
		t.Errorf("%v: %d URLs in %d parts", err, len(seen), parts)
	}
	if len(s.places) != 3 {
		t.Errorf("%d are still there", len(s.places))
	}
}

// Pages may link to ever more URLs that do not belong to the crawl. As many as the limit are kept,
// which is reported once. Kept ones are still updated.
func TestSkippedIsBounded(t *testing.T) {
	r := openWriter(t, nil)
	s := r.Skipped
	told := 0
	s.limit, r.cfg.Lifecycle = 10, lifecycle.New(slog.New(slog.DiscardHandler), notice.New(func(string) { told++ }))
	for i := range 30 {
		for _, depth := range []int{2, 1} {
			a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
			if _, err := s.Add([]SkippedURL{{URL: a, Rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: depth}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var depths []int
	must(t, s.each(func(e *entry) error { depths = append(depths, e.Skipped.Depth); return nil }))
	if len(s.places) != 10 || len(s.outOfScope) != 10 || told != 1 || !slices.Equal(depths, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("%d URLs and %d hosts are kept, depths %v, told %d times", len(s.places), len(s.outOfScope), depths, told)
	}
}

// A URL counts once, for its last reason, until it is taken; a listed one no longer.
func TestSkippedCounts(t *testing.T) {
	s := openWriter(t, nil).Skipped
	skip := func(url string, reason output.Reason, want int) {
		t.Helper()
		first, err := s.Add([]SkippedURL{{Rejection: output.Rejection{URL: url, Reason: reason}}, {Rejection: output.Rejection{URL: url, Reason: reason}}})
		if err != nil || len(first) != want {
			t.Errorf("%s: %d are new, want %d: %v", url, len(first), want, err)
		}
	}
	counts := func(want map[output.Reason]int) {
		t.Helper()
		if got := s.Counts(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	skip("http://a.test/", output.Nofollow, 1)
	skip("http://b.test/", output.Nofollow, 1)
	counts(map[output.Reason]int{output.Nofollow: 2})
	skip("http://a.test/", output.MaxDepth, 0) // a stronger reason
	skip("http://a.test/", output.Nofollow, 0)
	counts(map[output.Reason]int{output.Nofollow: 1, output.MaxDepth: 1})
	must(t, s.Take(func(u SkippedURL) bool { return u.Rejection.URL == "http://a.test/" }, func([]SkippedURL) error { return nil }))
	counts(map[output.Reason]int{output.Nofollow: 1})
	s.setListed()
	counts(nil)
}

// A skipped URL that is taken has the kind and the owner with which it was skipped, also from the journal of an earlier
// process. Journals of earlier versions have neither, and only that of a sitemap follows from how it was found.
func TestSkippedURLKeepsItsKey(t *testing.T) {
	sitemap := provenance.Provenance{Source: provenance.Sitemap, SitemapOf: "http://a.test"}.Encode()
	link := provenance.Provenance{Source: provenance.Link}.Encode()
	skipped := map[frontier.Key][]byte{
		{URL: "http://a.test/page"}:                                                      link,
		{Kind: provenance.KindSitemap, URL: "http://a.test/map"}:                         sitemap,
		{Kind: provenance.KindRedirect, URL: "http://a.test/target", Owner: "again-1-0"}: link,
	}
	r := openWriter(t, nil)
	for key, meta := range skipped {
		item := frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Meta: meta}
		if _, err := r.Skipped.Add([]SkippedURL{{Item: item, Rejection: output.Rejection{URL: key.URL, Reason: output.MaxDepth}}}); err != nil {
			t.Fatal(err)
		}
	}
	old := frontier.Key{Kind: provenance.KindSitemap, URL: "http://a.test/old"}
	if _, err := r.journal.append(&entry{Skipped: &output.Rejection{URL: old.URL, Reason: output.MaxDepth}, Meta: sitemap}); err != nil {
		t.Fatal(err)
	}
	skipped[old] = sitemap
	must(t, r.Close())
	r = New(r.cfg)
	must(t, errors.Join(r.Load(), r.Open(), r.Restore(nil, nil)))
	defer func() { _ = r.Close() }()
	got := make(map[frontier.Key][]byte)
	err := r.Skipped.Take(func(SkippedURL) bool { return true }, func(some []SkippedURL) error {
		for _, u := range some {
			got[u.Item.Key()] = u.Item.Meta
		}
		return nil
	})
	if diff := cmp.Diff(skipped, got); err != nil || diff != "" {
		t.Errorf("%v, taken (-want +got):\n%s", err, diff)
	}
}

// A URL that was skipped as the target of a redirect, and is in the frontier since a page or a robots.txt leads to it, was
// not skipped.
func TestRedirectTargetThatIsQueuedIsNotRejected(t *testing.T) {
	f := frontier.NewMemory(nil)
	linked, listed := frontier.Key{URL: "http://a.test/linked"}, frontier.Key{Kind: provenance.KindSitemap, URL: "http://a.test/map"}
	if _, err := f.Add(t.Context(), []frontier.Item{{URL: linked.URL}, {Kind: listed.Kind, URL: listed.URL}}); err != nil {
		t.Fatal(err)
	}
	r := openWriter(t, f)
	for _, key := range []frontier.Key{
		{Kind: provenance.KindRedirect, URL: linked.URL},
		{Kind: provenance.KindRedirect, URL: "http://a.test/other"},
		{Kind: listed.Kind, URL: listed.URL, Owner: "again-21-0"},
		{Kind: listed.Kind, URL: "http://a.test/map2", Owner: "again-21-0"},
	} {
		u := SkippedURL{Item: frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner}, Rejection: output.Rejection{URL: key.URL, Reason: output.TooManyRedirects}}
		must(t, r.Skip([]SkippedURL{u}))
	}
	rejected, err := r.WriteRejected(false, nil)
	if want := map[output.Reason]int{output.TooManyRedirects: 2}; err != nil || !maps.Equal(rejected.Rejected, want) {
		t.Errorf("%v, %v, want %v", rejected.Rejected, err, want)
	}
}
