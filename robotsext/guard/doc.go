// Package guard says which IP addresses a crawler may connect to.
//
// # The subject
//
// A crawler asks for what strangers tell it to ask for: a link, a redirect, a line of a
// sitemap, the target of a robots.txt that has moved. Any of them may name a machine that
// the stranger cannot reach and the crawler can: a database on its own host
// (http://127.0.0.1:9200/), the web page of a router (http://192.168.1.1/), the service
// that hands a cloud machine its credentials (http://169.254.169.254/). The crawler then
// asks in the stranger's place. This is called server-side request forgery, SSRF.
//
// It does not help to look at the URL. An address has many spellings (127.0.0.1, 127.1,
// 0x7f.1, 2130706433, [::ffff:127.0.0.1]), and anybody can have a name of his point
// anywhere. Nor does it help to look the name up first, see that its address is a public
// one, and then connect to the name: that looks it up again, and a name server may give
// another answer to each question. This is called rebinding. So the judgement has to be
// of the very address that is connected to, after the name has been looked up and before
// the first packet is sent. In Go this is where a [net.Dialer] calls its Control function:
//
//	g := guard.New()
//	dialer := &net.Dialer{Control: g.Control}
//	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
//
// Every connection of this client is judged, whichever redirect or name it is for.
//
// # What is refused
//
// All that is not an address of the public internet, by the registries of IANA for
// special-purpose addresses of [IPv4] and [IPv6], and what clouds use for themselves; the
// words for it are those of [Kind]. Of IPv6 only 2000::/3 is in public use, so all else is
// refused. An IPv6 address that stands for one of IPv4 is judged by that one: mapped
// (::ffff:0:0/96), translated (64:ff9b::/96, ::ffff:0:0:0/96), 6to4 (2002::/16), Teredo
// (2001::/32), compatible (::/96), ISATAP. What [New] is told to allow is allowed, and
// nothing is guessed: 10.0.0.0/8 allows 64:ff9b::10.0.0.1 too, since it is the same
// machine.
//
// What cannot be told: whether a public address belongs to a machine that trusts you, and
// which prefix your own network translates to IPv4 by, unless it is 64:ff9b::/96. Of
// 64:ff9b:1::/48, which networks use among themselves (RFC 8215), nobody outside knows
// where in it the IPv4 address stands, so all of it is refused. Machines of that kind
// belong behind a firewall.
//
// # Proxies
//
// Who sends requests through a proxy connects to the proxy, and it is the proxy that
// looks names up and connects to sites: what these resolve to is then for the proxy to
// judge. A Control function sees the address of the proxy alone, and refuses it where it
// is a private one. [Guard.Transport] knows both: it connects to the proxies that its
// user has chosen, and refuses to send them URLs with an IP address for a host that
// itself would not connect to.
//
// [IPv4]: https://www.iana.org/assignments/iana-ipv4-special-registry
// [IPv6]: https://www.iana.org/assignments/iana-ipv6-special-registry
package guard
