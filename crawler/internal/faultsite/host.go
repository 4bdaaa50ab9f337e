package faultsite

import (
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/demosite"
)

// A Host says what a host of the site does wrong.
type Host struct {
	Fault string // its name; empty where Kind is Sound
	Kind  Kind   // what the fault befalls
}

// Place is a host of the site, and where it is.
type Place struct {
	Host
	Origin string // "http://127.0.1.7:8080"
}

// The paths of a host.
const (
	frontPath   = "/"
	faultPath   = "/fault"  // where a fault that befalls pages is
	afterPath   = "/after"  // a page that the front page links to after it
	behindPath  = "/behind" // a page that only the faulty page links to
	listedPath  = "/listed" // a page that only the sitemap lists
	robotsPath  = "/robots.txt"
	sitemapPath = "/sitemap.xml"
	closedPath  = "/closed/" // what robots.txt closes
	chainPath   = "/p/"      // and a number
)

// chainFault says which pages of the chain are faulty on a host whose pages are: of four
// one, and never two in a row, so that the others lead past it.
const chainFault = 4

type host struct {
	Place
	fault    *Fault // nil: none
	listener net.Listener
	pages    int         // of the chain; negative: it has no end
	good     *tls.Config // nil: no TLS
	bad      *tls.Config // of connections that are spoiled; nil: as good

	mu        sync.Mutex // guards all below
	conns     int        // so far
	second    bool       // the next request is one that comes again; see [stream.again]
	published int        // pages of the chain that a page linked to, so far
	ledger    ledger
}

// spoils tells whether the fault of the host is one of connections.
func (h *host) spoils() bool {
	return h.fault != nil && h.fault.OfConnections()
}

// clock is the host's, as it stands.
func (h *host) clock() demosite.DelayChecker {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ledger.clock
}

// spoiled tells, of each connection once, whether it is: all of a host whose fault
// befalls its robots.txt, and else each third, which is the one that the fault befalls if
// a client asks for one thing after the other, as they come. The others carry one answer
// each.
func (h *host) spoiled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns++
	return h.spoils() && (h.Kind == Robots || h.conns%3 == 0)
}

// faulty tells whether the fault befalls a path. What lies below /fault/ is where
// redirects lead.
func (h *host) faulty(path string) bool {
	if h.fault == nil || h.spoils() {
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

// chainNumber is the number of a page of the chain.
func chainNumber(path string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(path, chainPath)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// content is what is there at a path when all is well; its body is nil where nothing is.
func (h *host) content(path string, resting bool) content {
	switch {
	case path == robotsPath || h.Kind == Robots && strings.HasPrefix(path, faultPath):
		text := "User-agent: *\nDisallow: " + closedPath + "\n"
		if h.Kind == Sitemap || h.Kind == Sound {
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

// chain returns the pages that page n of the chain links to: the two after it. A site
// that rests links to none that it has not linked to before.
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
