package demosite

// addSpellingPages adds pages about how URLs are written.
func addSpellingPages(h *host) {
	h.page("/spelling/", "Spelling: escapes, queries, fragments, dot segments",
		"One URL can have several spellings, and two similar ones can differ.",
		"It matches robots.txt against the URL that it would request, with escapes in canonical form.",
		to("/café/", "Written in UTF-8"),
		to("/caf%C3%A9/menu", "Written with escapes"),
		to("/café/menu", "The same page in UTF-8"),
		to("/caf%C3%A9/kitchen", "Disallowed: the rule is in UTF-8"),
		to("/日本/東京", "Another script"),
		to("/files/with%20space", "A space"),
		to("/files/a/b", "A slash"),
		to("/files/a%2Fb", "An escaped slash is another path: disallowed"),
		to("/files/~bob/diary", "Disallowed: the rule has %7e for ~"),
		to("/files/%7Ebob/letters", "Also disallowed"),
		to("/open/../private/by-dots", "Dot segments that lead into /private/"),
		to("/open/%2e%2e/private/by-escaped-dots", "The same with escaped dots"),
		to("/find?a=1&b=2", "A query"),
		to("/find?b=2&a=1", "Another order is another URL"),
		to("/find?b=2&a=1#results", "The same URL with a fragment"),
	)
	const fetch, skip = "It fetches the page.", "It skips the page."
	h.page("/café/", "UTF-8 in a path", "A path with an accent.", "It sends the path as %-escaped UTF-8.")
	h.page("/café/menu", "Two spellings of one URL", "Linked with two spellings of its URL.", "It fetches the page once.")
	h.page("/café/kitchen", "UTF-8 in a rule", "The rule is in UTF-8, the link is escaped: they match.", skip).
		decided("Disallow: /café/kitchen", "")
	h.page("/日本/東京", "Path in another script", "A path outside the Latin script.", "It sends the path as %-escaped UTF-8.")
	h.page("/files/with%20space", "Escaped space", "A path with an escaped space.", "It keeps the escape.")
	h.page("/files/a/b", "Plain slash", "Disallow: /files/a%2fb does not match a plain slash.", fetch)
	h.page("/files/a%2Fb", "Escaped slash", "Escapes are not case-sensitive. An escaped slash is not a slash.", skip).
		decided("Disallow: /files/a%2fb", "")
	h.page("/files/~bob/diary", "Plain ~ in a link, escaped in the rule", "An escaped ~ is the same path.", skip).
		decided("Disallow: /files/%7ebob/", "")
	h.page("/files/~bob/letters", "Escaped ~ in link and rule", "An escaped ~ is the same path.", skip).
		decided("Disallow: /files/%7ebob/", "")
	h.page("/private/by-dots", "Dot segments", "A link with .. in it leads here.",
		"It removes dot segments before it matches robots.txt.").decidedForAll(noPrivate)
	h.page("/private/by-escaped-dots", "Escaped dot segments", "A link with an escaped .. in it leads here.",
		"It removes dot segments before it matches robots.txt.").decidedForAll(noPrivate)
	h.page("/find?a=1&b=2", "Query", "The query is part of the URL.", fetch)
	h.page("/find?b=2&a=1", "Query in another order", "The order of a query is part of the URL.", "It does not sort queries.")
}
