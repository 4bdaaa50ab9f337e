package redisstore

import (
	"context"
	"fmt"
	"strings"
)

// permitted returns an error that names the permissions that the user lacks, and some
// call would come to need, perhaps when it has done half of its work.
func (s *Store) permitted(ctx context.Context) error {
	l := layout{namespace: namespace(&s.opts)}
	cmd := s.client.B().Eval().Script(scriptText("check")).Numkeys(1).Key(l.key("meta")).Arg(l.wake(), s.opts.Prefix+":*").Arg(keyed...).Build()
	missing, err := s.client.Do(ctx, cmd).AsStrSlice()
	if err != nil {
		return classify(err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s", ErrPermission, strings.Join(missing, " "))
	}
	return nil
}

// keyed are the commands with a key that scripts and the store are made of.
var keyed = []string{
	"get", "set", "incr",
	"hdel", "hexists", "hget", "hgetall", "hincrby", "hscan", "hset",
	"llen", "lpop", "lrange", "rpush",
	"sadd", "smismember", "srem",
	"zadd", "zrange", "zrangebyscore", "zrem", "zscore",
}

// keeps returns an ErrEvicts when a server would forget keys of the crawl rather than
// refuse writes. One that does not say is taken at its default, which does not.
func (s *Store) keeps(ctx context.Context) error {
	for _, node := range s.client.Nodes() {
		info, err := node.Do(ctx, node.B().Info().Section("memory").Build()).ToString()
		if err != nil {
			continue // a user who may not ask
		}
		var limit, policy string
		for line := range strings.Lines(info) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch name {
			case "maxmemory":
				limit = value
			case "maxmemory_policy":
				policy = value
			}
		}
		if limit != "0" && strings.HasPrefix(policy, "allkeys-") {
			return fmt.Errorf("%w: its maxmemory-policy is %s, and has to be noeviction", ErrEviction, policy)
		}
	}
	return nil
}
