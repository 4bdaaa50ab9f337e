// Package serverkey identifies the server behind a URL, so that a crawler can limit the
// load of each server.
//
// Politeness limits, such as the number of requests in flight and the delay between two
// requests, apply to one server. robots.txt applies to one origin: http://example.com,
// https://example.com and http://example.com. (with a trailing dot) each have their own
// file (RFC 9309 section 2.3), but one machine serves all three. A crawler with a limit
// for each origin would send three times as many requests as the machine allows. Ports
// 80 and 443 count as one server; any other port is a different server.
package serverkey

import (
	"net/netip"
	"strings"
)

// Of returns the key of the server in the authority of a URL. The authority is "host"
// or "host:port", without user name and password. The key is the host name in lower
// case without trailing dot, and the port unless it is 80 or 443. An IPv4-mapped IPv6
// address becomes IPv4. Of returns "" for an authority without a host name.
func Of(authority string) string {
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		if addr, err := netip.ParseAddr(host[1 : len(host)-1]); err == nil && addr.Is4In6() {
			host = addr.Unmap().String()
		}
	} else if strings.ContainsAny(host, ":[]") {
		return ""
	}
	if host == "" || port == "" || port == "80" || port == "443" {
		return host
	}
	return host + ":" + port
}
