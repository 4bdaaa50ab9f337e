package demosite

import "strings"

// wildcards has wildcards, a messy robots.txt, and its sitemap on another host.
func wildcards() *host {
	h := &host{
		name: "wildcards", title: "Wildcards", hue: 135,
		shows: "* and $ in rules, queries, a robots.txt with mistakes, a sitemap on another host",
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
	h.page("/", "Wildcards", "Rules with * and $, and invalid lines.",
		"It obeys the valid lines and ignores the others.",
		to("/stalls", "All stalls"), to("/stalls?page=2", "More stalls"),
		to("/stalls?sort=price", "Sorted: disallowed"), to("/stalls?sort=price&page=2", "Sorted, in pages: disallowed"),
		to("/stalls?page=2&sort=price", "In pages, sorted: the rule matches only ?sort="),
		to("/prices.pdf", "Price list: disallowed"), to("/prices.pdf?year=2024", "With a query, it does not end in .pdf"),
		to("/page", "Allow: /page"), to("/page.htm", "Disallow: /*.htm is longer than Allow: /page"), to("/pages/1", "Begins with /page"),
		to("/shed/", "The shed: disallowed"), to("/shed/left", "A path below it: disallowed"),
		to("/shed/left/open", "A longer Allow wins"), to("/shed/left/open/door", "Below it: disallowed"),
		to("/fruit/apples", "Disalow is not Disallow"), to("/vegetables/leeks", "A rule needs a colon"),
		to("/basket", "The basket: disallowed"), to("/basketball", "Rules match the beginning of a path: disallowed"), to("/Basket", "Paths are case-sensitive"),
	)
	h.page("/stalls", "No query", "No query: Disallow: /*?sort= does not match.", fetch)
	h.page("/stalls?page=2", "Query that no rule matches", "Another query: Disallow: /*?sort= does not match.", fetch)
	h.page("/stalls?sort=price", "Query that a rule matches", "Rules match path and query.", skip).decidedForAll(sorted)
	h.page("/stalls?sort=price&page=2", "Query that begins as in the rule", "Rules match path and query.", skip).decidedForAll(sorted)
	h.page("/stalls?page=2&sort=price", "Query in another order than in the rule", "The query is not sorted before matching.", fetch)
	h.document("/prices.pdf", "application/pdf", "%PDF-1.4\n%%EOF\n").decidedForAll(pdf)
	h.document("/prices.pdf?year=2024", "application/pdf", "%PDF-1.4\n% 2024\n%%EOF\n")
	h.page("/page", "Allowed by /page", "Only Allow: /page matches.", fetch).decidedForAll("Allow: /page")
	h.page("/page.htm", "Disallowed by *.htm", "Both lines match. The longer one is a Disallow.", skip).decidedForAll(htm)
	h.page("/pages/1", "Path that begins as in the rule", "Rules match the beginning of a path.", fetch).decidedForAll("Allow: /page")
	h.page("/shed/", "Disallowed directory", "Disallow: /shed/.", skip).decidedForAll(shed)
	h.page("/shed/left", "Path below a disallowed directory", "Disallow: /shed/.", skip).decidedForAll(shed)
	h.page("/shed/left/open", "Longer Allow with * and $", "Allow: /shed/*/open$ is longer than Disallow: /shed/.", fetch).
		decidedForAll("Allow: /shed/*/open$")
	h.page("/shed/left/open/door", "Path that continues after $", "Because of $, the Allow does not match.", skip).decidedForAll(shed)
	h.page("/fruit/apples", "Misspelled Disallow", "A misspelled field is not a rule.", fetch)
	h.page("/vegetables/leeks", "Rule without a colon", "A line without a colon is not a rule.", fetch)
	h.page("/basket", "Disallowed path", "Disallow: /basket.", skip).decidedForAll(basket)
	h.page("/basketball", "Path that continues a disallowed word", "Disallow: /basket also matches this path.", skip).decidedForAll(basket)
	h.page("/Basket", "Path with a capital letter", "Paths are case-sensitive.", fetch)
	h.page("/basket/listed", "Disallowed URL in the sitemap", "The sitemap lists a disallowed URL.", skip).decidedForAll(basket)
	h.page("/only-in-sitemap/scales", "Sitemap on another host", "Only the sitemap on the host Rules lists it.",
		"It accepts the entry, because the robots.txt of this host names that sitemap.")
	h.page("/only-in-sitemap/weights?set=brass&n=3", "Sitemap on another host, URL with a query", "Only the sitemap on the host Rules lists it.",
		"It accepts the entry, because the robots.txt of this host names that sitemap.")
	h.page("/only-in-closed-sitemap", "Listed in a disallowed sitemap", "Only a sitemap that is disallowed on the host Rules lists it.",
		"It obeys the robots.txt of the sitemap's host, and does not fetch the sitemap.")
	return h
}
