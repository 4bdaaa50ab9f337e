package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

const (
	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
	// failOver is for how long a server that takes no writes is asked again.
	failOver = 30 * time.Second
)

// A call is what a script is called with: the key that says where, and ARGV.
type call struct {
	script script
	key    string
	args   []string
}

// A reply is what a script answers, an array.
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

// run calls a script, again and again while Redis is not available and there is
// patience left. Prepare is asked for the call each time, and told whether it was
// made before, so that it may have been done.
func (s *Store) run(ctx context.Context, prepare func(again bool) call) (answer reply, err error) {
	again := false
	err = s.patiently(ctx, func(ctx context.Context) error {
		for load := false; ; {
			c := prepare(again)
			r, err := s.invoke(ctx, c, load)
			failure, isReply := rueidis.IsRedisErr(err)
			switch {
			case err == nil:
				answer = r
				return nil
			case isReply && failure.IsNoScript() && c.script == s.scripts.crawl:
				load = true // it is by the script of the shards that a server is found to have begun anew
			case isReply && (failure.IsNoScript() || strings.HasPrefix(failure.Error(), "STALE ")):
				// Not done. The server has not worked for this crawl, or not for us,
				// since it began to run: it may have forgotten what it has said.
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

// patiently does something again and again while Redis is not available and there is
// patience left, until Close at the latest. The error that do returns has its class.
func (s *Store) patiently(ctx context.Context, do func(ctx context.Context) error) error {
	ctx, cancel := s.within(ctx)
	defer cancel()
	deadline := time.Now().Add(s.opts.Patience)
	var refused time.Time // first, by one that takes no writes
	var trouble trouble
	defer s.over(&trouble)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do(ctx)
		if err == nil {
			s.well(&trouble)
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
			return err // and no replica that is about to be the master
		}
		s.ill(&trouble, err)
		s.opts.Logger.Warn("redis is not available", "err", err, "again in", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return s.ended(ctx)
		}
	}
}

func (s *Store) invoke(ctx context.Context, c call, load bool) (reply, error) {
	return s.client.Do(ctx, s.command(c, load)).ToArray()
}

func (s *Store) command(c call, load bool) rueidis.Completed {
	name, text := "EVALSHA", c.script.sha
	if load {
		name, text = "EVAL", c.script.text
	}
	return s.client.B().Arbitrary(name, text, "1").Keys(c.key).Args(c.args...).Build()
}

// fixed is for run: a call that is the same each time.
func fixed(c call) func(bool) call { return func(bool) call { return c } }

// all returns the calls of a script for all shards, whose numbers stand behind args.
func (s *Store) all(what string, args ...string) []call {
	calls := make([]call, s.layout.shards)
	for k := range calls {
		calls[k] = s.call(k, what, append(slices.Clip(args), strconv.Itoa(k))...)
	}
	return calls
}

// send sends calls together, and calls take with each answer.
func (s *Store) send(ctx context.Context, calls []call, take func(c call, r reply, err error) error) error {
	cmds := make([]rueidis.Completed, len(calls))
	for i, c := range calls {
		cmds[i] = s.command(c, false)
	}
	for i, answer := range s.client.DoMulti(ctx, cmds...) {
		r, err := answer.ToArray()
		if err := take(calls[i], r, err); err != nil {
			return err
		}
	}
	return nil
}

// each calls a script for all shards. Take is called with one answer at a time.
func (s *Store) each(ctx context.Context, what string, args []string, take func(reply)) error {
	return s.send(ctx, s.all(what, args...), func(c call, r reply, err error) error {
		if err != nil { // what can be done about it, run does
			if r, err = s.run(ctx, fixed(c)); err != nil {
				return err
			}
		}
		take(r)
		return nil
	})
}

// taught calls a script that a server may not know, without waiting for one that is
// away.
func (s *Store) taught(ctx context.Context, c call, r reply, err error) (reply, error) {
	if answer, ok := rueidis.IsRedisErr(err); ok && answer.IsNoScript() {
		r, err = s.invoke(ctx, c, true)
	}
	return r, classify(err)
}

// together does n things at a time.
func together(n int, do func(i int) error) error {
	if n == 1 {
		return do(0)
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// boot has every shard look whether its server began to run since, and forgets
// what this process knows from before. Shards that are not there are made when
// the crawl is only just being made.
func (s *Store) boot(ctx context.Context, alone, first bool) error {
	key := s.layout.key("meta")
	id, err := s.client.Do(ctx, s.client.B().Hget().Key(key).Field("id").Build()).ToString()
	if rueidis.IsRedisNil(err) || err == nil && id != s.layout.id {
		return fmt.Errorf("%w: %s", ErrGone, s.layout.namespace)
	}
	if err != nil {
		return classify(err)
	}
	var runs []string
	err = s.send(ctx, s.all("boot", flag(alone), flag(first)), func(c call, r reply, err error) error {
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
