package fetch

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
)

// proxies returns what chooses a proxy for a request: the same one for all requests
// to a host, so that the delay of the host holds for the proxy too. Without any, the
// environment decides (HTTPS_PROXY and so on).
func proxies(list []string) func(*http.Request) (*url.URL, error) {
	if len(list) == 0 {
		return http.ProxyFromEnvironment
	}
	return func(req *http.Request) (*url.URL, error) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(req.URL.Host))
		return url.Parse(list[h.Sum32()%uint32(len(list))])
	}
}

// errProxyAuth is the error for a 407. Only a proxy sends one (RFC 9110, section 15.5.8),
// so it is not about the site.
var errProxyAuth = &transportError{text: "the proxy requires a user and password, or rejected those it got (407)"}

// onProxyConnectResponse is an [http.Transport.OnProxyConnectResponse]. Its error says how a
// proxy refuses a connection to a site.
func onProxyConnectResponse(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		return errProxyAuth
	}
	return &transportError{text: strings.TrimSpace(fmt.Sprintf("the proxy: %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))}
}

// proxyOf returns the proxy that a request goes through; nil: none.
func (t *Transport) proxyOf(req *http.Request) *url.URL {
	if t.proxy == nil {
		return nil
	}
	by, err := t.proxy(req)
	if err != nil {
		return nil
	}
	return by
}

// proxyResponds reports whether the response to a request is that of a proxy: what comes
// through one for https, or through one of SOCKS, is the site's.
func (t *Transport) proxyResponds(req *http.Request) bool {
	by := t.proxyOf(req)
	return by != nil && req.URL.Scheme == "http" && (by.Scheme == "http" || by.Scheme == "https")
}
