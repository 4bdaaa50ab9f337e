package quota

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
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
