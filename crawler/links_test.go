package crawler

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
)

// csvTable reads a CSV table.
func csvTable(t *testing.T, cfg Config, name string) [][]string {
	t.Helper()
	table, err := csv.NewReader(bytes.NewReader(contentOf(t, filepath.Join(cfg.Output.Dir, name)))).ReadAll()
	must(t, err)
	return table
}

// CSV and SQLite have the text, rel and kind of each link, as links.jsonl: also after they were lost and rewritten.
func TestTablesHaveTheDetailsOfLinks(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":  `<a href="/a" rel="nofollow next">one</a><a href="/a">again</a><map><area href="/b"></map><iframe src="/b2"></iframe><link rel=next href="/c"><a href="http://out.invalid/">=1+1</a>`,
		"/b": `<meta http-equiv=refresh content="0;url=/a">`,
	})
	for kind, want := range map[LinkList][]output.Link{
		LinksPlain: {{URL: "/a"}, {URL: "/b"}, {URL: "/b2"}, {URL: "/c"}, {URL: "http://out.invalid/"}, {URL: "/a"}},
		LinksFull: {
			{URL: "/a", Text: "one", Rel: "nofollow next", Kind: "a"}, {URL: "/b", Kind: "area"}, {URL: "/b2", Kind: "frame"}, {URL: "/c", Rel: "next", Kind: "link"},
			{URL: "http://out.invalid/", Text: "=1+1", Kind: "a"}, {URL: "/a", Kind: "meta"},
		},
	} {
		cfg := testConfig(t, s.url)
		cfg.Output.AlsoWrite, cfg.Output.Links, cfg.Limits.Concurrency, cfg.Limits.MaxPages = []string{"csv", "sqlite"}, kind, 1, 3
		formats := []output.Format{csvout.Format(&csvout.Options{KeepFormulas: true}), sqlite.Format(nil)}
		runCrawl(t, cfg, &Options{Formats: formats})
		check := func() {
			t.Helper()
			var table []output.Link
			for _, r := range csvTable(t, cfg, csvout.LinksFile)[1:] {
				table = append(table, output.Link{URL: strings.TrimPrefix(r[1], s.url), Text: r[2], Rel: r[3], Kind: r[4]})
			}
			if diff := cmp.Diff(want, table); diff != "" {
				t.Errorf("%s: links.csv (-want +got):\n%s", kind, diff)
			}
			db, err := sql.Open("sqlite", filepath.Join(cfg.Output.Dir, sqlite.File))
			must(t, err)
			rows, err := db.QueryContext(t.Context(), "SELECT to_url, coalesce(text, ''), coalesce(rel, ''), coalesce(kind, '') FROM links")
			must(t, err)
			table = nil
			for rows.Next() {
				var l output.Link
				must(t, rows.Scan(&l.URL, &l.Text, &l.Rel, &l.Kind))
				l.URL = strings.TrimPrefix(l.URL, s.url)
				table = append(table, l)
			}
			must(t, rows.Err())
			must(t, db.Close())
			if diff := cmp.Diff(want, table); diff != "" {
				t.Errorf("%s: crawl.sqlite (-want +got):\n%s", kind, diff)
			}
		}
		check()
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, csvout.LinksFile)))
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, sqlite.File)))
		_, err := resumeWith(t, cfg, cfg.Output.AlsoWrite, formats...)
		must(t, err)
		check()
	}
}

// The first img element with a URL gives its alt as the text, only with links in full.
func TestResourcesHaveTheTextOfImages(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<link rel=preload as=image href=/p.png><img src=/p.png alt=preloaded><img src=/1.png alt=" one &quot;&lt;1&gt;" srcset="/2.png 2x"><img src=/1.png alt=again><img src=/3.png><img src=/3.png alt=later>` +
			`<img src="http://<x>/" alt=invalid><img src=/s.css alt=sheet><link rel=stylesheet href=/s.css>`,
	})
	for kind, texts := range map[LinkList][]string{LinksPlain: {"", "", "", "", "", ""}, LinksFull: {"", `one "<1>`, `one "<1>`, "", "", "invalid"}} {
		cfg := testConfig(t, s.url)
		cfg.Output.Links = kind
		checkedCrawl(t, cfg, nil, CheckAssets)
		want := []output.Link{
			{URL: s.url + "/p.png", Kind: "preload"}, {URL: s.url + "/1.png", Kind: "img"}, {URL: s.url + "/2.png", Kind: "img"}, {URL: s.url + "/3.png", Kind: "img"},
			{URL: s.url + "/s.css", Kind: "stylesheet"}, {URL: "http://<x>/", Kind: "img"},
		}
		for i, text := range texts {
			want[i].Text = text
		}
		if diff := cmp.Diff(want, readOutput[output.Links](t, cfg, "links.jsonl")[0].Resources); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// Invalid URLs of links and assets are listed as the page writes them. A nofollow link has that
// reason, an asset of a nofollow page does not.
func TestInvalidURLsAreListedAsWritten(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/":  `<a href="/a">a</a><a href="http://<x>/">1</a><a href="http://[broken/">b</a><a href="http://a.test:x/">p</a><a rel=nofollow href="http://<n>/">2</a><img src=" https:///trac er/i.png">`,
		"/a": `<meta name=robots content=nofollow><a href="http://<m>/">1</a><a href="http://<x>/">2</a><img src="http://<y>/"><a href="mailto:<x>">3</a>`,
	})
	cfg := testConfig(t, s.url)
	cfg.Output.Links = LinksPlain
	got, _ := checkedCrawl(t, cfg, nil, CheckAssets)
	reasons := map[string]output.Reason{}
	for _, r := range got.rejected {
		reasons[r.URL] = r.Reason
	}
	want := map[string]output.Reason{
		"http://<x>/": output.InvalidURL, "http://[broken/": output.InvalidURL, "http://a.test:x/": output.InvalidURL, "https:///trac er/i.png": output.InvalidURL, "http://<y>/": output.InvalidURL,
		"http://<n>/": output.Nofollow, "http://<m>/": output.Nofollow,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	links := map[string][]string{}
	for _, l := range readOutput[output.Links](t, cfg, "links.jsonl") {
		links[l.URL] = targets(l)
		for _, r := range l.Resources {
			links[l.URL] = append(links[l.URL], r.Kind+" "+r.URL)
		}
	}
	if diff := cmp.Diff(map[string][]string{
		s.url + "/":  {s.url + "/a", "http://<x>/", "http://[broken/", "http://a.test:x/", "http://<n>/", "img https:///trac er/i.png"},
		s.url + "/a": {"http://<m>/", "http://<x>/", "img http://<y>/"},
	}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
