package crawler

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// TestRealRobotsFiles crawls a hundred hosts (-short: eight). Each has a real robots.txt, and
// pages for the paths in its rules and for other paths. A naive matcher, which shares no code
// with the crawler, checks the requests.
func TestRealRobotsFiles(t *testing.T) {
	n, least := 100, 1000
	if testing.Short() {
		n, least = 8, 80
	}
	files := corpus(t, n)
	for _, agent := range []string{"politecrawl", "Googlebot"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			crawlCorpus(t, files, agent, least)
		})
	}
}

func crawlCorpus(t *testing.T, files [][]byte, agent string, least int) {
	hosts := make([]*corpusHost, len(files))
	var starts []string
	for i, body := range files {
		hosts[i] = newCorpusHost(t, fmt.Sprintf("127.0.%d.%d", 1+i/50, 1+i%50), body)
		starts = append(starts, hosts[i].url+"/index.html")
		for _, uri := range hosts[i].uris {
			if hosts[i].naive(agent, uri) && !hosts[i].naive(agent, "/index.html") {
				starts = append(starts, hosts[i].url+uri) // nothing links there
			}
		}
	}
	cfg := testConfig(t, starts...)
	cfg.Fetch.UserAgent = "Mozilla/5.0 (compatible; " + agent + "/1.0)"
	cfg.Politeness.MaxCrawlDelay = 0
	cfg.Scope.MaxRepeats, cfg.Limits.TrapPages = 0, 0 // the URLs are made from rules
	got := runCrawl(t, cfg, &Options{Transport: loopbackOnly{http.DefaultTransport.(*http.Transport).Clone()}})

	allowed, disallowed := 0, 0
	for _, h := range hosts {
		saw := make(map[string]bool)
		for i, r := range h.requests() {
			switch {
			case i == 0 && r.uri != "/robots.txt":
				t.Errorf("%s was asked for %s before its robots.txt", h.url, r.uri)
			case i > 0 && r.uri == "/robots.txt":
				t.Errorf("%s was asked for robots.txt again", h.url)
			case i > 0 && !h.naive(agent, r.uri):
				t.Errorf("%s%s was requested and is disallowed for %s", h.url, r.uri, agent)
			case saw[r.uri]:
				t.Errorf("%s%s was requested twice", h.url, r.uri)
			}
			saw[r.uri] = true
		}
		for _, uri := range h.uris {
			if !h.naive(agent, uri) {
				disallowed++
				continue
			}
			allowed++
			if !saw[uri] {
				t.Errorf("%s%s is allowed for %s and was not requested", h.url, uri, agent)
			}
		}
	}
	// A test in which robots.txt decides nothing would show nothing.
	if allowed < least || disallowed < least {
		t.Errorf("%d URLs allowed, %d disallowed: too few to mean anything", allowed, disallowed)
	}
	t.Logf("%d URLs allowed and fetched, %d disallowed and not, by rules of %d real files; summary %+v",
		allowed, disallowed, len(files), *got.Summary)
}

// naive matches a URL against robots.txt, slowly and simply.
func (h *corpusHost) naive(agent, uri string) bool {
	allowed, ok := h.verdicts[uri]
	if !ok {
		allowed = robotstxttest.Allowed(h.body, []string{agent}, h.url+uri)
		h.verdicts[uri] = allowed
	}
	return allowed
}

// A corpusHost serves a robots.txt, an index page and a page for each other path.
type corpusHost struct {
	*site
	body []byte
	uris []string // of its pages, as a client sends them

	verdicts map[string]bool
}

func newCorpusHost(t *testing.T, address string, body []byte) *corpusHost {
	h := &corpusHost{site: newSite(t, address, nil), body: body, uris: urisOf(body), verdicts: make(map[string]bool)}
	var index strings.Builder
	for _, uri := range h.uris {
		fmt.Fprintf(&index, "<a href=\"%s\">page</a>\n", html.EscapeString(uri))
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = w.Write(h.body)
		case "/index.html":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, index.String())
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<title>page</title>")
		}
	})
	return h
}

// urisOf returns URLs for the rules of a file: for each rule, a path that it matches, one below,
// one beside, and some without a rule.
func urisOf(body []byte) []string {
	uris := []string{"/index.html", "/zz-no-rule", "/zz/no-rule.html?q=1", "/%E3%83%84"}
	for _, line := range bytes.FieldsFunc(body, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		field, value, ok := strings.Cut(string(line), ":")
		field, value = strings.ToLower(strings.TrimSpace(field)), strings.TrimSpace(value)
		if !ok || field != "allow" && field != "disallow" || value == "" {
			continue
		}
		path := strings.ReplaceAll(strings.TrimSuffix(value, "$"), "*", "star")
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		uris = append(uris, path, path+"below/page.html", path+"?q=1", strings.TrimSuffix(path, "/")+"beside")
	}
	return wireForm(uris)
}

// wireForm returns the URIs as a client sends them, each once and in order. It omits invalid URLs
// and robots.txt.
func wireForm(uris []string) []string {
	var out []string
	seen := map[string]bool{"/robots.txt": true}
	for _, uri := range uris {
		canonical, err := Canonical("http://host.example" + uri)
		if err != nil {
			continue
		}
		u, err := url.Parse(canonical)
		if err != nil || u.Host != "host.example" || seen[u.RequestURI()] || u.Path == "/robots.txt" {
			continue
		}
		seen[u.RequestURI()] = true
		out = append(out, u.RequestURI())
	}
	return out
}

// corpus reads n real robots.txt files of moderate size, evenly selected. They belong to others
// and are not part of the project.
func corpus(t *testing.T, n int) [][]byte {
	t.Helper()
	names, err := filepath.Glob("../../shared/robots-corpus/*.txt")
	must(t, err)
	slices.Sort(names)
	var files [][]byte
	for _, name := range names {
		body := contentOf(t, name)
		if rules := bytes.Count(bytes.ToLower(body), []byte("allow:")); 3 <= rules && rules <= 200 {
			files = append(files, body)
		}
	}
	if len(files) < n {
		if os.Getenv("CI") != "" {
			t.Fatalf("the corpus of real robots.txt files has %d usable files, %d are needed", len(files), n)
		}
		t.Skipf("skipped: needs %d real robots.txt files in ../shared/robots-corpus, found %d", n, len(files))
	}
	spread := make([][]byte, n)
	for i := range spread {
		spread[i] = files[i*len(files)/n]
	}
	return spread
}

// loopbackOnly is a transport that responds with 404 for hosts outside 127.0.0.0/8, which Sitemap
// lines of real files name.
type loopbackOnly struct{ base http.RoundTripper }

func (l loopbackOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if ip := net.ParseIP(r.URL.Hostname()); ip != nil && ip.IsLoopback() {
		return l.base.RoundTrip(r)
	}
	return &http.Response{
		Status: "404 Not Found", StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Request: r,
	}, nil
}
