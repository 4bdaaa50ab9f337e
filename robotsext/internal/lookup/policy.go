package lookup

import (
	"cmp"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// policy applies the options to fetches and stored records: the outcome, its lifetime, and
// the time of the next fetch.
type policy struct {
	parseBody func(rec *record.Record) // sets the File of rec, or what else its Body says
	life      lifetimes
	outage    record.OutageProfile
	available func(o record.Origin, now time.Time) bool // apart from its robots.txt
	backoff   Backoff
}

func newPolicy(c *Config, b Backoff, m *memory) policy {
	maxAge := cmp.Or(c.Cache.MaxAge, DefaultLifetime)
	p := policy{
		parseBody: func(rec *record.Record) { rec.File = robotstxt.Parse(rec.Body, c.Parse) },
		life:      lifetimes{floor: max(cmp.Or(c.Cache.MinAge, min(5*time.Minute, maxAge)), 0), ceiling: maxAge},
		outage:    c.Outage.Profile,
		backoff:   b,
		available: func(o record.Origin, now time.Time) bool {
			last := m.lastResponse(o)
			return !last.IsZero() && now.Sub(last) <= 24*time.Hour
		},
	}
	if available := c.Outage.Available; available != nil {
		p.available = func(o record.Origin, _ time.Time) bool { return available(o) }
	}
	return p
}

// maxGap limits how much the time between two failed fetches adds to an outage
// (ROB-STA-05).
const maxGap = 24 * time.Hour

// record returns the record after a fetch that ended now. Prior is the previous record
// or nil; lost means that a previous record may have been evicted.
func (p *policy) record(prior *record.Record, lost bool, res *fetchResult, now time.Time) *record.Record {
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
		rec.ExpiresAt = now.Add(p.life.of(res.header, now, res.transit))
		rec.NoStore = NoStore(res.header)
		p.parse(rec)
		return rec
	}
	rec.FailingSince, rec.Failures = now, 1
	if prior != nil && !prior.FailingSince.IsZero() {
		rec.FailingSince = prior.FailingSince
		rec.Failures = prior.Failures + 1
		rec.Outage = prior.Outage + min(max(now.Sub(prior.FetchedAt), 0), maxGap)
	}
	rec.Copy, rec.CopyLost = lastGood(prior)
	rec.CopyLost = rec.CopyLost || prior == nil && lost
	p.fallBack(rec, now)
	rec.RetryAt = now.Add(max(p.backoff.After(rec.Failures, res.status), RetryAfter(res.header, now)))
	rec.ExpiresAt = rec.RetryAt
	return rec
}

// isPlaceholder reports whether the record replaces one that could not be stored or was
// invalid. It says only that there was a record.
func isPlaceholder(rec *record.Record) bool {
	return rec.Outcome == record.OutcomeUnreachable && rec.FailingSince.IsZero()
}

// lastGood returns the copy for an outage that starts after this record. If the file did
// not exist, there is no copy, not even an older one (ROB-STA-07, ROB-STA-08).
func lastGood(rec *record.Record) (c *record.Record, lost bool) {
	switch {
	case rec == nil:
		return nil, false
	case !rec.FailingSince.IsZero() || rec.CopyLost:
		return rec.Copy, rec.CopyLost
	case rec.Outcome == record.OutcomeRules:
		return rec, false
	}
	return nil, false
}

// fallBack sets the outcome of rec during an outage.
func (p *policy) fallBack(rec *record.Record, now time.Time) {
	copied := noCopy
	switch {
	case rec.Copy != nil:
		copied = hasCopy
	case rec.CopyLost:
		copied = lostCopy
	}
	rec.Outcome = outcome(p.outage, rec.Outage, copied, func() bool { return p.available(rec.Origin, now) })
	rec.File, rec.TDMRep, rec.TDMRepErr, rec.Body, rec.Hash, rec.Truncated, rec.NoStore = nil, nil, nil, nil, "", false, false
	if rec.Outcome == record.OutcomeRules {
		c := rec.Copy
		rec.File, rec.TDMRep, rec.TDMRepErr, rec.Body, rec.Hash, rec.Truncated, rec.NoStore = c.File, c.TDMRep, c.TDMRepErr, c.Body, c.Hash, c.Truncated, c.NoStore
	}
}

// restore validates a stored record of o and applies this Robots' options. It limits
// the times, so that a damaged record is fetched again instead of being used for
// years.
func (p *policy) restore(stored *record.Record, o record.Origin) (*record.Record, error) {
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
		rec.ExpiresAt = earlier(rec.ExpiresAt, rec.FetchedAt.Add(p.life.ceiling))
		p.parse(&rec)
		return &rec, nil
	}
	rec.Outage = min(max(rec.Outage, 0), max(rec.FetchedAt.Sub(rec.FailingSince), 0))
	rec.RetryAt = earlier(rec.RetryAt, rec.FetchedAt.Add(maxRetryAfter))
	rec.ExpiresAt = rec.RetryAt
	p.parse(&rec)
	// The profile of this Robots may differ from that of the writer.
	p.fallBack(&rec, rec.FetchedAt)
	return &rec, nil
}

// parse parses the text of rec and of its copy, unless that was done before.
func (p *policy) parse(rec *record.Record) {
	if rec.Copy != nil && rec.Copy.Hash == "" {
		p.parseText(rec.Copy)
	}
	switch {
	case rec.Outcome != record.OutcomeRules || rec.Hash != "":
	case rec.Copy != nil:
		rec.File, rec.TDMRep, rec.TDMRepErr, rec.Hash = rec.Copy.File, rec.Copy.TDMRep, rec.Copy.TDMRepErr, rec.Copy.Hash
	default:
		p.parseText(rec)
	}
}

func (p *policy) parseText(rec *record.Record) {
	p.parseBody(rec)
	if rec.Body != nil || !rec.Truncated { // else the text was dropped
		rec.Hash = usage.Hash(rec.Body)
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
