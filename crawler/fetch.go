package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
)

// fetcher is the crawl's use of colly: one synchronous collector, asked by the
// workers for one URL at a time. What colly can do beyond fetching is turned
// off, since the frontier does it: visited URLs, redirects, depth, limits,
// parallelism. robots.txt is left to the gate of package robotsext, through which
// every request of the collector goes, so colly's own check is off too.
type fetcher struct {
	collector *colly.Collector
	recorded  bool // exchanges are, each held back by its URL
}

// reply is what came back for one request.
type reply struct {
	status int
	header http.Header
	body   []byte // decoded, at most max-body bytes
	cut    string // what cut the body short: cutByMaxBody, cutByRatio; empty: nothing did
	began  time.Time
	took   time.Duration
}

// newFetcher returns a fetcher whose requests end when ctx does.
func newFetcher(ctx context.Context, cfg *Config, robots *robotsext.Robots, recorded bool) *fetcher {
	// The context comes before Attach, which seals it.
	c := colly.NewCollector(colly.StdlibContext(ctx))
	// Set one by one after NewCollector: colly reads COLLY_ variables from the
	// environment, and this program has its own.
	c.UserAgent = cfg.UserAgent
	c.Async = false
	c.AllowURLRevisit = true
	c.ParseHTTPErrorResponse = true
	c.DetectCharset = false
	c.CheckHead = false
	c.CacheDir = ""
	c.MaxDepth, c.MaxRequests = 0, 0
	c.AllowedDomains, c.DisallowedDomains = nil, nil
	c.MaxBodySize = cfg.MaxBody + 1 // the one more tells that there is more
	c.DisableCookies()
	c.SetRequestTimeout(cfg.Timeout)
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	robots.Attach(c)
	c.IgnoreRobotsTxt = true // Attach turns it off, for collectors without a worker that asks first
	c.OnResponse(func(r *colly.Response) {
		got := r.Ctx.GetAny(replyKey).(*reply)
		got.status, got.header, got.body = r.StatusCode, *r.Headers, r.Body
		if got.cut = got.header.Get(cutField); len(got.body) > cfg.MaxBody {
			got.body, got.cut = got.body[:cfg.MaxBody], cutByMaxBody
		}
	})
	return &fetcher{collector: c, recorded: recorded}
}

// replyKey is where a request's colly context holds the reply to fill in.
const replyKey = "reply"

// fetch asks for url, on condition that it has changed where that can be told. Any
// answer is a reply, whatever its status; a redirect is not followed. The error is
// the network's, or a [*robotsext.BlockedError].
func (f *fetcher) fetch(url string, known *frontier.Validators) (*reply, error) {
	got := &reply{began: time.Now()}
	ctx := colly.NewContext()
	ctx.Put(replyKey, got)
	fields := conditional(known)
	if f.recorded {
		if fields == nil {
			fields = make(http.Header, 1)
		}
		fields.Set(heldField, url)
	}
	err := f.collector.Request(http.MethodGet, url, nil, ctx, fields)
	got.took = time.Since(got.began)
	if err != nil {
		return nil, err
	}
	return got, nil
}
