package robotsext

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
)

// Cache stores records. A failure must never turn a disallow into an allow. Methods are
// called concurrently, with contexts that are never canceled.
type Cache interface {
	// Load returns nil, nil only if nothing was ever stored for o. It fails if a record
	// cannot be read or may have been evicted. The File of the record may be nil.
	Load(ctx context.Context, o Origin) (*Record, error)
	// Store replaces the record of rec.Origin. If it fails, Load must not return the old
	// record, which may allow what rec disallows.
	Store(ctx context.Context, rec *Record) error
}

// store reads and writes the records of a Cache. A record that it cannot read, or that
// may be outdated, counts as lost.
type store struct {
	cache    Cache
	unstored unstored
	policy   *policy
	log      *slog.Logger
}

// newStore returns the store of Options.Cache.Backend; nil if there is none.
func newStore(opts *Options, p *policy, log *slog.Logger) *store {
	if opts.Cache.Backend == nil {
		return nil
	}
	most := cmp.Or(opts.Cache.MaxRecords, defaultMaxRecords)
	return &store{cache: opts.Cache.Backend, unstored: unstored{most: most}, policy: p, log: log}
}

// load returns the record of o, or nil if there is none. Lost reports that there may
// have been one.
func (s *store) load(ctx context.Context, o Origin) (rec *Record, lost bool) {
	if s.unstored.has(o) {
		return nil, true
	}
	rec, err := s.cache.Load(ctx, o)
	switch {
	case err != nil:
		s.log.WarnContext(ctx, "cannot read robots.txt record", "origin", o, "error", err)
		return nil, true
	case rec == nil:
		return nil, false
	}
	rec, err = s.policy.restore(rec, o)
	if err != nil {
		s.log.WarnContext(ctx, "invalid robots.txt record ignored", "origin", o, "error", err)
		return nil, true
	}
	return rec, false
}

// save stores rec.
func (s *store) save(ctx context.Context, rec *Record) {
	err := s.cache.Store(ctx, storable(rec))
	s.unstored.note(rec.Origin, err != nil)
	if err != nil {
		s.log.WarnContext(ctx, "cannot store robots.txt record", "origin", rec.Origin, "error", err)
	}
}

// unstored is the set of origins whose latest record the Cache does not have, because
// Store failed. If there are more than most, it contains all origins.
type unstored struct {
	most int

	mu      sync.Mutex // guards the rest
	origins map[Origin]struct{}
	all     bool
}

// note records whether the last Store for o failed.
func (u *unstored) note(o Origin, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !failed:
		delete(u.origins, o)
	case len(u.origins) >= u.most:
		u.all = true
	default:
		if u.origins == nil {
			u.origins = make(map[Origin]struct{})
		}
		u.origins[o] = struct{}{}
	}
}

// has reports whether the Cache may hold an outdated record of o.
func (u *unstored) has(o Origin) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, failed := u.origins[o]
	return failed || u.all
}
