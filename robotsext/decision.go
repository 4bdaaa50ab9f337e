package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/record"
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

var verdictNames = [...]string{"unknown", Allowed: "allowed", Disallowed: "disallowed", Later: "later", Usage: "usage"}

func (v Verdict) String() string {
	if int(v) >= len(verdictNames) {
		v = 0
	}
	return verdictNames[v]
}

// Decision is the verdict on one URL, with the reasons.
type Decision struct {
	Verdict Verdict
	Rule    *robotstxt.Rule  // the rule that decided; nil if no rule matches
	Group   *robotstxt.Group // the group for this crawler; never nil
	Record  *Record          // of the URL's origin; nil for robots.txt itself, for Options.Exempt and under WithUserFetch
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
		return unchecked, nil
	}
	o, path, err := r.originAndPath(u)
	if err != nil {
		return Decision{}, err
	}
	if path == record.RobotsPath || r.isExempt(o) {
		return unchecked, nil // ROB-MAT-21
	}
	rec, err := resolve(ctx, r.lookup, o, false)
	if err != nil {
		return Decision{}, err
	}
	return r.decide(rec, path), nil
}

// decideKnown is Decide without a request: ok is false if robots.txt must be fetched.
func (r *Robots) decideKnown(u *url.URL) (d Decision, ok bool, err error) {
	o, path, err := r.originAndPath(u)
	if err != nil {
		return Decision{}, false, err
	}
	if path == record.RobotsPath || r.isExempt(o) {
		return unchecked, true, nil
	}
	rec := r.lookup.Known(o)
	if rec == nil {
		return Decision{}, false, nil
	}
	return r.decide(rec, path), true, nil
}

// unchecked is the decision on a URL to which no rules apply.
var unchecked = Decision{Verdict: Allowed, Group: &noGroup}

// originAndPath returns the origin of u, and its path and query as they are requested.
func (r *Robots) originAndPath(u *url.URL) (o Origin, path string, err error) {
	if u, err = CleanURL(u); err != nil {
		return "", "", err
	}
	if o, err = r.originOf(u); err != nil {
		return "", "", err
	}
	return o, u.RequestURI(), nil
}

// decide returns the decision of rec on path.
func (r *Robots) decide(rec *Record, path string) Decision {
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
	return d
}

// isExempt reports whether requests to o are not checked.
func (r *Robots) isExempt(o Origin) bool { return r.options.Exempt != nil && r.options.Exempt(o) }

// Check calls Decide and returns nil, a *BlockedError, or the error of Decide.
func (r *Robots) Check(ctx context.Context, u *url.URL) error {
	d, err := r.Decide(ctx, u)
	if err != nil {
		return err
	}
	return d.Err(u)
}

// CheckLink returns a *BlockedError if robots.txt is known to disallow a link, before it is visited
// or queued, so that the link costs nothing. It sends no request and does not wait: if robots.txt is
// unreachable or not known yet, it returns nil, and the request is checked when it is sent. The
// other errors are those of Check.
func (r *Robots) CheckLink(link string) error {
	u, err := url.Parse(link)
	if err != nil {
		return err
	}
	if !hook.IsChecked(u.Scheme) {
		return nil
	}
	d, known, err := r.decideKnown(u)
	if err != nil || !known || d.Verdict != Disallowed {
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

// refusal returns the error for url, which d does not allow.
func (d Decision) refusal(url string) *BlockedError {
	o := d.Record.Origin
	blocked := &BlockedError{URL: url, Reason: d.Verdict, Origin: o, RobotsURL: o.RobotsURL()}
	if d.Verdict == Later {
		blocked.RetryAt, blocked.Err = d.Record.RetryAt, d.Record.Err
	} else {
		blocked.Rule, blocked.Group = d.Rule, d.Group.Name()
	}
	return blocked
}
