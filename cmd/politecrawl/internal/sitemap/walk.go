package sitemap

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// sitemapPolicy is the value of --policy.
type sitemapPolicy string

const (
	policyListed    sitemapPolicy = "listed"
	policyDirectory sitemapPolicy = "directory"
	policyAny       sitemapPolicy = "any"
)

// policies are the policies that --policy names.
var policies = map[sitemapPolicy]sitemap.Policy{policyListed: sitemap.Listed, policyDirectory: sitemap.Directory, policyAny: sitemap.Any}

// A user waits for the command, so it retries a failed file sooner than a crawl, and for a
// shorter time.
const (
	firstSitemapRetry = 2 * time.Second
	sitemapPatience   = 30 * time.Second
)

// site lists the sitemaps of a site, or the sitemap that a URL names.
func (l *listing) site(ctx context.Context, raw string) error {
	origin, err := site.ParseOrigin(raw)
	if err != nil {
		return cli.Misuse("sitemap: %w", err)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return cli.Misuse("sitemap: %q is not a URL", raw)
	}
	g, err := site.NewGuard(l.flags.Allowed)
	if err != nil {
		return err
	}
	w := &sitemapWalk{listing: l, origin: origin.Scheme + "://" + origin.Host, site: u}
	robots, err := w.open(g)
	if err != nil {
		return cli.Misuse("--user-agent: %w", err)
	}
	defer robots.CloseIdleConnections()
	entries := robots.Sitemap
	if (u.Path == "" || u.Path == "/") && u.RawQuery == "" {
		l.Notice(fmt.Sprintf("%s is the root of a site: reading the sitemaps in %s/robots.txt", raw, w.origin))
		entries, w.root = robots.Sitemaps, true
	}
	ctx, done := l.Interruptible(ctx, func() {}, "interrupted: the list is incomplete")
	defer done()
	for entry, err := range entries(ctx, u) {
		switch {
		case ctx.Err() != nil:
			l.code = cli.Worse(l.code, cli.ExitInterrupted)
			return w.failure
		case err != nil:
			err = w.refused(ctx, robots, err)
		default:
			err = l.entry(entry)
		}
		if err := errors.Join(w.failure, err); err != nil {
			return err
		}
	}
	w.end()
	return w.failure
}

// A sitemapWalk is a listing of the sitemaps of a site.
type sitemapWalk struct {
	*listing
	origin  string
	site    *url.URL
	root    bool                  // the site's own list is walked
	last    robotsext.SitemapFile // that was read or failed
	failure error                 // of writing results
}

// open returns the robots that fetch the sitemaps.
func (w *sitemapWalk) open(g *guard.Guard) (*robotsext.Robots, error) {
	delay := w.flags.Delay
	if delay == 0 {
		delay = -1 // no delay
	}
	return robotsext.New(w.flags.UserAgent, &robotsext.Options{
		Fetch:  robotsext.FetchOptions{Timeout: w.flags.Timeout},
		Guard:  g,
		Outage: robotsext.OutageOptions{RetryMin: firstSitemapRetry, RetryMax: sitemapPatience},
		Sitemaps: robotsext.SitemapOptions{
			Policy:   policies[w.policy],
			Strict:   w.check,
			Delay:    delay,
			MaxFiles: w.maxFiles,
			Probe:    w.probe,
			OnFile: func(f robotsext.SitemapFile) {
				w.last = f
				w.done(f)
				w.failure = errors.Join(w.failure, w.flush())
			},
			OnFinding: func(file string, f sitemap.Finding) {
				w.failure = errors.Join(w.failure, w.finding(file, f))
			},
		},
	})
}

// refused handles an error of the last file or of robots.txt.
func (w *sitemapWalk) refused(ctx context.Context, robots *robotsext.Robots, err error) error {
	if _, ofFile := errors.AsType[*robotsext.SitemapError](err); !ofFile {
		if rec, unknown := robots.Record(ctx, w.site); unknown == nil {
			if why := site.RefusedRobots(rec); why != "" {
				w.Complain(fmt.Errorf("sitemap: %s/robots.txt is blocked: %s", w.origin, why))
				w.code = cli.Worse(w.code, cli.ExitFailed)
				return nil
			}
		}
		w.fail(w.origin, err)
		return nil
	}
	if errors.Is(err, sitemap.NotASitemap) && w.last.FoundOn == "" && !w.check {
		w.Complain(fmt.Errorf("sitemap: %s is not a sitemap; to read the sitemaps of the site, give its root, %s/", w.last.URL, w.origin))
		w.code = cli.Worse(w.code, cli.ExitFindings)
		return nil
	}
	return w.unread(w.last)
}

// end reports a site without sitemaps.
func (w *sitemapWalk) end() {
	if w.root && w.code == cli.ExitDone && w.totals.Files == 0 {
		also := "--probe requests " + w.origin + "/sitemap.xml"
		if w.probe {
			also = "and there is no " + w.origin + "/sitemap.xml"
		}
		w.Complain(fmt.Errorf("sitemap: %s/robots.txt lists no sitemap; %s", w.origin, also))
		w.code = cli.ExitFindings
	}
}
