package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"
)

// Pace makes c wait between two pages of a server for as long as the group that
// binds this crawler asks by Crawl-delay, but no longer than longest; zero
// longest means that only the cap of Options.Parse holds, by default 30 s. It is
// for collectors that Attach has been called on. colly's LimitRule, which knows a
// delay for each domain but not what the site asks, holds beside it.
//
// The http and the https of a name are two origins and one server (see package
// server), which keeps to the longest delay that one of its origins asks for.
//
// The delay is from the end of one request to the start of the next, and there
// is one request at a time, over all that goes through this Robots: collectors,
// Transport, Sitemaps, and robots.txt itself (ROB-POL-01, ROB-POL-02,
// ROB-FET-19); one that takes longer than Options.Fetch.Timeout is not waited for any
// more. A server that asks for no delay is not waited for, unless it has
// answered with a Retry-After: nothing is sent before that time (ROB-POL-04).
//
// Waiting is done in an OnRequest callback: before the page's timeout begins,
// after the callbacks that were registered before, and in an asynchronous
// collector without holding up other servers. It ends with the collector's
// context. Redirects are not waited for. Clones have no callbacks, so Pace them
// too.
func (r *Robots) Pace(c *colly.Collector, longest time.Duration) {
	client := clientOf(c)
	c.OnRequest(func(req *colly.Request) {
		ctx := context.Background()
		if set := contextOf(c); set != nil {
			ctx = *set
		}
		if sealOf(ctx) == nil && client.known() {
			ctx = context.WithValue(ctx, shellKey{}, shellOf(client.get().Transport))
		}
		ctx, release := unsealed(ctx)
		defer release()
		d, err := r.Decide(ctx, req.URL)
		if err != nil || d.Verdict != Allowed {
			return // the gate will say so
		}
		o, delay, err := r.crawlDelay(ctx, req.URL, d)
		if err != nil {
			return
		}
		if longest > 0 {
			delay = min(delay, longest)
		}
		// If the context ends first, the request fails by that, without our help.
		_ = r.pacer.await(ctx, o, r.pacer.setDelay(o, delay))
	})
}

// crawlDelay returns the origin of u and the delay between two requests that it
// asks for. d is the decision on u: a request that no robots.txt was consulted for
// is paced like the others.
func (r *Robots) crawlDelay(ctx context.Context, u *url.URL, d Decision) (Origin, time.Duration, error) {
	if d.Record != nil {
		return d.Record.Origin, d.Group.CrawlDelay(), nil
	}
	rec, err := r.Record(ctx, u)
	if err != nil {
		return "", 0, err
	}
	return rec.Origin, r.Group(rec).CrawlDelay(), nil
}
