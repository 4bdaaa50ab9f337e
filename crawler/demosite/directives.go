package demosite

// addDirectivePages adds pages with directives. A crawler learns these only when it has fetched the
// page.
func addDirectivePages(h *host) {
	sponsored := func(rel, href, text string) link { return link{href: href, text: text, rel: rel} }
	h.page("/directives/", "Directives on pages and links",
		"Directives of a page, which a crawler sees after fetching it, and directives of links.",
		"It follows no nofollow link and no link of a nofollow page. It does not store a noindex page.",
		to("/directives/meta", "A robots meta element"),
		to("/directives/meta-by-name", "A meta element with our name"),
		to("/directives/meta-other-name", "A meta element with another name"),
		to("/directives/header", "An X-Robots-Tag"),
		to("/directives/header-by-name", "An X-Robots-Tag for us"),
		to("/directives/header-other-name", "An X-Robots-Tag for another crawler"),
		to("/directives/noindex", "Noindex"),
		to("/directives/none", "None"),
		sponsored("nofollow", "/hidden/by-rel", "Marked nofollow"),
		sponsored("sponsored noopener", "/hidden/by-sponsor", "Marked sponsored"),
		sponsored("UGC", "/hidden/by-visitor", "Marked UGC"),
		sponsored("nofollow", "/notices/1", "Marked nofollow, but linked elsewhere as well"),
	)
	hidden := func(uri, title string) {
		h.page(uri, title, "Every link to this page is nofollow.", "It does not request it.")
	}
	const follow = "It follows the link."
	stay := "It fetches the page and follows none of its links."

	h.page("/directives/meta", "Nofollow by meta element", "meta robots: nofollow.", stay,
		to("/hidden/by-meta", "A linked page"), to("/hidden/by-meta?second", "Another linked page")).metas(everyone, "robots=nofollow")
	h.page("/directives/meta-by-name", "Nofollow for one crawler", "meta politecrawl: nofollow.", stay,
		to("/hidden/by-name", "A linked page")).metas(us, "robots=all", "politecrawl=NoFollow")
	h.page("/directives/meta-other-name", "Nofollow for another crawler", "meta auctionbot: nofollow does not apply to us.", follow,
		to("/reached/by-meta", "A linked page")).metas(nobody, "auctionbot=nofollow")
	h.page("/directives/header", "Nofollow by header", "X-Robots-Tag: nofollow.", stay,
		to("/hidden/by-header", "A linked page")).tagged(everyone, "max-snippet: 20, nofollow")
	h.page("/directives/header-by-name", "Nofollow by header, for one crawler", "X-Robots-Tag: politecrawl: nofollow.", stay,
		to("/hidden/by-header-name", "A linked page")).tagged(us, "politecrawl: nofollow")
	h.page("/directives/header-other-name", "Nofollow by header, for another crawler",
		"X-Robots-Tag: auctionbot: nofollow does not apply to us.", follow,
		to("/reached/by-header", "A linked page")).tagged(nobody, "auctionbot: nofollow")
	h.page("/directives/noindex", "Noindex", "meta robots: noindex.",
		"It follows the links and leaves title and content out of its output.",
		to("/reached/by-noindex", "A linked page")).metas(nobody, "robots=noindex")
	h.page("/directives/none", "None", "meta robots: none means noindex, nofollow.",
		"It follows no link and does not store the page.",
		to("/hidden/by-none", "A linked page")).metas(everyone, "robots=none")

	hidden("/hidden/by-rel", "Target of a nofollow link")
	hidden("/hidden/by-sponsor", "Target of a sponsored link")
	hidden("/hidden/by-visitor", "Target of a UGC link")
	hidden("/hidden/by-meta", "Target of a page with a meta element")
	hidden("/hidden/by-meta?second", "Another target of a page with a meta element")
	hidden("/hidden/by-header", "Target of a page with a header")
	hidden("/hidden/by-none", "Target of a page with none")
	h.page("/hidden/by-name", "Target of a page with a meta element for us", "Only a page that is nofollow for politecrawl links here.",
		"politecrawl does not request it.")
	h.page("/hidden/by-header-name", "Target of a page with a header for us", "Only a page that is nofollow for politecrawl links here.",
		"politecrawl does not request it.")
	h.page("/reached/by-meta", "Linked from a page with a meta element", "The directive on the linking page is for another crawler.", "It fetches the page.")
	h.page("/reached/by-header", "Linked from a page with a header", "The directive on the linking page is for another crawler.", "It fetches the page.")
	h.page("/reached/by-noindex", "Linked from a noindex page", "The linking page is noindex, but its links may be followed.", "It fetches the page.")
}

// metas gives a page robots meta elements, which keep the audience from
// following its links.
func (r *route) metas(nofollow audience, elements ...string) {
	r.meta, r.nofollow = elements, nofollow
}

// tagged gives a page an X-Robots-Tag, which keeps the audience from following
// its links.
func (r *route) tagged(nofollow audience, value string) {
	r.nofollow = nofollow
	r.with("X-Robots-Tag", value)
}
