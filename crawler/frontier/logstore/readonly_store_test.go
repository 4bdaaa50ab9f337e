package logstore

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func TestOpenReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const a, b = "http://a.test", "http://b.test"
		const hostA, hostB = frontier.Host("a.test"), frontier.Host("b.test")
		dir := t.TempDir()
		s := open(t, dir, nil)
		later := time.Now().Add(time.Hour)
		addItems(t, s,
			frontier.Item{URL: a + "/1", Priority: 3, Meta: []byte("one")},
			frontier.Item{URL: a + "/2"},
			frontier.Item{URL: b + "/1", NotBefore: later, Meta: []byte("later")},
			frontier.Item{URL: b + "?2", Priority: 9},
			frontier.Item{URL: "http://1.b.test/", Host: hostB},
			frontier.Item{URL: "http://c.test/1"})
		v := &frontier.Validators{ETag: "e", LastModified: "l", BodyHash: []byte{1}}
		finish(t, s, leaseURL(t, s, a+"/2"), frontier.Outcome{
			Result: frontier.Done, Validators: v, HostDelay: time.Minute, Links: itemsOf(a+"/3", a+"/1"),
		})
		due := time.Now().Add(time.Minute)
		finish(t, s, leaseURL(t, s, "http://1.b.test/"), frontier.Outcome{
			Result: frontier.Done, NotBefore: later.Add(time.Hour), Validators: v,
		})
		finish(t, s, leaseURL(t, s, "http://c.test/1"), frontier.Outcome{Result: frontier.Drop})
		leaseURL(t, s, b+"?2") // never finished
		if err := s.UpdateHost(t.Context(), hostB, frontier.HostUpdate{
			Delay: new(2 * time.Second), MaxInFlight: 4, BlockUntil: later,
			Robots: map[string]frontier.Robots{"http://a.test": {FailingSince: due, Data: []byte("r")}},
		}); err != nil {
			t.Fatal(err)
		}
		closeStore(t, s)

		check(t, dir)
		view, err := OpenReadOnly(dir)
		must(t, err)
		defer view.Close()
		item := func(url string, host frontier.Host, priority uint8, at time.Time, meta string) frontier.Item {
			return frontier.Item{URL: url, Host: host, Priority: priority, NotBefore: at, Meta: bytes.Clone([]byte(meta))}
		}
		var never time.Time
		want := []URL{
			{Item: item(a+"/3", hostA, 0, due, ""), State: Pending},
			{Item: item(a+"/1", hostA, 3, due, "one"), State: Pending},
			{Item: item(b+"?2", hostB, 9, later, ""), State: Pending, Attempts: 1},
			{Item: item(b+"/1", hostB, 0, later, "later"), State: Scheduled},
			{Item: item("http://1.b.test/", hostB, 0, later.Add(time.Hour), ""), State: Scheduled, Validators: v},
			{Item: item(a+"/2", hostA, 0, never, ""), State: Done, Validators: v},
			{Item: item("http://c.test/1", "c.test", 0, never, ""), State: Dropped},
		}
		for range 2 { // reading changes nothing
			var got []URL
			for u, err := range view.URLs() {
				must(t, err)
				if len(u.Meta) == 0 {
					u.Meta = []byte{}
				}
				got = append(got, u)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("URLs (-want +got):\n%s", diff)
			}
		}
		n := 0
		for _, err := range view.URLs() {
			must(t, err)
			if n++; n == 4 {
				break
			}
		}
		wantHosts := []frontier.HostRecord{
			{Host: hostA, MaxInFlight: 1, Due: due, Counts: frontier.Counts{URLs: 3, Pending: 2, Done: 1}},
			{Host: "c.test", MaxInFlight: 1, Counts: frontier.Counts{URLs: 1, Dropped: 1}},
			{
				Host: hostB, Delay: 2 * time.Second, MaxInFlight: 4, BlockedUntil: later, Due: later,
				Robots: map[string]frontier.Robots{"http://a.test": {FailingSince: due, Data: []byte("r")}},
				Counts: frontier.Counts{URLs: 3, Pending: 1, Scheduled: 2},
			},
		}
		var hosts []frontier.HostRecord
		for h, err := range view.Hosts() {
			must(t, err)
			hosts = append(hosts, h)
		}
		if diff := cmp.Diff(wantHosts, hosts); diff != "" {
			t.Errorf("Hosts (-want +got):\n%s", diff)
		}
		for _, err := range view.Hosts() {
			must(t, err)
			break
		}
	})
}
