package quota

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Each origin has limits of its own for files, for files of others, and for pages. What an
// earlier process read counts.
func TestSitemapsAreCountedByOrigin(t *testing.T) {
	var full []string
	l := NewSitemaps(2, 3, lifecycle.New(slog.New(slog.DiscardHandler), notice.New(func(line string) { full = append(full, line[:len("http://a.test")]) })))
	l.Count("http://b.test", 2)
	var seen [3]bool
	for range 2 { // an index that is read again
		for i, want := range []bool{true, true, false} {
			fresh := l.TakeOtherHost("http://a.test", fmt.Sprintf("http://b.test/%d.xml", i))
			if fresh != (want && !seen[i]) {
				t.Errorf("sitemap %d of another host: %t", i+1, fresh)
			}
			seen[i] = true
		}
	}
	for _, step := range []struct {
		name string
		take func(robotsext.Origin) bool
		of   robotsext.Origin
		want []bool
	}{
		{"files", l.Take, "http://a.test", []bool{true, true, false, false}},
		{"files of one resumed", l.Take, "http://b.test", []bool{true, false}},
		{"pages", l.TakePage, "http://a.test", []bool{true, true, true, false}},
		{"pages of one resumed", l.TakePage, "http://b.test", []bool{true, false}},
	} {
		for i, want := range step.want {
			if got := step.take(step.of); got != want {
				t.Errorf("%s of %s: %t for number %d", step.name, step.of, got, i+1)
			}
		}
	}
	if want := []string{"http://a.test", "http://b.test"}; !slices.Equal(full, want) || l.Listed("http://a.test") != 4 {
		t.Errorf("full: %v; %d files listed", full, l.Listed("http://a.test"))
	}
	spent := l.Exhausted("http://a.test")
	if l.GiveBack("http://a.test", 1); !spent || l.Exhausted("http://a.test") || !l.TakePage("http://a.test") {
		t.Errorf("spent %t before a page is given back, %t after", spent, l.Exhausted("http://a.test"))
	}
	unlimited := NewSitemaps(1, 0, nil)
	for range 2 {
		if !unlimited.TakePage("http://a.test") || unlimited.Exhausted("http://a.test") {
			t.Error("without a limit of pages one is kept")
		}
	}
}
