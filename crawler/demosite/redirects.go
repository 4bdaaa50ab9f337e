package demosite

import "net/http"

// addRedirectPages adds redirects to every kind of place.
func addRedirectPages(h *host) {
	h.page("/redirects/", "Redirects",
		"Redirects within the host, to other hosts, to disallowed URLs, in chains and in loops.",
		"It checks each target like a link: scope, robots.txt, whether it was seen, and the delay of its host.",
		to("/go/board", "To a known page"),
		to("/go/private", "To a disallowed page"),
		to("/go/trap", "Into the spider trap"),
		to("/chain/1", "A chain of four"),
		to("/chain/relative", "With a relative target and a fragment"),
		to("/go/sitemaps", "To another host"),
		to("/go/disallowed", "To another host, which disallows everything"),
		to("/go/external", "To a host out of scope"),
		to("/go/nowhere", "To a host that does not exist"),
		to("/loop/a", "In a loop"),
		to("/loop/self", "To itself"),
	)
	h.redirect("/go/board", http.StatusMovedPermanently, "/notices/")
	h.redirect("/go/private", http.StatusFound, "/private/by-redirect")
	h.redirect("/go/trap", http.StatusSeeOther, "/trap/?day=1")
	h.redirect("/go/sitemaps", http.StatusFound, "{sitemaps}/only-by-redirect")
	h.redirect("/go/disallowed", http.StatusFound, "{disallowed}/gold")
	h.redirect("/go/external", http.StatusFound, "{external}/by-redirect")
	h.redirect("/go/nowhere", http.StatusFound, "http://out-of-scope.invalid/by-redirect")
	h.redirect("/chain/1", http.StatusMovedPermanently, "/chain/2")
	h.redirect("/chain/2", http.StatusFound, "/chain/3")
	h.redirect("/chain/3", http.StatusTemporaryRedirect, "/chain/4")
	h.redirect("/chain/4", http.StatusPermanentRedirect, "/chain/end")
	h.redirect("/chain/relative", http.StatusFound, "../chain/./by-relative#part")
	h.redirect("/loop/a", http.StatusFound, "/loop/b")
	h.redirect("/loop/b", http.StatusFound, "/loop/a")
	h.redirect("/loop/self", http.StatusFound, "/loop/self")

	h.page("/chain/end", "The end of the chain", "A chain of four redirects ends here.",
		"It follows each redirect after the delay.")
	h.page("/chain/by-relative", "The end of a relative redirect", "The Location was ../chain/./by-relative#part.",
		"It resolves the target against the requested URL.")
	h.page("/private/by-redirect", "Private, by redirect", "An allowed URL redirects here.",
		"It checks robots.txt for the target too, and skips it.").decidedForAll(noPrivate)
}
