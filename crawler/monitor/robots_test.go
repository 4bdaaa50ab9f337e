package monitor

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// TestRobotsOfAnEarlierProcess takes what the frontier has kept.
func TestRobotsOfAnEarlierProcess(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(&robotsext.Record{
		Origin: "http://h", Outcome: robotsext.Rules, Status: 200, Body: []byte("User-agent: *\nCrawl-delay: 3\nDisallow: /x\n"),
		FetchedAt: at, ExpiresAt: at.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{status: atWork(), hosts: map[frontier.Host]frontier.HostRecord{
		"h":    {Robots: map[string]frontier.Robots{"http://h": {Data: data}}},
		"torn": {Robots: map[string]frontier.Robots{"http://torn": {Data: data[:9]}}}, "none": {},
	}}
	w := newTestWatch(f)
	w.enter()
	for host := range f.hosts {
		if err := w.Write(&output.Found{Pages: []*output.Page{{URL: "http://" + string(host) + "/", Status: 200}}}); err != nil {
			t.Fatal(err)
		}
	}
	w.look(false)
	w.look(false)
	want := []robotsRow{{
		At: at, Host: address{"http://h", "http://h"}, Outcome: "rules", Status: 200, Group: "*", Rules: 1, Delay: 3, Until: at.Add(time.Hour),
	}}
	var got []robotsRow
	if err := json.Unmarshal(w.board.parts[partRobots], &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
