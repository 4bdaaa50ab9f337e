package oracle

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

//go:embed harness.html
var harness []byte

// A chromium reads pages in frames of a harness page. It serves them from memory.
type chromium struct {
	tab    *browsertest.Tab
	server *httptest.Server

	mu     sync.Mutex // guards the fields below
	pages  map[string]page
	served int
}

func newChromium(t *testing.T) *chromium {
	c := &chromium{pages: make(map[string]page)}
	c.server = httptest.NewServer(c)
	t.Cleanup(c.server.Close)
	c.tab = browsertest.New(t, &browsertest.Options{Flags: map[string]any{
		"host-resolver-rules": "MAP * ^NOTFOUND, EXCLUDE 127.0.0.1", // nested frames lead to other hosts
	}})
	c.tab.Open(c.server.URL + "/")
	c.tab.Unwatch()
	return c
}

// ServeHTTP serves the harness, and each page once. Everything that pages refer to has no content.
func (c *chromium) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		_, _ = w.Write(harness)
		return
	case "/parent":
		w.Header().Set("Content-Type", "text/html; charset="+r.URL.RawQuery)
		fmt.Fprint(w, "<body>")
		return
	}
	c.mu.Lock()
	p, ok := c.pages[r.RequestURI]
	delete(c.pages, r.RequestURI) // a frame in the page may lead to the page
	c.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header()["Content-Type"] = nil // the server adds none
	maps.Copy(w.Header(), p.header())
	_, _ = w.Write(p.body())
}

// read returns what Chromium shows of each page, and the URLs of the pages.
func (c *chromium) read(pages []page) ([]observation, []string) {
	var paths, parents, urls []string
	c.mu.Lock()
	for _, p := range pages {
		c.served++
		path := fmt.Sprintf("/site/%d/folder/page.html?v=1", c.served)
		c.pages[path] = p
		paths, urls = append(paths, path), append(urls, c.server.URL+path)
		// A page that declares no encoding inherits its parent's, which stands for the detection.
		parent := "windows-1252"
		if body := p.body(); utf8.Valid(body) && utf8.RuneCount(body) < len(body) {
			parent = "utf-8"
		}
		parents = append(parents, parent)
	}
	c.mu.Unlock()
	given, _ := json.Marshal([][]string{paths, parents})
	seen := browsertest.Eval[[]observation](c.tab, fmt.Sprintf("load(...%s)", given))
	for i := range seen {
		seen[i].normalize(urls[i])
	}
	return seen, urls
}

// An observation is what a reader makes of a page.
type observation struct {
	Encoding  string   // as the Encoding standard names it, lower case
	Title     string   // white space collapsed, at most maxTitle bytes
	Base      string   // absolute, without the fragment
	Canonical []string // the first http or https URL of a canonical link
	Links     []string // distinct http and https URLs of a, area, iframe and frame elements, in order
	Related   []string // the same of link elements with rel=next and rel=prev
	Refresh   []string // the same of meta refreshes
	Error     string   // why the page was not read
}

// maxTitle is where the program cuts titles.
const maxTitle = 1024

// noPage is the error of a response that is shown as text, or downloaded.
const noPage = "no page"

// normalize makes the URLs that Chromium shows comparable. See the package comment.
func (o *observation) normalize(url string) {
	if o.Error != "" {
		return
	}
	o.Title = strings.ToValidUTF8(o.Title[:min(len(o.Title), maxTitle)], "")
	o.Base = cmp.Or(webURL(o.Base), url)
	o.Canonical = webURLs(o.Canonical)
	o.Canonical = o.Canonical[:min(len(o.Canonical), 1)]
	o.Refresh = webURLs(o.Refresh)
	o.Links = webURLs(o.Links)
	o.Related = webURLs(o.Related)
}

// webURLs returns the distinct http and https URLs.
func webURLs(urls []string) []string {
	for i, u := range urls {
		urls[i] = webURL(u)
	}
	return distinct(urls)
}

// distinct returns the first of equal URLs, without those that are empty.
func distinct(urls []string) (first []string) {
	known := map[string]bool{"": true}
	for _, u := range urls {
		if !known[u] {
			known[u] = true
			first = append(first, u)
		}
	}
	return first
}

// webURL returns a URL of Chromium without fragment and userinfo, and with the escapes of net/http.
// It returns "" if the URL is not http or https, or if no host can have its name.
func webURL(s string) string {
	s, _, _ = strings.Cut(s, "#")
	scheme, rest, _ := strings.Cut(s, "://")
	if scheme != "http" && scheme != "https" {
		return ""
	}
	host, path, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !hostName.MatchString(host) {
		return ""
	}
	path, query, hasQuery := strings.Cut(path, "?")
	path = strings.NewReplacer("|", "%7C", "^", "%5E").Replace(escapePercent(path))
	if hasQuery {
		path += "?" + query
	}
	return scheme + "://" + host + "/" + path
}

// hostName matches names that DNS can have, with a port.
var hostName = regexp.MustCompile(`^(\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)*\.?)(:\d+)?$`)

// escapePercent escapes each % that begins no escape.
func escapePercent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		if s[i] == '%' {
			if _, err := url.PathUnescape(s[i:min(i+3, len(s))]); err != nil {
				b.WriteString("25")
			}
		}
	}
	return b.String()
}
