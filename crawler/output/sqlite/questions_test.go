package sqlite

import (
	"bytes"
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// lines is a crawl as its lines of JSON tell it.
type lines struct {
	pages    []*output.Page
	rejected []*output.Rejection
	links    []*output.Links
	entries  []*output.Entry
	robots   []*robotsLine
}

type robotsLine struct {
	Origin, Outcome string
	Status          int
}

func readLines[T any](t *testing.T, dir, name string) (all []*T) {
	t.Helper()
	for line, err := range output.Read[T](filepath.Join(dir, name)) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// odds is a host with what the demo site, being a good one, does not have: a page
// without a title, copies of a page, and a page that never answers.
func odds(t *testing.T) (start string) {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/{$}": `<p>No title. <a href="/one">one</a> <a href="/two">two</a> <a href="/three">three</a> <a href="/gone">gone</a>`,
		"/one": `<title>One</title>`,
		"/two": `<title>Again</title><link rel=canonical href="/two">`, "/three": `<title>Again</title><link rel=canonical href="/two">`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, body)
		})
	}
	mux.HandleFunc("/gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// crawled crawls the demo site, and odds.
func crawled(t *testing.T) (dir string, l *lines) {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = site.Close() }()
	cfg := crawler.Default()
	cfg.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output = append(site.StartURLs(), odds(t)), filepath.Join(t.TempDir(), "crawl")
	cfg.Delay, cfg.ResponseFactor, cfg.RobotsRetry, cfg.Retries = 0, 0, time.Second, 1
	cfg.Extract = []string{"heading=h1"}
	cfg.Write = []string{"sqlite"}
	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{Format(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := c.Run(t.Context()); err != nil || sum.End != crawler.EndFinished {
		t.Fatal(sum, err)
	}
	return cfg.Output, &lines{
		pages:    readLines[output.Page](t, cfg.Output, output.PagesFile),
		rejected: readLines[output.Rejection](t, cfg.Output, output.RejectedFile),
		links:    readLines[output.Links](t, cfg.Output, output.LinksFile),
		entries:  readLines[output.Entry](t, cfg.Output, output.EntriesFile),
		robots:   readLines[robotsLine](t, cfg.Output, output.RobotsFile),
	}
}

// documented returns the questions of the package comment with their queries.
func documented(t *testing.T) map[string]string {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^// (.*\?)\n//\n((?://\t.*\n)+)`).FindAllSubmatch(doc, -1) {
		all[string(m[1])] = string(bytes.ReplaceAll(m[2], []byte("//\t"), nil))
	}
	return all
}

func TestCrawl(t *testing.T) {
	dir, l := crawled(t)
	db := reader(t, dir)
	t.Run("questions", func(t *testing.T) { askQuestions(t, db, l) })
	t.Run("same as the lines", func(t *testing.T) { compare(t, db, dir, l) })
}

// askQuestions asks every question of the package comment. The answer is held against
// what the lines of JSON say, counted by hand.
func askQuestions(t *testing.T, db *sql.DB, l *lines) {
	answers := map[string]func() []string{
		"Which links are broken, and where do they stand?":             l.broken,
		"Which pages have no title?":                                   l.untitled,
		"Which pages were found by a redirect, and what are they?":     l.targets,
		"Which redirects could the links to them spare?":               l.spared,
		"Which pages are there more than once?":                        l.copies,
		"What did which line of robots.txt keep away?":                 l.blocked,
		"Where are the links that robots.txt closes?":                  l.closed,
		"What do sitemaps list that was not fetched, and why?":         l.unfetched,
		"What do sitemaps list that no page links to?":                 l.unlinked,
		"Which pages stand in no sitemap?":                             l.unlisted,
		"What answers with which status?":                              l.statuses,
		"Which URLs are linked to most?":                               l.mostLinked,
		"Which pages ask not to be indexed, and where do they say so?": l.noindex,
		"What did a rule for a field (extract) find?":                  l.headings,
		"Which robots.txt could not be had, and what came of it?":      l.outages,
	}
	questions := documented(t)
	for question, query := range questions {
		answer := answers[question]
		if answer == nil {
			t.Errorf("nobody knows the answer to %q", question)
			continue
		}
		got, want := ask(t, db, query), answer()
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", question, diff)
		}
		if len(want) == 0 {
			t.Errorf("%s The crawl has nothing to show for it", question)
		}
	}
	if len(questions) != len(answers) {
		t.Errorf("%d questions, %d answers", len(questions), len(answers))
	}
}

func (l *lines) page(url string) *output.Page {
	for _, p := range l.pages {
		if p.URL == url {
			return p
		}
	}
	return nil
}

func (l *lines) rejection(url string) *output.Rejection {
	for _, r := range l.rejected {
		if r.URL == url {
			return r
		}
	}
	return nil
}

// from are the pages that link to a URL.
func (l *lines) from(url string) (all []string) {
	for _, from := range l.links {
		if slices.Contains(from.To, url) {
			all = append(all, from.URL)
		}
	}
	slices.Sort(all)
	return all
}

func (l *lines) listed(url string) bool {
	return slices.ContainsFunc(l.entries, func(e *output.Entry) bool { return e.URL == url })
}

func html(p *output.Page) bool {
	return p.Status/100 == 2 && strings.HasPrefix(p.ContentType, "text/html")
}

// sorted sorts rows by their columns.
func sorted(rows []string) []string {
	slices.SortFunc(rows, func(a, b string) int { return slices.Compare(strings.Split(a, "|"), strings.Split(b, "|")) })
	return rows
}

func (l *lines) broken() (rows []string) {
	for _, p := range l.pages {
		for _, from := range l.from(p.URL) {
			if p.Status >= 400 && from != p.URL {
				rows = append(rows, fmt.Sprintf("%s|%d|NULL|%s", p.URL, p.Status, from))
			}
		}
	}
	for _, r := range l.rejected {
		for _, from := range l.from(r.URL) {
			if r.Reason == output.Failed {
				rows = append(rows, fmt.Sprintf("%s|NULL|%s|%s", r.URL, r.Detail, from))
			}
		}
	}
	return sorted(rows)
}

func (l *lines) untitled() (rows []string) {
	for _, p := range l.pages {
		if html(p) && p.Title == "" && p.Withheld == "" {
			rows = append(rows, p.URL)
		}
	}
	return sorted(rows)
}

func (l *lines) targets() (rows []string) {
	for _, p := range l.pages {
		if p.Source == "redirect" {
			rows = append(rows, fmt.Sprintf("%s|%s|%d", p.Via, p.URL, p.Status))
		}
	}
	return sorted(rows)
}

func (l *lines) spared() (rows []string) {
	var linked []*output.Page
	for _, p := range l.pages {
		if p.Location != "" && len(l.from(p.URL)) > 0 {
			linked = append(linked, p)
		}
	}
	slices.SortFunc(linked, func(a, b *output.Page) int {
		return cmp.Or(len(l.from(b.URL))-len(l.from(a.URL)), strings.Compare(a.URL, b.URL))
	})
	for _, p := range linked {
		rows = append(rows, fmt.Sprintf("%s|%d|%s|%d", p.URL, p.Status, p.Location, len(l.from(p.URL))))
	}
	return rows
}

func (l *lines) copies() (rows []string) {
	copies := make(map[string][]string)
	for _, p := range l.pages {
		if p.DuplicateOf != "" {
			copies[p.DuplicateOf] = append(copies[p.DuplicateOf], p.URL)
		}
	}
	for url, all := range copies {
		rows = append(rows, fmt.Sprintf("%s|%d|%s", url, len(all), strings.Join(all, " ")))
	}
	return sorted(rows)
}

func (l *lines) blocked() (rows []string) {
	counts := make(map[output.Rejection]int)
	for _, r := range l.rejected {
		if r.Reason == output.Disallowed {
			counts[output.Rejection{RobotsURL: r.RobotsURL, Line: r.Line, Rule: r.Rule}]++
		}
	}
	var rules []output.Rejection
	for r := range counts {
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b output.Rejection) int {
		return cmp.Or(strings.Compare(a.RobotsURL, b.RobotsURL), a.Line-b.Line, strings.Compare(a.Rule, b.Rule))
	})
	for _, r := range rules {
		rows = append(rows, fmt.Sprintf("%s|%d|%s|%d", r.RobotsURL, r.Line, r.Rule, counts[r]))
	}
	return rows
}

func (l *lines) closed() (rows []string) {
	for _, r := range l.rejected {
		for _, from := range l.from(r.URL) {
			if r.Reason == output.Disallowed {
				rows = append(rows, r.URL+"|"+r.Rule+"|"+from)
			}
		}
	}
	return sorted(rows)
}

func (l *lines) unfetched() (rows []string) {
	for _, e := range l.entries {
		if l.page(e.URL) != nil {
			continue
		}
		reason := "NULL"
		if r := l.rejection(e.URL); r != nil {
			reason = string(r.Reason)
		}
		rows = append(rows, e.URL+"|"+e.Sitemap+"|"+reason)
	}
	return sorted(rows)
}

func (l *lines) unlinked() (rows []string) {
	for _, e := range l.entries {
		if len(slices.DeleteFunc(l.from(e.URL), func(from string) bool { return from == e.URL })) == 0 {
			rows = append(rows, e.URL+"|"+e.Sitemap)
		}
	}
	return sorted(rows)
}

func (l *lines) unlisted() (rows []string) {
	for _, p := range l.pages {
		if html(p) && !l.listed(p.URL) {
			rows = append(rows, p.URL)
		}
	}
	return sorted(rows)
}

func (l *lines) statuses() (rows []string) {
	counts := make(map[int]int)
	for _, p := range l.pages {
		counts[p.Status]++
	}
	for status, n := range counts {
		rows = append(rows, fmt.Sprintf("%d|%d", status, n))
	}
	return sorted(rows)
}

func (l *lines) mostLinked() (rows []string) {
	counts := make(map[string]int)
	for _, from := range l.links {
		for _, to := range from.To {
			counts[to]++
		}
	}
	var urls []string
	for url := range counts {
		urls = append(urls, url)
	}
	slices.SortFunc(urls, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	for _, url := range urls[:10] {
		rows = append(rows, fmt.Sprintf("%s|%d", url, counts[url]))
	}
	return rows
}

func (l *lines) noindex() (rows []string) {
	for _, p := range l.pages {
		for _, d := range p.Directives {
			if d.Rule == "noindex" {
				rows = append(rows, p.URL+"|"+d.Source)
			}
		}
	}
	return sorted(rows)
}

func (l *lines) headings() (rows []string) {
	for _, p := range l.pages {
		if heading, ok := p.Fields["heading"]; ok {
			rows = append(rows, fmt.Sprintf("%s|%s", p.URL, heading))
		}
	}
	return sorted(rows)
}

func (l *lines) outages() (rows []string) {
	out := make(map[string]bool)
	for _, r := range l.robots {
		out[r.Origin] = out[r.Origin] || r.Outcome == "unreachable"
	}
	for _, r := range l.robots {
		if out[r.Origin] {
			rows = append(rows, fmt.Sprintf("%s|%s|%d", r.Origin, r.Outcome, r.Status))
		}
	}
	return rows
}

// compare sees that the database has as many rows as the files have lines, and in each
// what the line says: pages put together again are equal.
func compare(t *testing.T, db *sql.DB, dir string, l *lines) {
	for table, lines := range map[string]int{
		"pages": len(l.pages), "rejected": len(l.rejected), "entries": len(l.entries), "robots": len(l.robots),
		"sitemaps": len(readLines[output.Sitemap](t, dir, output.SitemapsFile)),
	} {
		if got := ask(t, db, "SELECT count(*) FROM "+table); got[0] != fmt.Sprint(lines) {
			t.Errorf("%s has %s rows, its file %d lines", table, got[0], lines)
		}
	}
	var links []string
	for _, from := range l.links {
		for _, to := range from.To {
			links = append(links, from.URL+"|"+to)
		}
	}
	if diff := gocmp.Diff(sorted(links), sorted(ask(t, db, "SELECT from_url, to_url FROM links"))); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	for i, row := range ask(t, db, `SELECT json_object('url', url, 'status', status, 'title', title, 'depth', depth, 'via', via, 'source', source,
		'location', location, 'content_type', content_type, 'bytes', bytes, 'links', links, 'canonical', canonical, 'directives', json(directives),
		'content_usage', json(content_usage), 'withheld', withheld, 'fetched_at', fetched_at, 'ms', ms, 'attempt', attempt, 'hash', hash,
		'unchanged', json(iif(unchanged, 'true', 'false')), 'duplicate_of', duplicate_of, 'fields', json(fields),
		'truncated', truncated, 'links_left', links_left) FROM pages ORDER BY id`) {
		var got output.Page
		if err := json.Unmarshal([]byte(row), &got); err != nil {
			t.Fatal(err)
		}
		want := *l.pages[i]
		want.FetchedAt = want.FetchedAt.Truncate(time.Millisecond)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("page %d (-want +got):\n%s", i, diff)
		}
	}
}
