package redisstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// ask calls a script for a shard and updates the view from the reply.
func (s *schedule) ask(ctx context.Context, what string, shard, heads int, args ...string) (reply, error) {
	r, err := s.run(ctx, fixed(s.call(shard, what, append([]string{strconv.Itoa(shard)}, args...)...)))
	if err == nil {
		s.learn(r, heads)
	}
	return r, err
}

// Host implements frontier.Frontier.
func (s *Store) Host(ctx context.Context, h frontier.Host) (frontier.HostRecord, error) {
	if err := s.enter(ctx); err != nil {
		return frontier.HostRecord{}, err
	}
	r, err := s.ask(ctx, "host", s.layout.shard(h), 7, string(h))
	if err != nil {
		return frontier.HostRecord{}, err
	}
	record := frontier.HostRecord{
		Host:         h,
		Delay:        time.Duration(r.int(1)) * time.Microsecond,
		MaxInFlight:  int(r.int(2)),
		BlockedUntil: ahead(r.int(3)),
		Due:          ahead(r.int(4)),
		Counts:       counts(r.array(5)),
	}
	record.Robots, err = robots(r.array(6))
	return record, err
}

// robots decodes pairs of an origin and its robots.txt record.
func robots(r reply) (records map[string]frontier.Robots, err error) {
	for i := 0; i+1 < len(r); i += 2 {
		if records == nil {
			records = make(map[string]frontier.Robots)
		}
		if records[r.string(i)], err = decodeRobots(r.string(i + 1)); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// counts decodes added, pending, scheduled, leased, done, dropped.
func counts(r reply) frontier.Counts {
	if len(r) < 6 {
		return frontier.Counts{}
	}
	return frontier.Counts{
		URLs: int(r.int(0)), Pending: int(r.int(1)), Scheduled: int(r.int(2)),
		InFlight: int(r.int(3)), Done: int(r.int(4)), Dropped: int(r.int(5)),
	}
}

// ahead returns the time so many microseconds from now; zero for 0.
func ahead(us int64) time.Time {
	if us <= 0 {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(us) * time.Microsecond)
}

// UpdateHost implements frontier.Frontier.
func (s *Store) UpdateHost(ctx context.Context, h frontier.Host, u frontier.HostUpdate) error {
	if h == "" {
		return fmt.Errorf("%w: no host", frontier.ErrInvalid)
	}
	if err := s.enterWorker(ctx); err != nil {
		return err
	}
	args := []string{string(h), "", "", ""}
	if u.Delay != nil {
		args[1] = micros(max(*u.Delay, 0))
	}
	if u.MaxInFlight > 0 {
		args[2] = strconv.Itoa(u.MaxInFlight)
	}
	if !u.BlockUntil.IsZero() {
		args[3] = until(u.BlockUntil)
	}
	for origin, r := range u.Robots {
		args = append(args, origin, encodeRobots(r))
	}
	_, err := s.ask(ctx, "update", s.layout.shard(h), 1, args...)
	return err
}

// Stats implements frontier.Frontier. With several shards it reads one after the other, so the
// result is not an atomic snapshot. A URL that is finished during the call counts as in flight.
func (s *Store) Stats(ctx context.Context) (frontier.Stats, error) {
	if err := s.enter(ctx); err != nil {
		return frontier.Stats{}, err
	}
	var before []shardStats
	if s.layout.shards > 1 {
		var err error
		if before, _, err = s.shardStats(ctx); err != nil {
			return frontier.Stats{}, err
		}
	}
	all, next, err := s.shardStats(ctx)
	if err != nil {
		return frontier.Stats{}, err
	}
	st := frontier.Stats{NextDue: next}
	for k, c := range all {
		if before != nil {
			done, dropped := min(c.Done, before[k].Done), min(c.Dropped, before[k].Dropped)
			c.InFlight += c.Done - done + c.Dropped - dropped
			c.Done, c.Dropped = done, dropped
		}
		st.Counts = st.Plus(c.Counts)
		st.Hosts += c.hosts
	}
	return st, nil
}

type shardStats struct {
	frontier.Counts
	hosts int
}

// shardStats returns the counts of each shard, and the time when the next URL is due.
func (s *schedule) shardStats(ctx context.Context) (all []shardStats, next time.Time, err error) {
	all = make([]shardStats, s.layout.shards)
	var least time.Duration = -1
	err = s.each(ctx, "stats", nil, func(r reply) {
		for i := range r.array(1) {
			c := r.array(1).array(i)
			k := c.int(8)
			if len(c) < 9 || k < 0 || k >= int64(len(all)) {
				continue
			}
			all[k] = shardStats{counts(c), int(c.int(6))}
			if at := c.int(7); at < never {
				if wait := time.Duration(max(at-r.int(0), 0)) * time.Microsecond; least < 0 || wait < least {
					least = wait
				}
			}
		}
		s.learn(r, 2)
	})
	if least >= 0 {
		next = time.Now().Add(least)
	}
	return all, next, err
}
