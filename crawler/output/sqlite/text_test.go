package sqlite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"Zoë — 茶\t\x1b\n": "Zoë — 茶\t\x1b\n",
		"a\x00b":          "a\ufffdb",
		"a\xff\xfeb":      "a\ufffd\ufffdb",
		"'; DROP TABLE x": "'; DROP TABLE x",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzText: any text of a site is stored as it is, and is not SQL.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "Tea", "\x00", "\xff", "'; DROP TABLE pages; --", "\\u0000\"", "\u2028", "{}", "a\x00b", "a\ufffdb"} {
		f.Add(seed, "http://a.test/"+seed)
	}
	dir := f.TempDir()
	s, err := Format(nil).Open(dir, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	db, err := connect(dir + "/" + File)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	f.Fuzz(func(t *testing.T, title, url string) {
		sinktest.Put(t, s, &output.Results{
			Pages:  []*output.Page{{URL: url, Title: title, Fields: map[string]any{"x": title}}},
			Links:  []*output.Links{{URL: url, To: []output.Link{{URL: title}, {URL: url}, {URL: title}}}},
			Robots: []*output.Robots{{Origin: title, Body: []byte(title)}},
		})
		var gotURL, gotTitle, fields string
		row := db.QueryRowContext(t.Context(), "SELECT url, title, fields FROM pages ORDER BY id DESC LIMIT 1")
		if err := row.Scan(&gotURL, &gotTitle, &fields); err != nil {
			t.Fatal(err)
		}
		var x map[string]string
		if err := json.Unmarshal([]byte(fields), &x); err != nil {
			t.Fatal(err)
		}
		if gotURL != clean(url) || gotTitle != clean(title) || utf8.ValidString(title) && x["x"] != title {
			t.Errorf("%q and %q come back as %q, %q and %q", url, title, gotURL, gotTitle, x["x"])
		}
		got := ask(t, db, `SELECT f.url, t.url FROM (SELECT * FROM link ORDER BY id DESC LIMIT 3) l
			JOIN urls f ON f.id = l.from_id JOIN urls t ON t.id = l.to_id ORDER BY l.id`)
		want := []string{clean(url) + "|" + clean(title), clean(url) + "|" + clean(url), clean(url) + "|" + clean(title)}
		if !slices.Equal(got, want) {
			t.Errorf("links %q, want %q", got, want)
		}
		if got := ask(t, db, "SELECT body FROM robots ORDER BY id DESC LIMIT 1"); got[0] != "x"+title {
			t.Errorf("body %q, want %q", got[0], title)
		}
	})
}

// FuzzMark: with any checkpoint, the database is complete or cannot be opened.
func FuzzMark(f *testing.F) {
	for _, seed := range []string{"", "null", "[]", "[1,1,2,2,1,1,1]", "[-1]", "[9223372036854775807]", "[0,0,9223372036854775807]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, checkpoint []byte) {
		dir := t.TempDir()
		s := sinktest.Open(t, Format(nil), dir, nil)
		sinktest.Put(t, s, page("http://a.test/1"))
		sinktest.Put(t, s, page("http://a.test/2"))
		sinktest.Close(t, s)
		s, err := Format(nil).Open(dir, checkpoint)
		if err != nil {
			return
		}
		err = s.Write(page("http://a.test/3"))
		if _, failed := s.Commit(true); (err == nil) != (failed == nil) {
			t.Errorf("write = %v, commit = %v", err, failed)
		}
		sinktest.Close(t, s)
		if got := askDir(t, dir, "PRAGMA integrity_check"); got[0] != "ok" {
			t.Error(got)
		}
	})
}

func TestForgottenURLsAreFoundAgain(t *testing.T) {
	dir := t.TempDir()
	s, ok := sinktest.Open(t, Format(nil), dir, nil).(*sink)
	if !ok {
		t.Fatal("not ours")
	}
	s.known = recent.New[string, int64](1)
	long := "http://a.test/" + strings.Repeat("x", knownLength)
	sinktest.Put(t, s, &output.Results{Links: []*output.Links{{URL: long, To: []output.Link{{URL: long}}}}})
	if _, ok := s.known.Get(long); ok {
		t.Error("a long URL is kept")
	}
	var all []output.Link
	for n := range batchLinks + batchLinks/2 {
		all = append(all, output.Link{URL: fmt.Sprintf("http://a.test/%d", n%100)})
	}
	sinktest.Put(t, s, &output.Results{Links: []*output.Links{{URL: "http://a.test/1", To: all}, {URL: "http://a.test/new", To: all}}})
	sinktest.Close(t, s)
	if got := askDir(t, dir, "SELECT count(*), count(DISTINCT url) FROM urls"); got[0] != "102|102" {
		t.Errorf("urls: %s", got[0])
	}
	if got := askDir(t, dir, "SELECT to_url FROM links WHERE from_url = 'http://a.test/new'"); !slices.EqualFunc(got, all, func(url string, to output.Link) bool { return url == to.URL }) {
		t.Error("the links of a page are not those that were written")
	}
}
