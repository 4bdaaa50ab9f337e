//go:build unix

package redisstore

import (
	"testing"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// A call whose reply was lost is repeated and gets the same reply: added URLs are new, leased URLs
// are leased once, and ended leases are ended.
func TestAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, !testing.Short(), func(t *testing.T, url string, _ ...*redistest.Server) {
		s := openTest(t, url, Options{})
		ctx := t.Context()
		list := testItems("a", 1)
		hosts, err := frontier.HostsOf(list)
		must(t, err)
		items, fresh := s.items(list, hosts, false)
		w := &waiter{}
		shard, all := items[0].shard, make(sections)
		all.of(shard).add(items[0])
		tn := &transaction{shard: shard, key: s.layout.in(shard, "last:w:0"), nonce: newNonce(), section: all[shard], whole: true,
			orders: []order{{w: w, most: 1, perHost: 1}}}
		for _, again := range []bool{false, true, true} {
			fresh[0], w.leases = false, nil
			r, err := s.invoke(ctx, s.compose(tn, again), true)
			if err == nil {
				err = s.answered(tn, r)
			}
			if err != nil || !fresh[0] || len(w.leases) != 1 {
				t.Fatalf("again %v: new %v, leased %v, %v", again, fresh[0], w.leases, err)
			}
		}
		ticket, _ := s.layout.readTicket(w.leases[0].ID)
		var lost error
		ends := &section{endings: []ending{{ticket: ticket, result: frontier.Done, err: &lost}}}
		end := &transaction{shard: ticket.shard, key: tn.key, nonce: newNonce(), section: ends}
		for _, again := range []bool{false, true} {
			r, err := s.invoke(ctx, s.compose(end, again), true)
			if err == nil {
				err = s.answered(end, r)
			}
			if err != nil || lost != nil {
				t.Fatalf("again %v: %v, %v", again, lost, err)
			}
		}
		if st, err := s.Stats(ctx); err != nil || st.Counts != (frontier.Counts{URLs: 1, Done: 1}) {
			t.Errorf("counts are %+v, %v", st.Counts, err)
		}
	})
}

// A call that is made again is the call that it was, whatever became known since;
// and when the server may have forgotten what was left out of it, that goes along.
func TestAgainWithCache(t *testing.T) {
	s := openTest(t, redistest.Start(t).URL(), Options{})
	ctx := t.Context()
	list := testItems("a", 60)
	addItems(t, s, list[:20])
	hosts, err := frontier.HostsOf(list)
	must(t, err)
	items, fresh := s.items(list, hosts, false)
	all := make(sections)
	for _, it := range items {
		all.of(it.shard).add(it)
	}
	tn := &transaction{key: s.layout.in(0, "last:w:0"), nonce: newNonce(), section: all[0]}
	for n, step := range []struct {
		before func()
		sent   int
	}{
		{func() {}, 40},
		{func() { // another call tells of some
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, it := range items[20:40] {
				s.memory.cache.Add(it.sum)
			}
		}, 40},
		{func() { // the server has forgotten the first ones, and is found to have begun anew
			if _, err := s.client.Do(ctx, s.client.B().Eval().Script(`for _, k in ipairs(redis.call('KEYS', '*seen*')) do
				for _, h in ipairs(redis.call('SMEMBERS', k)) do
					for _, old in ipairs(ARGV) do if h == old .. '0' then redis.call('SREM', k, h) end end
				end
			end`).Numkeys(0).Arg(hashesOf(s, items[:20])...).Build()).ToAny(); err != nil && !rueidis.IsRedisNil(err) {
				t.Fatal(err)
			}
			s.memory.forget([]string{"another run"})
		}, 60},
	} {
		step.before()
		clear(fresh)
		r, err := s.invoke(ctx, s.compose(tn, n > 0), true)
		if err == nil {
			err = s.answered(tn, r)
		}
		if err != nil || len(tn.sent) != step.sent {
			t.Fatalf("step %d: sent %d, want %d, %v", n, len(tn.sent), step.sent, err)
		}
		for i, f := range fresh {
			if want := i >= 20 || n == 2; f != want {
				t.Errorf("step %d: %s is new: %v", n, list[i].URL, f)
			}
		}
	}
}

func hashesOf(s *Store, items []*item) (hashes []string) {
	for _, it := range items {
		_, hash := s.layout.place(it.key, it.sum)
		hashes = append(hashes, hash)
	}
	return hashes
}
