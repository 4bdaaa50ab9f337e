//go:build unix

package redisstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// Delete removes all keys of a crawl, and no other keys.
func TestDelete(t *testing.T) {
	t.Parallel()
	onBoth(t, !testing.Short(), func(t *testing.T, url string, servers ...*redistest.Server) {
		ctx := t.Context()
		fill := func(o Options) *Store {
			o.Shards = 4
			s := openTest(t, url, o)
			addItems(t, s, testItems("a", 50))
			return s
		}
		keys := func(prefix string) (n int) {
			for _, server := range servers {
				n += strings.Count(server.Do(t, "EVAL", "return table.concat(redis.call('KEYS', ARGV[1]), '\\n') .. '\\n'", "0", prefix+"*"), prefix)
			}
			return n
		}
		a := fill(Options{CrawlName: "a"})
		for _, o := range []Options{{CrawlName: "a.b"}, {CrawlName: "b"}, {CrawlName: "a", Prefix: "other"}} {
			fill(o)
		}
		if err := Delete(ctx, url, &Options{CrawlName: "a"}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), a.WorkerName()) {
			t.Errorf("Delete of what is in use: %v", err)
		}
		if err := Delete(ctx, url, &Options{CrawlName: "c"}); !errors.Is(err, ErrNotFound) {
			t.Errorf("Delete of what is not there: %v", err)
		}
		if n := keys("politecrawl:a:"); n < 10 {
			t.Fatalf("%d keys", n)
		}
		_ = a.Close()
		others := keys("politecrawl:a.b:") + keys("politecrawl:b:") + keys("other:a:")
		if err := Delete(ctx, url, &Options{CrawlName: "a"}); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if n, left := keys("politecrawl:a:"), keys("politecrawl:a.b:")+keys("politecrawl:b:")+keys("other:a:"); n != 0 || left != others {
			t.Errorf("%d keys are left; %d of others, which were %d", n, left, others)
		}
	})
}

// A crawl of another format is refused and not marked as being deleted, so that the version that
// made it can finish it.
func TestDeleteRefusesAnotherFormat(t *testing.T) {
	server := redistest.Start(t)
	s := openTest(t, server.URL(), Options{})
	_ = s.Close()
	server.Do(t, "HSET", s.layout.key("meta"), "format", "2")
	if err := Delete(t.Context(), server.URL(), &Options{CrawlName: "test"}); !errors.Is(err, ErrFormat) {
		t.Errorf("Delete: %v, want %v", err, ErrFormat)
	}
	if marked := server.Do(t, "HEXISTS", s.layout.key("meta"), "deleted"); marked != ":0" {
		t.Errorf("marked as deleted: %s", marked)
	}
}

// A worker that has not called Sync for long changes nothing if its crawl was deleted or created
// again meanwhile.
func TestDeleted(t *testing.T) {
	t.Parallel() // a call waits
	server := redistest.Start(t)
	ctx := t.Context()
	s := openTest(t, server.URL(), Options{WorkerName: "w"})
	addItems(t, s, testItems("a", 2))
	leaseOne(t, s)
	// As if its last Sync were longer ago.
	server.Do(t, "EVAL", `local w = cmsgpack.unpack(redis.call('HGET', KEYS[1], 'w'))
		w[3] = w[3] - ARGV[1]
		redis.call('HSET', KEYS[1], 'w', cmsgpack.pack(w))`, "1", s.layout.key("workers"), micros(workerTimeout))
	if err := Delete(ctx, server.URL(), &Options{CrawlName: "test"}); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	calls := allCalls(s)
	for _, name := range []string{"Known", "Note", "Extend", "Waiting"} { // they write nothing
		delete(calls, name)
	}
	for name, call := range calls {
		if err := call(ctx); !errors.Is(err, ErrDeleted) {
			t.Errorf("%s after the crawl was deleted: %v", name, err)
		}
	}
	if n := server.Do(t, "DBSIZE"); n != ":0" {
		t.Errorf("there are keys: %s", n)
	}
	anew := openTest(t, server.URL(), Options{WorkerName: "v"})
	for name, call := range calls {
		if err := call(ctx); !errors.Is(err, ErrDeleted) {
			t.Errorf("%s after the crawl was made anew: %v", name, err)
		}
	}
	if st, err := anew.Stats(ctx); err != nil || st.Counts != (frontier.Counts{}) {
		t.Errorf("the new crawl has %+v, %v", st.Counts, err)
	}
}
