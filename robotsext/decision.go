package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Verdict says whether a URL may be fetched.
type Verdict uint8

const (
	// Allowed means that the URL may be fetched now.
	Allowed Verdict = iota + 1
	// Disallowed means that a rule of robots.txt forbids the URL.
	Disallowed
	// Later means that robots.txt could not be read, so the URL must wait. It is
	// not lost: ask again at RetryAt.
	Later
)

func (v Verdict) String() string {
	switch v {
	case Allowed:
		return "allowed"
	case Disallowed:
		return "disallowed"
	case Later:
		return "later"
	}
	return "unknown"
}

// Decision says whether one URL may be fetched, and why.
type Decision struct {
	Verdict Verdict
	Rule    *robotstxt.Rule  // the rule that decided; nil if none matches
	Group   *robotstxt.Group // the group that binds this crawler; empty, not nil, if there is none
	// Record is what is known of the robots.txt of the URL's origin. It is nil
	// where no robots.txt was consulted: for a robots.txt itself, and under
	// WithUserFetch.
	Record  *Record
	RetryAt time.Time // Later: when robots.txt will be requested again; else zero
}

// noGroup is the group of a crawler that nothing binds.
var noGroup robotstxt.Group

// Decide returns whether u may be fetched now, and why. It fetches robots.txt if
// need be. The error is that of ctx if ctx ends before the verdict is known, or
// ErrUnsupportedScheme, ErrInvalidHost or ErrUncheckable for a URL to which no
// robots.txt applies.
//
// ctx may be the Context of a collector that Attach was called on, here as in
// Check, Record, Refresh and Sitemaps. Then robots.txt is fetched the way the
// collector's own requests are, through its proxy. With any other context a proxy
// that was set by SetProxy is not used.
//
// u is compared as net/http would send it, dot segments removed (ROB-MAT-25); a
// client that sends it in another way should use CleanURL first.
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
	case AllowAll:
	case Rules:
		match := d.Group.Match(path)
		if d.Rule = match.Rule; !match.Allowed {
			d.Verdict = Disallowed
		}
	default:
		d.Verdict, d.RetryAt = Later, rec.RetryAt
	}
	return d, nil
}

// Check is Decide for callers that need no more than an error: nil if u may be
// fetched now, a *BlockedError if a rule forbids it or robots.txt is unreachable,
// else the error of Decide.
func (r *Robots) Check(ctx context.Context, u *url.URL) error {
	d, err := r.Decide(ctx, u)
	if err != nil {
		return err
	}
	return d.Err(u)
}

// Err returns the decision about u as an error: nil if u may be fetched, else a
// *BlockedError.
func (d Decision) Err(u *url.URL) error {
	if d.Verdict == Allowed {
		return nil
	}
	return d.refusal(u.Redacted())
}

// refusal returns the refusal of url by d, which does not allow it.
func (d Decision) refusal(url string) *BlockedError {
	if d.Verdict == Later {
		return later(d.Record, url)
	}
	return &BlockedError{
		URL: url, Reason: Disallowed, Rule: d.Rule, Group: d.Group.Name(),
		Origin: d.Record.Origin, RobotsURL: d.Record.Origin.RobotsURL(),
	}
}

// later is the refusal of url while rec is unreachable.
func later(rec *Record, url string) *BlockedError {
	return &BlockedError{
		URL: url, Reason: Later, RetryAt: rec.RetryAt, Err: rec.Err,
		Origin: rec.Origin, RobotsURL: rec.Origin.RobotsURL(),
	}
}
