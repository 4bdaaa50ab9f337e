//go:build unix

package storetest

import (
	"bytes"
	"context"
	"maps"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

func (t *toy) Host(ctx context.Context, name frontier.Host) (frontier.HostRecord, error) {
	now, err := t.enter(ctx)
	if err != nil {
		return frontier.HostRecord{}, err
	}
	defer t.leave()
	h := t.hosts[name]
	if h == nil {
		return frontier.HostRecord{Host: name, MaxInFlight: 1}, nil
	}
	r := h.HostRecord
	r.Due = t.due(h)
	if !r.Due.After(now) {
		r.Due = time.Time{}
	}
	if !r.BlockedUntil.After(now) {
		r.BlockedUntil = time.Time{}
	}
	r.Robots = maps.Clone(r.Robots)
	for origin, rec := range r.Robots {
		r.Robots[origin] = frontier.Robots{FailingSince: rec.FailingSince, Data: bytes.Clone(rec.Data)}
	}
	r.Counts = t.count(now, name)
	return r, nil
}

func (t *toy) UpdateHost(ctx context.Context, name frontier.Host, u frontier.HostUpdate) error {
	if name == "" && !t.is(takesNoHost) {
		return frontier.ErrInvalid
	}
	if _, err := t.enter(ctx); err != nil {
		return err
	}
	defer t.leave()
	h := t.host(name)
	if u.Delay != nil {
		h.Delay = *u.Delay
	}
	if u.MaxInFlight > 0 {
		h.MaxInFlight = u.MaxInFlight
	}
	if until := latest(h.BlockedUntil, u.BlockUntil); !u.BlockUntil.IsZero() {
		h.BlockedUntil = until
		if t.is(lastBlockWins) {
			h.BlockedUntil = u.BlockUntil
		}
	}
	if u.Robots != nil && (h.Robots == nil || t.is(oneRobotsRecord)) {
		h.Robots = make(map[string]frontier.Robots)
	}
	for origin, rec := range u.Robots {
		if t.is(forgetsFailing) {
			rec.FailingSince = time.Time{}
		}
		if t.is(ignoresEmptyRobots) && len(rec.Data) == 0 {
			continue
		}
		h.Robots[origin] = frontier.Robots{FailingSince: rec.FailingSince, Data: bytes.Clone(rec.Data)}
	}
	return nil
}

// count counts the rows of a host, or all rows for "".
func (t *toy) count(now time.Time, host frontier.Host) (c frontier.Counts) {
	for _, r := range t.rows {
		if host != "" && r.Host != host {
			continue
		}
		c.URLs++
		switch {
		case r.State == leased && !t.is(leasedIsPending):
			c.InFlight++
		case r.State == done:
			c.Done++
		case r.State == dropped && !t.is(forgetsDropped):
			c.Dropped++
		case r.NotBefore.After(now) && !t.is(scheduledIsPending):
			c.Scheduled++
		default:
			c.Pending++
		}
	}
	return c
}

func (t *toy) Stats(ctx context.Context) (frontier.Stats, error) {
	now, err := t.enter(ctx)
	if err != nil {
		return frontier.Stats{}, err
	}
	defer t.leave()
	s := frontier.Stats{Counts: t.count(now, "")}
	for _, h := range t.hosts {
		if h.URLs > 0 || t.is(countsAllHosts) {
			s.Hosts++
		}
	}
	for _, r := range t.rows {
		h := t.hosts[r.Host]
		if r.State != waiting || !t.free(h) {
			continue
		}
		if due := latest(latest(t.due(h), r.NotBefore), r.Since); s.NextDue.IsZero() || due.Before(s.NextDue) {
			s.NextDue = due
		}
	}
	if t.is(neverNextDue) {
		s.NextDue = time.Time{}
	}
	return s, nil
}

func latest(t, u time.Time) time.Time {
	if u.After(t) {
		return u
	}
	return t
}
