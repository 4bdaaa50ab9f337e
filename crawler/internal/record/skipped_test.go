package record

import (
	"fmt"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// However many URLs were skipped, Take holds some at a time.
func TestTakeGivesURLsInParts(t *testing.T) {
	const n = 2*batchSize + 7
	s := openRecorder(t, nil).Skipped
	var all []SkippedURL
	for i := range n {
		a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
		all = append(all, SkippedURL{URL: a, Rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: 1}})
	}
	if err := s.Add(all); err != nil {
		t.Fatal(err)
	}
	refuse := func(u SkippedURL) bool {
		t.Errorf("it looks at %s for a scope without URLs", u.URL.Canonical)
		return false
	}
	if err := s.TakeScope(weburl.URL{Server: "other.test", Hostname: "other.test"}, refuse, nil); err != nil {
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
		return s.Add(some[:1]) // which may be skipped again meanwhile, and is not met again
	}
	if err := s.TakeScope(all[n-1].URL, func(SkippedURL) bool { return true }, give); err != nil || len(seen) != n || parts != 3 {
		t.Errorf("%v: %d URLs in %d parts", err, len(seen), parts)
	}
	if len(s.places) != 3 {
		t.Errorf("%d are still there", len(s.places))
	}
}

// Pages may link to ever more URLs that do not belong to the crawl. As many as the limit are
// kept, which is reported once. What is kept already is still updated.
func TestSkippedIsBounded(t *testing.T) {
	s := openRecorder(t, nil).Skipped
	told := 0
	s.limit, s.onFull = 10, func() { told++ }
	for i := range 30 {
		for _, depth := range []int{2, 1} {
			a := weburl.URL{Canonical: fmt.Sprintf("http://h%d.test/", i), Server: frontier.Host(fmt.Sprintf("h%d.test", i)), Hostname: fmt.Sprintf("h%d.test", i)}
			if err := s.Add([]SkippedURL{{URL: a, Rejection: output.Rejection{URL: a.Canonical, Reason: output.OutOfScope, Depth: depth}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var depths []int
	if err := s.each(func(e *entry) error { depths = append(depths, e.Skipped.Depth); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(s.places) != 10 || len(s.outOfScope) != 10 || told != 1 || !slices.Equal(depths, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("%d URLs and %d hosts are kept, depths %v, told %d times", len(s.places), len(s.outOfScope), depths, told)
	}
}
