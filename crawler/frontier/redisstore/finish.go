package redisstore

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// linksAtOnce is the number of links that Finish sends with the outcomes. If there are more,
// it stores all links first.
const linksAtOnce = 5000

// Finish implements frontier.Frontier. Each worker has its own note.
func (s *Store) Finish(ctx context.Context, outcomes []frontier.Outcome, note []byte) ([]error, error) {
	hosts, errs, err := frontier.CheckFinish(outcomes, note)
	if err != nil {
		return nil, err
	}
	if err := s.enterWorker(ctx); err != nil {
		return nil, err
	}
	j := &job{note: bytes.Clone(note)}
	for i := range outcomes {
		if errs[i] == nil {
			errs[i] = s.ending(j, &outcomes[i], hosts[i], &errs[i])
		}
	}
	if len(j.items) == 0 && len(j.endings) == 0 && note == nil {
		return errs, nil
	}
	links, restarts := j.items, s.memory.restarts()
	if len(links) > linksAtOnce {
		if err := s.sendItems(ctx, links); err != nil {
			return nil, err
		}
		j.items = nil
	}
	if err := s.do(ctx, j); err != nil {
		return nil, err
	}
	if s.memory.restarts() != restarts {
		// The server may have forgotten links that were stored before the outcomes.
		if err := s.sendItems(ctx, links); err != nil {
			return nil, err
		}
	}
	return errs, nil
}

// sendItems stores items in parts.
func (s *schedule) sendItems(ctx context.Context, items []*item) error {
	for part := range slices.Chunk(items, itemsAtOnce) {
		if err := s.do(ctx, &job{items: part}); err != nil {
			return err
		}
	}
	return nil
}

// ending prepares an outcome and its links. The links are stored also if the lease is not of
// this crawl.
func (s *schedule) ending(j *job, o *frontier.Outcome, hosts []frontier.Host, lost *error) error {
	t, ok := s.layout.readTicket(o.Lease)
	items, _ := s.items(o.Links, hosts, false)
	for _, it := range items {
		it.own = ok && it.shard == t.shard
	}
	j.items = append(j.items, items...)
	if !ok {
		return frontier.ErrLeaseLost
	}
	e := ending{ticket: t, result: o.Result, notBefore: o.NotBefore, hostDelay: max(o.HostDelay, 0), err: lost}
	if o.Validators != nil {
		e.validators = encodeValidators(o.Validators)
	}
	j.endings = append(j.endings, e)
	return nil
}

// Note implements frontier.Frontier. It returns the note of this worker, even if an earlier
// process with its name stored it.
func (s *Store) Note(ctx context.Context) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	var note []byte
	err := s.retry(ctx, func(ctx context.Context) (err error) {
		note, err = s.client.Do(ctx, s.client.B().Hget().Key(s.layout.in(s.home, "notes")).Field(s.opts.WorkerName).Build()).AsBytes()
		if rueidis.IsRedisNil(err) {
			note, err = nil, nil
		} else if err == nil {
			note = append([]byte{}, note...) // which may be empty
		}
		return classify(err)
	})
	return note, err
}

// Extend implements frontier.Frontier.
func (s *Store) Extend(ctx context.Context, ids []frontier.LeaseID, d time.Duration) error {
	if err := s.enterWorker(ctx); err != nil {
		return err
	}
	tickets, calls := make([]ticket, len(ids)), make(map[int][]int) // of each shard
	kept := make([]bool, len(ids))
	for i, id := range ids {
		t, ok := s.layout.readTicket(id)
		if !ok {
			continue
		}
		tickets[i] = t
		calls[t.shard] = append(calls[t.shard], i)
	}
	for shard, members := range calls {
		c := s.call(shard, "extend", micros(max(d, 0)))
		for _, i := range members {
			c.args = append(c.args, strconv.Itoa(tickets[i].shard), tickets[i].token)
		}
		r, err := s.run(ctx, fixed(c))
		if err != nil {
			return err
		}
		found := r.string(1)
		for n, i := range members {
			kept[i] = n < len(found) && found[n] == '1'
		}
		s.learn(r, 2)
	}
	var lost []frontier.LeaseID
	for i, ok := range kept {
		if !ok {
			lost = append(lost, ids[i])
		}
	}
	if lost != nil {
		return &frontier.LostError{Leases: lost}
	}
	return nil
}
