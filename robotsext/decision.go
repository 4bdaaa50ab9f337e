package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Verdict says whether a URL may be fetched.
type Verdict uint8

// The verdicts.
const (
	Allowed    Verdict = iota + 1
	Disallowed         // by a rule
	Later              // robots.txt is unreachable: keep the URL until RetryAt
	Usage              // Permit only: the site disallows a purpose
)

func (v Verdict) String() string {
	switch v {
	case Allowed:
		return "allowed"
	case Disallowed:
		return "disallowed"
	case Later:
		return "later"
	case Usage:
		return "usage"
	}
	return "unknown"
}

// Decision is the verdict on one URL, with the reasons.
type Decision struct {
	Verdict Verdict
	Rule    *robotstxt.Rule  // the rule that decided; nil: no rule matches
	Group   *robotstxt.Group // the group for this crawler; never nil
	Record  *Record          // of the URL's origin; nil for robots.txt itself and under WithUserFetch
	RetryAt time.Time        // Later: when robots.txt is requested again
}

// noGroup is the group of a crawler without rules.
var noGroup robotstxt.Group

// Decide returns whether u may be fetched now, and why. It fetches robots.txt if
// necessary. If ctx is the Context of an attached collector, it uses that collector's
// transport and proxy. It fails with ErrUnsupportedScheme, ErrInvalidHost or ErrUncheckable, or if
// ctx ends.
func (r *Robots) Decide(ctx context.Context, u *url.URL) (Decision, error) {
	if isUserFetch(ctx) {
		return Decision{Verdict: Allowed, Group: &noGroup}, nil
	}
	u, err := CleanURL(u)
	if err != nil {
		return Decision{}, err
	}
	o, err := r.originOf(u)
	if err != nil {
		return Decision{}, err
	}
	path := u.RequestURI()
	if path == robotsPath {
		return Decision{Verdict: Allowed, Group: &noGroup}, nil // ROB-MAT-21
	}
	rec, err := r.resolver.resolve(ctx, o, false)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Verdict: Allowed, Group: r.Group(rec), Record: rec}
	switch rec.Outcome {
	case OutcomeAllowAll:
	case OutcomeRules:
		match := d.Group.Match(path)
		if d.Rule = match.Rule; !match.Allowed {
			d.Verdict = Disallowed
		}
	default:
		d.Verdict, d.RetryAt = Later, rec.RetryAt
	}
	return d, nil
}

// Check calls Decide and returns nil, a *BlockedError, or the error of Decide.
func (r *Robots) Check(ctx context.Context, u *url.URL) error {
	d, err := r.Decide(ctx, u)
	if err != nil {
		return err
	}
	return d.Err(u)
}

// Err returns nil if u may be fetched, else a *BlockedError.
func (d Decision) Err(u *url.URL) error {
	if d.Verdict == Allowed {
		return nil
	}
	return d.refusal(u.Redacted())
}

// refusingTransport returns the error for url, which d does not allow.
func (d Decision) refusal(url string) *BlockedError {
	if d.Verdict == Later {
		return later(d.Record, url)
	}
	return &BlockedError{
		URL: url, Reason: Disallowed, Rule: d.Rule, Group: d.Group.Name(),
		Origin: d.Record.Origin, RobotsURL: d.Record.Origin.RobotsURL(),
	}
}

// later returns the error for url while rec is unreachable.
func later(rec *Record, url string) *BlockedError {
	return &BlockedError{
		URL: url, Reason: Later, RetryAt: rec.RetryAt, Err: rec.Err,
		Origin: rec.Origin, RobotsURL: rec.Origin.RobotsURL(),
	}
}
