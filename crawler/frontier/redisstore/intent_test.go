//go:build unix

package redisstore

import (
	"errors"
	"fmt"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// A worker dies after it has stored the intent of a Finish, and before it has ended the leases of the
// shards whose keys it may not use here. The next worker of its name ends them, once.
func TestOpenCompletesIntent(t *testing.T) {
	for name, permitted := range map[string][]int{"no shard was reached": {}, "one shard was reached": {0}, "all shards were reached": {0, 1}} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			opts := Options{CrawlName: "test", WorkerName: "w", Shards: 2, RetryTimeout: -1}
			s, err := Open(t.Context(), server.URL(), &opts)
			must(t, err)
			addItems(t, s, testItems("a", 20))
			outcomes := make([]frontier.Outcome, 0, 20)
			for len(outcomes) < cap(outcomes) {
				leases, err := s.Lease(t.Context(), frontier.LeaseRequest{Max: cap(outcomes)})
				must(t, err)
				for _, l := range leases {
					outcomes = append(outcomes, frontier.Outcome{Lease: l.ID, Result: frontier.Done})
				}
			}
			// A transaction has its key in a shard; the intent has that of the state.
			rules := []string{"ACL", "SETUSER", "default", "resetkeys", "~" + s.layout.in(s.home, "[^l]*")}
			for _, shard := range permitted {
				rules = append(rules, "~"+s.layout.in(shard, "*"))
			}
			server.Do(t, rules...)
			_, err = s.Finish(t.Context(), outcomes, []byte("note"))
			if done := len(permitted) == 2; done != (err == nil) || !done && !errors.Is(err, ErrPermission) {
				t.Errorf("Finish: %v", err)
			}
			s.stop()
			s.client.Close()
			server.Do(t, "ACL", "SETUSER", "default", "~*")

			s = openTest(t, server.URL(), opts)
			st, err := s.Stats(t.Context())
			note, noted := s.Note(t.Context())
			if got := fmt.Sprintf("%+v %q", st.Counts, note); got != fmt.Sprintf("%+v %q", frontier.Counts{URLs: 20, Done: 20}, "note") || err != nil || noted != nil {
				t.Errorf("after the next Open: %s, %v, %v", got, err, noted)
			}
		})
	}
}
