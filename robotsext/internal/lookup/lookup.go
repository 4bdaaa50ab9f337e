// Package lookup finds the record of an origin: in memory, in a Cache, or by a fetch of its
// robots.txt. It decides what a response means, how long it is used, and what applies in an
// outage. It also counts the requests to each server, for their delays.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Config is what a Lookup needs. Most of it are fields of robotsext.Options.
type Config struct {
	UserAgent string
	RoundTrip roundtrip.Func // sends a request without a check
	Permanent []error        // errors of RoundTrip that another connection would meet too
	Signer    record.Signer  // nil if requests are not signed
	Parse     *robotstxt.Options
	Fetch     record.FetchOptions
	Cache     record.CacheOptions
	Outage    record.OutageOptions
	OnRecord  func(*record.Record)
	OnChange  func(before, after *record.Record)
	Log       *slog.Logger
	Now       func() time.Time
}

// Lookup returns the records of origins. At most one lookup is in flight for an origin
// (ROB-FET-03).
type Lookup struct {
	Config // with defaults in place of zero values

	Limiter  *Limiter
	file     file // which is fetched
	memory   *memory
	unstored unstored
}

// New returns a Lookup of robots.txt files. Zero values in c mean the defaults of their options.
func New(c Config) *Lookup {
	c.Fetch.Timeout = cmp.Or(c.Fetch.Timeout, 30*time.Second)
	c.Cache.MaxAge = cmp.Or(c.Cache.MaxAge, DefaultLifetime)
	c.Cache.MinAge = max(cmp.Or(c.Cache.MinAge, min(5*time.Minute, c.Cache.MaxAge)), 0)
	retryMin := cmp.Or(c.Outage.RetryMin, min(time.Minute, cmp.Or(c.Outage.RetryMax, time.Minute)))
	c.Outage.RetryMin, c.Outage.RetryMax = retryMin, cmp.Or(c.Outage.RetryMax, max(time.Hour, retryMin))
	maxBytes := robotstxt.DefaultMaxBytes
	if c.Parse != nil && c.Parse.MaxBytes > 0 {
		maxBytes = c.Parse.MaxBytes
	}
	l := newLookup(c, file{path: record.RobotsPath, maxBytes: maxBytes, parse: func(rec *record.Record) {
		rec.File = robotstxt.Parse(rec.Body, c.Parse)
	}})
	l.Limiter = &Limiter{memory: l.memory, wait: c.Fetch.Wait, timeout: c.Fetch.Timeout, now: c.Now}
	return l
}

func newLookup(c Config, f file) *Lookup {
	if c.OnRecord == nil {
		c.OnRecord = func(*record.Record) {}
	}
	m := newMemory(c.Cache.MaxRecords, c.Cache.MaxBytes)
	return &Lookup{Config: c, file: f, memory: m, unstored: unstored{most: m.maxSlots, origins: make(map[record.Origin]struct{})}}
}

// ErrDisallowed is the error of a tdmrep.json that robots.txt disallows, at its own URL or where it
// redirects.
var ErrDisallowed = errors.New("disallowed by robots.txt")

// TDMRep returns a Lookup of tdmrep.json files, with a memory of its own and no Cache. Check
// reports whether a URL may be requested, with ErrDisallowed if robots.txt disallows it.
func (l *Lookup) TDMRep(check func(context.Context, *url.URL) error, onRecord func(*record.Record)) *Lookup {
	c := l.Config
	c.Cache.Backend, c.OnRecord, c.OnChange = nil, onRecord, nil
	t := newLookup(c, file{path: usage.TDMRepPath, maxBytes: usage.MaxTDMRepBytes, check: check, parse: func(rec *record.Record) {
		if rec.Truncated { // a part of it may be valid, and mean something else
			rec.Body, rec.TDMRepErr = nil, usage.ErrTDMRepSize
			return
		}
		rec.TDMRep, rec.TDMRepErr = usage.ParseTDMRep(rec.Body)
	}})
	t.Limiter = l.Limiter
	return t
}

// Resolve returns the record of o. It starts a lookup if there is no record, if it is
// due, or if force is set. If ctx ends, the caller returns and the lookup continues
// for others. Resolve panics if the lookup panics in a function of the
// program, such as a transport.
func (l *Lookup) Resolve(ctx context.Context, o record.Origin, force bool) (*record.Record, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	m := l.memory
	m.mu.Lock()
	s := m.touch(o)
	a := s.attempt
	if a == nil {
		if s.rec != nil && !force && !isDue(s.rec, l.Now()) {
			rec := s.rec
			m.mu.Unlock()
			return rec, nil
		}
		a = &attempt{done: make(chan struct{})}
		s.attempt = a
		go l.lookUp(context.WithoutCancel(ctx), s, a, force)
	}
	a.callers++
	m.mu.Unlock()
	select {
	case <-a.done:
	case <-ctx.Done():
		m.mu.Lock()
		a.callers--
		inFlight := s.attempt == a
		m.mu.Unlock()
		if inFlight {
			return nil, context.Cause(ctx)
		}
	}
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a.rec, nil
}

// Known returns the record of o if it is in memory and needs no request, or nil if there is none.
func (l *Lookup) Known(o record.Origin) *record.Record {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	if s := l.memory.slots[o]; s != nil && s.rec != nil && !isDue(s.rec, l.Now()) {
		return s.rec
	}
	return nil
}

// Expire makes the record of o expire, unless it is of an outage or is being looked up.
func (l *Lookup) Expire(o record.Origin) {
	l.memory.mu.Lock()
	defer l.memory.mu.Unlock()
	now := l.Now()
	if s := l.memory.slots[o]; s != nil && s.attempt == nil && isFresh(s.rec, now) {
		expired := *s.rec // callers may have the other
		expired.ExpiresAt = now
		s.rec = &expired
	}
}

// lookUp finds the record of s.origin, first in the Cache, then by a fetch, and passes
// it to all callers that wait on a. Only lookUp changes s.rec while a is in flight.
func (l *Lookup) lookUp(ctx context.Context, s *slot, a *attempt, force bool) {
	m := l.memory
	m.mu.Lock()
	kept, lost := s.rec, m.evicted
	m.mu.Unlock()
	var found *record.Record
	defer func() { // also when a callback ends this goroutine
		panicked := recover()
		if found == nil {
			found = l.unresolved(s.origin, kept, lost, ErrEnded)
		}
		m.mu.Lock()
		a.rec, a.panicked, s.attempt = found, panicked, nil
		m.set(s, kept)
		callers := a.callers
		m.mu.Unlock()
		close(a.done)
		if panicked != nil {
			level := slog.LevelError
			if callers > 0 { // they panic with the same value
				level = slog.LevelDebug
			}
			l.Log.Log(ctx, level, "panic while fetching "+l.file.name(), "panic", panicked, "stack", string(debug.Stack()))
		}
	}()
	if l.Cache.Backend != nil {
		// Another user of the Cache may have a newer record.
		stored, forgotten := l.load(ctx, s.origin)
		if kept == nil {
			kept, lost = stored, forgotten
		} else if stored != nil && stored.FetchedAt.After(kept.FetchedAt) {
			kept = stored
		}
	}
	now := l.Now()
	switch delayed := l.Limiter.RetryAfter(s.origin) > 0; {
	case kept != nil && !isDue(kept, now) && (!force || delayed):
		found = kept
		return
	case delayed:
		found = l.unresolved(s.origin, kept, lost, errRetryAfter)
		return
	}
	res := l.fetch(ctx, s.origin)
	now = l.Now()
	switch {
	case res.outcome == record.OutcomeUnreachable && isFresh(kept, now):
		l.Log.DebugContext(ctx, l.file.name()+" not refreshed", "origin", s.origin, "error", res.err)
		if !res.unsent {
			if wait := RetryAfter(res.header, now); wait > 0 { // the next fetch is not before that (ROB-POL-04)
				delayed := *kept
				delayed.RetryAt = now.Add(wait)
				kept = &delayed
			}
			l.OnRecord(kept)
		}
		found = kept
	case res.unsent:
		// This says nothing about the site.
		l.Log.DebugContext(ctx, l.file.name()+" not requested", "origin", s.origin, "error", res.err)
		found = l.unresolved(s.origin, kept, lost, res.err)
	default:
		prior := kept
		kept = l.newRecord(prior, lost, res, now)
		l.Log.DebugContext(ctx, l.file.name()+" fetched", "origin", s.origin, "outcome", kept.Outcome.String(), "status", kept.Status, "error", kept.Err)
		l.publish(ctx, prior, kept)
		found = kept
	}
}

// publish passes rec, which replaces prior, to the callbacks and then to the Cache.
// After a crash in between, the callbacks run again rather than never.
func (l *Lookup) publish(ctx context.Context, prior, rec *record.Record) {
	l.OnRecord(rec)
	if l.Cache.Backend != nil {
		l.save(ctx, rec)
	}
	// A prior record that is unreachable without an outage replaces one that could not be stored.
	known := prior != nil && (prior.Outcome != record.OutcomeUnreachable || !prior.FailingSince.IsZero())
	if l.OnChange != nil && known && !sameMeaning(prior, rec) {
		l.OnChange(prior, rec)
	}
}

// errRetryAfter is the reason for delaying a fetch of robots.txt or tdmrep.json.
var errRetryAfter = errors.New("the site sent Retry-After, which has not passed yet")

// ErrEnded is the error of callers if a function of the program has ended the fetch with
// runtime.Goexit.
var ErrEnded = errors.New("a function in Options ended the fetch")

// unresolved returns the record after a failure that says nothing about the site. It
// is not stored, so the next caller tries again.
func (l *Lookup) unresolved(o record.Origin, prior *record.Record, lost bool, err error) *record.Record {
	now := l.Now()
	rec := &record.Record{
		Origin: o, Outcome: record.OutcomeUnreachable, Err: clipError(err),
		FetchedAt: now, ExpiresAt: now, RetryAt: now.Add(cmp.Or(l.Limiter.RetryAfter(o), min(l.Outage.RetryMin, time.Minute))),
	}
	rec.Copy, rec.CopyLost = lastGood(prior, lost)
	return rec
}
