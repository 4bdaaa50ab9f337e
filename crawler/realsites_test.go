package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

// TestRealSites serves the documentation of Debian packages and crawls it. It compares the
// requests, the files of the crawl and the report with a walk over the files, and the facts of pages with
// those that goquery finds. sqlite3-doc 3.40.1
// has 426 broken links: distinct URLs with status 404.
func TestRealSites(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls the documentation of four Debian packages")
	}
	tests := []struct {
		pkg, address string
		root, index  string // the folder that is served, and a page in it
	}{
		{"sqlite3-doc", "127.0.9.1", "/usr/share/doc/sqlite3", "index.html"},
		{"python3-doc", "127.0.9.2", "/usr/share/doc/python3/html", "index.html"},
		{"debian-policy", "127.0.9.3", "/usr/share/doc/debian-policy", "policy.html/index.html"},
		{"git-doc", "127.0.9.4", "/usr/share/doc/git-doc", "index.html"},
	}
	for _, tt := range tests {
		t.Run(tt.pkg, func(t *testing.T) {
			t.Parallel()
			needFile(t, filepath.Join(tt.root, tt.index), tt.pkg)
			s := newSite(t, tt.address, nil)
			s.mux.Handle("/", http.FileServer(http.Dir(tt.root)))
			want, err := walkFolder(tt.root, s.url+"/", "politecrawl")
			must(t, err)
			if len(want.Pages) < 50 {
				t.Errorf("the walk found %d pages: too few to mean anything", len(want.Pages))
			}
			cfg := testConfig(t, s.url+"/")
			crawled := runCrawl(t, cfg, nil)
			wantFacts(t, tt.root, crawled.pages)
			got := recordOf(t, s, cfg, crawled)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the crawl differs from the files (-walk +crawl):\n%s", diff)
			}
			t.Logf("%d pages, %d links, %d skipped URLs, %d broken links", len(want.Pages), len(want.Links), len(want.Skipped), len(want.Broken))
		})
	}
}

// TestSectionOfRealSite limits a crawl of sqlite3-doc to a part of the site. It requests the same
// URLs as wget with the same restriction. wget also fetches images, unless told otherwise.
func TestSectionOfRealSite(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls the documentation of a Debian package with wget")
	}
	const root = "/usr/share/doc/sqlite3"
	needFile(t, filepath.Join(root, "c3ref", "intro.html"), "sqlite3-doc")
	needFile(t, "/usr/bin/wget", "wget")
	for _, tt := range []struct {
		name, start string
		change      func(*Config)
		wget        []string
	}{
		{"scope path", "/c3ref/intro.html", func(c *Config) { c.Scope.Kind = ScopePath }, []string{"--no-parent"}},
		{"include", "/lang_select.html", func(c *Config) { c.Scope.Include = []string{"/(lang_|syntax)"} }, []string{"--accept-regex", "/(lang_|syntax)"}},
		{
			"exclude", "/c3ref/intro.html", func(c *Config) { c.Scope.Kind, c.Scope.Exclude = ScopePath, []string{"/[a-h][^/]*$", "value"} },
			[]string{"--no-parent", "--reject-regex", "/[a-h][^/]*$|value"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, "127.0.9.5", nil)
			s.mux.Handle("/", http.FileServer(http.Dir(root)))
			wget := exec.CommandContext(t.Context(), "/usr/bin/wget", append([]string{"--recursive", "--level=inf", "--ignore-tags=img,link", "--quiet", "--no-proxy", "--directory-prefix", t.TempDir(), s.url + tt.start}, tt.wget...)...)
			if text, err := wget.CombinedOutput(); err != nil && wget.ProcessState.ExitCode() != wgetMissing {
				t.Fatalf("%v: %s", err, text)
			}
			want := s.asked()
			cfg := testConfig(t, s.url+tt.start)
			tt.change(&cfg)
			runCrawl(t, cfg, nil)
			got := s.asked()[len(want):]
			if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" || len(want) < 50 {
				t.Errorf("%d requests of wget, %d of the crawl (-wget +crawl):\n%s", len(want), len(got), diff)
			}
		})
	}
}

// wgetMissing is the exit code of wget if a response has the status of an error.
const wgetMissing = 8

// recordOf returns the record of a site from the files of a crawl.
func recordOf(t *testing.T, s *site, cfg Config, c *crawl) *siteRecord {
	t.Helper()
	r := &siteRecord{Requests: s.asked()}
	for _, p := range c.pages {
		r.Pages = append(r.Pages, fmt.Sprintf("%d %s", p.Status, p.URL))
	}
	invalid := map[string]bool{} // texts of links, no URLs
	for _, j := range c.rejected {
		if j.Reason == output.InvalidURL {
			invalid[j.URL] = true
		} else {
			r.Skipped = append(r.Skipped, j.URL)
		}
	}
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		for _, to := range targets(l) {
			if !invalid[to] {
				r.Links = append(r.Links, l.URL+" "+to)
			}
		}
	}
	made, err := report.Generate(t.Context(), []string{cfg.Output.Dir}, &report.Options{Rows: len(c.pages)})
	must(t, err)
	for _, f := range made.Findings {
		if f.ID != "broken-link" {
			continue
		}
		for _, b := range f.Rows {
			r.Broken = append(r.Broken, fmt.Sprintf("%s %s %d %s", b.URL, b.Detail, b.Pages, b.FoundOn))
		}
	}
	r.sort()
	return r
}

// needFile skips a test if a file of a Debian package is missing. In continuous integration the
// test fails instead.
func needFile(t *testing.T, name, pkg string) {
	t.Helper()
	if _, err := os.Stat(name); err != nil {
		missing := fmt.Sprintf("%v; it is a file of the Debian package %s: run \"make docs\"", err, pkg)
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
}

// A siteRecord has sorted lists of the contents of a site.
type siteRecord struct {
	Requests []string // path and query of each request, without robots.txt
	Pages    []string // status and URL
	Links    []string // page and target
	Skipped  []string // URLs that are out of scope, disallowed, or linked with nofollow only
	Broken   []string // URL with status 4xx or 5xx, status, number of linking pages, the first ten of them
}

// A walk reads the files of a folder to predict a crawl of it, served by net/http's file server.
// It shares no code with the crawler: goquery parses pages, net/url URLs, and package
// robotstxttest robots.txt.
type walk struct {
	root   string   // the folder
	site   *url.URL // its URL, ending in a slash
	agent  string   // product token of the crawler
	robots []byte

	queue    []*url.URL
	queued   map[string]bool            // every URL that was ever in queue
	skipped  map[string]bool            // URLs that some link leads to and that it may not follow
	requests []string                   // path and query of each URL visited
	status   map[string]int             // by URL visited
	links    map[string]map[string]bool // by page, the targets
}

// walkFolder starts at the URL of the folder and follows all links.
func walkFolder(root, site, agent string) (*siteRecord, error) {
	w := &walk{
		root: root, agent: agent,
		queued: make(map[string]bool), skipped: make(map[string]bool),
		status: make(map[string]int), links: make(map[string]map[string]bool),
	}
	var err error
	if w.site, err = url.Parse(site); err != nil {
		return nil, err
	}
	if w.robots, err = os.ReadFile(filepath.Join(root, "robots.txt")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	w.enqueue(w.site, true)
	for len(w.queue) > 0 {
		u := w.queue[0]
		w.queue = w.queue[1:]
		if err := w.visit(u); err != nil {
			return nil, fmt.Errorf("%s: %w", u, err)
		}
	}
	return w.record(), nil
}

// enqueue queues a URL once, if it may be requested.
func (w *walk) enqueue(u *url.URL, follow bool) {
	text := u.String()
	switch {
	case w.queued[text]:
	case !follow, u.Scheme != w.site.Scheme, u.Host != w.site.Host, !robotstxttest.Allowed(w.robots, []string{w.agent}, text):
		w.skipped[text] = true
	default:
		w.queued[text] = true
		w.queue = append(w.queue, u)
	}
}

// visit records the response for a URL and follows its redirect or its links.
func (w *walk) visit(u *url.URL) error {
	got, err := w.respond(u)
	if err != nil {
		return err
	}
	w.status[u.String()] = got.status
	w.requests = append(w.requests, u.RequestURI())
	if target, ok := reference(u, got.location); ok && got.status == http.StatusMovedPermanently {
		w.enqueue(target, true)
	}
	if kind, _, _ := mime.ParseMediaType(got.contentType); kind == "text/html" || kind == "application/xhtml+xml" {
		return w.read(u, got.body)
	}
	return nil
}

// fileResponse is a response of net/http's file server.
type fileResponse struct {
	status      int
	location    string // relative to the URL; empty if no redirect
	contentType string
	body        []byte
}

// respond does what http.FileServer documents. A URL that ends in /index.html redirects to
// its folder, a folder without a slash at the end to the one with it, and a file the other way
// round. A folder without index.html is a list of its files.
func (w *walk) respond(u *url.URL) (fileResponse, error) {
	clean := path.Clean("/" + u.Path)
	name := filepath.Join(w.root, filepath.FromSlash(clean))
	redirect := func(location string) (fileResponse, error) {
		if u.RawQuery != "" {
			location += "?" + u.RawQuery
		}
		return fileResponse{status: http.StatusMovedPermanently, location: location}, nil
	}
	if strings.HasSuffix(u.Path, "/index.html") {
		return redirect("./")
	}
	info, err := os.Stat(name)
	slash := strings.HasSuffix(u.Path, "/")
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fileResponse{status: http.StatusNotFound}, nil
	case err != nil:
		return fileResponse{}, err
	case info.IsDir() && !slash:
		return redirect((&url.URL{Path: path.Base(clean) + "/"}).String())
	case !info.IsDir() && slash:
		return redirect("../" + (&url.URL{Path: path.Base(clean)}).String())
	case !info.IsDir():
		return respondFile(name)
	}
	index, err := respondFile(filepath.Join(name, "index.html"))
	if errors.Is(err, fs.ErrNotExist) {
		return respondList(name)
	}
	return index, err
}

// respondFile sets the content type from the name, or else from the content.
func respondFile(name string) (fileResponse, error) {
	body, err := os.ReadFile(name)
	if err != nil {
		return fileResponse{}, err
	}
	contentType := mime.TypeByExtension(filepath.Ext(name))
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	return fileResponse{status: http.StatusOK, contentType: contentType, body: body}, nil
}

// respondList links to the files of a folder.
func respondList(name string) (fileResponse, error) {
	files, err := os.ReadDir(name)
	var list bytes.Buffer
	for _, file := range files {
		u := &url.URL{Path: file.Name()}
		if file.IsDir() {
			u.Path += "/"
		}
		fmt.Fprintf(&list, "<a href=\"%s\">file</a>\n", html.EscapeString(u.String()))
	}
	return fileResponse{status: http.StatusOK, contentType: "text/html", body: list.Bytes()}, err
}

// refreshURL matches the content of a meta refresh, as `5; url=/next`.
var refreshURL = regexp.MustCompile(`(?i)^[\s\d.]*[;,]\s*url\s*=\s*["']?([^"']*)`)

// pageWords are the relations of link elements to pages that these sites have.
var pageWords = []string{"next", "prev", "previous", "index", "search", "copyright", "help", "up", "home", "first", "last", "start", "contents", "author", "license", "top"}

// read records the links of a page and follows them, except nofollow (ROB-PAG-06, ROB-PAG-08).
func (w *walk) read(u *url.URL, body []byte) error {
	tree, err := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
	if err != nil {
		return err
	}
	doc := goquery.NewDocumentFromNode(tree)
	base := u
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if b, ok := reference(u, href); ok {
			base = b
		}
	}
	directives := ""
	doc.Find(`meta[name="robots" i], meta[name="` + w.agent + `" i]`).Each(func(_ int, meta *goquery.Selection) {
		directives += strings.ToLower(meta.AttrOr("content", "")) + ","
	})
	says := func(words string, wanted ...string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(words, func(r rune) bool { return r == ',' || r <= ' ' }),
			func(word string) bool { return slices.Contains(wanted, word) })
	}
	follow, listed := !says(directives, "nofollow", "none"), !says(directives, "noindex", "none")
	link := func(ref, rel string) {
		target, ok := reference(base, ref)
		if !ok {
			return
		}
		if page := u.String(); listed {
			if w.links[page] == nil {
				w.links[page] = make(map[string]bool)
			}
			w.links[page][target.String()] = true
		}
		w.enqueue(target, follow && !says(strings.ToLower(rel), "nofollow", "ugc", "sponsored"))
	}
	doc.Find(`a[href], area[href], iframe[src], frame[src], link[href]`).Each(
		func(_ int, element *goquery.Selection) {
			rel := strings.ToLower(element.AttrOr("rel", ""))
			if element.Is("link") && (!says(rel, pageWords...) || says(rel, "alternate", "stylesheet", "icon") || element.AttrOr("type", "text/html") != "text/html") {
				return
			}
			link(element.AttrOr("href", element.AttrOr("src", "")), element.AttrOr("rel", ""))
		})
	doc.Find(`meta[http-equiv="refresh" i]`).Each(func(_ int, meta *goquery.Selection) {
		if found := refreshURL.FindStringSubmatch(meta.AttrOr("content", "")); found != nil {
			link(found[1], "")
		}
	})
	return nil
}

var removeLineEnds = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// reference resolves the target of a link or redirect as browsers do. It returns false for
// other schemes, such as mailto, and for invalid URLs.
func reference(base *url.URL, ref string) (*url.URL, bool) {
	ref, _, _ = strings.Cut(strings.TrimSpace(ref), "#")
	ref = removeLineEnds.Replace(ref)
	beforeQuery, query, hasQuery := strings.Cut(ref, "?")
	ref = strings.ReplaceAll(beforeQuery, `\`, "/")
	if hasQuery {
		ref += "?" + query
	}
	u, err := base.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(u.Host, `<>^|"`) {
		return nil, false
	}
	u.User = nil
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	if u.Path == "" {
		u.Path = "/"
	}
	return u, true
}

// record lists what the walk found. A broken URL counts once, however many pages link to
// it. A link from a page to itself does not count.
func (w *walk) record() *siteRecord {
	r := &siteRecord{Requests: w.requests}
	for u, status := range w.status {
		r.Pages = append(r.Pages, fmt.Sprintf("%d %s", status, u))
	}
	for u := range w.skipped {
		if !w.queued[u] {
			r.Skipped = append(r.Skipped, u)
		}
	}
	linked := make(map[string][]string)
	for page, targets := range w.links {
		for u := range targets {
			r.Links = append(r.Links, page+" "+u)
			if page != u {
				linked[u] = append(linked[u], page)
			}
		}
	}
	for u, status := range w.status {
		if status >= 400 {
			from := slices.Sorted(slices.Values(linked[u]))
			r.Broken = append(r.Broken, fmt.Sprintf("%s status %d %d %s", u, status, len(from), from[:min(len(from), 10)]))
		}
	}
	r.sort()
	return r
}

func (r *siteRecord) sort() {
	for _, list := range [][]string{r.Requests, r.Pages, r.Links, r.Skipped, r.Broken} {
		slices.Sort(list)
	}
}
