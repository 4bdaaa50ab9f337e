package quota

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/robotsext"
)

// hostsAsked counts the queries about hosts to a frontier.
type hostsAsked struct {
	frontier.Frontier
	hosts int
}

func (f *hostsAsked) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	f.hosts++
	return f.Frontier.Host(ctx, host)
}

// For a refused host, not every link leads to a query of the frontier, but a later one does:
// another process may have added the host. A host that joins is never refused.
func TestHostLimitRemembersRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &hostsAsked{Frontier: frontier.NewMemory(nil)}
		l := NewHosts(1, lifecycle.New(slog.New(slog.DiscardHandler), nil))
		admits := func(host frontier.Host, want bool, asked int) {
			t.Helper()
			if ok, err := l.Admit(t.Context(), f, host); err != nil || ok != want || f.hosts != asked {
				t.Errorf("%s is admitted: %t, %v; the frontier was asked %d times, want %d", host, ok, err, f.hosts, asked)
			}
		}
		admits("a.test", true, 1)
		for range 10 {
			admits("b.test", false, 2)
		}
		for i := range 2 * maxKnownHosts {
			if _, err := l.Admit(t.Context(), f, frontier.Host(fmt.Sprintf("h%d.test", i))); err != nil {
				t.Fatal(err)
			}
		}
		if len(l.refused) > maxKnownHosts {
			t.Errorf("%d are remembered", len(l.refused))
		}
		asked := f.hosts
		admits("c.test", false, asked+1)
		l.Join("c.test")
		admits("c.test", true, asked+1)
		admits("d.test", false, asked+2)
		if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://d.test/"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(refusedFor)
		admits("d.test", true, asked+3)
	})
}

// A host counts once, also when it is forgotten in between.
func TestHostLimitCountsOnce(t *testing.T) {
	f := frontier.NewMemory(nil)
	told := 0
	l := NewHosts(3, lifecycle.New(slog.New(slog.DiscardHandler), notice.New(func(string) { told++ })))
	admits := func(host frontier.Host, want bool) {
		t.Helper()
		if ok, err := l.Admit(t.Context(), f, host); err != nil || ok != want {
			t.Errorf("%s is admitted: %t, %v", host, ok, err)
		}
	}
	for _, host := range []frontier.Host{"a.test", "b.test"} {
		if _, err := f.Add(t.Context(), []frontier.Item{{URL: "http://" + string(host) + "/"}}); err != nil {
			t.Fatal(err)
		}
		admits(host, true)
	}
	admits("c.test", true)
	admits("d.test", false)
	admits("e.test", false)
	clear(l.known)
	admits("a.test", true)
	if l.limit = 0; told != 1 {
		t.Errorf("told %d times", told)
	}
	admits("e.test", true)
}

// The limit of hosts remembers some of them.
func TestKnownHostsAreBounded(t *testing.T) {
	l, f := &Hosts{limit: 1 << 30}, frontier.NewMemory(nil)
	for i := range maxKnownHosts + 10 {
		if ok, err := l.Admit(t.Context(), f, frontier.Host(fmt.Sprintf("h%d.test", i))); !ok || err != nil {
			t.Fatal(err)
		}
	}
	if n := len(l.known); n == 0 || n > maxKnownHosts {
		t.Errorf("%d are remembered", n)
	}
}

// Each key has a limit of its own. A key that nobody uses takes no memory.
func TestConcurrentIsLimitedByKey(t *testing.T) {
	c := NewConcurrent[string](2)
	first, ok1 := c.Acquire("a")
	second, ok2 := c.Acquire("a")
	_, third := c.Acquire("a")
	other, ok3 := c.Acquire("b")
	if !ok1 || !ok2 || third || !ok3 {
		t.Errorf("a: %t, %t, %t; b: %t", ok1, ok2, third, ok3)
	}
	first()
	first() // a second time has no effect
	if len(c.used) != 2 || c.used["a"] != 1 {
		t.Errorf("in use: %v", c.used)
	}
	second()
	other()
	if len(c.used) != 0 {
		t.Errorf("in use: %v", c.used)
	}
}

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
