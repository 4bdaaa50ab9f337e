package sqlite

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

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
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir = append(site.StartURLs(), odds(t)), filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Politeness.ResponseFactor, cfg.Robots.Retry, cfg.Fetch.Retries = 0, 0, time.Second, 1
	cfg.Output.Extract = []string{"heading=h1"}
	cfg.Output.Write = []string{"sqlite"}
	c, err := crawler.New(cfg, &crawler.Options{Formats: []output.Format{Format(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := c.Run(t.Context()); err != nil || sum.End != crawler.EndFinished {
		t.Fatal(sum, err)
	}
	return cfg.Output.Dir, &lines{
		pages:    readLines[output.Page](t, cfg.Output.Dir, "pages.jsonl"),
		rejected: readLines[output.Rejection](t, cfg.Output.Dir, "rejected.jsonl"),
		links:    readLines[output.Links](t, cfg.Output.Dir, "links.jsonl"),
		entries:  readLines[output.Entry](t, cfg.Output.Dir, "entries.jsonl"),
		robots:   readLines[robotsLine](t, cfg.Output.Dir, "robots.jsonl"),
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

// compare sees that the database has as many rows as the files have lines, and in each
// what the line says: pages put together again are equal.
func compare(t *testing.T, db *sql.DB, dir string, l *lines) {
	for table, lines := range map[string]int{
		"pages": len(l.pages), "rejected": len(l.rejected), "entries": len(l.entries), "robots": len(l.robots),
		"sitemaps": len(readLines[output.Sitemap](t, dir, "sitemaps.jsonl")),
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
		'truncated', truncated, 'links_left', links_left, 'cut_by', json(cut_by)) FROM pages ORDER BY id`) {
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
