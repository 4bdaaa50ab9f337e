// Package guard decides which IP addresses a crawler may connect to.
//
// # The threat
//
// A crawler requests URLs that strangers choose: links, redirects, lines of a sitemap.
// Such a URL may name a machine that only the crawler can reach: a database on its own
// host (http://127.0.0.1:9200/), a router (http://192.168.1.1/), or the metadata
// service of a cloud, which gives out credentials (http://169.254.169.254/). This
// attack is called server-side request forgery (SSRF).
//
// Checking the URL does not help. An address has many spellings (127.0.0.1, 127.1,
// 0x7f.1, 2130706433, [::ffff:127.0.0.1]), and any name may resolve to any address.
// Resolving the name first and connecting to the name later does not help either. The
// second lookup may return another address, which is called DNS rebinding.
//
// So the check must happen after the lookup, on the address of the connection, before
// the first packet. In Go a [net.Dialer] calls its Control function at that point:
//
//	g := guard.New()
//	dialer := &net.Dialer{Control: g.Control}
//	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
//
// This client checks every connection, redirects included.
//
// # What is refused
//
// A Guard refuses every address outside the public internet, and the metadata services
// of clouds; [Kind] lists the reasons. It follows IANA's registries of special-purpose
// addresses for [IPv4] and [IPv6]. In IPv6 only 2000::/3 is public.
//
// An IPv6 address that embeds an IPv4 address is treated like that address. This
// covers mapped (::ffff:0:0/96), translated (64:ff9b::/96, ::ffff:0:0:0/96), 6to4
// (2002::/16), Teredo (2001::/32), compatible (::/96) and ISATAP addresses. If you
// allow 10.0.0.0/8, you also allow 64:ff9b::10.0.0.1, because it is the same machine.
//
// A Guard cannot know whether a machine with a public address gives your IP address
// special access, or whether your network translates another prefix to IPv4. Protect
// such machines with a firewall. Addresses in 64:ff9b:1::/48 (RFC 8215) embed IPv4
// addresses in an unknown way, so all are refused.
//
// # Proxies
//
// A proxy resolves names and connects to sites itself, so a Control function sees only
// the address of the proxy, and refuses it if it is private. [Guard.Transport] allows
// the proxies that the user has configured. It refuses to send them URLs whose host is
// an IP address that the Guard refuses. The proxy must check the addresses that names
// resolve to.
//
// [IPv4]: https://www.iana.org/assignments/iana-ipv4-special-registry
// [IPv6]: https://www.iana.org/assignments/iana-ipv6-special-registry
package guard
