package crawler

import (
	"context"
	"net/http"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// fetcher is the crawl's use of colly: each page is fetched by a clone of one synchronous
// collector. What colly can do beyond fetching is turned off, since the frontier does it:
// visited URLs, redirects, depth, limits, parallelism. robots.txt is left to the gate of
// package robotsext, through which every request of the collector goes, so colly's own
// check is off too.
type fetcher struct {
	collector *colly.Collector
	maxBody   int
}

// pageRequest is a page to fetch.
type pageRequest struct {
	URL    string
	Header http.Header // more fields, as those of a conditional request; nil: none
}

// response is what a site sent for one request.
type response struct {
	Status    int
	Header    http.Header
	Body      []byte // decoded, at most max-body bytes
	Truncated string // why Body is not whole: truncatedByMaxBody, truncatedByRatio; empty: it is
	Began     time.Time
	Took      time.Duration
	Exchange  *output.Exchange // for archives; nil: exchanges are not recorded, or no response began
}

// responseKey is the context key under which the transport finds the *response that it
// fills in. Requests that have none are not for pages.
type responseKey struct{}

// What truncates a body, as pages.jsonl has it.
const (
	truncatedByMaxBody = "max-body"
	truncatedByRatio   = "ratio"
)

// newFetcher returns a fetcher whose requests end when ctx does.
func newFetcher(ctx context.Context, cfg *Config, robots *robotsext.Robots) *fetcher {
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
	return &fetcher{collector: c, maxBody: cfg.MaxBody}
}

// fetch requests a page. Any status is a response; a redirect is not followed. The error is
// the network's, or a [*robotsext.BlockedError]. The response then has its times, and what
// there is of its exchange.
func (f *fetcher) fetch(req pageRequest) (*response, error) {
	resp := &response{Began: time.Now()}
	// The context of a clone is that of one request, still sealed by Attach.
	c := f.collector.Clone()
	c.Context = context.WithValue(c.Context, responseKey{}, resp)
	c.OnResponse(func(r *colly.Response) {
		resp.Status, resp.Header, resp.Body = r.StatusCode, *r.Headers, r.Body
		if len(resp.Body) > f.maxBody {
			resp.Body, resp.Truncated = resp.Body[:f.maxBody], truncatedByMaxBody
		}
	})
	err := c.Request(http.MethodGet, req.URL, nil, nil, req.Header)
	resp.Took = time.Since(resp.Began)
	return resp, err
}
