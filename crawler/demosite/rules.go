package demosite

import (
	"fmt"
	"net/http"
	"strings"
)

const (
	noPrivate  = "Disallow: /private/"
	noTrap     = "Disallow: /trap/"
	noEmbargo  = "Disallow: /private/press/embargo"
	yesPress   = "Allow: /private/press/"
	noDraft    = "Disallow: /minutes/*/draft$"
	noticePage = 6 // notices on a page of their list
	notices    = 24
)

// rules is the entry: groups, precedence, escapes, redirects, page
// directives, kinds of content.
func rules() *host {
	h := &host{
		name: "rules", title: "Rules", hue: 215,
		shows: "groups, precedence, escapes, redirects, directives on pages, a trap",
		trap:  calendar,
	}
	h.rulesAt(robotsFile("rules"))
	front := h.page("/", "Welcome to the demo site",
		"A small town of eight hosts. Each page says what it tests.",
		"It asks for /robots.txt before anything else, once per host, and obeys the group that names it.",
		to("/notices/", "Notice board: plain pages in a numbered list"),
		to("/groups/", "Rules: groups, and which line decides"),
		to("/spelling/", "Spelling: escapes, queries, fragments, dot segments"),
		to("/redirects/", "Redirects"),
		to("/directives/", "Directives on pages and links"),
		to("/kinds/", "Kinds of content"),
		to("/outside/", "Links that leave the town"),
	)
	front.extra = "{directory}"
	townNotices(h)
	townGroups(h)
	townSpelling(h)
	townRedirects(h)
	townDirectives(h)
	townKinds(h)
	townSitemaps(h)
	h.page("/outside/", "Links that leave the town",
		"A host that nobody gave the crawler as a start, and one that does not exist.",
		"It asks neither, not even for a robots.txt: they are out of the scope of this crawl.",
		to("{external}/", "A host of the site that is not a start URL"),
		to("{external}/fair?day=1", "One of its pages"),
		to("http://out-of-scope.invalid/", "A host that does not exist"),
		to("mailto:clerk@out-of-scope.invalid", "An address for letters"),
		to("javascript:void(0)", "A script"),
	)
	return h
}

// directory is the table of hosts on the front page.
func directory(hosts []*host) string {
	var b strings.Builder
	b.WriteString("<h2>The hosts</h2>\n<table>\n<tr><th scope=\"col\">Host</th><th scope=\"col\">Shows</th></tr>\n")
	for _, h := range hosts {
		fmt.Fprintf(&b, "<tr><td><a href=\"%s/\">%s</a></td><td>%s</td></tr>\n", h.origin, h.title, h.shows)
	}
	b.WriteString("</table>\n")
	return b.String()
}

func townNotices(h *host) {
	for first := 1; first <= notices; first += noticePage {
		n := first/noticePage + 1
		var links []link
		for i := first; i < first+noticePage; i++ {
			links = append(links, to(fmt.Sprintf("/notices/%d", i), fmt.Sprintf("Notice %d", i)))
		}
		uri := "/notices/"
		if n > 1 {
			uri = fmt.Sprintf("/notices/?page=%d", n)
		}
		if first+noticePage <= notices {
			links = append(links, to(fmt.Sprintf("?page=%d", n+1), "Older notices"))
		}
		h.page(uri, fmt.Sprintf("Notice board, page %d", n),
			"A list in several pages, linked by a query alone.",
			"It reads a reference such as ?page=2 against the URL of the page.", links...)
	}
	for i := 1; i <= notices; i++ {
		h.page(fmt.Sprintf("/notices/%d", i), fmt.Sprintf("Notice %d", i),
			"A plain page with links back to what is known already.",
			"It fetches each URL once, however many links lead to it; what follows a # is not part of it.",
			to("/notices/", "Notice board"), to(fmt.Sprintf("#note-%d", i), "This page, further down"),
			to(fmt.Sprintf("/notices/%d#top", i%notices+1), "The next notice"))
	}
}

func townGroups(h *host) {
	h.page("/groups/", "Rules: groups, and which line decides",
		"Which group of robots.txt binds a crawler, and which of its lines decides about a URL.",
		"It obeys every group with its own name, or else the groups for *, never both; the longest matching path decides.",
		to("/members/", "Closed to *, but not to politecrawl"),
		to("/lab/bench", "Closed to politecrawl, but not to *"),
		to("/private", "Without the last slash: not what the rule says"),
		to("/private/", "Closed to everyone"),
		to("/private/minutes", "So is what lies below"),
		to("/Private/minutes", "A path in other letters is another path"),
		to("/private/press/", "A longer Allow opens a part again"),
		to("/private/press/today", "And what lies below"),
		to("/private/press/embargo", "A still longer Disallow closes a part of that"),
		to("/private/press/embargo/list", "And what lies below"),
		to("/draw", "Allow and Disallow of the same length: Allow wins"),
		to("/minutes/may/draft", "Closed by the second group with our name, by * and $"),
		to("/minutes/may/draft/old", "Not the end of the path: open"),
		to("/trap/?day=1", "A calendar without end"),
	)
	h.page("/members/", "Members' room", "Closed to the group *, which does not bind a crawler with a group of its own.",
		"politecrawl fetches it; crawlers without a group of their own skip it.").decided("", "Disallow: /members/")
	h.page("/lab/bench", "The bench in the lab", "Closed to politecrawl, open to crawlers that no group names.",
		"politecrawl skips it.").decided("Disallow: /lab/", "")
	h.page("/private", "The door of the private rooms", "Disallow: /private/ does not match /private.",
		"It fetches this page.")
	h.page("/Private/minutes", "Minutes in capitals", "Paths are compared letter by letter.", "It fetches this page.")
	closed := "It skips the page and says which line told it to."
	h.page("/private/", "Private rooms", "A path that robots.txt closes.", closed).decidedForAll(noPrivate)
	h.page("/private/minutes", "Private minutes", "A path below one that robots.txt closes.", closed).decidedForAll(noPrivate)
	h.page("/private/press/", "Press room", "The longer Allow decides against the shorter Disallow.",
		"It fetches the page.").decided(yesPress, noPrivate)
	h.page("/private/press/today", "Press release", "The longer Allow decides against the shorter Disallow.",
		"It fetches the page.").decided(yesPress, noPrivate)
	h.page("/private/press/embargo", "Embargo", "The longest match is a Disallow again.", closed).decided(noEmbargo, noPrivate)
	h.page("/private/press/embargo/list", "Embargo list", "The longest match is a Disallow again.", closed).decided(noEmbargo, noPrivate)
	h.page("/draw", "A draw", "Allow: /draw and Disallow: /draw match equally.",
		"It takes the less restrictive one and fetches the page.").decided("Allow: /draw", "")
	h.page("/minutes/may/draft", "Draft minutes", "A group that repeats the name of another is merged with it; $ is the end of the URL.",
		closed).decided(noDraft, "")
	h.page("/minutes/may/draft/old", "Old draft minutes", "The $ of Disallow: /minutes/*/draft$ keeps it from matching.",
		"It fetches the page.")
}

// calendar makes the pages of the trap: each day links to more of them.
func calendar(h *host, uri string) *route {
	var day int
	title := "Calendar"
	if uri != "/trap/" {
		if n, err := fmt.Sscanf(uri, "/trap/?day=%d", &day); n != 1 || err != nil {
			return nil
		}
		title = fmt.Sprintf("Day %d", day)
	}
	r := &route{
		host: h, uri: uri, class: page, status: http.StatusOK, contentType: htmlType, trap: true,
		title:  title,
		shows:  "A calendar without end: every day links to the next ones.",
		polite: "It never comes here, because robots.txt closes /trap/.",
		links: []link{
			to(fmt.Sprintf("?day=%d", day+1), "Tomorrow"),
			to(fmt.Sprintf("?day=%d", day+7), "In a week"),
		},
	}
	r.decidedForAll(noTrap)
	return r
}

func townSitemaps(h *host) {
	h.sitemap("/sitemap.xml",
		"{rules}/",
		"{rules}/find?a=1&b=2",
		"{rules}/only-in-sitemap/charter",
		"{rules}/only-in-sitemap/seal?of=town&side=2",
		"{rules}/private/in-sitemap",
		"{external}/in-sitemap",
		"http://out-of-scope.invalid/in-sitemap",
		"{sitemaps}/not-for-another-host-to-list",
	)
	h.page("/only-in-sitemap/charter", "Town charter", "No page links here: only the sitemap lists it.",
		"It reads the sitemaps that robots.txt names and fetches what they list.")
	h.page("/only-in-sitemap/seal?of=town&side=2", "Town seal", "Only the sitemap lists it, with an &amp; in the URL.",
		"It decodes what XML makes it escape.")
	h.page("/private/in-sitemap", "Private, though listed", "The sitemap lists what robots.txt closes.",
		"It skips the page: a sitemap opens nothing.").decidedForAll(noPrivate)

	// The sitemap of the host wildcards is here; so does one that nobody may read, and
	// the robots.txt of redirected, under a path that is closed to pages.
	h.sitemap("/sitemaps/wildcards.xml",
		"{wildcards}/",
		"{wildcards}/only-in-sitemap/scales",
		"{wildcards}/only-in-sitemap/weights?set=brass&n=3",
		"{wildcards}/basket/listed",
	)
	h.sitemap("/private/wildcards.xml", "{wildcards}/only-in-closed-sitemap").decidedForAll(noPrivate)
}
