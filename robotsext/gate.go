package robotsext

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/internal/hook/http2"
	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
)

// Transport returns a RoundTripper that sends requests through base if Check allows
// them, each redirect included. It removes dot segments, and sets the User-Agent of
// New if there is none. If the Host header names another site, its robots.txt is checked
// too. Nil base means Options.Transport.
func (r *Robots) Transport(base http.RoundTripper) http.RoundTripper {
	return &http2.Transport{RoundTripper: r.gate(base)}
}

// gate returns a gate in front of base, or of Options.Transport if base is nil.
func (r *Robots) gate(base http.RoundTripper) *gate {
	if base == nil {
		base = r.hook.Base()
	}
	return &gate{robots: r, base: base}
}

// gate implements Robots.Transport and Robots.DelayTransport.
type gate struct {
	robots *Robots
	base   http.RoundTripper
	wait   func(*http.Request) error // waits for the delay of a request; nil if there is none
}

// RoundTrip sends req if robots.txt allows it.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	// A request of a collector is in flight already, so it would wait for itself.
	if g.wait != nil && req.URL != nil && !hook.IsAttached(req.Context()) {
		if err := g.wait(req); err != nil {
			roundtrip.CloseBody(req)
			return nil, err
		}
	}
	return g.robots.hook.Pass(req, g.base)
}

// CloseIdleConnections implements the interface of http.Client.CloseIdleConnections.
func (g *gate) CloseIdleConnections() { (&http.Client{Transport: g.base}).CloseIdleConnections() }

// Pass sends req through base if robots.txt allows it. It uses checkCtx for the check and
// sendCtx for the request. Nil means the context of req.
func (c checker) Pass(checkCtx, sendCtx context.Context, req *http.Request, base http.RoundTripper) (*http.Response, error) {
	r := c.robots
	u, err := r.admit(checkCtx, req)
	if err != nil {
		roundtrip.CloseBody(req)
		r.noteRefusal(checkCtx, err)
		return nil, err
	}
	seen := req // becomes resp.Request
	if u != req.URL {
		seen = req.WithContext(req.Context())
		seen.URL = u
	}
	out := seen
	if sendCtx != nil {
		out = seen.WithContext(sendCtx)
	}
	if _, named := req.Header["User-Agent"]; !named {
		out = out.WithContext(out.Context())
		if out.Header = req.Header.Clone(); out.Header == nil {
			out.Header = make(http.Header)
		}
		out.Header.Set("User-Agent", r.lookup.UserAgent)
	}
	r.warnWithoutToken(out)
	o, _ := r.cachedOrigin(u) // it fails only for requests that are not checked
	resp, err := roundtrip.Send(r.options.Signer, roundtrip.Func(func(req *http.Request) (*http.Response, error) {
		return r.lookup.Transmit(o, req, base)
	}), out, func(ctx context.Context) error { return r.lookup.Limiter.Await(ctx, o, r.lookup.Limiter.DelayOf(o)) })
	if err != nil {
		return nil, err
	}
	resp.Request = seen
	return resp, nil
}

// admit decides whether req may be sent, and returns the URL to send it to.
func (r *Robots) admit(ctx context.Context, req *http.Request) (*url.URL, error) {
	if req.URL == nil || req.Method == http.MethodConnect {
		return nil, fmt.Errorf("%w: %s", ErrUncheckable, req.Method)
	}
	if !hook.IsChecked(req.URL.Scheme) {
		return req.URL, nil
	}
	u, err := CleanURL(req.URL)
	if err != nil {
		return nil, err
	}
	if target := r.redirects.refused(req, u, r.lookup.Now()); target != nil && !isUserFetch(ctx) {
		if d, known, err := r.decideKnown(target); err == nil && known && d.Verdict != Allowed {
			return nil, d.Err(target)
		}
	}
	if err := r.check(ctx, req, u); err != nil {
		return nil, err
	}
	if req.Host != "" && req.Host != u.Host {
		other := *u
		other.Host = req.Host
		if err := r.check(ctx, req, &other); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// check is Check for a request to u: the URL of req, cleaned or on the host of its field Host
// (ROB-GEN-04).
func (r *Robots) check(ctx context.Context, req *http.Request, u *url.URL) error {
	d, err := r.Decide(ctx, u)
	if err != nil || d.Verdict == Allowed {
		return err
	}
	r.redirects.note(req, u, r.lookup.Now())
	return d.refusal(req.URL.Redacted())
}

// noteRefusal reports err to the program if it is a refusal.
func (r *Robots) noteRefusal(ctx context.Context, err error) {
	var blocked *BlockedError
	if !errors.As(err, &blocked) {
		return
	}
	if blocked.Reason == Later && r.warnings.first("unreachable "+string(blocked.Origin), r.lookup.Now(), blocked.RetryAt) {
		r.log.WarnContext(ctx, "requests to an origin are refused until its robots.txt can be read: retry their URLs then; set Options.ReportInOnError if you use a colly queue, which drops them",
			"origin", blocked.Origin, "next", blocked.RetryAt, "error", blocked.Err)
	}
	if r.options.OnRefused != nil {
		r.options.OnRefused(blocked)
	}
}

// warnWithoutToken logs once that requests have a User-Agent without the product token
// (ROB-FET-04).
func (r *Robots) warnWithoutToken(req *http.Request) {
	agent := req.Header.Get("User-Agent")
	if last := r.tokenAgent.Load(); last != nil && *last == agent {
		return
	}
	for _, token := range r.tokens {
		if strings.Contains(strings.ToLower(agent), strings.ToLower(token)) {
			seen := agent // agent itself stays on the stack
			r.tokenAgent.Store(&seen)
			return
		}
	}
	r.tokenWarning.Do(func() {
		r.log.WarnContext(req.Context(), "User-Agent without the crawler's product token: sites cannot address the crawler in robots.txt",
			"user_agent", agent, "tokens", r.tokens, "url", req.URL.Redacted())
	})
}

// DelayTransport is Transport that also waits for Crawl-delay (at most maxDelay, or 30 s if that is zero) and
// Retry-After before each request, redirects included. The wait ends with the context of the
// request, and counts for http.Client.Timeout. In an attached collector it does not wait.
func (r *Robots) DelayTransport(base http.RoundTripper, maxDelay time.Duration) http.RoundTripper {
	g := r.gate(base)
	g.wait = func(req *http.Request) error { return r.awaitDelay(req.Context(), req.URL, maxDelay) }
	return &http2.Transport{RoundTripper: g}
}

// awaitDelay waits until u may be requested. It does not wait if robots.txt does not allow u,
// which the gate reports. The error is that of ctx.
func (r *Robots) awaitDelay(ctx context.Context, u *url.URL, maxDelay time.Duration) error {
	ctx, release := hook.Open(ctx)
	defer release()
	d, err := r.Decide(ctx, u)
	if err != nil || d.Verdict != Allowed {
		return nil //nolint:nilerr // the gate reports it
	}
	o, delay, err := r.crawlDelay(ctx, u, d)
	if err != nil {
		return nil //nolint:nilerr // the gate reports it
	}
	if maxDelay > 0 {
		delay = min(delay, maxDelay)
	}
	return r.lookup.Limiter.Await(ctx, o, r.lookup.Limiter.SetDelay(o, delay))
}

// crawlDelay returns the origin of u and its Crawl-delay. Decision d may lack a
// record, for example under WithUserFetch; the delay applies all the same. The robots.txt of
// an exempt origin is not requested, so its delay is zero.
func (r *Robots) crawlDelay(ctx context.Context, u *url.URL, d Decision) (Origin, time.Duration, error) {
	if d.Record != nil {
		return d.Record.Origin, d.Group.CrawlDelay(), nil
	}
	o, err := r.originOf(u)
	if err != nil || r.isExempt(o) {
		return o, 0, err
	}
	rec, err := resolve(ctx, r.lookup, o, false)
	if err != nil {
		return "", 0, err
	}
	return rec.Origin, r.Group(rec).CrawlDelay(), nil
}
