package robotsext

import (
	"context"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"
)

// Pace makes the attached collector c wait between two requests to a server as its
// Crawl-delay says, at most longest (zero: 30 s, the cap of Options.Parse), and for
// Retry-After. All requests of this Robots to the server then go
// one at a time. Clones have no callbacks: pace each.
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
