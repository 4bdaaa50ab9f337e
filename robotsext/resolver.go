package robotsext

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"time"
)

// resolver returns the record of an origin: from memory, from the Cache, or by a
// fetch. At most one lookup is in flight for an origin (ROB-FET-03). It is used for robots.txt
// and, without a Cache, for tdmrep.json.
type resolver struct {
	memory  *memory
	store   *store // nil: there is no Cache
	fetcher *robotsFetcher
	limiter *limiter
	policy  *policy

	onRecord func(*Record)               // Options.OnRecord
	onChange func(before, after *Record) // Options.OnChange
	log      *slog.Logger
	now      func() time.Time
}

// resolve returns the record of o. It starts a lookup if there is no record, if it is
// due, or if force is set. If ctx ends, the caller returns and the lookup continues
// for others. If the lookup panics in a function of the program, such as a transport, so
// does resolve.
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
	l.callers++
	m.mu.Unlock()
	select {
	case <-l.done:
	case <-ctx.Done():
		m.mu.Lock()
		l.callers--
		inFlight := s.lookup == l
		m.mu.Unlock()
		if inFlight {
			return nil, context.Cause(ctx)
		}
	}
	if l.panicked != nil {
		panic(l.panicked)
	}
	return l.rec, nil
}

// known returns the record of o if it is in memory and needs no request; nil: there is none.
func (r *resolver) known(o Origin) *Record {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	if s := r.memory.slots[o]; s != nil && s.rec != nil && !s.rec.due(r.now()) {
		return s.rec
	}
	return nil
}

// expire makes the record of o expire, unless it is that of an outage or is being looked up.
func (r *resolver) expire(o Origin) {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	now := r.now()
	if s := r.memory.slots[o]; s != nil && s.lookup == nil && s.rec.fresh(now) {
		expired := *s.rec // callers may have the other
		expired.ExpiresAt = now
		s.rec = &expired
	}
}

// lookUp finds the record of s.origin, first in the Cache, then by a fetch, and passes
// it to all callers that wait on l. Only lookUp changes s.rec while l is in flight.
func (r *resolver) lookUp(ctx context.Context, s *slot, l *lookup, force bool) {
	m := r.memory
	m.mu.Lock()
	kept, lost := s.rec, m.evicted
	m.mu.Unlock()
	var found *Record
	defer func() { // also when a callback ends this goroutine
		panicked := recover()
		if found == nil {
			found = r.unresolved(s.origin, kept, lost, errEnded)
		}
		m.mu.Lock()
		l.rec, l.panicked, s.lookup = found, panicked, nil
		m.set(s, kept)
		callers := l.callers
		m.mu.Unlock()
		close(l.done)
		logPanic(ctx, r.log, panicked, callers > 0, "fetching "+r.fetcher.name())
	}()
	if r.store != nil {
		// Another user of the Cache may have a newer record.
		stored, forgotten := r.store.load(ctx, s.origin)
		if kept == nil {
			kept, lost = stored, forgotten
		} else if stored != nil && stored.FetchedAt.After(kept.FetchedAt) {
			kept = stored
		}
	}
	now := r.now()
	switch delayed := r.limiter.retryAfter(s.origin) > 0; {
	case kept != nil && !kept.due(now) && (!force || delayed):
		found = kept
		return
	case delayed:
		found = r.unresolved(s.origin, kept, lost, errRetryAfter)
		return
	}
	res := r.fetcher.fetch(ctx, s.origin)
	now = r.now()
	switch {
	case res.outcome == OutcomeUnreachable && kept.fresh(now):
		r.log.DebugContext(ctx, r.fetcher.name()+" not refreshed", "origin", s.origin, "error", res.err)
		if !res.unsent {
			kept = kept.withRetryAfter(RetryAfter(res.header, now), now)
			r.notify(kept)
		}
		found = kept
	case res.unsent:
		// The site is not at fault.
		r.log.DebugContext(ctx, r.fetcher.name()+" not requested", "origin", s.origin, "error", res.err)
		found = r.unresolved(s.origin, kept, lost, res.err)
	default:
		prior := kept
		kept = r.policy.record(prior, lost, res, now)
		r.log.DebugContext(ctx, r.fetcher.name()+" fetched", "origin", s.origin, "outcome", kept.Outcome.String(), "status", kept.Status, "error", kept.Err)
		r.publish(ctx, prior, kept)
		found = kept
	}
}

// publish passes rec, which replaces prior, to the callbacks and then to the Cache.
// After a crash in between, the callbacks run again rather than never.
func (r *resolver) publish(ctx context.Context, prior, rec *Record) {
	r.notify(rec)
	if r.store != nil {
		r.store.save(ctx, rec)
	}
	if r.onChange != nil && prior != nil && !prior.isPlaceholder() && !sameMeaning(prior, rec) {
		r.onChange(prior, rec)
	}
}

func (r *resolver) notify(rec *Record) {
	if r.onRecord != nil {
		r.onRecord(rec)
	}
}

// errRetryAfter is the reason for delaying a fetch of robots.txt or tdmrep.json.
var errRetryAfter = errors.New("the site sent Retry-After, which has not passed yet")

// errEnded is the error of callers whose fetch was ended by a function of the program,
// with runtime.Goexit.
var errEnded = errors.New("a function in Options ended the fetch")

// logPanic logs the stack of a panic that was recovered, if any: as an error if no caller panics
// with the same value.
func logPanic(ctx context.Context, log *slog.Logger, panicked any, raised bool, during string) {
	if panicked == nil {
		return
	}
	level := slog.LevelError
	if raised {
		level = slog.LevelDebug
	}
	log.Log(ctx, level, "panic while "+during, "panic", panicked, "stack", string(debug.Stack()))
}

// unresolved returns the record after a failure that is not the site's. It is not
// stored, so the next caller tries again.
func (r *resolver) unresolved(o Origin, prior *Record, lost bool, err error) *Record {
	now := r.now()
	rec := &Record{
		Origin: o, Outcome: OutcomeUnreachable, Err: clipError(err),
		FetchedAt: now, ExpiresAt: now, RetryAt: now.Add(cmp.Or(r.limiter.retryAfter(o), min(r.policy.backoff.min, time.Minute))),
	}
	rec.Copy, rec.CopyLost = prior.lastGood()
	rec.CopyLost = rec.CopyLost || prior == nil && lost
	return rec
}
