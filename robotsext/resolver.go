package robotsext

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"
)

// resolver finds the record of an origin: in memory, in the Cache, or by a fetch. At
// most one lookup is in flight for an origin (ROB-FET-03).
type resolver struct {
	memory  *memory
	store   *store // nil: there is no Cache
	fetcher *robotsFetcher
	pacer   *pacer
	policy  *policy

	onRecord func(*Record)               // Options.OnRecord
	onChange func(before, after *Record) // Options.OnChange
	log      *slog.Logger
	now      func() time.Time
}

// resolve returns the record of o, and looks it up if there is none, if it is due, or
// if force says so. A caller whose ctx ends leaves; the lookup goes on for the
// others. One whose ctx has ended before starts nothing.
func (r *resolver) resolve(ctx context.Context, o Origin, force bool) (*Record, error) {
	ctx, release := unsealed(ctx)
	defer release()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m := r.memory
	m.mu.Lock()
	s := m.touch(o)
	l := s.lookup
	if l == nil {
		if s.rec != nil && !force && !s.rec.due(r.now()) {
			rec := s.rec
			m.mu.Unlock()
			return rec, nil
		}
		l = &lookup{done: make(chan struct{})}
		s.lookup = l
		go r.lookUp(context.WithoutCancel(ctx), s, l, force)
	}
	m.mu.Unlock()
	select {
	case <-l.done:
		return l.rec, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// lookUp learns the record of s.origin, first from the Cache, then from the site, and
// hands it to everybody who waits on l. It alone changes s.rec while l is in flight.
func (r *resolver) lookUp(ctx context.Context, s *slot, l *lookup, force bool) {
	m := r.memory
	m.mu.Lock()
	kept, lost := s.rec, m.evicted
	m.mu.Unlock()
	var found *Record
	defer func() { // also when a callback ends this goroutine
		if found == nil {
			found = r.unresolved(s.origin, kept, lost, errEnded)
		}
		m.mu.Lock()
		l.rec, s.lookup = found, nil
		m.set(s, kept)
		m.mu.Unlock()
		close(l.done)
	}()
	if r.store != nil {
		// Another user of the Cache may know more by now.
		stored, forgotten := r.store.load(ctx, s.origin)
		if kept == nil {
			kept, lost = stored, forgotten
		} else if stored != nil && stored.FetchedAt.After(kept.FetchedAt) {
			kept = stored
		}
	}
	now := r.now()
	switch held := r.pacer.retryAfter(s.origin) > 0; {
	case kept != nil && !kept.due(now) && (!force || held):
		found = kept
		return
	case held:
		found = r.unresolved(s.origin, kept, lost, errRetryAfter)
		return
	}
	res := r.fetcher.fetch(ctx, s.origin)
	now = r.now()
	switch {
	case res.outcome == Unreachable && kept.fresh(now):
		r.log.DebugContext(ctx, "robots.txt not refreshed", "host", s.origin, "error", res.err)
		if !res.unsent {
			kept = kept.refreshFailed(RetryAfter(res.header, now), now)
			r.notify(kept)
		}
		found = kept
	case res.unsent:
		// It says nothing of the site.
		r.log.DebugContext(ctx, "robots.txt not asked for", "host", s.origin, "error", res.err)
		found = r.unresolved(s.origin, kept, lost, res.err)
	default:
		prior := kept
		kept = r.policy.record(prior, lost, res, now)
		r.log.DebugContext(ctx, "robots.txt fetched", "host", s.origin, "outcome", kept.Outcome.String(), "status", kept.Status, "error", kept.Err)
		r.publish(ctx, prior, kept)
		found = kept
	}
}

// publish makes rec, which follows prior, known to the caller and the Cache: in
// this order, so that what the caller does with a record that the Cache has is
// done, also when the process ends in between.
func (r *resolver) publish(ctx context.Context, prior, rec *Record) {
	r.notify(rec)
	if r.store != nil {
		r.store.save(ctx, rec)
	}
	if r.onChange != nil && prior != nil && !prior.blank() && !sameMeaning(prior, rec) {
		r.onChange(prior, rec)
	}
}

func (r *resolver) notify(rec *Record) {
	if r.onRecord != nil {
		r.onRecord(rec)
	}
}

// errRetryAfter is why a robots.txt is not fetched yet.
var errRetryAfter = errors.New("the site sent Retry-After, and that has not passed")

// errEnded is why callers have to come again whose fetch was ended by one of the
// program's functions, by runtime.Goexit or a panic.
var errEnded = errors.New("a function in Options ended the fetch")

// unresolved is the record for callers when nothing was learnt, for a reason that
// lies with us. It is not kept: the next caller may have better luck.
func (r *resolver) unresolved(o Origin, prior *Record, lost bool, err error) *Record {
	now := r.now()
	rec := &Record{
		Origin: o, Outcome: Unreachable, Err: clipError(err),
		FetchedAt: now, ExpiresAt: now, RetryAt: now.Add(cmp.Or(r.pacer.retryAfter(o), min(r.policy.backoff.min, time.Minute))),
	}
	rec.Copy, rec.CopyLost = prior.lastGood()
	rec.CopyLost = rec.CopyLost || prior == nil && lost
	return rec
}
