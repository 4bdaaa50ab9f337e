package lookup

import (
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// maxGap limits how much the time between two failed fetches adds to an outage
// (ROB-STA-05).
const maxGap = 24 * time.Hour

// newRecord returns the record after a fetch that ended now. Prior is the previous record
// or nil; lost means that a previous record may have been evicted.
func (l *Lookup) newRecord(prior *record.Record, lost bool, res *fetchResult, now time.Time) *record.Record {
	rec := &record.Record{
		Origin:        res.origin,
		Outcome:       res.outcome,
		Status:        res.status,
		Err:           clipError(res.err),
		Body:          res.body,
		Truncated:     res.truncated,
		RedirectChain: clipChain(res.chain),
		FetchedAt:     now,
	}
	if res.outcome != record.OutcomeUnreachable {
		rec.ExpiresAt = now.Add(lifetime(l.Cache, res.header, now, res.transit))
		rec.NoStore = NoStore(res.header)
		l.parse(rec)
		return rec
	}
	rec.FailingSince, rec.Failures = now, 1
	if prior != nil && !prior.FailingSince.IsZero() {
		rec.FailingSince = prior.FailingSince
		rec.Failures = prior.Failures + 1
		rec.Outage = prior.Outage + min(max(now.Sub(prior.FetchedAt), 0), maxGap)
	}
	rec.Copy, rec.CopyLost = lastGood(prior, lost)
	l.fallBack(rec, now)
	rec.RetryAt = now.Add(max(l.Backoff(rec.Failures, res.status), RetryAfter(res.header, now)))
	rec.ExpiresAt = rec.RetryAt
	return rec
}

// lastGood returns the copy for an outage that starts after rec. If the file did not exist, there
// is no copy, not even an older one (ROB-STA-07, ROB-STA-08). Evicted means that there may have
// been a record if rec is nil.
func lastGood(rec *record.Record, evicted bool) (c *record.Record, lost bool) {
	switch {
	case rec == nil:
		return nil, evicted
	case !rec.FailingSince.IsZero() || rec.CopyLost:
		return rec.Copy, rec.CopyLost
	case rec.Outcome == record.OutcomeRules:
		return rec, false
	}
	return nil, false
}

// fallBack sets the outcome of rec during an outage.
func (l *Lookup) fallBack(rec *record.Record, now time.Time) {
	rec.Outcome = l.outcome(rec, now)
	c := &record.Record{}
	if rec.Outcome == record.OutcomeRules {
		c = rec.Copy
	}
	rec.File, rec.TDMRep, rec.TDMRepErr, rec.Body, rec.Hash, rec.Truncated, rec.NoStore = c.File, c.TDMRep, c.TDMRepErr, c.Body, c.Hash, c.Truncated, c.NoStore
}

// restore validates a stored record of o and applies this Robots' options. It limits
// the times, so that a damaged record is fetched again instead of being used for
// years.
func (l *Lookup) restore(stored *record.Record, o record.Origin) (*record.Record, error) {
	rec := *stored
	failing := !rec.FailingSince.IsZero()
	switch {
	case rec.Origin != o:
		return nil, fmt.Errorf("%w: it is of %s", record.ErrDamaged, rec.Origin)
	case rec.Outcome < record.OutcomeRules || rec.Outcome > record.OutcomeUnreachable || rec.FetchedAt.IsZero(),
		failing && rec.Outcome == record.OutcomeRules && rec.Copy == nil,
		!failing && rec.Outcome == record.OutcomeAllowAll && rec.Status != 0 && Dispose(rec.Status) == ServerError:
		return nil, record.ErrDamaged
	}
	rec.File, rec.Hash = nil, "" // parsed anew, with this Robots' options
	if rec.Copy != nil {
		c := *rec.Copy
		c.File, c.Hash = nil, ""
		rec.Copy = &c
	}
	if !failing {
		if rec.Outcome == record.OutcomeUnreachable {
			rec.ExpiresAt = time.Time{} // only CopyLost is known
		}
		rec.RetryAt = time.Time{}
		rec.ExpiresAt = earlier(rec.ExpiresAt, rec.FetchedAt.Add(l.Cache.MaxAge))
		l.parse(&rec)
		return &rec, nil
	}
	rec.Outage = min(max(rec.Outage, 0), max(rec.FetchedAt.Sub(rec.FailingSince), 0))
	rec.RetryAt = earlier(rec.RetryAt, rec.FetchedAt.Add(maxRetryAfter))
	rec.ExpiresAt = rec.RetryAt
	l.parse(&rec)
	// The profile of this Robots may differ from that of the writer.
	l.fallBack(&rec, rec.FetchedAt)
	return &rec, nil
}

// parse parses the text of rec and of its copy, unless that was done before.
func (l *Lookup) parse(rec *record.Record) {
	if rec.Copy != nil && rec.Copy.Hash == "" {
		l.parseText(rec.Copy)
	}
	switch {
	case rec.Outcome != record.OutcomeRules || rec.Hash != "":
	case rec.Copy != nil:
		rec.File, rec.TDMRep, rec.TDMRepErr, rec.Hash = rec.Copy.File, rec.Copy.TDMRep, rec.Copy.TDMRepErr, rec.Copy.Hash
	default:
		l.parseText(rec)
	}
}

// parseText parses the text of rec.
func (l *Lookup) parseText(rec *record.Record) {
	l.file.parse(rec)
	if rec.Body != nil || !rec.Truncated { // else the text was dropped
		rec.Hash = usage.Hash(rec.Body)
	}
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

const (
	shortOutage = 12 * time.Hour
	longOutage  = 30 * 24 * time.Hour
)

// outcome implements table LAD of the specification for a record of an outage. OutcomeRules means
// those of the copy. A copy that may have existed and was lost allows nothing (ROB-CAC-17).
func (l *Lookup) outcome(rec *record.Record, now time.Time) record.Outcome {
	byCopy := record.OutcomeAllowAll
	switch {
	case rec.Copy != nil:
		byCopy = record.OutcomeRules
	case rec.CopyLost:
		byCopy = record.OutcomeUnreachable
	}
	switch l.Outage.Profile {
	case record.ProfileGoogle:
		switch {
		case rec.Outage < shortOutage:
			return record.OutcomeUnreachable
		case rec.Outage < shortOutage+longOutage:
			return byCopy
		case byCopy != record.OutcomeUnreachable && l.available(rec.Origin, now):
			return record.OutcomeAllowAll
		}
		return record.OutcomeUnreachable
	case record.ProfilePre2019:
		return record.OutcomeUnreachable
	}
	if rec.Outage > longOutage {
		return byCopy
	}
	return record.OutcomeUnreachable
}

// available reports whether the site of o works, apart from its robots.txt.
func (l *Lookup) available(o record.Origin, now time.Time) bool {
	if l.Outage.Available != nil {
		return l.Outage.Available(o)
	}
	last := l.Limiter.memory.lastResponse(o)
	return !last.IsZero() && now.Sub(last) <= 24*time.Hour
}

// max503Backoff limits the backoff after a 503, with which sites suspend crawling for
// a while (ROB-STA-03).
const max503Backoff = 10 * time.Minute

// Backoff returns the time from the n-th failure in a row to the next fetch. It doubles
// from Outage.RetryMin to Outage.RetryMax, which is at most a day (ROB-CAC-13).
func (l *Lookup) Backoff(n, status int) time.Duration {
	most := min(l.Outage.RetryMax, maxRetryAfter)
	if status == 503 {
		most = min(most, max(max503Backoff, l.Outage.RetryMin))
	}
	d := l.Outage.RetryMin
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	return min(d, most)
}
