package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

const (
	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
	// failOver is the time for which a call to a read-only server is retried.
	failOver = 30 * time.Second
	// silence is the time without a reply after which the next one may come from a master that hung while
	// a replica took over. Sentinels wait longer before they replace a master.
	silence = 500 * time.Millisecond
)

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
func (s *Store) call(shard int, what string, args ...string) call {
	return s.callAt(s.layout.in(shard, "state"), what, args...)
}

// callAt is call with another key, of the same shard.
func (s *Store) callAt(key, what string, args ...string) call {
	common := []string{what, micros(s.opts.Delay), strconv.Itoa(s.opts.MaxInFlight), s.instance}
	return call{s.scripts.shard, key, append(common, args...)}
}

// run calls a script and retries while Redis is unavailable. It calls prepare for each try;
// again says that an earlier try may have been executed.
func (s *Store) run(ctx context.Context, prepare func(again bool) call) (answer reply, err error) {
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

// retry repeats do while Redis is unavailable, until RetryTimeout or Close. Do must return
// classified errors.
func (s *Store) retry(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	deadline := time.Now().Add(s.opts.RetryTimeout)
	var refused time.Time // time of the first read-only error
	retrying := false
	stop := func() {
		if retrying {
			s.outages.count(-1)
		}
		retrying = false
	}
	defer stop()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do(ctx)
		if err == nil {
			stop() // before report, which counts the calls
			s.report(nil)
			return nil
		}
		if ended := s.ended(ctx); ended != nil {
			return ended
		}
		readOnly := errors.Is(err, ErrReadOnly)
		if readOnly && refused.IsZero() {
			refused = time.Now()
		}
		switch {
		case !readOnly && !errors.Is(err, ErrUnavailable), !time.Now().Add(pause).Before(deadline):
			return err
		case readOnly && time.Since(refused) > failOver:
			return err // no replica is about to become master
		}
		if !retrying {
			s.outages.count(1)
		}
		retrying = true
		s.report(err)
		s.opts.Logger.Warn("redis is not available", "error", err, "next", time.Now().Add(pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return s.ended(ctx)
		}
	}
}

func (s *Store) invoke(ctx context.Context, c call, load bool) (reply, error) {
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

// master returns the only node of a client of Sentinels; nil: it knows none at the moment.
func (s *Store) master() (addr string, node rueidis.Client) {
	for addr, node := range s.client.Nodes() {
		return addr, node
	}
	return "", nil
}

// confirmations is the number of writes that confirm a reply after a silence. Between two replies a server
// handles what all its connections have received. At first it may still handle only the calls that it had
// fetched before it hung, then what its replica sent before it left, and then the end of the replica's
// connection.
const confirmations = 3

// heard is the start of a call to a master that has replied.
type heard struct {
	addr string
	at   time.Time
}

// confirm returns ErrUnavailable if the master has replied to a call that began at start after a silence, and
// rejects a write now, here one without an effect. A master that was replaced while it hung executes the
// calls that it had received by then, and those that come when it continues. Afterwards it notices that
// it has lost its replica (min-replicas-to-write).
func (s *Store) confirm(ctx context.Context, addr string, master rueidis.Client, key string, start time.Time) error {
	if master == nil {
		return ErrUnavailable
	}
	if last := s.heard.Load(); last == nil || last.addr != addr || time.Since(last.at) > silence {
		for range confirmations {
			err := master.Do(ctx, master.B().Hdel().Key(key+":none").Field("none").Build()).Error()
			if err != nil {
				// Not an error reply, since the call was executed.
				return fmt.Errorf("%w: a reply after a silence is not confirmed: %s", ErrUnavailable, err.Error())
			}
		}
	}
	s.heard.Store(&heard{addr, start})
	return nil
}

func (s *Store) command(c call, load bool) rueidis.Completed {
	name, text := "EVALSHA", c.script.sha
	if load {
		name, text = "EVAL", c.script.text
	}
	return s.client.B().Arbitrary(name, text, "1").Keys(c.key).Args(c.args...).Build()
}

// fixed returns a prepare function for run that always returns c.
func fixed(c call) func(bool) call { return func(bool) call { return c } }

// all returns calls of a script for all shards, with the number of the shard as last argument.
func (s *Store) all(what string, args ...string) []call {
	calls := make([]call, s.layout.shards)
	for k := range calls {
		calls[k] = s.call(k, what, append(slices.Clip(args), strconv.Itoa(k))...)
	}
	return calls
}

// send sends calls in one batch and calls take with each reply.
func (s *Store) send(ctx context.Context, calls []call, take func(c call, r reply, err error) error) error {
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
func (s *Store) each(ctx context.Context, what string, args []string, take func(reply)) error {
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
func (s *Store) taught(ctx context.Context, c call, r reply, err error) (reply, error) {
	if answer, ok := rueidis.IsRedisErr(err); ok && answer.IsNoScript() {
		r, err = s.invoke(ctx, c, true)
	}
	return r, classify(err)
}

// boot lets each shard check whether its server has restarted, and clears the cache of this
// process for such shards. It creates missing shards while the crawl is being created.
func (s *Store) boot(ctx context.Context, alone, first bool) error {
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
		s.forget(runs)
	}
	return err
}
