package demosite

// disallowed closes everything.
func disallowed() *host {
	h := &host{name: "disallowed", title: "Disallowed", hue: 0, shows: "Disallow: /"}
	h.rulesAt(robotsFile("disallowed"))
	const closed = "Disallow: /"
	h.page("/", "Disallowed", "Everything on this host, its front page included, is closed to all crawlers but one, which is not us.",
		"It fetches robots.txt and nothing else.",
		to("/gold", "Gold")).decidedForAll(closed)
	h.page("/gold", "Gold", "A redirect on another host leads here.", "It skips it.").decidedForAll(closed)
	return h
}

// external is out of the scope of a crawl from the start URLs.
func external() *host {
	h := &host{
		name: "external", title: "External", hue: 320, outside: true,
		shows: "a host that is no start URL: linked, redirected to and listed, yet out of scope",
	}
	h.rulesAt(robotsFile("external"))
	const shows, polite = "A host that was not among the start URLs.", "It never asks this host for anything."
	h.page("/", "Elsewhere", shows, polite, to("/fair?day=1", "The fair")).decidedForAll("Allow: /")
	for _, uri := range []string{"/fair?day=1", "/by-redirect", "/in-sitemap", "/books/1"} {
		h.page(uri, "Elsewhere: "+uri, shows, polite).decidedForAll("Allow: /")
	}
	return h
}
