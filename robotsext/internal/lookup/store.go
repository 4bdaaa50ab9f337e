package lookup

import (
	"context"
	"sync"

	"github.com/politecrawl/politecrawl/robotsext/record"
)

// load returns the record of o in the Cache, or nil if there is none. A record that cannot be
// read, or that may be outdated, counts as lost.
func (l *Lookup) load(ctx context.Context, o record.Origin) (rec *record.Record, lost bool) {
	if l.unstored.has(o) {
		return nil, true
	}
	rec, err := l.Cache.Backend.Load(ctx, o)
	switch {
	case err != nil:
		l.Log.WarnContext(ctx, "cannot read robots.txt record", "origin", o, "error", err)
		return nil, true
	case rec == nil:
		return nil, false
	}
	rec, err = l.restore(rec, o)
	if err != nil {
		l.Log.WarnContext(ctx, "invalid robots.txt record ignored", "origin", o, "error", err)
		return nil, true
	}
	return rec, false
}

// save stores rec in the Cache.
func (l *Lookup) save(ctx context.Context, rec *record.Record) {
	err := l.Cache.Backend.Store(ctx, storable(rec))
	l.unstored.note(rec.Origin, err != nil)
	if err != nil {
		l.Log.WarnContext(ctx, "cannot store robots.txt record", "origin", rec.Origin, "error", err)
	}
}

// storable returns rec in the form for a Cache. If the site sends no-store, the text
// is left out, and counts as a lost copy (ROB-CAC-06).
func storable(rec *record.Record) *record.Record {
	if rec.NoStore && rec.FailingSince.IsZero() && rec.Outcome == record.OutcomeRules {
		return &record.Record{
			Origin: rec.Origin, Outcome: record.OutcomeUnreachable, Status: rec.Status, RedirectChain: rec.RedirectChain,
			FetchedAt: rec.FetchedAt, ExpiresAt: rec.FetchedAt, // so it is fetched before it is used
			CopyLost: true,
		}
	}
	if rec.Copy != nil && rec.Copy.NoStore {
		c := *rec
		c.Outcome, c.File, c.Body, c.Truncated = record.OutcomeUnreachable, nil, nil, false
		c.Copy, c.CopyLost = nil, true
		return &c
	}
	return rec
}

// unstored is the set of origins whose latest record the Cache does not have, because
// Store failed. If there are more than most, it contains all origins.
type unstored struct {
	most int

	mu      sync.Mutex // guards the rest
	origins map[record.Origin]struct{}
	all     bool
}

// note records whether the last Store for o failed.
func (u *unstored) note(o record.Origin, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !failed:
		delete(u.origins, o)
	case len(u.origins) >= u.most:
		u.all = true
	default:
		u.origins[o] = struct{}{}
	}
}

// has reports whether the Cache may hold an outdated record of o.
func (u *unstored) has(o record.Origin) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, failed := u.origins[o]
	return failed || u.all
}
