package demosite

// disallowed closes everything.
func disallowed() *host {
	h := &host{name: "disallowed", title: "Disallowed", hue: 0, shows: "Disallow: /"}
	h.rulesAt(robotsFile("disallowed"))
	const closed = "Disallow: /"
	h.page("/", "Disallowed", "The whole host is disallowed for all crawlers except one, which is not us.",
		"It fetches robots.txt and nothing else.",
		to("/gold", "A disallowed page")).decidedForAll(closed)
	h.page("/gold", "Target of a redirect", "A redirect on another host points here.", "It skips the page.").decidedForAll(closed)
	return h
}

// external is out of the scope of a crawl from the start URLs.
func external() *host {
	h := &host{
		name: "external", title: "External", hue: 320, outside: true,
		shows: "linked, redirected to and listed, but out of scope",
	}
	h.rulesAt(robotsFile("external"))
	const shows, polite = "This host is not one of the start URLs.", "It sends no request to this host."
	h.page("/", "Out of scope", shows, polite, to("/fair?day=1", "Another page")).decidedForAll("Allow: /")
	for _, uri := range []string{"/fair?day=1", "/by-redirect", "/in-sitemap", "/books/1"} {
		h.page(uri, "Out of scope: "+uri, shows, polite).decidedForAll("Allow: /")
	}
	return h
}
