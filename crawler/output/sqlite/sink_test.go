package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// page is a page with two links.
func page(url string) *output.Results {
	return &output.Results{
		Pages: []*output.Page{{URL: url, Status: 200, ContentType: "text/html"}},
		Links: []*output.Links{{URL: url, To: []output.Link{{URL: url + "/1"}, {URL: "http://a.test/all"}}}},
	}
}

func TestColumnsMatchJSON(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, &output.Results{
		Pages: []*output.Page{{URL: "http://a.test/bare"}, {
			URL: "http://a.test/full", Status: 302, Title: "Full", Depth: 1, FoundOn: "http://a.test/", Source: "link", Location: "/to", ContentType: "text/html",
			Bytes: 2, Links: 3, Canonical: "/", Directives: []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}},
			Withheld: "noindex", FetchedAt: noon, DurationMS: 4, Attempt: 5, Hash: "6f", Unchanged: true,
			DuplicateOf: "/first", Fields: map[string]any{"price": []string{"7"}}, Truncated: "ratio", LinksSkipped: 8, LimitsReached: []string{"ratio"},
			H1: "Top", Description: "All", Lang: "de", Words: 9, Hreflang: []output.Hreflang{{Lang: "en", URL: "http://a.test/en"}},
			Headers: map[string]string{"etag": "1"}, Redirects: []string{"http://a.test/r"}, H1Count: 2, Encoding: "utf-8", Malformed: "line 1", ImagesWithoutAlt: 3, NeedsJavaScript: true,
		}},
		Links:    []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/1", Text: "Tea, and\x00\xff \u202e'cakes'", Rel: "nofollow", Kind: "a"}, {URL: "http://a.test/", Kind: "header"}}}, {URL: "http://a.test/1", To: []output.Link{{URL: "http://a.test/"}}, Resources: []output.Link{{URL: "http://b.test/1.png", Kind: "img"}, {URL: "http://a.test/1", Kind: "object"}}}},
		Rejected: []*output.Rejection{{}}, Sitemaps: []*output.Sitemap{{}}, Entries: []*output.Entry{{}}, Checks: []*output.Check{{}},
		Permissions: []*output.Permission{{URL: "http://a.test/bare"}, {
			URL: "http://a.test/full", FetchedAt: noon, Robots: "00", TDMRep: "11", Withheld: "train-ai", TDMRepProblem: "unreachable",
			Purposes:   usage.Verdicts{usage.Search: {Value: usage.Allowed, Statement: 1}, usage.TrainAI: {Value: usage.Disallowed, Statement: 1}},
			Statements: []usage.Statement{{Kind: usage.KindContentUsage, Source: usage.Source{Kind: usage.InHeader, Name: "Content-Usage"}, Raw: "search=y, train-ai=n"}},
		}},
		Robots: []*output.Robots{
			{Origin: "http://a.test", URL: "http://a.test/robots.txt", Outcome: "rules", Status: 200, FetchedAt: noon, ExpiresAt: noon.Add(time.Hour), Body: []byte("User-agent: *\n\xff\x00")},
			{Origin: "http://b.test", Outcome: "unreachable", Error: "no answer", RetryAt: noon},
			{Origin: "http://c.test", Outcome: "rules", Body: []byte{}},
		},
	})
	sinktest.Close(t, s)
	for table, place := range places { // links and resources have ids in place of URLs
		want := append([]string{"id"}, rows.Columns[table]...)
		if i := slices.Index(want, "group"); i >= 0 {
			want[i] = "group_name"
		}
		if got := askDir(t, dir, "SELECT name FROM pragma_table_info('"+tableNames[place]+"')"); place != link && place != resource && !slices.Equal(got, want) {
			t.Errorf("%s has the columns %q, want %q", tableNames[place], got, want)
		}
	}
	const at = "2026-05-04T10:00:00.250Z"
	for table, want := range map[string][]string{
		"pages": {
			"1|http://a.test/bare|0||0|||NULL||0|0|NULL|NULL|NULL|NULL|0|0|NULL|0|NULL|NULL|NULL|0|NULL|NULL|NULL|NULL|0|NULL|NULL|NULL|0|NULL|NULL|0|0",
			"2|http://a.test/full|302|Full|1|http://a.test/|link|/to|text/html|2|3|/|" + `[{"rule":"noindex","source":"1st robots meta element"}]|` +
				"noindex|" + at + `|4|5|6f|1|/first|{"price":["7"]}|ratio|8|["ratio"]|Top|All|de|9|[{"lang":"en","url":"http://a.test/en"}]|{"etag":"1"}|["http://a.test/r"]|2|utf-8|line 1|3|1`,
		},
		"links":     {"http://a.test/|http://a.test/1|Tea, and\ufffd\ufffd \u202e'cakes'|nofollow|a", "http://a.test/|http://a.test/|NULL|NULL|header", "http://a.test/1|http://a.test/|NULL|NULL|NULL"},
		"resources": {"http://a.test/1|http://b.test/1.png", "http://a.test/1|http://a.test/1"},
		"urls":      {"1|http://a.test/", "2|http://a.test/1", "3|http://b.test/1.png"},
		"link":      {"1|1|2|Tea, and\ufffd\ufffd \u202e'cakes'|nofollow|a", "2|1|1|NULL|NULL|header", "3|2|1|NULL|NULL|NULL"},
		"resource":  {"1|2|3", "2|2|2"},
		"permissions": {
			"1|http://a.test/bare|NULL|NULL|NULL|unknown|unknown|unknown|unknown|unknown|NULL|NULL|NULL",
			"2|http://a.test/full|" + at + "|00|11|allowed|unknown|disallowed|unknown|unknown|" +
				`[{"kind":"content-usage","source":{"kind":"header","name":"Content-Usage"},"raw":"search=y, train-ai=n"}]|train-ai|unreachable`,
		},
		"robots": {
			"1|http://a.test|http://a.test/robots.txt|rules|200|NULL|" + at + "|2026-05-04T11:00:00.250Z|NULL|xUser-agent: *\n\xff\x00",
			"2|http://b.test||unreachable|0|no answer|NULL|NULL|" + at + "|NULL",
			"3|http://c.test||rules|0|NULL|NULL|NULL|NULL|x",
		},
	} {
		if diff := cmp.Diff(want, askDir(t, dir, "SELECT * FROM "+table)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	if got := askDir(t, dir, "SELECT key, value FROM meta WHERE key <> 'created_at'"); !slices.Equal(got, []string{"format|2", "software|politecrawl"}) {
		t.Errorf("meta: %q", got)
	}
	if got := askDir(t, dir, "SELECT count(*) FROM meta WHERE julianday(value) > julianday('now') - 1"); got[0] != "1" {
		t.Error("the functions of SQLite do not know when it was made")
	}
}

func TestResumeKeepsCommittedRows(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	first := sinktest.Commit(t, s, false)
	checkpoint := sinktest.Put(t, s, page("http://a.test/1"))
	sinktest.Put(t, s, page("http://a.test/beyond"))
	if err := s.Write(page("http://a.test/never")); err != nil { // and not committed
		t.Fatal(err)
	}
	sinktest.Close(t, s)
	if got := askDir(t, dir, "SELECT url FROM pages"); !slices.Equal(got, []string{"http://a.test/1", "http://a.test/beyond"}) {
		t.Errorf("committed: %q", got)
	}

	s = sinktest.Open(t, Format(nil), dir, checkpoint)
	if got := sinktest.Commit(t, s, false); !bytes.Equal(got, checkpoint) {
		t.Errorf("checkpoint %s, want %s as nothing was written", got, checkpoint)
	}
	sinktest.Put(t, s, page("http://a.test/2"))
	sinktest.Close(t, s)
	if got := askDir(t, dir, "SELECT id, url FROM pages"); !slices.Equal(got, []string{"1|http://a.test/1", "2|http://a.test/2"}) {
		t.Errorf("pages: %q", got)
	}
	if diff := cmp.Diff([]string{
		"http://a.test/1|http://a.test/1/1", "http://a.test/1|http://a.test/all", "http://a.test/2|http://a.test/2/1", "http://a.test/2|http://a.test/all",
	}, askDir(t, dir, "SELECT from_url, to_url FROM links")); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if got := askDir(t, dir, "SELECT url FROM urls WHERE url LIKE '%beyond%' OR url LIKE '%never%'"); len(got) > 0 {
		t.Errorf("urls: %q", got)
	}

	for _, checkpoint := range [][]byte{first, nil} {
		sinktest.Close(t, sinktest.Open(t, Format(nil), dir, checkpoint))
		for _, table := range tableNames {
			if got := askDir(t, dir, "SELECT count(*) FROM "+table); got[0] != "0" {
				t.Errorf("checkpoint %s: %s has %s rows", checkpoint, table, got[0])
			}
		}
	}
}

func TestCloseWithoutCommitLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, page("http://a.test/1"))
	sinktest.Write(t, s, page("http://a.test/never"))
	sinktest.Close(t, s)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(left, []string{filepath.Join(dir, File)}) {
		t.Errorf("left: %q, %v", left, err)
	}
	for query, want := range map[string]string{"PRAGMA journal_mode": "delete", "SELECT url FROM pages": "http://a.test/1"} {
		if got := askDir(t, dir, query); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// A nil checkpoint deletes an earlier database, with the files that a killed process left.
func TestOpenWithoutMarkStartsAnew(t *testing.T) {
	dir := t.TempDir()
	for _, name := range Format(nil).Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, page("http://a.test/1"))
	sinktest.Close(t, s)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || !slices.Equal(left, []string{filepath.Join(dir, File)}) {
		t.Errorf("left: %q, %v", left, err)
	}
	if got := askDir(t, dir, "PRAGMA integrity_check"); got[0] != "ok" {
		t.Error(got)
	}
}

// A database that lacks committed rows is an error. A nil checkpoint starts an empty one.
func TestLostRowsAreReported(t *testing.T) {
	many := new(output.Results)
	for i := range 500 { // of more pages than a file of a quarter has
		many.Pages = append(many.Pages, &output.Page{URL: fmt.Sprintf("http://a.test/%d", i)})
	}
	whole := t.TempDir()
	s := sinktest.Open(t, Format(nil), whole, nil)
	sinktest.Put(t, s, many)
	sinktest.Put(t, s, page("http://a.test/1"))
	checkpoint := sinktest.Put(t, s, page("http://a.test/2"))
	sinktest.Close(t, s)
	for damage, spoil := range map[string]func(t *testing.T, dir string) error{
		"gone":  func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, File)) },
		"empty": func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, File), 0) },
		"shortened": func(_ *testing.T, dir string) error {
			info, err := os.Stat(filepath.Join(dir, File))
			if err != nil {
				return err
			}
			return os.Truncate(filepath.Join(dir, File), info.Size()/4)
		},
		"header": func(_ *testing.T, dir string) error {
			file, err := os.OpenFile(filepath.Join(dir, File), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteAt(bytes.Repeat([]byte{0xd3}, 100), 0)
			return errors.Join(err, file.Close())
		},
		"columns": func(t *testing.T, dir string) error {
			lose(t, dir, "ALTER TABLE pages DROP COLUMN h1")
			return nil
		},
		"columns of links": func(t *testing.T, dir string) error {
			lose(t, dir, "DROP VIEW links", "ALTER TABLE link DROP COLUMN kind")
			return nil
		},
		"columns of checks": func(t *testing.T, dir string) error {
			lose(t, dir, "ALTER TABLE checks DROP COLUMN hreflang")
			return nil
		},
		"table": func(t *testing.T, dir string) error {
			lose(t, dir, "DROP VIEW resources", "DROP TABLE resource")
			return nil
		},
		"rows": func(t *testing.T, dir string) error { lose(t, dir, "DELETE FROM pages WHERE id > 1"); return nil },
		"links": func(t *testing.T, dir string) error {
			lose(t, dir, "DELETE FROM urls WHERE id > 3", "DELETE FROM link WHERE id > 2")
			return nil
		},
	} {
		t.Run(damage, func(t *testing.T) {
			dir := t.TempDir()
			if err := errors.Join(os.CopyFS(dir, os.DirFS(whole)), spoil(t, dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := Format(nil).Open(dir, checkpoint); !errors.Is(err, output.ErrIncomplete) || !strings.Contains(err.Error(), File) {
				t.Errorf("%v", err)
			}
			s := sinktest.Open(t, Format(nil), dir, nil)
			sinktest.Put(t, s, page("http://a.test/3"))
			sinktest.Close(t, s)
			if got := askDir(t, dir, "SELECT id, url FROM pages"); !slices.Equal(got, []string{"1|http://a.test/3"}) {
				t.Errorf("pages: %q", got)
			}
		})
	}
}

// lose changes a database behind the sink's back.
func lose(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db := reader(t, dir)
	defer func() { _ = db.Close() }()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, checkpoint := range []string{"", "x", "{}", `["1"]`, "[-1]", "[99999999999999999999]"} {
		if _, err := Format(nil).Open(t.TempDir(), []byte(checkpoint)); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("checkpoint %q: %v", checkpoint, err)
		}
	}
	dir := t.TempDir()
	if _, err := Format(nil).Open(filepath.Join(dir, "missing"), nil); err == nil {
		t.Error("a directory that is missing was opened")
	}
	for name, spoil := range map[string]func() error{
		"no database": func() error {
			return os.WriteFile(filepath.Join(dir, File), slices.Repeat([]byte("text "), 1000), 0o600)
		},
		"another program": func() error { return spoil(dir, "CREATE TABLE t (x)") },
		"another version": func() error {
			return spoil(dir, fmt.Sprintf("CREATE TABLE t (x); PRAGMA application_id = %d; PRAGMA user_version = 99", applicationID))
		},
	} {
		if err := errors.Join(remove(filepath.Join(dir, File)), spoil()); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Format(nil).Open(dir, []byte("[0]")); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), filepath.Join(dir, File)) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(filepath.Join(dir, File)); err != nil || len(after) != len(before) {
			t.Errorf("%s: %d bytes have become %d", name, len(before), len(after))
		}
	}
}

func spoil(dir, statements string) error {
	db, err := connect(filepath.Join(dir, File))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), statements)
	return errors.Join(err, db.Close())
}

// The error of a full disk is permanent. Committed rows stay.
func TestFullDiskIsAnError(t *testing.T) {
	dir := t.TempDir()
	opened := sinktest.Open(t, Format(nil), dir, nil)
	s, ok := opened.(*sink)
	if !ok {
		t.Fatal("not ours")
	}
	checkpoint := sinktest.Put(t, s, page("http://a.test/1"))
	if err := s.exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	var failure error
	for n := 0; failure == nil && n < 10_000; n++ {
		failure = s.Write(page(fmt.Sprintf("http://a.test/%d?%s", n, strings.Repeat("x", 1000))))
	}
	if !errors.Is(failure, ErrFull) || !strings.Contains(failure.Error(), File) {
		t.Fatalf("write = %v", failure)
	}
	if err := s.Write(page("http://a.test/2")); !errors.Is(err, ErrFull) {
		t.Errorf("write after a failure = %v", err)
	}
	if checkpoint, err := s.Commit(false); !errors.Is(err, ErrFull) || checkpoint != nil {
		t.Errorf("commit after a failure = %s, %v", checkpoint, err)
	}
	sinktest.Close(t, s)
	s2 := sinktest.Open(t, Format(nil), dir, checkpoint)
	sinktest.Put(t, s2, page("http://a.test/3"))
	sinktest.Close(t, s2)
	if got := askDir(t, dir, "SELECT url FROM pages"); !slices.Equal(got, []string{"http://a.test/1", "http://a.test/3"}) {
		t.Errorf("pages: %q", got)
	}
}

// A reader in a transaction does not block the crawl, and sees the state at its start.
func TestReaderDoesNotBlock(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(&Options{BusyTimeout: 10 * time.Millisecond}), dir, nil)
	sinktest.Put(t, s, page("http://a.test/1"))
	db := reader(t, dir)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		t.Helper()
		if err := tx.QueryRowContext(t.Context(), "SELECT count(*) FROM pages").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("%d pages", n)
	}
	sinktest.Put(t, s, page("http://a.test/2"))
	if n := count(); n != 1 {
		t.Errorf("%d pages in the transaction of before", n)
	}
	sinktest.Close(t, s)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, db, "SELECT count(*) FROM pages"); got[0] != "2" {
		t.Errorf("%s pages", got[0])
	}
}

// The crawl waits for another writer until the timeout.
func TestWriterBlocksUntilTimeout(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(&Options{BusyTimeout: 50 * time.Millisecond}), dir, nil)
	sinktest.Put(t, s, page("http://a.test/1"))
	other := reader(t, dir)
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(page("http://a.test/2")); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), File) {
		t.Errorf("write = %v", err)
	}
	if _, err := s.Commit(false); !errors.Is(err, ErrLocked) {
		t.Errorf("commit = %v", err)
	}
	sinktest.Close(t, s)
}

func TestCommitSyncsAsAsked(t *testing.T) {
	s, ok := sinktest.Open(t, Format(nil), t.TempDir(), nil).(*sink)
	if !ok {
		t.Fatal("not ours")
	}
	for i, power := range []bool{true, false, false, true, true, false} {
		if err := s.Write(page(fmt.Sprintf("http://a.test/%d", i))); err != nil {
			t.Fatal(err)
		}
		sinktest.Commit(t, s, power)
		var level int
		if err := s.conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&level); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 1, true: 2}[power]; level != want {
			t.Errorf("commit %d: synchronous is %d, want %d", i, level, want)
		}
	}
	sinktest.Close(t, s)
}
