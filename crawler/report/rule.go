package report

import "slices"

// A Rule is a kind of finding. FINDINGS.md documents all rules.
type Rule struct {
	ID       string   `json:"id"` // such as broken-link; programs rely on it
	Severity Severity `json:"severity"`
	Topic    string   `json:"topic"` // links, external, assets, pages, redirects, canonical, hreflang, sitemaps or robots
	Title    string   `json:"title"`
	Fix      string   `json:"fix"` // one sentence: what to do
}

// Severity says how much a finding matters.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // visitors or search engines miss something
	SeverityWarning Severity = "warning" // probably not intended
	SeverityNotice  Severity = "notice"  // may be intended
)

// The other topics of rules.
const (
	topicLinks     = "links"
	topicExternal  = "external"
	topicAssets    = "assets"
	topicCanonical = "canonical"
	topicHreflang  = "hreflang"
	topicRedirects = "redirects"
)

// The IDs of rules. Programs rely on their spelling.
const (
	ruleBrokenLink           = "broken-link"
	ruleBrokenAsset          = "broken-asset"
	ruleInvalidURL           = "invalid-url"
	ruleBrokenExternal       = "broken-external"
	ruleBrokenFragment       = "broken-fragment"
	ruleUnverified           = "unverified"
	ruleForbiddenHost        = "forbidden-host"
	ruleLinkRedirected       = "link-redirected"
	ruleLinkMoved            = "link-redirected-permanently"
	ruleLinkDoubleSlash      = "link-double-slash"
	ruleMixedContent         = "mixed-content"
	ruleTitleMissing         = "title-missing"
	ruleTitleDuplicate       = "title-duplicate"
	ruleTitleLong            = "title-long"
	ruleDescriptionMissing   = "description-missing"
	ruleDescriptionDuplicate = "description-duplicate"
	ruleDescriptionLong      = "description-long"
	ruleH1Missing            = "h1-missing"
	ruleH1Multiple           = "h1-multiple"
	ruleStartNoindex         = "start-noindex"
	ruleNeedsJavaScript      = "needs-javascript"
	ruleAltMissing           = "alt-missing"
	rulePageMalformed        = "page-malformed"
	rulePageDeep             = "page-deep"
	rulePageSlow             = "page-slow"
	rulePageLarge            = "page-large"
	ruleRedirectLoop         = "redirect-loop"
	ruleRedirectDeadEnd      = "redirect-dead-end"
	ruleRedirectChain        = "redirect-chain"
	ruleCanonicalBroken      = "canonical-broken"
	ruleCanonicalRedirect    = "canonical-redirect"
	ruleCanonicalDisallowed  = "canonical-disallowed"
	ruleCanonicalNoindex     = "canonical-noindex"
	ruleCanonicalChain       = "canonical-chain"
	ruleHreflangBroken       = "hreflang-broken"
	ruleHreflangDisallowed   = "hreflang-disallowed"
	ruleHreflangNoindex      = "hreflang-noindex"
	ruleHreflangNoReturn     = "hreflang-no-return"
	ruleSitemapUnreadable    = "sitemap-unreadable"
	ruleSitemapIncomplete    = "sitemap-incomplete"
	ruleSitemapBroken        = "sitemap-broken"
	ruleSitemapRedirected    = "sitemap-redirected"
	ruleSitemapDisallowed    = "sitemap-disallowed"
	ruleSitemapNoindex       = "sitemap-noindex"
	ruleSitemapElsewhere     = "sitemap-canonical-elsewhere"
	ruleSitemapNotAuthorized = "sitemap-not-authorized"
	ruleSitemapLastmod       = "sitemap-invalid-lastmod"
	ruleSitemapNotLinked     = "sitemap-not-linked"
	ruleSitemapNotListed     = "sitemap-not-listed"
	ruleSitemapNotFetched    = "sitemap-not-fetched"
	ruleRobotsUnreachable    = "robots-unreachable"
	ruleLinkToDisallowed     = "link-to-disallowed"
)

// rules are all rules in the order of the report.
var rules = []Rule{
	{ruleBrokenLink, SeverityError, topicLinks, "Broken links", "Correct or remove the links, or redirect the URL to a page that replaces it."},
	{ruleInvalidURL, SeverityError, topicLinks, "Links and assets with an invalid URL", "Correct the URL: crawlers and most browsers cannot open it."},
	{ruleBrokenFragment, SeverityWarning, topicLinks, "Links to missing fragments", "Correct the part after #, or add an element with this id to the target page."},
	{ruleForbiddenHost, SeverityError, topicLinks, "Links and assets on forbidden hosts", "Replace the URL by that of the public host."},
	{ruleLinkMoved, SeverityWarning, topicLinks, "Links to URLs that redirect permanently", "Link to the target of the redirect."},
	{ruleLinkRedirected, SeverityNotice, topicLinks, "Links to URLs that redirect temporarily", "Link to the target, unless the redirect depends on the visitor or the time."},
	{ruleLinkDoubleSlash, SeverityNotice, topicLinks, "Links with a double slash in the path", "Write one slash: servers and search engines see another URL."},
	{ruleBrokenExternal, SeverityWarning, topicExternal, "Broken external links", "Correct or remove the links."},
	{ruleUnverified, SeverityNotice, topicExternal, "Links and assets that could not be verified", "Open the URL in a browser: the server or its robots.txt refuses crawlers."},
	{ruleBrokenAsset, SeverityError, topicAssets, "Broken assets", "Restore the file, or correct the pages and stylesheets that use it."},
	{ruleMixedContent, SeverityError, topicAssets, "Insecure assets in secure pages", "Use https: browsers block http assets in an https page."},
	{ruleStartNoindex, SeverityError, topicPages, "Start URLs with noindex", "Remove noindex: search engines list neither the page nor, in the long run, what it links to."},
	{ruleNeedsJavaScript, SeverityWarning, topicPages, "Sites that need JavaScript", "Send pages with their text and links: what was found is what a client without scripts sees."},
	{ruleTitleMissing, SeverityWarning, topicPages, "Pages without title", "Add a title element that says what the page is about."},
	{ruleTitleDuplicate, SeverityWarning, topicPages, "Pages with duplicate titles", "Give each page its own title, or name one page as the canonical one."},
	{ruleTitleLong, SeverityNotice, topicPages, "Titles longer than 70 characters", "Shorten the title: search results cut it off."},
	{ruleDescriptionMissing, SeverityNotice, topicPages, "Pages without description", "Add a meta description that sums up the page."},
	{ruleDescriptionDuplicate, SeverityNotice, topicPages, "Pages with duplicate descriptions", "Write a description of its own for each page."},
	{ruleDescriptionLong, SeverityNotice, topicPages, "Descriptions longer than 160 characters", "Shorten the description: search results cut it off."},
	{ruleH1Missing, SeverityNotice, topicPages, "Pages without h1", "Add one h1 element as the heading of the page."},
	{ruleH1Multiple, SeverityNotice, topicPages, "Pages with several h1", "Keep one h1 element, and make the others h2."},
	{ruleAltMissing, SeverityNotice, topicPages, "Pages with images without alt", "Describe each image in its alt attribute; write alt=\"\" for decorations."},
	{rulePageMalformed, SeverityError, topicPages, "XHTML pages that are not well-formed", "Correct the markup, or send the page as text/html: browsers show an error instead of the rest of the page."},
	{rulePageDeep, SeverityNotice, topicPages, "Pages more than five links deep", "Link to the page from a page nearer to the start."},
	{rulePageSlow, SeverityNotice, topicPages, "Responses that took more than three seconds", "Find out why the server is slow, or cache the page."},
	{rulePageLarge, SeverityWarning, topicPages, "HTML larger than 2 MiB", "Split the page, or move embedded data into files of its own."},
	{ruleRedirectLoop, SeverityError, topicRedirects, "Redirect loops", "Redirect the first URL to a page, or remove the redirects."},
	{ruleRedirectDeadEnd, SeverityError, topicRedirects, "Redirects without a page at the end", "Redirect to a page that exists, or remove the redirect and its links."},
	{ruleRedirectChain, SeverityWarning, topicRedirects, "Redirects of more than one step", "Redirect the first URL to the last one directly, and link to the last one."},
	{ruleCanonicalBroken, SeverityError, topicCanonical, "Canonical URLs that are broken", "Name a canonical URL that exists."},
	{ruleCanonicalRedirect, SeverityWarning, topicCanonical, "Canonical URLs that redirect", "Name the target of the redirect as the canonical URL."},
	{ruleCanonicalDisallowed, SeverityError, topicCanonical, "Canonical URLs that robots.txt disallows", "Allow the canonical URL in robots.txt, or name another one."},
	{ruleCanonicalNoindex, SeverityError, topicCanonical, "Canonical URLs with noindex", "Remove noindex from the canonical page, or name another one."},
	{ruleCanonicalChain, SeverityWarning, topicCanonical, "Canonical URLs that name another canonical URL", "Name the last page of the chain as the canonical URL."},
	{ruleHreflangBroken, SeverityError, topicHreflang, "hreflang links to URLs that are broken or redirect", "Name a URL that answers with status 200."},
	{ruleHreflangDisallowed, SeverityWarning, topicHreflang, "hreflang links to URLs that robots.txt disallows", "Allow the URL in robots.txt, or remove the hreflang link."},
	{ruleHreflangNoindex, SeverityWarning, topicHreflang, "hreflang links to pages with noindex", "Remove noindex from the page, or remove the hreflang link."},
	{ruleHreflangNoReturn, SeverityWarning, topicHreflang, "hreflang links without a return link", "Add an hreflang link back to the page: search engines ignore links in one direction."},
	{ruleSitemapUnreadable, SeverityError, topicSitemaps, "Sitemaps that cannot be read", "Restore or correct the file, or remove its line from robots.txt or its entry from the index."},
	{ruleSitemapIncomplete, SeverityWarning, topicSitemaps, "Sitemaps that end early", "Correct the file: search engines may not see the entries after the fault."},
	{ruleSitemapBroken, SeverityError, topicSitemaps, "URLs in sitemaps that are broken", "Remove the URL from the sitemap, or restore the page."},
	{ruleSitemapRedirected, SeverityError, topicSitemaps, "URLs in sitemaps that redirect", "List the target of the redirect."},
	{ruleSitemapDisallowed, SeverityError, topicSitemaps, "URLs in sitemaps that robots.txt disallows", "Remove the URL from the sitemap, or allow it in robots.txt."},
	{ruleSitemapNoindex, SeverityError, topicSitemaps, "URLs in sitemaps with noindex", "Remove the URL from the sitemap, or noindex from the page."},
	{ruleSitemapElsewhere, SeverityError, topicSitemaps, "URLs in sitemaps that name another canonical URL", "List the canonical URL."},
	{ruleSitemapNotAuthorized, SeverityError, topicSitemaps, "URLs that their sitemap is not authorized to list", "List the sitemap in the robots.txt of the host, or move it to that host, in the directory of the URLs or above."},
	{ruleSitemapLastmod, SeverityError, topicSitemaps, "Sitemap entries with an invalid lastmod", "Write the date of the last change: the given lastmod is in the future, or before the first website (6 August 1991)."},
	{ruleSitemapNotLinked, SeverityWarning, topicSitemaps, "URLs in sitemaps to which no page links", "Link to the page, or remove it from the sitemap."},
	{ruleSitemapNotListed, SeverityWarning, topicSitemaps, "Indexable pages in no sitemap", "Add the page to the sitemap of its host."},
	{ruleSitemapNotFetched, SeverityNotice, topicSitemaps, "URLs in sitemaps that were not fetched", "Raise the limits of the crawl to check them too."},
	{ruleRobotsUnreachable, SeverityError, topicRobots, "robots.txt files that could not be fetched", "Make the server answer with status 200 or 404: crawlers stay away from the host until it does."},
	{ruleLinkToDisallowed, SeverityNotice, topicRobots, "Links to URLs that robots.txt disallows", "Check that crawlers should not see these URLs."},
}

// topicOf returns the topic of a rule.
func topicOf(id string) string {
	return rules[slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })].Topic
}
