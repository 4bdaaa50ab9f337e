package robotsext

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Transport returns a RoundTripper that sends requests through base if Check allows
// them, each redirect included. It removes dot segments, and sets the User-Agent of
// New if there is none. If the Host header names another site, its robots.txt is checked
// too. Nil base means Options.Transport. DelayTransport also obeys Crawl-delay.
func (r *Robots) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = r.transports.base.transport
	}
	return &gate{robots: r, base: base}
}

// gate implements Robots.Transport.
type gate struct {
	robots *Robots
	base   http.RoundTripper
}

// RoundTrip sends req if robots.txt allows it.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	s := sealOf(req.Context())
	if s == nil {
		return g.robots.pass(req.Context(), req.Context(), req, g.base)
	}
	// The program replaced the transport of an attached collector by this one.
	return s.pass(req, g.robots, s.gate.current(), g.base)
}

// CloseIdleConnections implements the interface of http.Client.CloseIdleConnections.
func (g *gate) CloseIdleConnections() {
	if c, ok := g.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// pass sends req through base if robots.txt allows it. It uses checkCtx for the check and
// sendCtx for the request.
func (r *Robots) pass(checkCtx, sendCtx context.Context, req *http.Request, base http.RoundTripper) (*http.Response, error) {
	u, err := r.admit(checkCtx, req)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	seen := req // becomes resp.Request
	if u != req.URL {
		seen = req.WithContext(req.Context())
		seen.URL = u
	}
	out := seen.WithContext(sendCtx)
	if _, named := req.Header["User-Agent"]; !named {
		out.Header = req.Header.Clone()
		if out.Header == nil {
			out.Header = make(http.Header)
		}
		out.Header.Set("User-Agent", r.userAgent)
	}
	r.warnWithoutToken(out)
	o, _ := OriginOf(u) // it fails only for requests that are not checked
	resp, err := send(r.options.Signer, roundTripper(func(req *http.Request) (*http.Response, error) {
		return r.transmit(o, req, base)
	}), out, func(ctx context.Context) error { return r.limiter.await(ctx, o, r.limiter.delayOf(o)) })
	if err != nil {
		return nil, err
	}
	resp.Request = seen
	return resp, nil
}

// transmit sends req to o through base, and notes what the limiter needs. An empty o is not noted.
func (r *Robots) transmit(o Origin, req *http.Request, base http.RoundTripper) (*http.Response, error) {
	end := func() {}
	if o != "" {
		end = r.limiter.begin(o)
	}
	var resp *http.Response
	defer func() {
		if resp == nil { // also if base panics
			end()
		}
	}()
	var err error
	if resp, err = complete(base.RoundTrip(req)); err != nil {
		return nil, err
	}
	now := r.limiter.now()
	if resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests {
		r.resolver.memory.noteResponse(o, now) // ROB-STA-10
	}
	wait := RetryAfter(resp.Header, now)
	r.limiter.noteRetryAfter(o, wait)
	if resp.Body == http.NoBody { // often not closed by callers
		end()
	} else {
		releaseAtClose(resp, sync.OnceFunc(func() {
			r.limiter.noteRetryAfter(o, wait) // it counts from the end of the response
			end()
		}))
	}
	return resp, nil
}

// closeBody closes the body of a request that is not sent, as RoundTripper requires.
func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// admit decides whether req may be sent, and returns the URL to send it to.
func (r *Robots) admit(ctx context.Context, req *http.Request) (*url.URL, error) {
	if req.URL == nil || req.Method == http.MethodConnect {
		return nil, fmt.Errorf("%w: %s", ErrUncheckable, req.Method)
	}
	if !isCheckedScheme(req.URL.Scheme) {
		return req.URL, nil
	}
	u, err := CleanURL(req.URL)
	if err != nil {
		return nil, err
	}
	for _, site := range urlsToCheck(u, req.Host) {
		if err := r.Check(ctx, site); err != nil {
			var blocked *BlockedError
			if errors.As(err, &blocked) {
				blocked.URL = req.URL.Redacted() // no other caller has the error yet
			}
			return nil, err
		}
	}
	return u, nil
}

// isCheckedScheme reports whether robots.txt applies to URLs with scheme. Requests with other
// schemes, such as file, are not checked. An empty scheme is an error of the URL.
func isCheckedScheme(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "":
		return true
	}
	return false
}

// urlsToCheck returns the URLs to check for a request to u with the field host: u itself
// (ROB-GEN-04), and u on that host if it differs.
func urlsToCheck(u *url.URL, host string) []*url.URL {
	if host == "" || host == u.Host {
		return []*url.URL{u}
	}
	other := *u
	other.Host = host
	return []*url.URL{u, &other}
}

// warnWithoutToken logs once that requests have a User-Agent without the product token
// (ROB-FET-04).
func (r *Robots) warnWithoutToken(req *http.Request) {
	agent := req.Header.Get("User-Agent")
	for _, token := range r.tokens {
		if strings.Contains(strings.ToLower(agent), strings.ToLower(token)) {
			return
		}
	}
	r.tokenWarning.Do(func() {
		r.log.WarnContext(req.Context(), "User-Agent without the crawler's product token: sites cannot address the crawler in robots.txt",
			"user_agent", agent, "tokens", r.tokens, "url", req.URL.Redacted())
	})
}
