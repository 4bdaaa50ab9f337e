package robotsext

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/internal/hook"
)

// Attach checks every request of c and its clones: pages, redirects, HEAD, POST. Call it as
// the last line of the set-up of each collector, and again after SetClient; you may call it at any
// time. For a refused URL, Visit returns or OnError receives a *BlockedError
// (colly.ErrRobotsTxtBlocked).
//
// The transport, client, proxy and context of c stay in use, also for robots.txt. Without a
// transport and Options.Transport, c uses http.DefaultTransport. Attach sets IgnoreRobotsTxt to
// false, and replaces colly's default user agent by yours. Set c.Context before Attach, and never
// change it later in c or a clone. README.md says what programs need to know that replace a
// client, transport or context later, or that use colly's queue.
func (r *Robots) Attach(c *colly.Collector) { r.hook.Attach(c) }

// checker is a Robots as the hook.Checker of its collectors.
type checker struct{ robots *Robots }

// CheckHost returns the refusal of the host of req, or of its Host field, while the robots.txt of one
// of them is unreachable, unless Options.ReportInOnError is set.
func (c checker) CheckHost(ctx context.Context, req *http.Request) error {
	if isUserFetch(ctx) || !hook.IsChecked(req.URL.Scheme) {
		return nil
	}
	requested, err := c.robots.originOf(req.URL)
	if err != nil {
		return err
	}
	site := *req.URL
	for i, host := range []string{req.URL.Host, req.Host} {
		if i > 0 && (host == "" || host == req.URL.Host) {
			continue
		}
		site.Host = host
		if o, err := c.robots.originOf(&site); err == nil && c.robots.isExempt(o) {
			continue
		}
		rec, err := c.robots.Record(ctx, &site)
		if err != nil {
			return err
		}
		if rec.Outcome == OutcomeUnreachable && !c.robots.options.ReportInOnError && req.Context().Err() == nil {
			refusal := Decision{Verdict: Later, Record: rec}.refusal(string(requested)) // the path is unknown here
			c.robots.noteRefusal(ctx, refusal)
			return refusal
		}
	}
	return nil
}

// Prefetch fetches the robots.txt for u without the timeout of the page, and logs once for each
// host that IgnoreRobotsTxt has no effect.
func (c checker) Prefetch(ctx context.Context, u *url.URL) {
	if c.robots.warnings.first("ignored "+u.Host, c.robots.lookup.Now(), time.Unix(1<<40, 0)) {
		c.robots.log.WarnContext(ctx, "IgnoreRobotsTxt has no effect after robotsext.Attach: requests are still checked; set robotsext.Options.Exempt for your own sites",
			"host", u.Host)
	}
	_, _ = c.robots.Decide(ctx, u) // the gate reports it
}

// Allows reports whether u is known to be allowed.
func (c checker) Allows(u *url.URL) bool {
	d, known, err := c.robots.decideKnown(u)
	return err == nil && known && d.Verdict == Allowed
}

// ObeyCrawlDelay makes the attached collector c observe Crawl-delay and Retry-After
// between requests to a server. A longer Crawl-delay counts as maxDelay, or 30 s if that is zero.
// Attached collectors then send one request at a time to each server. Call it for each
// clone too: Clone copies no callbacks.
// It does not wait for pages of CacheDir, in colly v2.3.0 and later.
func (r *Robots) ObeyCrawlDelay(c *colly.Collector, maxDelay time.Duration) {
	hook.BeforeRequest(c, func(ctx context.Context, u *url.URL) {
		_ = r.awaitDelay(ctx, u, maxDelay) // if the context ends first, the request itself fails
	})
}
