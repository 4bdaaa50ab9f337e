package faultsite

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A host notices pages before its robots.txt, during an outage of it, and against it.
func TestPermission(t *testing.T) {
	unreachable := slices.IndexFunc(Faults(), func(f *Fault) bool { return f.Robots.Outcome == Unreachable })
	sound, away := &host{}, &host{Place: Place{Host: Host{Kind: Robots}}, fault: Faults()[unreachable], ledger: ledger{number: 2}}
	known := &host{ledger: ledger{known: true}}
	for _, tc := range []struct {
		host *host
		path string
		want testserver.Kind
	}{
		{sound, frontPath, testserver.BeforeRobots}, {away, frontPath, testserver.WhileUnreachable},
		{known, closedPath + "page", testserver.DisallowedURL}, {known, frontPath, ""}, {away, robotsPath, ""}, {sound, robotsPath, ""}, {sound, frontPath, ""},
	} {
		var got testserver.Kind
		for _, f := range tc.host.permission(testserver.Request{Method: http.MethodGet}, tc.path) {
			got = f.Kind
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.path, got, tc.want)
		}
	}
}

// A client that has left has no concurrent requests when it sends the next one, however long the
// site continues its first response. A client that is still there has.
func TestResponseWithoutClient(t *testing.T) {
	for _, tc := range []struct {
		name  string
		stays bool
		want  []testserver.Kind
	}{
		{"its client has left", false, nil},
		{"its client waits for it", true, []testserver.Kind{testserver.Overlap}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &Site{report: Report{Faults: make(map[string]int)}}
			h := &host{ledger: ledger{known: true}}
			begin := func(path string) *exchange {
				return s.newExchange(h, &peer{left: make(chan struct{})}, httptest.NewRequest(http.MethodGet, path, nil), 1)
			}
			end := func(x *exchange) {
				x.over(http.StatusOK, 0)
				s.note(x)
			}
			slow := begin(frontPath)
			if !tc.stays {
				close(slow.peer.left)
			}
			end(begin(afterPath))
			end(slow)

			var got []testserver.Kind
			for _, v := range s.Report().Violations {
				got = append(got, v.Kind)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("violations %v, want %v", got, tc.want)
			}
		})
	}
}
