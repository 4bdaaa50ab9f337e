package redisstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// operation matches the number of keys of a script, its key, and the operation.
var operation = regexp.MustCompile(` "1" "[^"]*" "(\w+)"`)

// commandsOf returns the commands that a server receives while do runs: their names, for a script with its
// operation and what it calls itself.
func commandsOf(t *testing.T, server *redistest.Server, do func()) (commands []string) {
	t.Helper()
	monitor, err := net.Dial("tcp", server.Addr)
	must(t, err)
	defer monitor.Close()
	must(t, monitor.SetDeadline(time.Now().Add(time.Minute)))
	lines := bufio.NewScanner(monitor)
	lines.Buffer(nil, 1<<20)
	if _, err := fmt.Fprint(monitor, "MONITOR\r\n"); err != nil || !lines.Scan() {
		t.Fatal(err, lines.Err())
	}
	do()
	server.Do(t, "ECHO", "end")
	for lines.Scan() {
		from, text, _ := strings.Cut(lines.Text(), "] ")
		words := strings.Split(text, " ")
		name := strings.ToLower(strings.Trim(words[0], `"`))
		switch {
		case name == "echo":
			return commands
		case strings.HasSuffix(from, " lua"):
			if last := len(commands) - 1; name != "time" {
				commands[last] += " " + name
			}
		case name == "evalsha", name == "eval" && strings.HasPrefix(text, `"EVAL" "local CRAWL`):
			commands = append(commands, name+" "+operation.FindStringSubmatch(text)[1]+":")
		case name == "unlink" && commands[len(commands)-1] == name: // for each key
		case slices.Contains([]string{"hello", "client", "ping", "auth"}, name):
		default:
			commands = append(commands, name)
		}
	}
	t.Fatal(lines.Err())
	return nil
}

// The scripts of a crawl call commands that ACLs name (doc.go), and round trips cost time, so a change of
// this list is a decision.
func TestCommandsInOrder(t *testing.T) {
	for _, shards := range []int{1, 2} {
		server := redistest.Start(t)
		ctx := context.Background()
		opts := &Options{WorkerName: "w", Shards: shards}
		var s *Store
		var err error
		var hosts []frontier.Host // one in each shard; the worker's note is in the first
		var items []frontier.Item
		var leases []frontier.Lease
		steps := []struct {
			name string
			do   func()
		}{
			{"open", func() {
				if s, err = Open(ctx, server.URL(), opts); err != nil {
					t.Fatal(err)
				}
				for n := 0; len(hosts) < shards; n++ {
					if h := frontier.Host(fmt.Sprintf("h%d.example", n)); s.layout.shard(h) == len(hosts) {
						hosts = append(hosts, h)
						items = append(items, frontier.Item{URL: "http://" + string(h) + "/"})
					}
				}
			}},
			{"add", func() { _, err = s.Add(ctx, items) }},
			{"lease", func() { leases, err = s.Lease(ctx, frontier.LeaseRequest{Max: shards}) }},
			{"extend", func() { err = s.Extend(ctx, []frontier.LeaseID{leases[0].ID}, time.Hour) }},
			{"finish", func() {
				last := leases[slices.IndexFunc(leases, func(l frontier.Lease) bool { return l.Host == hosts[shards-1] })]
				link := frontier.Item{URL: last.URL + "a", Priority: 1}
				_, err = s.Finish(ctx, []frontier.Outcome{{Lease: last.ID, Result: frontier.Done, Links: []frontier.Item{link}, Validators: &frontier.Validators{ETag: "e"}}}, []byte("note"))
			}},
			{"revisit", func() { _, err = s.Revisit(ctx, items[shards-1:]) }},
			{"hold", func() {
				var release func(time.Duration)
				if release, err = s.Hold(ctx, hosts[shards-1]); err == nil {
					release(time.Nanosecond)
				}
			}},
			{"host", func() { _, err = s.Host(ctx, hosts[0]) }},
			{"update", func() {
				delay := time.Hour
				err = s.UpdateHost(ctx, hosts[0], frontier.HostUpdate{Delay: &delay, MaxInFlight: 2, BlockUntil: time.Now().Add(time.Hour), Robots: map[string]frontier.Robots{"http://o": {}}})
			}},
			{"stats", func() { _, err = s.Stats(ctx) }},
			{"known", func() { _, err = s.Known(ctx, []frontier.Key{items[0].Key()}) }},
			{"note", func() { _, err = s.Note(ctx) }},
			{"waiting", func() {
				for _, e := range s.Waiting(ctx) {
					err = e
				}
			}},
			{"publish", func() { err = s.Publish(ctx, []byte("m")) }},
			{"sync", func() { _, err = s.Sync(ctx, []byte("status"), 0) }},
			{"reserve", func() { _, err = s.Reserve(ctx, "c", 2, 10) }},
			{"set reserved", func() { err = s.SetReserved(ctx, map[string]int64{"c": 1}) }},
			{"close", func() { err = s.Close() }},
			{"delete", func() { err = Delete(ctx, server.URL(), opts) }},
		}
		var got strings.Builder
		for _, step := range steps {
			fmt.Fprintf(&got, "%s\n", step.name)
			commands := commandsOf(t, server, step.do)
			for s.home != 0 { // which is random
				must(t, errors.Join(s.Close(), Delete(ctx, server.URL(), opts)))
				hosts, items = nil, nil
				commands = commandsOf(t, server, step.do)
			}
			for _, command := range commands {
				fmt.Fprintf(&got, "\t%s\n", command)
			}
			if err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
		}
		golden := filepath.Join("testdata", fmt.Sprintf("commands-%d.txt", shards))
		want, err := os.ReadFile(golden)
		must(t, err)
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%d shards (-want +got):\n%s", shards, diff)
		}
	}
}
