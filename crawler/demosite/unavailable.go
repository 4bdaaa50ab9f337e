package demosite

import "fmt"

// unavailable has a robots.txt that cannot be had at first: nothing may be fetched
// until it is there.
func unavailable(failures int) *host {
	h := &host{
		name: "unavailable", title: "Unavailable", hue: 195,
		shows: "a robots.txt that answers 503 at first: later is neither yes nor no",
	}
	h.rulesAt(robotsFile("unavailable")).failures = failures
	front := h.page("/", "Unavailable", "The robots.txt of this host answers 503 at first, with Retry-After: 1.",
		"It fetches nothing here until it has the file, keeps the URLs, and retries when Retry-After has passed.",
		to("/engine-room/", "The engine room, closed to all"))
	for i := 1; i <= 6; i++ {
		r := h.page(fmt.Sprintf("/crossings/%d", i), fmt.Sprintf("Crossing %d", i),
			"A plain page on a host that had to be waited for.", "It fetches it in the end.", to("/", "Unavailable"))
		front.links = append(front.links, to(r.uri, r.title))
	}
	h.page("/engine-room/", "Engine room", "Closed by a robots.txt that came late.", "It skips it.").
		decidedForAll("Disallow: /engine-room/")
	h.sitemap("/sitemap.xml", "{unavailable}/", "{unavailable}/only-in-sitemap/night-crossing", "{unavailable}/engine-room/")
	h.page("/only-in-sitemap/night-crossing", "Night crossing", "Only the sitemap lists it.",
		"It reads the sitemaps of a host whenever its robots.txt comes.")
	return h
}
