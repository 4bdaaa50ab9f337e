package demosite

import (
	"fmt"
	"net/http"
)

// norobots has no robots.txt, and pages that fail.
func norobots() *host {
	h := &host{
		name: "norobots", title: "No robots.txt", hue: 95,
		shows: "no robots.txt (404): all is allowed; pages that answer 404, 410, 500, 503",
	}
	none := h.robots("/robots.txt", "There is no robots.txt here, and this is not one:\nUser-agent: *\nDisallow: /\nSitemap: {norobots}/phantom/sitemap.xml\n")
	none.status = http.StatusNotFound
	front := h.page("/", "No robots.txt", "The robots.txt of this host answers 404, with a body that would close everything.",
		"It knows that there are no rules, whatever the body says, and fetches all it finds.",
		to("/missing", "A page that is not there"), to("/gone", "A page that is gone"),
		to("/broken", "A page that fails each time"), to("/busy", "A page that is busy at first"),
		to("/paths/robots.txt", "A robots.txt that is none"))
	for i := 1; i <= 5; i++ {
		r := h.page(fmt.Sprintf("/paths/%d", i), fmt.Sprintf("Path %d", i), "A plain page on a host without rules.", "It fetches it.", to("/", "No robots.txt"))
		front.links = append(front.links, to(r.uri, r.title))
	}
	h.page("/missing", "Not found", "A page that answers 404.", "It records the status and continues.").status = http.StatusNotFound
	h.page("/gone", "Gone", "A page that answers 410.", "It records the status and continues.").status = http.StatusGone
	h.page("/broken", "Broken", "A page that answers 500 each time.", "It slows down, tries a few times and gives up.").status = http.StatusInternalServerError
	h.page("/busy", "Busy", "A page that answers 503 once, with Retry-After: 1, and 200 then.",
		"It asks nothing of this host until that second has passed.").failures = 1
	h.document("/paths/robots.txt", "text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n")
	return h
}
