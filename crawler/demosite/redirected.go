package demosite

import (
	"fmt"
	"net/http"
)

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

	front := h.page("/", "Redirected", "The robots.txt of this host redirects to a file on another, under a path that is closed there.",
		"It follows, for no rule binds the way to a robots.txt, waits its turn there, and takes the rules as this host's.",
		to("/rooms/store", "The store, closed to all"), to("/policies/", "Closed on the host Rules, not here"))
	for i := 1; i <= 5; i++ {
		r := h.page(fmt.Sprintf("/rooms/%d", i), fmt.Sprintf("Room %d", i), "A plain page on a host whose rules are on another host.", "It fetches it.", to("/", "Redirected"))
		front.links = append(front.links, to(r.uri, r.title))
	}
	h.page("/rooms/store", "Store", "Closed by rules that are kept on another host.", "It skips it.").decidedForAll("Disallow: /rooms/store")
	h.page("/policies/", "House rules", "The host Rules closes this path for itself, which means nothing here.", "It fetches it.")
	h.sitemap("/sitemap.xml", "{redirected}/", "{redirected}/only-in-sitemap/lantern", "{redirected}/rooms/store")
	h.page("/only-in-sitemap/lantern", "Lantern", "Only the sitemap lists it, which the redirected robots.txt names.",
		"It reads the sitemaps of a redirected robots.txt as well.")
	return h
}
