package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// A crawl is the connection to one crawl: its keys, scripts and memory.
type crawl struct {
	*server

	layout   layout
	scripts  scripts
	instance string // of this opening of the crawl
	home     int    // shard of the worker's note
	memory   memory
	changing chan struct{} // holds something while a callOnce is in flight; only one is
}

// A call is a call of a script: its key, which selects the server, and its arguments.
type call struct {
	script script
	key    string
	args   []string
}

// A reply is the array that a script returns.
type reply []rueidis.RedisMessage

func (r reply) int(i int) int64 {
	n, _ := r[i].AsInt64()
	return n
}

func (r reply) string(i int) string {
	s, _ := r[i].ToString()
	return s
}

func (r reply) array(i int) reply {
	a, _ := r[i].ToArray()
	return a
}

// call returns a call of the script for shards.
func (s *crawl) call(shard int, what string, args ...string) call {
	return s.callAt(s.layout.in(shard, "state"), what, args...)
}

// callAt is call with another key, of the same shard.
func (s *crawl) callAt(key, what string, args ...string) call {
	common := []string{what, micros(s.opts.Delay), strconv.Itoa(s.opts.MaxInFlight), s.instance}
	return call{s.scripts.shard, key, append(common, args...)}
}

// run calls a script and retries while Redis is unavailable. It calls prepare for each try;
// again says that an earlier try may have been executed.
func (s *crawl) run(ctx context.Context, prepare func(again bool) call) (answer reply, err error) {
	again := false
	err = s.retry(ctx, func(ctx context.Context) error {
		for load := false; ; {
			c := prepare(again)
			r, err := s.invoke(ctx, c, load)
			failure, isReply := rueidis.IsRedisErr(err)
			switch {
			case err == nil:
				answer = r
				return nil
			case isReply && failure.IsNoScript() && c.script == s.scripts.crawl:
				load = true // the script of the shards detects restarts
			case isReply && (failure.IsNoScript() || strings.HasPrefix(failure.Error(), "STALE ")):
				// Not executed. The server has restarted since our last call, and may have
				// lost writes.
				if err := s.boot(ctx, false, false); err != nil {
					return err
				}
				load = failure.IsNoScript()
			default:
				again = again || !isReply
				return classify(err)
			}
		}
	})
	return answer, err
}

func (s *crawl) invoke(ctx context.Context, c call, load bool) (reply, error) {
	if s.address.sentinel == "" {
		return s.client.Do(ctx, s.command(c, load)).ToArray()
	}
	addr, master := s.master()
	if master == nil {
		return nil, ErrUnavailable
	}
	start := time.Now()
	r, err := master.Do(ctx, s.command(c, load)).ToArray()
	if err == nil {
		err = s.confirm(ctx, addr, master, c.key, start)
	}
	return r, err
}

func (s *crawl) command(c call, load bool) rueidis.Completed {
	name, text := "EVALSHA", c.script.sha
	if load {
		name, text = "EVAL", c.script.text
	}
	return s.client.B().Arbitrary(name, text, "1").Keys(c.key).Args(c.args...).Build()
}

// fixed returns a prepare function for run that always returns c.
func fixed(c call) func(bool) call { return func(bool) call { return c } }

// all returns calls of a script for all shards, with the number of the shard as last argument.
func (s *crawl) all(what string, args ...string) []call {
	calls := make([]call, s.layout.shards)
	for k := range calls {
		calls[k] = s.call(k, what, append(slices.Clip(args), strconv.Itoa(k))...)
	}
	return calls
}

// send sends calls in one batch and calls take with each reply.
func (s *crawl) send(ctx context.Context, calls []call, take func(c call, r reply, err error) error) error {
	cmds := make([]rueidis.Completed, len(calls))
	for i, c := range calls {
		cmds[i] = s.command(c, false)
	}
	var doubt error
	addr, master := s.master()
	start := time.Now()
	answers := s.client.DoMulti(ctx, cmds...)
	if s.address.sentinel != "" && answers[0].Error() == nil {
		doubt = s.confirm(ctx, addr, master, calls[0].key, start)
	}
	for i, answer := range answers {
		r, err := answer.ToArray()
		if err == nil {
			err = doubt
		}
		if err := take(calls[i], r, err); err != nil {
			return err
		}
	}
	return nil
}

// each calls a script for all shards, and take with each reply, one at a time.
func (s *crawl) each(ctx context.Context, what string, args []string, take func(reply)) error {
	return s.send(ctx, s.all(what, args...), func(c call, r reply, err error) error {
		if err != nil { // run retries
			if r, err = s.run(ctx, fixed(c)); err != nil {
				return err
			}
		}
		take(r)
		return nil
	})
}

// taught loads and calls a script if the server did not know it. It does not retry.
func (s *crawl) taught(ctx context.Context, c call, r reply, err error) (reply, error) {
	if answer, ok := rueidis.IsRedisErr(err); ok && answer.IsNoScript() {
		r, err = s.invoke(ctx, c, true)
	}
	return r, classify(err)
}

// boot lets each shard check whether its server has restarted, and clears the cache of this
// process for such shards. It creates missing shards while the crawl is being created.
func (s *crawl) boot(ctx context.Context, alone, first bool) error {
	key := s.layout.key("meta")
	id, err := s.client.Do(ctx, s.client.B().Hget().Key(key).Field("id").Build()).ToString()
	if rueidis.IsRedisNil(err) || err == nil && id != s.layout.id {
		return fmt.Errorf("%w: %s", ErrDeleted, s.layout.namespace)
	}
	if err != nil {
		return classify(err)
	}
	calls := s.all("boot", flag(alone), flag(first))
	for i := range calls {
		calls[i].script = s.scripts.boot
	}
	var runs []string
	err = s.send(ctx, calls, func(c call, r reply, err error) error {
		r, err = s.taught(ctx, c, r, err)
		if err == nil {
			runs = append(runs, r.string(1))
		}
		return err
	})
	if err == nil {
		s.memory.forget(runs)
	}
	return err
}
