package monitor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
)

// An asked is a crawl that counts the hosts it was queried for.
type asked struct {
	Crawl
	hosts int
}

func (a *asked) Host(context.Context, frontier.Host) (frontier.HostRecord, error) {
	a.hosts++
	return frontier.HostRecord{}, nil
}

// With many hosts, only the shown ones are queried, and lists do not grow.
func TestRowsOfHostsAreBounded(t *testing.T) {
	list := make([]host, 10*(maxHostRows+maxRecent))
	for i := range list {
		list[i] = host{origin: fmt.Sprintf("http://%d.example", i), robots: new(robotsRow)}
	}
	crawl := new(asked)
	if rows, records := hostRows(t.Context(), crawl, list, time.Now()); len(rows) != maxHostRows || len(records) != maxHostRows || crawl.hosts != maxHostRows {
		t.Errorf("%d rows, %d records, %d hosts were asked for; want %d", len(rows), len(records), crawl.hosts, maxHostRows)
	}
	if rows := robotsRows(list); len(rows) != maxRecent {
		t.Errorf("%d rows of robots.txt, want %d", len(rows), maxRecent)
	}
}

// A robots.txt that redirects to a blocked address is shown differently from an unreachable one.
func TestRefusedRobots(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		robots        output.Robots
		outcome, says string
	}{
		{output.Robots{Error: "address 10.0.0.1 is not allowed (private)"}, "blocked-address", "at a blocked address: address 10.0.0.1 is not allowed (private)"},
		{output.Robots{Error: "status 503", Status: 503, RetryAt: now.Add(time.Minute)}, "unreachable", "cannot be reached"},
	} {
		r := &tt.robots
		r.Origin, r.URL, r.Outcome, r.FetchedAt = "http://h", "http://h/robots.txt", "unreachable", now
		w := newTestWatch(new(monitortest.Crawl))
		if err := w.Write(&output.Results{Robots: []*output.Robots{r}}); err != nil {
			t.Fatal(err)
		}
		if row := robotsRowOf(r, "bot"); row.Outcome != tt.outcome {
			t.Errorf("%+v: outcome %q, want %q", r, row.Outcome, tt.outcome)
		}
		if errors := w.errors.list(); len(errors) != 1 || !strings.Contains(errors[0].Message, tt.says) {
			t.Errorf("%+v: errors %+v, want %q", r, errors, tt.says)
		}
	}
}

// TestRobotsOfAnEarlierProcess: robots.txt files that the frontier has stored are shown.
func TestRobotsOfAnEarlierProcess(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(&robotsext.Record{
		Origin: "http://h", Outcome: robotsext.OutcomeRules, Status: 200, Body: []byte("User-agent: *\nCrawl-delay: 3\nDisallow: /x\n"),
		FetchedAt: at, ExpiresAt: at.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	hosts := map[frontier.Host]frontier.HostRecord{
		"h":    {Robots: map[string]frontier.Robots{"http://h": {Data: data}}},
		"torn": {Robots: map[string]frontier.Robots{"http://torn": {Data: data[:9]}}}, "none": {},
	}
	f := monitortest.New(monitortest.AtWork())
	f.Change(func(s *monitortest.State) { s.Hosts = hosts })
	w := newTestWatch(f)
	w.enter()
	for host := range hosts {
		if err := w.Write(&output.Results{Pages: []*output.Page{{URL: "http://" + string(host) + "/", Status: 200}}}); err != nil {
			t.Fatal(err)
		}
	}
	w.refresh(false)
	w.refresh(false)
	want := []robotsRow{{
		FetchedAt: at, Host: address{"http://h", "http://h"}, Outcome: "rules", Status: 200, Group: "*", Rules: 1, CrawlDelay: plan.Millis(3 * time.Second), NextFetchAt: at.Add(time.Hour),
	}}
	var got []robotsRow
	if err := json.Unmarshal(w.events.parts[partRobots], &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
