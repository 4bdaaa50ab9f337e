package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/rueidis"
)

// scanned is the number of keys that are scanned in one call.
const scanned = 1000

// Delete removes a crawl with all its keys. The error matches ErrInUse (errors.Is) while a worker
// that reported in the last 30 seconds has it open. Other workers that have it open get
// ErrDeleted. If Delete is interrupted, call it again: until then the crawl cannot be opened.
func Delete(ctx context.Context, addr string, opts *Options) error {
	s, err := connect(ctx, addr, opts)
	if err != nil {
		return err
	}
	defer s.client.Close()
	if err := s.checkPermissions(ctx); err != nil {
		return err
	}
	l := layout{namespace: namespace(&s.opts)}
	meta, workers := l.key("meta"), l.key("workers")
	cmd := s.client.B().Eval().Script(scriptText("delete")).Numkeys(2).Key(meta, workers).Arg(micros(workerTimeout), strconv.Itoa(format)).Build()
	fields, err := s.client.Do(ctx, cmd).AsStrMap()
	if err != nil {
		return classify(err)
	}
	if len(fields) == 0 {
		return fmt.Errorf("%w: %v", ErrNotFound, s)
	}
	delete(fields, "deleted")
	l, err = readLayout(l.namespace, fields)
	if err != nil {
		return err
	}
	// Without these keys, other processes that have the crawl open cannot write any more.
	var states []string
	for k := range l.shards {
		states = append(states, l.in(k, "state"))
	}
	if err := s.unlink(ctx, states); err != nil {
		return err
	}
	err = s.scan(ctx, l.namespace+"*", func(keys []string) error {
		return s.unlink(ctx, slices.DeleteFunc(keys, func(key string) bool { return key == meta }))
	})
	if err != nil {
		return err
	}
	return s.unlink(ctx, []string{meta})
}

func (s *server) unlink(ctx context.Context, keys []string) error {
	cmds := make([]rueidis.Completed, len(keys))
	for i, key := range keys {
		cmds[i] = s.client.B().Unlink().Key(key).Build()
	}
	for _, answer := range s.client.DoMulti(ctx, cmds...) {
		if err := answer.Error(); err != nil {
			return classify(err)
		}
	}
	return nil
}

// scan calls do with all keys of a pattern on all masters. It may return a key twice.
func (s *server) scan(ctx context.Context, pattern string, do func(keys []string) error) error {
	for addr, node := range s.client.Nodes() {
		role, err := node.Do(ctx, node.B().Role().Build()).ToArray()
		if err != nil {
			return fmt.Errorf("%w: %s", classify(err), addr)
		}
		if reply(role).string(0) != "master" {
			continue
		}
		for cursor := uint64(0); ; {
			entry, err := node.Do(ctx, node.B().Scan().Cursor(cursor).Match(pattern).Count(scanned).Build()).AsScanEntry()
			if err != nil {
				return fmt.Errorf("%w: %s", classify(err), addr)
			}
			if err := do(entry.Elements); err != nil {
				return err
			}
			if cursor = entry.Cursor; cursor == 0 {
				break
			}
		}
	}
	return nil
}
