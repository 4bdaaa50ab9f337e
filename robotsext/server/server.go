// Package server names the servers on which a crawler limits its load.
//
// Politeness limits, such as the number of requests in flight and the delay between
// two requests, apply to one server. robots.txt applies to one origin:
// http://example.com, https://example.com and http://example.com. each have a file of
// their own (RFC 9309 section 2.3), but one machine serves all three. A crawler with a
// limit for each origin would send three times as many requests as the machine allows.
// Ports 80 and 443 count as one server; any other port is a different server.
package server

import (
	"net/netip"
	"strings"
)

// Name returns the server of the authority of a URL, "host" or "host:port" without
// user information. The result is the host name in lower case without trailing dot,
// and the port unless it is 80 or 443. An IPv4-mapped IPv6 address becomes IPv4. Name
// returns "" if there is no host name.
func Name(authority string) string {
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
