package storetest

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

var dataChecks = []check{
	{name: "items", run: func(s *subject) {
		s.update(a, frontier.HostUpdate{MaxInFlight: 2})
		want := []frontier.Item{
			{URL: "http://a.test/path?q=1&r=%20", Host: a, Meta: []byte{0, 1, 0xff, '\n', 0}},
			{URL: "http://a.test:8080/", Host: "a.test:8080", Priority: 255},
			{URL: "https://a.test", Host: a},
			{URL: "https://q.test?query", Host: "q.test", Meta: bytes.Repeat([]byte("meta "), 2000)},
			{URL: "http://user:pw@u.test/x", Host: "u.test"},
			{URL: "http://[::1]:81/x", Host: "[::1]:81"},
			{URL: "http://xn--bcher-kva.test/" + string(bytes.Repeat([]byte("long/"), 2000)), Host: "xn--bcher-kva.test"},
			{URL: "http://shared.test/1", Host: "ip:192.0.2.1"},
			{URL: "http://1.shared.test/", Host: "ip:192.0.2.2"},
		}
		given := slices.Clone(want)
		for i := range given[:7] {
			given[i].Host = "" // the default is the host of the URL
		}
		s.addItems(given...)
		byURL := make(map[string]frontier.Item)
		for _, l := range s.leases(frontier.LeaseRequest{Max: 100}) {
			byURL[l.URL] = l.Item
		}
		for _, it := range want {
			if diff := cmp.Diff(it, byURL[it.URL]); diff != "" {
				s.Errorf("leased item differs (-want +got):\n%s", diff)
			}
		}
	}},
	{name: "the caller's bytes are its own", run: func(s *subject) {
		given := []frontier.Item{{URL: one, Meta: []byte("meta")}, {URL: two, Meta: []byte("meta"), NotBefore: s.in(1)}}
		robots := map[string]frontier.Robots{"http://a.test": {Data: []byte("data")}}
		hash := []byte("hash")
		s.addItems(given...)
		s.update(a, frontier.HostUpdate{Robots: robots})
		l := s.lease(one)
		s.finish(l, frontier.Outcome{Result: frontier.Retry, Validators: &frontier.Validators{BodyHash: hash}})
		for _, b := range [][]byte{given[0].Meta, given[1].Meta, robots["http://a.test"].Data, hash, l.Meta, robotsOf(s)} {
			clear(b)
		}
		l = s.lease(one)
		if got := string(l.Meta) + string(hashOf(l)) + string(robotsOf(s)); got != "metahashdata" {
			s.Fatalf("got %q", got)
		}
		clear(l.Meta)
		clear(hashOf(l))
		s.finish(l, frontier.Outcome{Result: frontier.Defer})
		l = s.lease(one)
		if got := string(l.Meta) + string(hashOf(l)); got != "metahash" {
			s.Fatalf("got %q", got)
		}
		s.done(l)
		if l = s.leaseAt(two, given[1].NotBefore); string(l.Meta) != "meta" {
			s.Fatalf("got %+v", l)
		}
	}},
	{name: "host", run: func(s *subject) { checkHost(s, func() {}) }},
	{name: "host after reopening", needs: durable, run: func(s *subject) { checkHost(s, s.reopen) }},
}

// checkHost changes a host's record several times. After each change it calls between and checks
// the record.
func checkHost(s *subject, between func()) {
	const web, secure, dotted = "http://a.test", "https://a.test", "http://a.test."
	since := time.Now().Add(-700 * time.Hour).Truncate(time.Millisecond)
	want := frontier.HostRecord{Host: a, Robots: make(map[string]frontier.Robots)}
	update := func(delay, slots int, u frontier.HostUpdate) {
		s.Helper()
		s.update(a, u)
		want.Delay, want.MaxInFlight = s.units(delay), slots
		maps.Copy(want.Robots, u.Robots)
		between()
		got := s.host(a)
		got.Due, got.Counts = time.Time{}, frontier.Counts{}
		sameTime := cmp.Comparer(func(t, u time.Time) bool { return t.Equal(u) })
		if diff := cmp.Diff(want, got, sameTime, cmpopts.EquateEmpty()); diff != "" {
			s.Fatalf("record (-want +got):\n%s", diff)
		}
	}
	robots := func(records map[string]frontier.Robots) frontier.HostUpdate {
		return frontier.HostUpdate{Robots: records}
	}
	first := robots(map[string]frontier.Robots{web: {FailingSince: since, Data: []byte{'{', 0, 0xff}}})
	first.Delay, first.MaxInFlight = new(s.units(2)), 3
	update(2, 3, first)
	update(0, 3, frontier.HostUpdate{Delay: new(time.Duration(0))})
	update(0, 1, frontier.HostUpdate{MaxInFlight: 1})
	update(0, 1, robots(map[string]frontier.Robots{secure: {Data: []byte("secure")}}))
	s.add(one)
	s.sleep(3)           // a host waits after reopening
	s.done(s.lease(one)) // finishing the last URL of a host keeps the record
	update(0, 1, robots(map[string]frontier.Robots{web: {Data: []byte("plain")}, dotted: {FailingSince: since, Data: []byte("d")}}))
	update(0, 1, robots(map[string]frontier.Robots{web: {}}))
	if r := s.host(b); r.Host != b || r.MaxInFlight != 1 || len(r.Robots) > 0 {
		s.Fatalf("an unknown host has %+v", r)
	}
}

func robotsOf(s *subject) []byte {
	s.Helper()
	return s.host(a).Robots["http://a.test"].Data
}

func hashOf(l frontier.Lease) []byte {
	if l.Validators != nil {
		return l.Validators.BodyHash
	}
	return nil
}
