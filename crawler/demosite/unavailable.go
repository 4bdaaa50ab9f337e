package demosite

// unavailable has a robots.txt that cannot be had at first: nothing may be fetched
// until it is there.
func unavailable(failures int) *host {
	h := &host{
		name: "unavailable", title: "Unavailable", hue: 195,
		shows: "a robots.txt that responds with 503 at first",
	}
	h.rulesAt(robotsFile("unavailable")).failures = failures
	front := h.page("/", "Unavailable", "The robots.txt of this host responds with 503 and Retry-After: 1 at first.",
		"It keeps the URLs, retries robots.txt after Retry-After, and fetches nothing before.",
		to("/engine-room/", "Disallowed"))
	h.series(front, "/crossings/", 6, "A plain page on a host whose robots.txt was unreachable.", "It fetches it once robots.txt is available.")
	h.page("/engine-room/", "Disallowed", "Disallowed by a robots.txt that was unreachable at first.", "It skips the page.").
		decidedForAll("Disallow: /engine-room/")
	h.sitemap("/sitemap.xml", "{unavailable}/", "{unavailable}/only-in-sitemap/night-crossing", "{unavailable}/engine-room/")
	h.page("/only-in-sitemap/night-crossing", "Listed only in the sitemap", "Only the sitemap lists it.",
		"It reads the sitemaps of a host once its robots.txt is available.")
	return h
}
