package redisstore

import (
	"context"
	"slices"
	"strconv"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Add implements frontier.Frontier.
func (s *Store) Add(ctx context.Context, items []frontier.Item) ([]bool, error) {
	return s.addAll(ctx, items, false)
}

// Revisit implements frontier.Revisiter.
func (s *Store) Revisit(ctx context.Context, items []frontier.Item) ([]bool, error) {
	return s.addAll(ctx, items, true)
}

func (s *Store) addAll(ctx context.Context, items []frontier.Item, revisit bool) ([]bool, error) {
	if err := s.enterWorker(ctx); err != nil {
		return nil, err
	}
	hosts, err := frontier.HostsOf(items)
	if err != nil {
		return nil, err
	}
	all := make([]bool, 0, len(items))
	for part := range slices.Chunk(items, itemsAtOnce) {
		var fresh []bool
		j := &job{}
		j.items, fresh = s.items(part, hosts[len(all):], revisit)
		if err := s.do(ctx, j); err != nil {
			return nil, err
		}
		all = append(all, fresh...)
	}
	return all, nil
}

// items prepares items for a transaction, and returns the slice for their results.
func (s *schedule) items(list []frontier.Item, hosts []frontier.Host, revisit bool) ([]*item, []bool) {
	fresh, items, at := make([]bool, len(list)), make([]item, len(list)), make([]*item, len(list))
	for i := range list {
		it := &list[i]
		key := it.Key().String()
		items[i] = item{
			key: key, host: hosts[i], priority: it.Priority, notBefore: it.NotBefore,
			text:  encodeKey(key, hosts[i], it.Meta),
			shard: s.layout.shard(hosts[i]), sum: s.layout.urls.Sum(key),
			revisit: revisit, fresh: &fresh[i],
		}
		at[i] = &items[i]
	}
	return at, fresh
}

// Known implements frontier.Frontier.
func (s *Store) Known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	known := make([]bool, 0, len(keys))
	for part := range slices.Chunk(keys, itemsAtOnce) {
		err := s.retry(ctx, func(ctx context.Context) error {
			more, err := s.known(ctx, part)
			known = append(known, more...)
			return classify(err)
		})
		if err != nil {
			return nil, err
		}
	}
	return known, nil
}

// known reports for each key whether it was added. After an error it returns nil.
func (s *Store) known(ctx context.Context, keys []frontier.Key) ([]bool, error) {
	cmds := make([]rueidis.Completed, len(keys))
	for i, key := range keys {
		// A URL without host was never added, so any shard will do.
		host, _ := frontier.HostOf(key.URL)
		text := key.String()
		bucket, hash := s.layout.place(text, s.layout.urls.Sum(text))
		set := s.layout.in(s.layout.shard(host), "seen:"+strconv.Itoa(bucket))
		cmds[i] = s.client.B().Smismember().Key(set).Member(hash+"0", hash+"1", hash+"2").Build()
	}
	known := make([]bool, len(keys))
	for i, r := range s.client.DoMulti(ctx, cmds...) {
		states, err := r.AsIntSlice()
		if err != nil {
			return nil, err
		}
		known[i] = slices.Contains(states, 1)
	}
	return known, nil
}
