package demosite

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	shelves      = 8
	booksPerPage = 10
)

// sitemaps is the biggest host: a Crawl-delay, and a sitemap index.
func sitemaps(crawlDelay time.Duration) *host {
	h := &host{
		name: "sitemaps", title: "Sitemaps", hue: 20,
		shows:   "a Crawl-delay, a sitemap index with gzip-compressed sitemaps, pages that only sitemaps list",
		delayUs: crawlDelay, delayOthers: 2 * crawlDelay,
	}
	delays := strings.NewReplacer("{delay}", seconds(h.delayUs), "{delay of others}", seconds(h.delayOthers))
	h.rulesAt(delays.Replace(robotsFile("sitemaps")))

	front := h.page("/", "Sitemaps", "Eighty books, and a robots.txt with a Crawl-delay.",
		"It waits for the longer of its own delay and the Crawl-delay, from the end of one request to the start of the next.",
		to("/reserve/", "Disallowed"))
	for s := 1; s <= shelves; s++ {
		shelf := h.page(fmt.Sprintf("/shelves/%d", s), fmt.Sprintf("Shelf %d", s),
			"Links to ten books.", "It fetches the page.")
		front.links = append(front.links, to(shelf.uri, shelf.title))
		for b := (s-1)*booksPerPage + 1; b <= s*booksPerPage; b++ {
			book := h.page(fmt.Sprintf("/books/%d", b), fmt.Sprintf("Book %d", b),
				"A plain page in a big collection.", "It fetches the page once, although shelves, books and sitemaps link to it.",
				to(shelf.uri, shelf.title), to(fmt.Sprintf("/books/%d", b%(shelves*booksPerPage)+1), "The next book"))
			shelf.links = append(shelf.links, to(book.uri, book.title))
			if b%booksPerPage != 0 {
				continue
			}
			scan := h.page(book.uri+"/scan", book.title+", scanned", "Disallow: /books/*/scan.",
				"It skips the page.").decidedForAll("Disallow: /books/*/scan")
			book.links = append(book.links, to(scan.uri, "A scan, disallowed"))
		}
	}
	h.page("/reserve/", "Disallowed directory", "Disallow: /reserve/.", "It skips the page.").decidedForAll("Disallow: /reserve/")
	h.page("/only-by-redirect", "Target of a redirect on another host", "Only a redirect on another host points here.",
		"It applies the rules and the delay of this host to the target of the redirect.")
	h.page("/not-for-another-host-to-list", "Listed in a sitemap that is not authorized", "Only the sitemap of the host Rules lists this page, and it is not authorized.",
		"It accepts entries only from a sitemap that the robots.txt of their host names, or that is in a directory above them.")
	listSitemaps(h)
	return h
}

func listSitemaps(h *host) {
	index := h.sitemap("/sitemap_index.xml",
		"{sitemaps}/sitemaps/fiction.xml.gz",
		"{sitemaps}/sitemaps/science.xml.gz",
		"{sitemaps}/sitemaps/maps.xml",
		"{sitemaps}/sitemaps/lost.xml.gz",
		"{sitemaps}/reserve/sitemap.xml.gz",
		"{sitemaps}/sitemap_index.xml",
	)
	index.index = true

	books := func(first, last int) []string {
		var urls []string
		for b := first; b <= last; b++ {
			urls = append(urls, fmt.Sprintf("{sitemaps}/books/%d", b))
		}
		return urls
	}
	only := func(subject string, n int) []string {
		var urls []string
		for i := 1; i <= n; i++ {
			r := h.page(fmt.Sprintf("/only-in-sitemap/%s/%d", subject, i), fmt.Sprintf("Listed only in a sitemap: %s %d", subject, i),
				"No page links here: only a compressed sitemap lists it.", "It finds the page through the sitemap index.")
			urls = append(urls, "{sitemaps}"+r.uri)
		}
		return urls
	}
	h.sitemapGzip("/sitemaps/fiction.xml.gz", append(books(1, 20), only("fiction", 4)...)...)
	h.sitemapGzip("/sitemaps/science.xml.gz",
		append(only("science", 4), "{sitemaps}/books/40/scan", "{external}/books/1", "/books/relative", "{sitemaps}/books/41")...)
	maps := h.sitemapGzip("/sitemaps/maps.xml", only("maps", 2)...) // compressed, though its name does not say so
	maps.contentType = "application/xml"
	lost := h.sitemap("/sitemaps/lost.xml.gz")
	lost.status, lost.contentType, lost.body = 404, "text/plain; charset=utf-8", "No such sitemap.\n"
	h.sitemapGzip("/reserve/sitemap.xml.gz", "{sitemaps}/only-in-closed-sitemap").decidedForAll("Disallow: /reserve/")
	h.page("/only-in-closed-sitemap", "Listed in a disallowed sitemap", "Only a disallowed sitemap lists this page.",
		"It does not fetch that sitemap, so it does not find the page.")
}

// seconds writes a delay as a Crawl-delay line does.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
}
