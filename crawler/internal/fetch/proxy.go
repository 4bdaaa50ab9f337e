package fetch

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
)

// proxies returns a function that chooses the proxy of a request. All requests to a host use the
// same proxy, so that the delay of the host applies to the proxy too. If the list is empty, the
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

// errProxyAuth is the error for a 407, which only a proxy sends (RFC 9110, section 15.5.8).
var errProxyAuth = &transportError{text: "the proxy requires a user and password, or rejected those it got (407)"}

// onProxyConnectResponse is an [http.Transport.OnProxyConnectResponse]. Its error says why a
// proxy refused a connection to a site.
func onProxyConnectResponse(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		return errProxyAuth
	}
	return &transportError{text: strings.TrimSpace(fmt.Sprintf("the proxy: %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))}
}

// proxyOf returns the proxy that a request goes through, or nil.
func (t *Transport) proxyOf(req *http.Request) *url.URL {
	if t.proxied == nil || t.proxied.Proxy == nil {
		return nil
	}
	by, err := t.proxied.Proxy(req)
	if err != nil {
		return nil
	}
	return by
}

// proxyResponds reports whether a proxy can send the response to a request. For https, or with a
// SOCKS proxy, only the site can.
func (t *Transport) proxyResponds(req *http.Request) bool {
	by := t.proxyOf(req)
	return by != nil && req.URL.Scheme == "http" && (by.Scheme == "http" || by.Scheme == "https")
}
