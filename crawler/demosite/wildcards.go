package demosite

import "strings"

// wildcards has wildcards, a messy robots.txt, and its sitemap on another host.
func wildcards() *host {
	h := &host{
		name: "wildcards", title: "Wildcards", hue: 135,
		shows: "* and $ in rules, queries, a robots.txt with mistakes in it, a sitemap on another host",
	}
	h.rulesAt(byteOrderMark + strings.ReplaceAll(robotsFile("wildcards"), "\n", "\r\n"))
	const (
		sorted = "Disallow: /*?sort="
		pdf    = "Disallow: /*.pdf$"
		htm    = "Disallow: /*.htm"
		shed   = "Disallow: /shed/"
		basket = "Disallow: /basket"

		fetch = "It fetches the page."
		skip  = "It skips the page."
	)
	h.page("/", "Wildcards", "Rules with * and $, and lines that are no rules at all.",
		"It takes the lines it can read and skips the rest: one bad line does not spoil the file.",
		to("/stalls", "All stalls"), to("/stalls?page=2", "More stalls"),
		to("/stalls?sort=price", "Sorted: closed"), to("/stalls?sort=price&page=2", "Sorted, in pages: closed"),
		to("/stalls?page=2&sort=price", "In pages, sorted: the rule asks for ?sort="),
		to("/prices.pdf", "Price list: closed"), to("/prices.pdf?year=2024", "With a query it does not end in .pdf"),
		to("/page", "Allow: /page"), to("/page.htm", "Disallow: /*.htm is longer than Allow: /page"), to("/pages/1", "Begins with /page"),
		to("/shed/", "The shed: closed"), to("/shed/left", "So is what lies in it"),
		to("/shed/left/open", "But for this"), to("/shed/left/open/door", "Which ends there"),
		to("/fruit/apples", "Disalow is not Disallow"), to("/vegetables/leeks", "A rule needs a colon"),
		to("/basket", "The basket: closed"), to("/basketball", "A rule is the beginning of a path: closed"), to("/Basket", "Not in this spelling"),
	)
	h.page("/stalls", "Stalls", "No query: Disallow: /*?sort= does not match.", fetch)
	h.page("/stalls?page=2", "Stalls, page 2", "Another query: Disallow: /*?sort= does not match.", fetch)
	h.page("/stalls?sort=price", "Stalls by price", "Rules are matched against path and query.", skip).decidedForAll(sorted)
	h.page("/stalls?sort=price&page=2", "Stalls by price, page 2", "Rules are matched against path and query.", skip).decidedForAll(sorted)
	h.page("/stalls?page=2&sort=price", "Stalls, page 2, by price", "The query is not re-sorted before it is matched.", fetch)
	h.document("/prices.pdf", "application/pdf", "%PDF-1.4\n%%EOF\n").decidedForAll(pdf)
	h.document("/prices.pdf?year=2024", "application/pdf", "%PDF-1.4\n% 2024\n%%EOF\n")
	h.page("/page", "A page", "The shorter line, Allow: /page, is the only one that matches.", fetch).decidedForAll("Allow: /page")
	h.page("/page.htm", "A page in .htm", "Both lines match; the longer one is a Disallow.", skip).decidedForAll(htm)
	h.page("/pages/1", "Page 1", "A rule is the beginning of a path.", fetch).decidedForAll("Allow: /page")
	h.page("/shed/", "The shed", "Closed as a whole.", skip).decidedForAll(shed)
	h.page("/shed/left", "The left of the shed", "Closed as a whole.", skip).decidedForAll(shed)
	h.page("/shed/left/open", "The open corner of the shed", "Allow: /shed/*/open$ is longer than Disallow: /shed/.", fetch).
		decidedForAll("Allow: /shed/*/open$")
	h.page("/shed/left/open/door", "The door of the open corner", "The $ keeps the Allow from matching here.", skip).decidedForAll(shed)
	h.page("/fruit/apples", "Apples", "A field that is spelt wrong is no rule.", fetch)
	h.page("/vegetables/leeks", "Leeks", "A line without a colon is no rule.", fetch)
	h.page("/basket", "Basket", "Disallow: /basket.", skip).decidedForAll(basket)
	h.page("/basketball", "Basketball", "Disallow: /basket is the beginning of this path as well.", skip).decidedForAll(basket)
	h.page("/Basket", "Basket with a capital", "Paths are compared letter by letter.", fetch)
	h.page("/basket/listed", "Basket in the sitemap", "The sitemap lists what robots.txt closes.", skip).decidedForAll(basket)
	h.page("/only-in-sitemap/scales", "Scales", "Only the sitemap on the host Rules lists it.",
		"It takes the URLs of this host from there, because this host's robots.txt names that sitemap.")
	h.page("/only-in-sitemap/weights?set=brass&n=3", "Weights", "Only the sitemap on the host Rules lists it.",
		"It takes the URLs of this host from there, because this host's robots.txt names that sitemap.")
	h.page("/only-in-closed-sitemap", "Listed where nobody may read", "Only a sitemap that the robots.txt of the host Rules closes lists it.",
		"It asks the robots.txt of the sitemap's own host, and does not fetch the sitemap.")
	return h
}
