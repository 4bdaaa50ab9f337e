// Package server names the servers that a crawler is polite to.
//
// A crawler may put so much load on a machine and no more: so many requests in flight,
// so much time between two. Its unit is therefore the server that answers. The unit of
// robots.txt is another one, the origin: http://example.com, https://example.com and
// http://example.com. have a file each (RFC 9309 section 2.3), though one machine
// answers for all. Who paced them by origin would ask that machine three times as
// often as it allows. Another port is another program, and so another
// server, apart from 80 and 443, which are two doors of one.
package server

import (
	"net/netip"
	"strings"
)

// Name returns the server of the authority of a URL, "host" or "host:port" without
// user information: the host name in lower case and without trailing dot, an
// IPv4-mapped IPv6 address as IPv4, and the port unless it is 80 or 443. It returns
// "" when there is no host name.
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
