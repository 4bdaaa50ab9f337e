package demosite

import "net/http"

// redirected keeps its robots.txt on another host, two redirects away.
func redirected(on *host) *host {
	h := &host{
		name: "redirected", title: "Redirected", hue: 275,
		shows: "a robots.txt behind two redirects, the second to another host",
	}
	h.rules = robotsFile("redirected")
	hop := func(uri string, status int, location string) {
		r := h.robots(uri, "")
		r.status, r.location = status, location
	}
	hop("/robots.txt", http.StatusMovedPermanently, "moved/robots.txt")
	hop("/moved/robots.txt", http.StatusFound, "{rules}/policies/redirected.txt")
	on.robots("/policies/redirected.txt", h.rules).decidedForAll("Disallow: /policies/").robotsOf = h

	front := h.page("/", "Redirected", "The robots.txt of this host redirects to another host, to a path that is disallowed there.",
		"It follows, since robots.txt rules do not apply to robots.txt itself. It waits for the delay of the other host, and obeys the rules here.",
		to("/rooms/store", "Disallowed"), to("/policies/", "Disallowed on the host Rules, not here"))
	h.series(front, "/rooms/", 5, "A plain page on a host whose rules are on another host.", "It fetches the page.")
	h.page("/rooms/store", "Disallowed by the redirected robots.txt", "Disallowed by rules on another host.", "It skips the page.").decidedForAll("Disallow: /rooms/store")
	h.page("/policies/", "Disallowed only on another host", "The host Rules disallows this path for itself, which has no effect here.", "It fetches the page.")
	h.sitemap("/sitemap.xml", "{redirected}/", "{redirected}/only-in-sitemap/lantern", "{redirected}/rooms/store")
	h.page("/only-in-sitemap/lantern", "Listed only in the sitemap", "Only the sitemap of the redirected robots.txt lists it.",
		"It reads the sitemaps of a redirected robots.txt.")
	return h
}
