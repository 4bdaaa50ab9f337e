package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
)

// ObeyCrawlDelay makes the attached collector c observe Crawl-delay and Retry-After
// between requests to a server. A longer Crawl-delay counts as maxDelay (zero: 30 s).
// Attached collectors then send one request at a time to each server. Call it for each
// clone too: Clone copies no callbacks.
func (r *Robots) ObeyCrawlDelay(c *colly.Collector, maxDelay time.Duration) {
	collector := hook.Of(c)
	c.OnRequest(func(req *colly.Request) {
		ctx := context.Background()
		if set := collector.Context(); set != nil {
			ctx = *set
		}
		if client := collector.Client(); sealOf(ctx) == nil && client != nil {
			ctx = context.WithValue(ctx, shellKey{}, shellOf(client.Transport))
		}
		ctx, release := unsealed(ctx)
		defer release()
		d, err := r.Decide(ctx, req.URL)
		if err != nil || d.Verdict != Allowed {
			return // the gate reports it
		}
		o, delay, err := r.crawlDelay(ctx, req.URL, d)
		if err != nil {
			return
		}
		if maxDelay > 0 {
			delay = min(delay, maxDelay)
		}
		// If the context ends first, the request itself fails.
		_ = r.limiter.await(ctx, o, r.limiter.setDelay(o, delay))
	})
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
	rec, err := r.resolver.resolve(ctx, o, false)
	if err != nil {
		return "", 0, err
	}
	return rec.Origin, r.Group(rec).CrawlDelay(), nil
}
