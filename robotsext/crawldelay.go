package robotsext

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
	"github.com/politecrawl/politecrawl/robotsext/internal/hook/http2"
	"github.com/politecrawl/politecrawl/robotsext/internal/roundtrip"
)

// DelayTransport is Transport that also waits for Crawl-delay and Retry-After before each
// request, redirects included, as ObeyCrawlDelay does for collectors. A longer Crawl-delay counts
// as maxDelay (zero: 30 s). The wait ends with the context of the request, and counts for
// http.Client.Timeout. As the transport of an attached collector it does not wait.
func (r *Robots) DelayTransport(base http.RoundTripper, maxDelay time.Duration) http.RoundTripper {
	return &http2.Transport{RoundTripper: &delayTransport{r.gate(base), maxDelay}}
}

// delayTransport implements Robots.DelayTransport.
type delayTransport struct {
	*gate

	maxDelay time.Duration
}

// RoundTrip waits and sends req if robots.txt allows it.
func (t *delayTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	// A request of a collector is in flight already, so it would wait for itself.
	if req.URL != nil && !hook.IsAttached(req.Context()) {
		if err := t.robots.awaitDelay(req.Context(), req.URL, t.maxDelay); err != nil {
			roundtrip.CloseBody(req)
			return nil, err
		}
	}
	return t.gate.RoundTrip(req)
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
	rec, err := r.resolve(ctx, o, false)
	if err != nil {
		return "", 0, err
	}
	return rec.Origin, r.Group(rec).CrawlDelay(), nil
}
