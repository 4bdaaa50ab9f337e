//go:build unix

package redisstore

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// Settings are those of the process that created the crawl.
func TestSettings(t *testing.T) {
	url := redistest.Start(t).URL()
	if _, err := Open(t.Context(), url, &Options{Settings: make([]byte, maxSettings+1)}); !errors.Is(err, frontier.ErrInvalid) {
		t.Errorf("Open with too many settings: %v", err)
	}
	settings := bytes.Repeat([]byte{0, 255, '\n'}, maxSettings/3)
	first := openTest(t, url, Options{Settings: settings})
	second := openTest(t, url, Options{Settings: []byte("other")})
	for _, s := range []*Store{first, second} {
		if !bytes.Equal(s.Settings(), settings) {
			t.Errorf("%s has other settings, %d bytes", s.WorkerName(), len(s.Settings()))
		}
	}
}

func sync1(t *testing.T, s *Store, status string, from int) *SyncResult {
	t.Helper()
	var text []byte
	if status != "" {
		text = []byte(status)
	}
	news, err := s.Sync(t.Context(), text, from)
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	return news
}

func TestTell(t *testing.T) {
	s := openTest(t, redistest.Start(t).URL(), Options{})
	ctx := t.Context()
	want := [][]byte{[]byte("stop"), {}, {0, 255}}
	for _, m := range want {
		must(t, s.Publish(ctx, m))
	}
	news := sync1(t, s, "", 0)
	if diff := cmp.Diff(want, news.Messages); diff != "" || news.Next != 3 {
		t.Errorf("told, next %d (-want +got):\n%s", news.Next, diff)
	}
	if news = sync1(t, s, "", news.Next); len(news.Messages) != 0 || news.Next != 3 {
		t.Errorf("told again: %q, next %d", news.Messages, news.Next)
	}
	if err := s.Publish(ctx, make([]byte, maxMessage+1)); !errors.Is(err, frontier.ErrInvalid) {
		t.Errorf("told too much: %v", err)
	}
	// The call is repeated, since its reply was lost.
	c := s.crawlCall("publish", "n1", "once")
	for range 2 {
		if r, err := s.invoke(ctx, c, true); err != nil || r.int(1) != 4 {
			t.Errorf("%d messages, %v", r.int(1), err)
		}
	}
	if news = sync1(t, s, "", 3); news.Next != 4 {
		t.Errorf("told twice: %q", news.Messages)
	}
}

func TestSync(t *testing.T) {
	url := redistest.Start(t).URL()
	first := openTest(t, url, Options{WorkerName: "first"})
	began := time.Now()
	for sync1(t, first, "", 0).RunDuration < 30*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	second := openTest(t, url, Options{WorkerName: "second"})
	sync1(t, second, "fetching", 0)
	sync1(t, second, "", 0)
	watcher := openTest(t, url, Options{Observe: true})

	news := sync1(t, watcher, "", 0)
	peers := make(map[string]Worker)
	for _, p := range news.Workers {
		if p.LastSeenAgo < 0 || p.LastSeenAgo > time.Since(began)+time.Second {
			t.Errorf("%s was heard of %v ago", p.Name, p.LastSeenAgo)
		}
		p.LastSeenAgo, p.Status = 0, bytes.Clone(p.Status)
		peers[p.Name] = p
	}
	want := map[string]Worker{
		"first":  {Name: "first", Status: []byte{}, Registered: true},
		"second": {Name: "second", Status: []byte("fetching"), Registered: true},
	}
	if diff := cmp.Diff(want, peers); diff != "" {
		t.Errorf("workers (-want +got):\n%s", diff)
	}
	// The second worker has not started a new run, and a closed worker stays in the list.
	if news.RunDuration < 30*time.Millisecond || news.RunDuration > time.Since(began)+time.Second {
		t.Errorf("the run has lasted %v", news.RunDuration)
	}
	_ = second.Close()
	for _, p := range sync1(t, watcher, "", 0).Workers {
		if p.Registered != (p.Name == "first") {
			t.Errorf("%s has the crawl open: %v", p.Name, p.Registered)
		}
	}
	// When all workers have closed, the next one starts a run.
	_ = first.Close()
	for sync1(t, watcher, "", 0).RunDuration < 30*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	began = time.Now()
	third := openTest(t, url, Options{WorkerName: "third"})
	if age := sync1(t, third, "", 0).RunDuration; age > time.Since(began) {
		t.Errorf("the new run has lasted %v", age)
	}
	if _, err := third.Sync(t.Context(), make([]byte, maxStatus+1), 0); !errors.Is(err, frontier.ErrInvalid) {
		t.Errorf("a status that is too long: %v", err)
	}
	again := openTest(t, url, Options{WorkerName: "third"})
	if _, err := third.Sync(t.Context(), nil, 0); !errors.Is(err, ErrNameTaken) {
		t.Errorf("Sync of one whose name was taken: %v", err)
	}
	sync1(t, again, "", 0)
}

// A counter never exceeds its limit, and a worker's share can be corrected.
func TestTake(t *testing.T) {
	t.Parallel()
	onBoth(t, !testing.Short(), func(t *testing.T, url string, _ ...*redistest.Server) {
		ctx := t.Context()
		a := openTest(t, url, Options{WorkerName: "a", Shards: 4})
		b := openTest(t, url, Options{WorkerName: "b"})
		var wg sync.WaitGroup
		var mu sync.Mutex
		sum := int64(0)
		for n := range 8 {
			wg.Go(func() {
				for range 10 {
					got, err := []*Store{a, b}[n%2].Reserve(ctx, "pages", 7, 500)
					if err != nil {
						t.Errorf("Take: %v", err)
					}
					mu.Lock()
					sum += got
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if sum != 500 {
			t.Errorf("took %d of 500", sum)
		}
		take := func(s *Store, n, most, want int64) {
			t.Helper()
			if got, err := s.Reserve(ctx, "pages", n, most); err != nil || got != want {
				t.Errorf("took %d, %v; want %d", got, err, want)
			}
		}
		must(t, a.SetReserved(ctx, map[string]int64{"pages": 100, "bytes": 1 << 50}))
		must(t, b.SetReserved(ctx, map[string]int64{"pages": 50}))
		take(b, 1000, 160, 10)
		take(b, -100, 0, -60) // no more than its share
		take(a, 1, 100, 0)
		take(a, 5, 102, 2)
		must(t, a.SetReserved(ctx, nil))
		take(b, 10, 10, 10)
		if got, err := b.Reserve(ctx, "bytes", maxCount, maxCount); err != nil || got != maxCount {
			t.Errorf("took %d bytes, %v", got, err)
		}
		// The call is repeated, since its reply was lost.
		c := b.crawlCall("reserve", "n1", "pages", "5", "20")
		for range 2 {
			if r, err := b.invoke(ctx, c, true); err != nil || r.int(1) != 5 {
				t.Errorf("took %d, %v", r.int(1), err)
			}
		}
		take(b, 100, 20, 5)
		many := make(map[string]int64) // such as one for each host
		for n := range 20_000 {
			many[fmt.Sprintf("pages of h%d.test", n)] = 3
		}
		if err := a.SetReserved(ctx, many); err != nil {
			t.Errorf("Settle of many: %v", err)
		}
		if got, err := b.Reserve(ctx, "pages of h19999.test", 9, 5); err != nil || got != 2 {
			t.Errorf("took %d, %v", got, err)
		}
		if _, err := b.Reserve(ctx, "pages", maxCount+1, 1); !errors.Is(err, frontier.ErrInvalid) {
			t.Errorf("took too much: %v", err)
		}
	})
}
