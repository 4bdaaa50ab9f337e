package demosite

import "net/http"

// norobots has no robots.txt, and pages that fail.
func norobots() *host {
	h := &host{
		name: "norobots", title: "No robots.txt", hue: 95,
		shows: "no robots.txt (404), so everything is allowed; pages with status 404, 410, 500, 503",
	}
	none := h.robots("/robots.txt", "There is no robots.txt here, and this is not one:\nUser-agent: *\nDisallow: /\nSitemap: {norobots}/phantom/sitemap.xml\n")
	none.status = http.StatusNotFound
	front := h.page("/", "No robots.txt", "The robots.txt of this host responds with 404 and a body that looks like rules.",
		"It ignores the body of a 404 and fetches all pages.",
		to("/missing", "A missing page"), to("/gone", "A removed page"),
		to("/broken", "A page that always fails"), to("/busy", "A page that is busy at first"),
		to("/paths/robots.txt", "A robots.txt in another directory"))
	h.series(front, "/paths/", 5, "A plain page on a host without rules.", "It fetches the page.")
	h.page("/missing", "Not found", "A page with status 404.", "It records the status and continues.").status = http.StatusNotFound
	h.page("/gone", "Gone", "A page with status 410.", "It records the status and continues.").status = http.StatusGone
	h.page("/broken", "Broken", "A page with status 500.", "It slows down, and fails the page after some retries.").status = http.StatusInternalServerError
	h.page("/busy", "Busy", "A page that responds with 503 and Retry-After: 1 once, and then with 200.",
		"It sends no request to this host for one second.").failures = 1
	h.document("/paths/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n")
	return h
}
