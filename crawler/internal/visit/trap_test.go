package visit

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/trap"
)

// trapped returns a visitor for which a pattern of a host has had its free pages.
func trapped(f frontier.Frontier, host frontier.Host, urls ...string) *Visitor {
	v := New(Settings{}, &Parts{Parts: discover.Parts{Frontier: f, Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil)}, Traps: trap.New(1)})
	for _, u := range urls {
		v.Traps.Fetched(host, u)
	}
	return v
}

// A counting frontier records the largest number of URLs that it was asked about at a time.
type counting struct {
	*frontier.Memory
	asked int
}

func (c *counting) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	c.asked = max(c.asked, len(keys))
	return c.Memory.Known(ctx, keys)
}

// The trap check reads the links of a page only up to the first new one.
func TestTrapCheckStopsAtTheFirstNewLink(t *testing.T) {
	const host = "a.test"
	f := &counting{Memory: frontier.NewMemory(nil)}
	v := trapped(f, host, "http://"+host+"/?id=1", "http://"+host+"/?id=1")
	var links []frontier.Item
	for i := range 2 * maxLeads {
		links = append(links, frontier.Item{URL: fmt.Sprintf("http://%s/?id=%d", host, i), Host: host})
	}
	if leads, err := v.leadsToNew(links); !leads || err != nil || f.asked > maxLeads {
		t.Errorf("%t, %v: %d URLs were looked at", leads, err, f.asked)
	}
}

// A page has new links even if thousands of known links come first: a menu, or earlier pages of
// the trap.
func TestLeadsToNewURLs(t *testing.T) {
	const host = "https://a.test"
	v := trapped(frontier.NewMemory(nil), host, host+"/x?id=0", host+"/x?id=1")
	items := func(format string) (list []frontier.Item) {
		for i := range 2*maxLeads + 1 {
			list = append(list, frontier.Item{URL: host + fmt.Sprintf(format, i), Host: host})
		}
		return list
	}
	menu, before := items("/menu/%d"), items("/x?id=%d")
	if _, err := v.Frontier.Add(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	door := frontier.Item{URL: host + "/x?id=next", Host: host}
	for _, tt := range []struct {
		name  string
		links []frontier.Item
		want  bool
	}{
		{"the door", []frontier.Item{door}, true},
		{"a menu", menu, false},
		{"pages that are known", before, false},
		{"a menu and the door", append(slices.Clip(menu), door), true},
		{"pages that are known and the door", append(slices.Clip(before), door), true},
	} {
		if got, err := v.leadsToNew(tt.links); err != nil || got != tt.want {
			t.Errorf("%s: leads on: %t, %v", tt.name, got, err)
		}
	}
}
