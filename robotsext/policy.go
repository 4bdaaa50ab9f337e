package robotsext

import (
	"cmp"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// policy applies Options to fetches and stored records: the outcome, its lifetime, and
// the time of the next fetch.
type policy struct {
	parseBody func(rec *Record) // sets the File of rec, or what else its Body says
	life      lifetimes
	outage    OutageProfile
	available func(o Origin, now time.Time) bool // apart from its robots.txt
	backoff   backoff
}

func newPolicy(opts *Options, m *memory) *policy {
	maxAge := cmp.Or(opts.Cache.MaxAge, defaultLifetime)
	p := &policy{
		parseBody: func(rec *Record) { rec.File = robotstxt.Parse(rec.Body, opts.Parse) },
		life:      lifetimes{floor: max(cmp.Or(opts.Cache.MinAge, min(5*time.Minute, maxAge)), 0), ceiling: maxAge},
		outage:    opts.Outage.Profile,
		backoff: backoff{
			min: cmp.Or(opts.Outage.RetryMin, min(time.Minute, cmp.Or(opts.Outage.RetryMax, time.Minute))),
			max: cmp.Or(opts.Outage.RetryMax, max(time.Hour, opts.Outage.RetryMin)),
		},
		available: func(o Origin, now time.Time) bool {
			last := m.lastResponse(o)
			return !last.IsZero() && now.Sub(last) <= 24*time.Hour
		},
	}
	if available := opts.Outage.Available; available != nil {
		p.available = func(o Origin, _ time.Time) bool { return available(o) }
	}
	return p
}

// maxGap limits how much the time between two failed fetches adds to an outage
// (ROB-STA-05).
const maxGap = 24 * time.Hour

// record returns the record after a fetch that ended now. Prior is the previous record
// or nil; lost means that a previous record may have been evicted.
func (p *policy) record(prior *Record, lost bool, res *fetchResult, now time.Time) *Record {
	rec := &Record{
		Origin:        res.origin,
		Outcome:       res.outcome,
		Status:        res.status,
		Err:           clipError(res.err),
		Body:          res.body,
		Truncated:     res.truncated,
		RedirectChain: clipChain(res.chain),
		FetchedAt:     now,
	}
	if res.outcome != OutcomeUnreachable {
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
	rec.Copy, rec.CopyLost = prior.lastGood()
	rec.CopyLost = rec.CopyLost || prior == nil && lost
	p.fallBack(rec, now)
	rec.RetryAt = now.Add(max(p.backoff.after(rec.Failures, res.status), RetryAfter(res.header, now)))
	rec.ExpiresAt = rec.RetryAt
	return rec
}

// fallBack sets the outcome of rec during an outage.
func (p *policy) fallBack(rec *Record, now time.Time) {
	copied := noCopy
	switch {
	case rec.Copy != nil:
		copied = hasCopy
	case rec.CopyLost:
		copied = lostCopy
	}
	rec.Outcome = p.outage.outcome(rec.Outage, copied, func() bool { return p.available(rec.Origin, now) })
	rec.File, rec.tdmrep, rec.Body, rec.Hash, rec.Truncated, rec.NoStore = nil, tdmrepText{}, nil, "", false, false
	if rec.Outcome == OutcomeRules {
		c := rec.Copy
		rec.File, rec.tdmrep, rec.Body, rec.Hash, rec.Truncated, rec.NoStore = c.File, c.tdmrep, c.Body, c.Hash, c.Truncated, c.NoStore
	}
}

// restore validates a stored record of o and applies this Robots' options. It limits
// the times, so that a damaged record is fetched again instead of being used for
// years.
func (p *policy) restore(stored *Record, o Origin) (*Record, error) {
	rec := *stored
	failing := !rec.FailingSince.IsZero()
	switch {
	case rec.Origin != o:
		return nil, fmt.Errorf("%w: it is of %s", errStoredRecord, rec.Origin)
	case rec.Outcome < OutcomeRules || rec.Outcome > OutcomeUnreachable || rec.FetchedAt.IsZero(),
		failing && rec.Outcome == OutcomeRules && rec.Copy == nil,
		!failing && rec.Outcome == OutcomeAllowAll && rec.Status != 0 && dispose(rec.Status) == serverError:
		return nil, errStoredRecord
	}
	rec.File, rec.Hash = nil, "" // parsed anew, with this Robots' options
	if rec.Copy != nil {
		c := *rec.Copy
		c.File, c.Hash = nil, ""
		rec.Copy = &c
	}
	if !failing {
		if rec.Outcome == OutcomeUnreachable {
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
func (p *policy) parse(rec *Record) {
	if rec.Copy != nil && rec.Copy.Hash == "" {
		p.parseText(rec.Copy)
	}
	switch {
	case rec.Outcome != OutcomeRules || rec.Hash != "":
	case rec.Copy != nil:
		rec.File, rec.tdmrep, rec.Hash = rec.Copy.File, rec.Copy.tdmrep, rec.Copy.Hash
	default:
		p.parseText(rec)
	}
}

func (p *policy) parseText(rec *Record) {
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
