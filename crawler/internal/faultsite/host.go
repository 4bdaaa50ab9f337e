package faultsite

import (
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/internal/testserver"
)

// A Host configures a host of the site.
type Host struct {
	Fault string // name of the fault; empty if Kind is Healthy
	Kind  Kind   // what the fault affects
}

// A Place is a host of the site with its origin.
type Place struct {
	Host
	Origin string // "http://127.0.1.7:8080"
}

// The paths of a host.
const (
	frontPath   = "/"
	faultPath   = "/fault"  // the faulty page
	afterPath   = "/after"  // a page that the front page links to after the faulty one
	behindPath  = "/behind" // a page that only the faulty page links to
	listedPath  = "/listed" // a page that only the sitemap lists
	robotsPath  = "/robots.txt"
	sitemapPath = "/sitemap.xml"
	closedPath  = "/closed/" // disallowed by robots.txt
	chainPath   = "/p/"      // and a number
)

// chainFault is the distance of faulty pages in the chain. The chain leads past them, since a
// page links to the next two.
const chainFault = 4

type host struct {
	Place
	fault *Fault      // nil if none
	pages int         // length of the chain; endless if negative
	good  *tls.Config // nil means no TLS
	bad   *tls.Config // of connections that are spoiled; nil means the same as good

	mu        sync.Mutex // guards all below
	conns     int        // so far
	second    bool       // the next request is one that comes again; see [stream.again]
	published int        // pages of the chain that a page linked to, so far
	ledger    ledger
}

// hasConnFault reports whether the fault of the host affects connections.
func (h *host) hasConnFault() bool {
	return h.fault != nil && h.fault.InConnection()
}

// clock returns the current state of the delay checker.
func (h *host) clock() testserver.DelayChecker {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ledger.clock
}

// nextConnFaulty counts a connection and reports whether it is faulty. If the fault affects
// robots.txt, all connections are, else every third.
func (h *host) nextConnFaulty() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns++
	return h.hasConnFault() && (h.Kind == Robots || h.conns%3 == 0)
}

// faulty reports whether the fault affects a path. The paths below /fault/ are redirect targets.
func (h *host) faulty(path string) bool {
	if h.fault == nil || h.hasConnFault() {
		return false
	}
	if strings.HasPrefix(path, faultPath+"/") {
		return true
	}
	switch h.Kind {
	case Robots:
		return path == robotsPath
	case Sitemap:
		return path == sitemapPath
	}
	n, ok := chainNumber(path)
	return path == faultPath || ok && n%chainFault == chainFault-1
}

// chainNumber returns the number of a page in the chain.
func chainNumber(path string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(path, chainPath)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// content returns the healthy content of a path. Its body is nil if the path does not exist.
func (h *host) content(path string, resting bool) content {
	switch {
	case path == robotsPath || h.Kind == Robots && strings.HasPrefix(path, faultPath):
		text := "User-agent: *\nDisallow: " + closedPath + "\n"
		if h.Kind == Sitemap || h.Kind == Healthy {
			text += "Sitemap: " + h.Origin + sitemapPath + "\n"
		}
		return plain(text)
	case path == sitemapPath || h.Kind == Sitemap && strings.HasPrefix(path, faultPath):
		return content{"application/xml", []byte(h.urlset(listedPath, afterPath, closedPath+"listed"))}
	case path == frontPath:
		links := []string{faultPath, afterPath, closedPath + "page"}
		if h.Kind != Page {
			links = links[1:]
		}
		return page("The front page", append(links, h.chain(-1, resting)...)...)
	case path == faultPath || strings.HasPrefix(path, faultPath+"/"):
		return page("A page with a fault", behindPath)
	case path == afterPath || path == behindPath || path == listedPath:
		return page("The page " + path)
	}
	if n, ok := chainNumber(path); ok {
		return page(fmt.Sprintf("Page %d", n), h.chain(n, resting)...)
	}
	return content{}
}

// chain returns the links of page n of the chain: the next two pages. A stopped chain has no new
// links.
func (h *host) chain(n int, resting bool) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var links []string
	for next := n + 1; next <= n+2; next++ {
		if h.pages >= 0 && next >= h.pages || resting && next >= h.published {
			break
		}
		h.published = max(h.published, next+1)
		links = append(links, chainPath+strconv.Itoa(next))
	}
	return links
}

func page(title string, links ...string) content {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title>\n", title)
	for _, link := range links {
		fmt.Fprintf(&b, "<p><a href=%q>%s</a>\n", link, link)
	}
	return markup(b.String())
}

func (h *host) urlset(paths ...string) string {
	var b strings.Builder
	b.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, p := range paths {
		fmt.Fprintf(&b, "<url><loc>%s%s</loc></url>\n", h.Origin, p)
	}
	b.WriteString("</urlset>\n")
	return b.String()
}
