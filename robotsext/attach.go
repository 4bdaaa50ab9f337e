package robotsext

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

// collyUserAgent is what colly sends unless it is told otherwise.
const collyUserAgent = "colly - https://github.com/gocolly/colly"

// Attach has every request of c checked: pages, redirects, HEAD, POST, and those
// of its clones. Call it right after NewCollector, or pass it there:
//
//	c := colly.NewCollector(robots.Attach)
//
// A refused URL is an error of Visit (in an asynchronous collector, of OnError)
// for which errors.Is(err, colly.ErrRobotsTxtBlocked) holds, and
// errors.AsType[*BlockedError] tells the rule, its line, and whether it is for
// good or for later.
//
// Attach sets c's transport, c.Context and IgnoreRobotsTxt, and the user agent
// if that is still colly's own. So set transports by Options.Transport, set
// c.Context (colly.StdlibContext) before Attach, and keep a variable of your own
// for that context: c.Context reads as cancelled from now on, for all but the
// methods of Robots. SetProxy goes after Attach. Attaching again changes nothing,
// attaching another Robots replaces the first.
//
// Clones made after Attach are checked as c is. Make them anew when another
// Robots replaces the first: pages of an older clone go through a proxy that is
// set later, but not what Pace and Check ask for with its Context. Clones share
// their parent's transport, so attaching to a clone puts the gate before its
// parent too, which then sends nothing until it is attached itself.
//
// One Robots keeps one record for each origin, whichever collector had it fetched
// and by which proxy. An origin that a dead proxy does not reach is unreachable
// for every other collector too, until RetryAt: give collectors with proxies that
// are not to be relied on a Robots of their own, and no Cache in common.
//
// Should WithTransport or SetClient take the gate away, no page is sent any
// more, and the error is ErrDetached. That is net/http's doing, which sends
// nothing under a context that is over: a transport that has no regard for
// contexts, such as the one that Collector.Appengine sets, sends pages unchecked.
// And to a host not asked before colly may still send its own request for
// robots.txt. A context set after Attach takes the seal away: the gate then
// refuses everything with ErrUnsealed. Do not replace both: what remains is a
// plain collector, and its own check has no rules for a host that was visited
// before, or that a clone with a context of its own tried to visit. A client
// given to SetClient before Attach gets the gate as its transport: never give it
// http.DefaultClient, which all of the program shares.
//
// The first request to a host, unless it is HEAD, finds out about robots.txt
// before all else: outside the page's timeout and its LimitRule, and if
// robots.txt is unreachable, Visit refuses with no callback called and the URL
// not marked as visited. In other cases (the record has expired since, CheckHead,
// the same host by another scheme, COLLY_IGNORE_ROBOTSTXT, a URL that is
// disallowed rather than unreachable, robots.txt slower than the page's timeout
// and then unreachable) the request itself is refused: OnRequest has run and the
// URL is marked. IgnoreRobotsTxt set to true after Attach is one of these cases,
// and has no other effect. Request.Retry is the way on, at BlockedError.RetryAt.
// To know before, call Check.
//
// A HEAD to a host not asked before, colly's own for CheckHead included, and a
// redirect to one wait for robots.txt within the page's timeout
// (SetRequestTimeout, at first 10 s) and fail when that is over. The fetch goes
// on, so a later request finds the outcome.
//
// colly's queue drops the errors of Visit, and with them the URLs of a host whose
// robots.txt is unreachable: all that is left is a warning in Options.Logger, one
// for each time that robots.txt was asked for. With Options.RefuseInGate it is
// always the request that is refused, and OnError gets to hear of it.
func (r *Robots) Attach(c *colly.Collector) {
	if c.UserAgent == collyUserAgent {
		c.UserAgent = r.userAgent
	}
	c.IgnoreRobotsTxt = false
	s := sealOf(c.Context)
	switch {
	case s == nil:
		c.Context = newSeal(c.Context, newCollectorGate(c.Context, c, r))
	case s.gate.robots != r:
		g := newCollectorGate(s.parent, c, r)
		g.shell.Proxy = s.gate.shell.Proxy
		g.shell.DisableKeepAlives = s.gate.shell.DisableKeepAlives
		c.Context = newSeal(s.parent, g)
	}
	c.WithTransport(sealOf(c.Context).gate.shell)
}

// collectorGate is the gate before a collector and its clones. colly reaches it
// through the shell, an *http.Transport that sends nothing itself: SetProxy finds
// a transport of the type it knows and writes to its fields, instead of putting
// another in its place.
type collectorGate struct {
	robots    *Robots
	collector *colly.Collector // the one that Attach was called with
	shell     *http.Transport
	parent    context.Context // the collector's, for the values that Options.Transport may look for

	mu     sync.Mutex
	warned map[Origin]time.Time // FetchedAt of the unreachable records that were logged
}

func newCollectorGate(parent context.Context, c *colly.Collector, r *Robots) *collectorGate {
	refuse := func(context.Context, string, string) (net.Conn, error) {
		// Only a request that asks for another protocol gets here: net/http takes
		// https requests with an Upgrade field past registered protocols.
		return nil, fmt.Errorf("%w: Upgrade", ErrUncheckable)
	}
	// HTTP/1 alone: the transport must not claim "https" for HTTP/2.
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	g := &collectorGate{
		robots:    r,
		collector: c,
		shell:     &http.Transport{DialContext: refuse, DialTLSContext: refuse, Protocols: protocols},
		parent:    parent,
		warned:    make(map[Origin]time.Time),
	}
	g.shell.RegisterProtocol("http", g)
	g.shell.RegisterProtocol("https", g)
	return g
}

// RoundTrip answers colly's question for robots.txt, and checks what else there is.
func (g *collectorGate) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	s := sealOf(ctx)
	if s == nil {
		// Requests for pages always carry CheckRevisitKey, colly's question about
		// robots.txt never does.
		if ctx.Value(colly.CheckRevisitKey) == nil && req.Method == http.MethodGet && req.URL.Path == robotsPath {
			return g.answer(req)
		}
		closeBody(req)
		return nil, ErrUnsealed
	}
	return s.pass(req, g.robots, g.shell, collectorBase{g.robots})
}

// answer answers colly's own question for /robots.txt, which it asks once for
// each host. The real file is judged here, for all of colly's purposes there is
// none; only if it is unreachable does colly hear of it, and refuse the URL,
// unless Options.RefuseInGate leaves that to the gate.
//
// colly remembers the answer for as long as the collector lives. A collector that
// has lost its seal must not be told "no rules": with another transport it would
// send pages on the strength of that. It gets ErrUnsealed and remembers nothing.
// The question carries no context, so the collector itself is looked at, and a
// clone's own context is not seen.
//
// The question is under the page's timeout, but the fetch is not, so it is
// waited for beyond. net/http turns an error that comes after the timeout into
// one of its own, which nobody could tell from a slow page: then colly is left in
// the belief that all is well, and the gate refuses the page.
func (g *collectorGate) answer(req *http.Request) (*http.Response, error) {
	if sealOf(g.collector.Context) == nil {
		return nil, ErrUnsealed
	}
	if isUserFetch(g.parent) {
		return noRobots(req), nil
	}
	asked, err := g.robots.originOf(req.URL)
	if err != nil {
		return nil, err
	}
	for _, site := range sites(req.URL, req.Host) {
		rec, err := g.robots.Record(context.WithValue(g.parent, shellKey{}, g.shell), site)
		if err != nil {
			return nil, err
		}
		if rec.Outcome == Unreachable && !g.robots.refuseInGate && req.Context().Err() == nil {
			g.warn(rec)
			return nil, later(rec, string(asked)) // more of the URL is not known here
		}
	}
	return noRobots(req), nil
}

// noRobots is an answer that leaves colly without rules.
func noRobots(req *http.Request) *http.Response {
	return &http.Response{
		Status:     "204 No Content",
		StatusCode: http.StatusNoContent,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     make(http.Header),
		Body:       http.NoBody,
		Request:    req,
	}
}

// maxWarned is how many origins are remembered that were warned of.
const maxWarned = 10_000

// warn logs once for each record that a URL is refused with an error that the
// caller may not get to see.
func (g *collectorGate) warn(rec *Record) {
	g.mu.Lock()
	known := g.warned[rec.Origin].Equal(rec.FetchedAt)
	if len(g.warned) >= maxWarned {
		clear(g.warned) // of some it is said once more
	}
	g.warned[rec.Origin] = rec.FetchedAt
	g.mu.Unlock()
	if !known {
		g.robots.log.WarnContext(g.parent, "Visit refuses the URLs of an origin whose robots.txt is unreachable, and a colly queue drops them",
			"host", rec.Origin, "next", rec.RetryAt, "error", rec.Err)
	}
}
