package demosite

// townDirectives adds pages whose directives a crawler learns only when it has
// fetched them.
func townDirectives(h *host) {
	sponsored := func(rel, href, text string) link { return link{href: href, text: text, rel: rel} }
	h.page("/directives/", "Directives on pages and links",
		"What a page asks of crawlers once it has been fetched, and what a link says of its target.",
		"It follows no link of a nofollow page and no link marked so; what it may not keep it does not keep.",
		to("/directives/meta", "A robots meta element"),
		to("/directives/meta-by-name", "A meta element with our name"),
		to("/directives/meta-other-name", "A meta element with another name"),
		to("/directives/header", "An X-Robots-Tag"),
		to("/directives/header-by-name", "An X-Robots-Tag for us"),
		to("/directives/header-other-name", "An X-Robots-Tag for another crawler"),
		to("/directives/noindex", "Not to be kept"),
		to("/directives/none", "Neither kept nor followed"),
		sponsored("nofollow", "/hidden/by-rel", "Marked nofollow"),
		sponsored("sponsored noopener", "/hidden/by-sponsor", "Marked sponsored"),
		sponsored("UGC", "/hidden/by-visitor", "Marked as a visitor's"),
		sponsored("nofollow", "/notices/1", "Marked nofollow, but linked elsewhere as well"),
	)
	hidden := func(uri, title string) {
		h.page(uri, title, "Only links that ask not to be followed lead here.", "It never comes here.")
	}
	const follow = "It follows the link."
	stay := "It fetches the page and follows no link of it."

	h.page("/directives/meta", "Nofollow by meta element", "meta robots: nofollow.", stay,
		to("/hidden/by-meta", "Behind it"), to("/hidden/by-meta?second", "Also behind it")).metas(everyone, "robots=nofollow")
	h.page("/directives/meta-by-name", "Nofollow for one crawler", "meta politecrawl: nofollow.", stay,
		to("/hidden/by-name", "Behind it")).metas(us, "robots=all", "politecrawl=NoFollow")
	h.page("/directives/meta-other-name", "Nofollow for another crawler", "meta auctionbot: nofollow does not bind us.", follow,
		to("/reached/by-meta", "In front of it")).metas(nobody, "auctionbot=nofollow")
	h.page("/directives/header", "Nofollow by header", "X-Robots-Tag: nofollow.", stay,
		to("/hidden/by-header", "Behind it")).tagged(everyone, "max-snippet: 20, nofollow")
	h.page("/directives/header-by-name", "Nofollow by header, for one crawler", "X-Robots-Tag: politecrawl: nofollow.", stay,
		to("/hidden/by-header-name", "Behind it")).tagged(us, "politecrawl: nofollow")
	h.page("/directives/header-other-name", "Nofollow by header, for another crawler",
		"X-Robots-Tag: auctionbot: nofollow does not bind us.", follow,
		to("/reached/by-header", "In front of it")).tagged(nobody, "auctionbot: nofollow")
	h.page("/directives/noindex", "Not to be kept", "meta robots: noindex.",
		"It follows the links and keeps the page out of what it writes.",
		to("/reached/by-noindex", "In front of it")).metas(nobody, "robots=noindex").noindex = everyone
	h.page("/directives/none", "Neither kept nor followed", "meta robots: none means noindex, nofollow.",
		"It follows no link and does not keep the page.",
		to("/hidden/by-none", "Behind it")).metas(everyone, "robots=none").noindex = everyone

	hidden("/hidden/by-rel", "Behind a nofollow link")
	hidden("/hidden/by-sponsor", "Behind a sponsored link")
	hidden("/hidden/by-visitor", "Behind a visitor's link")
	hidden("/hidden/by-meta", "Behind a meta element")
	hidden("/hidden/by-meta?second", "Behind a meta element, again")
	hidden("/hidden/by-header", "Behind a header")
	hidden("/hidden/by-none", "Behind a none")
	h.page("/hidden/by-name", "Behind a meta element with our name", "Only a page that asks politecrawl not to follow leads here.",
		"politecrawl never comes here.")
	h.page("/hidden/by-header-name", "Behind a header with our name", "Only a page that asks politecrawl not to follow leads here.",
		"politecrawl never comes here.")
	h.page("/reached/by-meta", "In front of a meta element", "The page before binds another crawler.", "It comes here.")
	h.page("/reached/by-header", "In front of a header", "The page before binds another crawler.", "It comes here.")
	h.page("/reached/by-noindex", "In front of a noindex", "The page before may not be kept, but followed.", "It comes here.")
}

// metas gives a page robots meta elements, which keep the audience from
// following its links.
func (r *route) metas(nofollow audience, elements ...string) *route {
	r.meta, r.nofollow = elements, nofollow
	return r
}

// tagged gives a page an X-Robots-Tag, which keeps the audience from following
// its links.
func (r *route) tagged(nofollow audience, value string) {
	r.nofollow = nofollow
	r.with("X-Robots-Tag", value)
}
