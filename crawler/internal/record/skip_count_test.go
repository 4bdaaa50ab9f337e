package record

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Whichever comes first, that a URL is skipped or that it is added to the frontier: in the
// end it does not count, and no moment counts it twice.
func TestSkippedURLInTheFrontier(t *testing.T) {
	const page = "http://a.test/x"
	key := provenance.SitemapKey(page)
	listed := provenance.Provenance{Source: provenance.Sitemap, SitemapOf: "http://a.test"}
	skip := func(reason output.Reason, t provenance.Provenance) []SkippedURL {
		return []SkippedURL{{Rejection: output.Rejection{URL: page, Reason: reason, Depth: 1}, Item: frontier.Item{URL: page, Meta: t.Encode()}}}
	}
	found := provenance.Provenance{Source: provenance.Link}
	add := func(s *Skipped, url string) { s.SetInFrontier([]frontier.Item{{URL: url}}) }
	for _, tt := range []struct {
		name  string
		known bool
		asked func(s *Skipped) // while the frontier answers
		then  func(t *testing.T, s *Skipped)
		want  []string
	}{
		{name: "it is not there", want: []string{"max-depth 1"}},
		{name: "it was there", known: true},
		{name: "it is added while the frontier is asked", asked: func(s *Skipped) { add(s, page) }},
		{name: "it is added later, twice", then: func(_ *testing.T, s *Skipped) { add(s, page); add(s, page) }, want: []string{"max-depth 1", "max-depth -1"}},
		{name: "a sitemap of the URL is added", then: func(_ *testing.T, s *Skipped) { add(s, key) }, want: []string{"max-depth 1"}},
		{name: "it is skipped twice", want: []string{"max-depth 1"}, then: func(t *testing.T, s *Skipped) {
			if err := s.Add(append(skip(output.MaxDepth, found), skip(output.Nofollow, found)...)); err != nil {
				t.Error(err)
			}
		}},
		{name: "it is taken", want: []string{"max-depth 1", "max-depth -1"}, then: func(t *testing.T, s *Skipped) {
			if err := s.Take(func(SkippedURL) bool { return true }, func([]SkippedURL) error { return nil }); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := openRecorder(t, nil).Skipped
			var got []string
			s.onCount = func(r *output.Rejection, change int) { got = append(got, fmt.Sprint(r.Reason, " ", change)) }
			s.inFrontier = func(urls []string) ([]bool, error) {
				if tt.asked != nil {
					tt.asked(s)
				}
				return slices.Repeat([]bool{tt.known}, len(urls)), nil
			}
			if err := s.Add(skip(output.MaxDepth, found)); err != nil {
				t.Fatal(err)
			}
			if tt.then != nil {
				tt.then(t, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a page of the URL of a sitemap is added", func(t *testing.T) {
		s, counted := openRecorder(t, nil).Skipped, 0
		s.onCount = func(_ *output.Rejection, change int) { counted += change }
		if err := s.Add(skip(output.NotAuthorized, listed)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			url  string
			want int
		}{{page, 1}, {key, 0}} {
			if add(s, step.url); counted != step.want {
				t.Errorf("%d count when %s is added, want %d", counted, step.url, step.want)
			}
		}
	})
}
