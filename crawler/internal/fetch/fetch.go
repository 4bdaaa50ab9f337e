// Package fetch sends the requests of a crawl: a URL goes in, a response comes out.
//
// A [Transport] sends every request, for a robots.txt, a sitemap or a page. It opens the
// connections, directly or through a proxy, and falls back to HTTP/1.1 if a site requires
// it. It aborts responses that stall, decodes bodies within bounds and reads those of pages, records
// exchanges for archives, and describes in plain English why a request failed. It knows nothing of
// robots.txt, delays or leases: the [Crawl] controls requests.
//
// A [Fetcher] requests pages through colly. Its requests pass the robots.txt gate of package
// robotsext and then the Transport.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Fetcher fetches pages, each with a clone of one synchronous collector. It turns off what
// the crawl does itself: visited URLs, redirects, depth, limits, parallelism, reading bodies. Colly's
// robots.txt check is off too, since every request goes through the gate of package
// robotsext.
type Fetcher struct {
	collector *colly.Collector
	timeout   time.Duration
	maxBody   int
}

// Request is a page to fetch.
type Request struct {
	URL    string
	Header http.Header // additional fields, such as If-None-Match; nil if none

	// Method is set if the request only checks whether the URL works. The response is then read
	// whatever type it has. Empty means GET, for a page.
	Method string
	// MaxBody is the number of bytes to read. Zero means Config.MaxBody.
	MaxBody int
	// Rest is how many more bytes are received, for the archive, and dropped.
	Rest int64
}

// Response is what a site sent for one request.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte // decoded, at most Config.MaxBody bytes; the beginning, if it is large and no page; until Release
	Size      int    // of the whole body, at most Config.MaxBody
	Dropped   int64  // how many more bytes were received, see Request.Rest
	Truncated string // the limit that truncated Body: max-body or ratio; empty if Body is complete
	OtherType string // the media type because of which Body was not read; empty if it was
	Undecoded bool   // Body lacks what could not be decoded, or is as received since its content coding is unknown
	Began     time.Time
	Took      time.Duration

	// Exchanges are for archives; none if they are not recorded, or no response began. The last one is this response.
	// The site sent the others before it, since the request had no signature or its connection was too old.
	Exchanges []*output.Exchange

	check bool           // the request only checks the URL
	rest  int64          // Request.Rest
	limit int            // maximum bytes of the body to read
	buf   *bytes.Buffer  // of Body, unless it is large; nil if there is none
	hash  *xxhash.Digest // of the body, if it is not in Body
}

// The values of Response.Truncated, as in limits_reached of pages.jsonl.
const (
	truncatedByMaxBody = "max-body"
	truncatedByRatio   = "ratio"
)

// responseKey is the context key of the *Response that the Transport fills in. Only requests for
// pages have one: the gate requests a robots.txt with the context of the crawl.
type responseKey struct{}

// pageOf returns the Response that a request fills in, or nil if the request is not for a page.
func pageOf(req *http.Request) *Response {
	page, _ := req.Context().Value(responseKey{}).(*Response)
	return page
}

// sitemapKey is the context key of the URL of a sitemap.
type sitemapKey struct{}

// ForSitemap returns a context for the request of a sitemap. Like a page, and unlike a robots.txt,
// it may be requested with passwords and cookies.
func ForSitemap(ctx context.Context, url string) context.Context {
	return context.WithValue(ctx, sitemapKey{}, url)
}

// isContent reports whether a request is for a page or a sitemap. Page is the result of pageOf.
func isContent(req *http.Request, page *Response) bool {
	return req.URL.Path != robotsPath && (page != nil || req.Context().Value(sitemapKey{}) == req.URL.String())
}

const robotsPath = "/robots.txt"

// New returns a Fetcher. Its requests end when ctx does. They go through the gate of robots, and
// from there through the Transport that robots was made with.
func New(ctx context.Context, cfg Config, robots *robotsext.Robots) *Fetcher {
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
	c.DisableCookies()
	c.SetRequestTimeout(0) // Fetch sets a deadline, which needs no goroutine
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	robots.Attach(c)
	c.IgnoreRobotsTxt = true // Attach turns it off, for collectors of URLs that were not checked before
	return &Fetcher{collector: c, timeout: cfg.Timeout, maxBody: cfg.MaxBody}
}

// Fetch requests a page. It returns responses of any status without error, and does not follow
// redirects. The error is a network error or a [*robotsext.BlockedError]. Even then the Response
// is not nil: it has the times, what was received, and the Exchanges as far as they were recorded.
func (f *Fetcher) Fetch(req Request) (*Response, error) {
	limit := cmp.Or(req.MaxBody, f.maxBody+1) // the additional byte shows that there is more
	resp := &Response{Began: time.Now(), check: req.Method != "", rest: req.Rest, limit: limit}
	// A clone shares the client behind the gate. Its context, for this request alone, comes
	// from the one that Attach has sealed.
	c := f.collector.Clone()
	ctx, cancel := context.WithTimeout(c.Context, f.timeout)
	defer cancel()
	c.Context = context.WithValue(ctx, responseKey{}, resp)
	c.OnResponse(func(*colly.Response) {
		if over := resp.Size - f.maxBody; over > 0 {
			resp.Dropped += min(int64(over), resp.rest)
			resp.Body, resp.Size, resp.Truncated = resp.Body[:min(len(resp.Body), f.maxBody)], f.maxBody, truncatedByMaxBody
		}
	})
	err := c.Request(cmp.Or(req.Method, http.MethodGet), req.URL, nil, nil, req.Header)
	resp.Took = time.Since(resp.Began)
	return resp, err
}
