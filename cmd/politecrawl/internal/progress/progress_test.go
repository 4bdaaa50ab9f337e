package progress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A playedCrawl is a crawl that does what a test wants to see shown.
type playedCrawl struct {
	status func() (*crawler.Status, error)
	hosts  map[frontier.Host]frontier.HostRecord
}

func (c *playedCrawl) Status() (*crawler.Status, error) { return c.status() }

func (c *playedCrawl) Host(_ context.Context, host frontier.Host) (frontier.HostRecord, error) {
	return c.hosts[host], nil
}

// TestProgressLines holds what is said where there is no terminal, and how often: here of a
// crawl that was resumed.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said clitest.Buffer
		p := New(&said)
		counts := []int{90, 120, 0, 240} // of pages, the first when the view begins
		c := &playedCrawl{hosts: map[frontier.Host]frontier.HostRecord{
			"a": {Delay: 10 * time.Second, MaxInFlight: 1, Counts: frontier.Counts{Pending: 599, InFlight: 1}},
			"b": {Delay: time.Second, MaxInFlight: 1, Due: time.Now().Add(time.Hour), Counts: frontier.Counts{Pending: 6660}},
		}}
		c.status = func() (*crawler.Status, error) {
			pages := counts[0]
			counts = counts[1:]
			switch pages {
			case 0:
				return nil, errors.New("the frontier is closed")
			case 240:
				c.hosts = nil // done with
				s := &crawler.Status{Summary: crawler.Summary{Pages: pages, Hosts: 1, Statuses: map[int]int{200: 200, 404: 30, 500: 10}, Waiting: []string{"http://a"}, Checks: map[output.CheckResult]int{output.CheckOK: 7, output.CheckBroken: 2}}}
				s.Remaining, s.NextDue, s.Frontier = 7, time.Now().Add(90*time.Minute), frontier.Stats{Counts: frontier.Counts{URLs: 247}}
				return s, nil
			}
			s := &crawler.Status{Summary: crawler.Summary{Pages: pages, Hosts: 2, Rejected: map[output.Reason]int{output.Disallowed: 3, output.Nofollow: 1}}}
			s.Remaining, s.Frontier = 7260, frontier.Stats{Counts: frontier.Counts{URLs: 9000, InFlight: 2}}
			return s, nil
		}
		p.Begin(c, NewHostList([]string{"http://a/x", "http://b:80/"}), 0)
		time.Sleep(3*linesEvery + time.Second)
		p.End()
		time.Sleep(time.Hour)
		want := []string{
			"pages: 120, 1.0/s, 9000 URLs known, 2h50m remaining at this delay; hosts: 2, 1 active, 1 waiting, 2 in flight; skipped: 4 (disallowed: 3, nofollow: 1)",
			"pages: 240, 2.0/s, 247 URLs known, 4s remaining at this rate; hosts: 1, 0 active, 0 waiting, 1 deferred (robots.txt unreachable), 0 in flight, next request in 1h30m; checks: 9, 2 broken; errors: 40 (status 404: 30, 500: 10)",
			"",
		}
		clitest.WantEqual(t, "the result", want, strings.Split(said.String(), "\n"))
	})
}

func TestRateOfOneSampleIsZero(t *testing.T) {
	if got := New(io.Discard).rate(sample{time.Now(), 5}); got != 0 {
		t.Errorf("%v", got)
	}
}

func TestStatusLines(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	status := func(change func(*crawler.Status)) *crawler.Status {
		s := &crawler.Status{Summary: crawler.Summary{Pages: 10, Hosts: 3, Remaining: 100}, Frontier: frontier.Stats{Counts: frontier.Counts{URLs: 110, InFlight: 1}}}
		change(s)
		return s
	}
	idle := func(s *crawler.Status) { s.Frontier.InFlight, s.NextDue = 0, now.Add(20*time.Second) }
	for _, tt := range []struct {
		name string
		r    reading
		want []string
	}{
		{"slower than its hosts ask for", reading{Status: status(func(*crawler.Status) {}), rate: 0.5, hosts: hostCounts{known: true, active: 1, quiet: 90 * time.Second}},
			[]string{"pages: 10, 0.5/s, 110 URLs known, 3m remaining at this delay", "hosts: 3, 1 active, 0 waiting, 1 in flight"}},
		{"too many hosts to ask", reading{Status: status(func(*crawler.Status) {}), rate: 50},
			[]string{"pages: 10, 50.0/s, 110 URLs known, 2s remaining at this rate", "hosts: 3, 1 in flight"}},
		{"a limit comes first", reading{Status: status(func(*crawler.Status) {}), rate: 0.5, limit: 20, hosts: hostCounts{known: true, active: 1, quiet: time.Hour}},
			[]string{"pages: 10, 0.5/s, 110 URLs known, 20s remaining at this rate", "hosts: 3, 1 active, 0 waiting, 1 in flight"}},
		{"a limit is reached", reading{Status: status(func(*crawler.Status) {}), rate: 0.5, limit: 10},
			[]string{"pages: 10, 0.5/s, 110 URLs known", "hosts: 3, 1 in flight"}},
		{"the next host", reading{Status: status(idle), hosts: hostCounts{known: true, waiting: 3, next: "https://example.com", due: now.Add(20 * time.Second)}},
			[]string{"pages: 10, 0.0/s, 110 URLs known", "hosts: 3, 0 active, 3 waiting, 0 in flight, next request to https://example.com in 20s"}},
		{"the next host is another", reading{Status: status(idle), hosts: hostCounts{known: true, waiting: 3, next: "https://example.com", due: now.Add(time.Minute)}},
			[]string{"pages: 10, 0.0/s, 110 URLs known", "hosts: 3, 0 active, 3 waiting, 0 in flight, next request in 20s"}},
		{"paused", reading{Status: status(func(s *crawler.Status) { idle(s); s.Paused = true }), rate: 2, hosts: hostCounts{known: true, waiting: 3, next: "https://h", due: now, quiet: time.Hour}},
			[]string{"paused: 10 pages, 110 URLs known", "hosts: 3, 0 active, 3 waiting, 0 in flight"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.now = now
			clitest.WantEqual(t, "the result", tt.want, tt.r.lines())
		})
	}
}

// TestHostList holds how hosts are counted, and that those that are done with leave.
func TestHostList(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := NewHostList([]string{"HTTP://A:80/x", "no URL", "http://a/"})
	sink := clitest.Must(r.Format().Open("", nil))(t)
	if err := sink.Write(&output.Results{
		Robots: []*output.Robots{{Origin: "http://b"}, {Origin: "http://later"}},
		Pages:  []*output.Page{{URL: "http://c/x"}, {URL: "http://done/"}, {URL: "http://told/"}},
	}); err != nil {
		t.Fatal(err)
	}
	records := map[frontier.Host]frontier.HostRecord{
		"a":     {Delay: time.Second, MaxInFlight: 1, Counts: frontier.Counts{InFlight: 1, Pending: 9}},
		"b":     {Delay: 2 * time.Second, MaxInFlight: 4, Due: now.Add(3 * time.Second), Counts: frontier.Counts{Pending: 8}},
		"c":     {Delay: time.Second, MaxInFlight: 1, Due: now.Add(5 * time.Second), Counts: frontier.Counts{Scheduled: 1}},
		"told":  {Delay: time.Second, MaxInFlight: 1, BlockedUntil: now.Add(time.Minute), Counts: frontier.Counts{Pending: 1}},
		"later": {Delay: time.Second, MaxInFlight: 1, BlockedUntil: now.Add(time.Hour), Counts: frontier.Counts{Pending: 1000}},
		"done":  {Counts: frontier.Counts{Done: 1}},
	}
	asked := 0
	ask := func(host frontier.Host) (frontier.HostRecord, error) {
		asked++
		return records[host], nil
	}
	want := hostCounts{known: true, active: 1, waiting: 3, later: 1, next: "b", due: now.Add(3 * time.Second), quiet: time.Minute}
	for i, n := range []int{6, 5} { // the second time without the one that is done with
		if got := r.look(ask, []string{"http://later"}, now); got != want || asked != n {
			t.Errorf("look %d: %d hosts asked for, want %d; %+v, want %+v", i+1, asked, n, got, want)
		}
		asked = 0
	}
	if got := r.look(func(frontier.Host) (frontier.HostRecord, error) { return frontier.HostRecord{}, frontier.ErrClosed }, nil, now); got != (hostCounts{}) {
		t.Errorf("where nobody can say: %+v", got)
	}
	delete(records, "b")
	delete(records, "c")
	delete(records, "told")
	want = hostCounts{known: true, active: 1, later: 1, next: "later", due: now.Add(time.Hour), quiet: 9 * time.Second}
	if got := r.look(ask, []string{"http://later"}, now); got != want {
		t.Errorf("only a later host is left beside one that is asked: %+v, want %+v", got, want)
	}
}

// TestHostListOfManyHosts holds that a list of too many hosts is bounded, asks for no
// more of them at a time, and says again how they stand when most are done with.
func TestHostListOfManyHosts(t *testing.T) {
	r := NewHostList([]string{"http://left/"})
	for i := range 10 * maxKnown {
		r.add(fmt.Sprintf("http://h%d/", i))
	}
	if len(r.hosts) != maxKnown {
		t.Errorf("it has %d hosts", len(r.hosts))
	}
	asked := 0
	ask := func(host frontier.Host) (frontier.HostRecord, error) {
		asked++
		if host == "left" {
			return frontier.HostRecord{MaxInFlight: 1, Counts: frontier.Counts{InFlight: 1}}, nil
		}
		return frontier.HostRecord{Counts: frontier.Counts{Done: 1}}, nil
	}
	want := hostCounts{known: true, active: 1}
	for range maxKnown/maxAsked + 2 {
		asked = 0
		got := r.look(ask, nil, time.Now())
		if asked > maxAsked {
			t.Fatalf("%d hosts were asked for at once", asked)
		}
		if got.known {
			if got != want || len(r.hosts) != 1 {
				t.Errorf("%+v of %d hosts, want %+v", got, len(r.hosts), want)
			}
			return
		}
	}
	t.Errorf("%d hosts are left and nothing is known", len(r.hosts))
}

// TestProgressView holds that what is said stands above the view, and that the view
// is gone at the end.
func TestProgressView(t *testing.T) {
	var said clitest.Buffer
	p := &View{out: &said, stop: make(chan struct{})}
	p.draw("", []string{"one", "two"})
	_, _ = p.Write([]byte("note\n"))
	p.draw("", []string{"three"})
	p.End()
	_, _ = p.Write([]byte("after\n"))
	if want := "one\ntwo\n\x1b[2A\x1b[Jnote\none\ntwo\n\x1b[2A\x1b[Jthree\n\x1b[1A\x1b[Jafter\n"; said.String() != want {
		t.Errorf("got %q, want %q", said.String(), want)
	}
}
