package redisstore

import (
	"context"
	"fmt"
	"strings"
)

// checkPermissions returns ErrPermission with the permissions that the user lacks. Otherwise a later
// call could fail halfway.
func (s *server) checkPermissions(ctx context.Context) error {
	l := layout{namespace: namespace(&s.opts)}
	cmd := s.client.B().Eval().Script(scriptText("check")).Numkeys(1).Key(l.key("meta")).Arg(l.wake(), s.opts.Prefix+":*").Arg(keyCommands...).Build()
	missing, err := s.client.Do(ctx, cmd).AsStrSlice()
	if err != nil {
		return classify(err)
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s", ErrPermission, strings.Join(missing, " "))
	}
	return nil
}

// keyCommands are the commands with a key that scripts and the store use.
var keyCommands = []string{
	"get", "set", "incr",
	"hdel", "hexists", "hget", "hgetall", "hincrby", "hscan", "hset",
	"llen", "lpop", "lrange", "rpush",
	"sadd", "smismember", "srem",
	"zadd", "zrange", "zrangebyscore", "zrem", "zscore",
}

// checkEviction returns ErrEviction if a server evicts keys when it is full. If the user may not read
// the setting, it assumes the default, noeviction.
func (s *server) checkEviction(ctx context.Context) error {
	for _, node := range s.client.Nodes() {
		info, err := node.Do(ctx, node.B().Info().Section("memory").Build()).ToString()
		if err != nil {
			continue // the user may not read it
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
			return fmt.Errorf("%w: its maxmemory-policy is %s and must be noeviction", ErrEviction, policy)
		}
	}
	return nil
}

// checkReplicas warns if the master of Sentinels accepts writes without a replica: after a split brain it
// could lease hosts that its successor leases too. INFO has the number of good replicas only if
// min-replicas-to-write and min-replicas-max-lag are set.
func (s *server) checkReplicas(ctx context.Context) {
	if s.address.sentinel == "" {
		return
	}
	_, master := s.master()
	if master == nil {
		return
	}
	info, err := master.Do(ctx, master.B().Info().Section("replication").Build()).ToString()
	if err == nil && !strings.Contains(info, "min_slaves_good_slaves:") {
		s.staleMaster = true
		s.opts.Logger.Warn("a stale redis master could hand out hosts", "master", s.address.sentinel,
			"missing", "min-replicas-to-write, min-replicas-max-lag")
	}
}
