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
		"A site of eight hosts. Each page says what it tests.",
		"It requests /robots.txt first, once per host, and obeys the group that names it.",
		to("/notices/", "Notice board: plain pages in a numbered list"),
		to("/groups/", "Rules: groups and precedence"),
		to("/spelling/", "Spelling: escapes, queries, fragments, dot segments"),
		to("/redirects/", "Redirects"),
		to("/directives/", "Directives on pages and links"),
		to("/kinds/", "Kinds of content"),
		to("/outside/", "Links that leave the site"),
	)
	front.extra = "{directory}"
	addNoticePages(h)
	addGroupPages(h)
	addSpellingPages(h)
	addRedirectPages(h)
	addDirectivePages(h)
	addKindPages(h)
	addRulesSitemaps(h)
	h.page("/outside/", "Links that leave the site",
		"A host that is not one of the start URLs, and one that does not exist.",
		"It sends no request to either, not even for robots.txt: they are out of scope.",
		to("{external}/", "A host of the site that is not a start URL"),
		to("{external}/fair?day=1", "One of its pages"),
		to("http://out-of-scope.invalid/", "A host that does not exist"),
		to("mailto:clerk@out-of-scope.invalid", "An email address"),
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

func addNoticePages(h *host) {
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
			"A list in several pages, with links such as ?page=2.",
			"It resolves such links against the URL of the page.", links...)
	}
	for i := 1; i <= notices; i++ {
		h.page(fmt.Sprintf("/notices/%d", i), fmt.Sprintf("Notice %d", i),
			"A plain page with links to known pages.",
			"It fetches each URL once, however many links it has. It ignores fragments.",
			to("/notices/", "Notice board"), to(fmt.Sprintf("#note-%d", i), "A fragment of this page"),
			to(fmt.Sprintf("/notices/%d#top", i%notices+1), "The next notice"))
	}
}

func addGroupPages(h *host) {
	h.page("/groups/", "Rules: groups and precedence",
		"Which group of robots.txt applies to a crawler, and which of its lines matches a URL.",
		"It obeys all groups with its own name, or else the groups for *, but not both. The longest matching path wins.",
		to("/members/", "Disallowed for *, but not for politecrawl"),
		to("/lab/bench", "Disallowed for politecrawl, but not for *"),
		to("/private", "Without the last slash: the rule does not match"),
		to("/private/", "Disallowed for everyone"),
		to("/private/minutes", "A path below it: disallowed"),
		to("/Private/minutes", "Paths are case-sensitive"),
		to("/private/press/", "A longer Allow wins"),
		to("/private/press/today", "A path below it"),
		to("/private/press/embargo", "An even longer Disallow wins"),
		to("/private/press/embargo/list", "A path below it"),
		to("/draw", "Allow and Disallow of the same length: Allow wins"),
		to("/minutes/may/draft", "Disallowed by the second group with our name, with * and $"),
		to("/minutes/may/draft/old", "Not the end of the path: allowed"),
		to("/trap/?day=1", "An endless calendar"),
	)
	h.page("/members/", "Disallowed for * only", "Disallowed in the group *, which does not apply to crawlers with their own group.",
		"politecrawl fetches it. Crawlers without their own group skip it.").decided("", "Disallow: /members/")
	h.page("/lab/bench", "Disallowed for politecrawl only", "Disallowed for politecrawl, allowed for crawlers that no group names.",
		"politecrawl skips it.").decided("Disallow: /lab/", "")
	h.page("/private", "Path without the final slash", "Disallow: /private/ does not match /private.",
		"It fetches this page.")
	h.page("/Private/minutes", "Path with a capital letter", "Paths are case-sensitive.", "It fetches this page.")
	closed := "It skips the page and reports the line that disallows it."
	h.page("/private/", "Disallowed directory", "A path that robots.txt disallows.", closed).decidedForAll(noPrivate)
	h.page("/private/minutes", "Path below a disallowed directory", "A path below a disallowed one.", closed).decidedForAll(noPrivate)
	h.page("/private/press/", "Longer Allow", "The longer Allow wins over the shorter Disallow.",
		"It fetches the page.").decided(yesPress, noPrivate)
	h.page("/private/press/today", "Path below a longer Allow", "The longer Allow wins over the shorter Disallow.",
		"It fetches the page.").decided(yesPress, noPrivate)
	h.page("/private/press/embargo", "Longest match is a Disallow", "The longest match is a Disallow again.", closed).decided(noEmbargo, noPrivate)
	h.page("/private/press/embargo/list", "Path below the longest Disallow", "The longest match is a Disallow again.", closed).decided(noEmbargo, noPrivate)
	h.page("/draw", "Allow and Disallow of the same length", "Allow: /draw and Disallow: /draw match with the same length.",
		"The Allow wins, and it fetches the page.").decided("Allow: /draw", "")
	h.page("/minutes/may/draft", "Merged groups, and $ at the end", "A group that repeats the name of another is merged with it. $ is the end of the URL.",
		closed).decided(noDraft, "")
	h.page("/minutes/may/draft/old", "Path that continues after $", "The $ of Disallow: /minutes/*/draft$ keeps it from matching.",
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
		shows:  "An endless calendar: every day links to later days.",
		polite: "It sends no request, because robots.txt disallows /trap/.",
		links: []link{
			to(fmt.Sprintf("?day=%d", day+1), "Tomorrow"),
			to(fmt.Sprintf("?day=%d", day+7), "In a week"),
		},
	}
	r.decidedForAll(noTrap)
	return r
}

func addRulesSitemaps(h *host) {
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
	h.page("/only-in-sitemap/charter", "Listed only in the sitemap", "No page links here: only the sitemap lists it.",
		"It reads the sitemaps that robots.txt names and fetches their entries.")
	h.page("/only-in-sitemap/seal?of=town&side=2", "Escaped URL in the sitemap", "Only the sitemap lists it, with an &amp; in the URL.",
		"It decodes XML escapes.")
	h.page("/private/in-sitemap", "Disallowed URL in the sitemap", "The sitemap lists a disallowed URL.",
		"It skips the page: a sitemap entry does not override robots.txt.").decidedForAll(noPrivate)

	// The sitemap of the host wildcards is here. So are a disallowed one and the robots.txt of
	// redirected, below a path that is disallowed for pages.
	h.sitemap("/sitemaps/wildcards.xml",
		"{wildcards}/",
		"{wildcards}/only-in-sitemap/scales",
		"{wildcards}/only-in-sitemap/weights?set=brass&n=3",
		"{wildcards}/basket/listed",
	)
	h.sitemap("/private/wildcards.xml", "{wildcards}/only-in-closed-sitemap").decidedForAll(noPrivate)
}
