package csvout

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/doctest"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/rows"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 250e6, time.FixedZone("", 7200))

// records reads a table.
func records(t *testing.T, dir, name string) [][]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if lines := strings.Count(string(b), "\r\n"); lines != len(rows) || strings.Count(string(b), "\n") != lines {
		t.Errorf("%s has %d records on %d lines", name, len(rows), lines)
	}
	return rows
}

// The columns are in the order of JSON. A cell has the value of the field with the name of its column. The column of a field that is left out is
// empty, or has a number or boolean that is zero.
func TestColumnsMatchJSON(t *testing.T) {
	dir := t.TempDir()
	full, bare := new(output.Results), &output.Results{
		Pages: []*output.Page{{}}, Rejected: []*output.Rejection{{}}, Sitemaps: []*output.Sitemap{{}}, Entries: []*output.Entry{{}}, Checks: []*output.Check{{}},
	}
	n := 0
	fill(reflect.ValueOf(full).Elem(), func() string { n++; return fmt.Sprintf("text %d, and\n\"quotes\"", n) })
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, full)
	sinktest.Put(t, s, bare)
	sinktest.Close(t, s)
	for file, lines := range map[string][]any{
		PagesFile: {full.Pages[0], bare.Pages[0]}, RejectedFile: {full.Rejected[0], bare.Rejected[0]}, SitemapsFile: {full.Sitemaps[0], bare.Sitemaps[0]},
		EntriesFile: {full.Entries[0], bare.Entries[0]}, ChecksFile: {full.Checks[0], bare.Checks[0]},
	} {
		table := records(t, dir, file)
		for i, line := range lines {
			text, err := jsonlines.Line(nil, line)
			var fields map[string]json.RawMessage
			if err := errors.Join(err, json.Unmarshal(text, &fields)); err != nil {
				t.Fatal(err)
			}
			for name := range fields {
				if !slices.Contains(table[0], name) {
					t.Errorf("%s: no column for %s", file, name)
				}
			}
			last := 0 // where the field of the column before is
			for column, name := range table[0] {
				if at := bytes.Index(text, []byte(`"`+name+`":`)); i == 0 && at < last {
					t.Errorf("%s: %s is at another place in %s", file, name, text)
				} else {
					last = at
				}
				want, got := string(fields[name]), table[i+1][column]
				if strings.HasPrefix(want, `"`) {
					var text string
					if err := json.Unmarshal(fields[name], &text); err != nil {
						t.Fatal(err)
					}
					want = oneLine(text)
				}
				if omitted := fields[name] == nil || want == "0001-01-01T00:00:00Z"; omitted && !slices.Contains([]string{"", "0", "false"}, got) || !omitted && got != want {
					t.Errorf("%s: line %d: %s is %q, want %q", file, i+1, name, got, want)
				}
			}
		}
	}
}

func TestLinksResourcesAndPermissions(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, &output.Results{
		Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/1", Text: "Tea, \"cakes\"", Rel: "nofollow", Kind: "a"}, {URL: "http://a.test/2"}}, Resources: []output.Link{{URL: "http://b.test/1.png", Kind: "img"}}}},
		Permissions: []*output.Permission{{URL: "http://a.test/bare"}, {
			URL: "http://a.test/full", FetchedAt: noon, Robots: "00", TDMRep: "11", Withheld: "train-ai", TDMRepProblem: "unreachable",
			Purposes:   usage.Verdicts{usage.Search: {Value: usage.Allowed, Statement: 1}, usage.TrainAI: {Value: usage.Disallowed, Statement: 1}},
			Statements: []usage.Statement{{Kind: usage.KindContentUsage, Source: usage.Source{Kind: usage.InHeader, Name: "Content-Usage"}, Raw: "search=y, train-ai=n"}},
		}},
	})
	sinktest.Close(t, s)
	for name, want := range map[string][][]string{
		LinksFile:     {{"from", "to", "text", "rel", "kind"}, {"http://a.test/", "http://a.test/1", "Tea, \"cakes\"", "nofollow", "a"}, {"http://a.test/", "http://a.test/2", "", "", ""}},
		ResourcesFile: {{"from", "to"}, {"http://a.test/", "http://b.test/1.png"}},
		PermissionsFile: {
			{"url", "fetched_at", "robots", "tdmrep", "search", "ai_input", "train_ai", "tdm", "archive", "statements", "withheld", "tdmrep_problem"},
			{"http://a.test/bare", "", "", "", "unknown", "unknown", "unknown", "unknown", "unknown", "", "", ""},
			{
				"http://a.test/full", "2026-05-04T10:00:00.25Z", "00", "11", "allowed", "unknown", "disallowed", "unknown", "unknown",
				`[{"kind":"content-usage","source":{"kind":"header","name":"Content-Usage"},"raw":"search=y, train-ai=n"}]`, "train-ai", "unreachable",
			},
		},
	} {
		if diff := cmp.Diff(want, records(t, dir, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestResumeKeepsCommittedRecords(t *testing.T) {
	page := func(url string) *output.Results {
		return &output.Results{Pages: []*output.Page{{URL: url}}, Links: []*output.Links{{URL: url, To: []output.Link{{URL: "http://a.test/x"}}}}}
	}
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	first, err := s.Commit(true)
	if err != nil {
		t.Fatal(err)
	}
	checkpoint := sinktest.Put(t, s, page("http://a.test/1"))
	sinktest.Put(t, s, page("http://a.test/beyond"))
	sinktest.Close(t, s)

	s = sinktest.Open(t, Format(nil), dir, checkpoint)
	sinktest.Put(t, s, page("http://a.test/2"))
	sinktest.Close(t, s)
	urls := func() (all []string) {
		for _, row := range records(t, dir, PagesFile)[1:] {
			all = append(all, row[0])
		}
		return all
	}
	if diff := cmp.Diff([]string{"http://a.test/1", "http://a.test/2"}, urls()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := len(records(t, dir, LinksFile)); n != 3 {
		t.Errorf("%d records of links, want the names and 2", n)
	}

	sinktest.Close(t, sinktest.Open(t, Format(nil), dir, first))
	if n := len(records(t, dir, PagesFile)); n != 1 {
		t.Errorf("%d records, want the names alone", n)
	}
	sinktest.Close(t, sinktest.Open(t, Format(nil), dir, nil))
	if rows := records(t, dir, PagesFile); len(rows) != 0 { // nothing counts, and nothing was committed
		t.Errorf("%q", rows)
	}
}

// A table that lacks committed records, or has other columns, is an error. A nil checkpoint
// starts an empty table.
func TestLostRecordsAreReported(t *testing.T) {
	found := &output.Results{
		Pages: []*output.Page{{URL: "http://a.test/1"}, {URL: "http://a.test/2"}}, Rejected: []*output.Rejection{{URL: "http://a.test/no"}},
		Links: []*output.Links{{URL: "http://a.test/1", To: []output.Link{{URL: "http://a.test/2"}}}}, Sitemaps: []*output.Sitemap{{URL: "http://a.test/map"}},
		Entries: []*output.Entry{{URL: "http://a.test/1"}},
	}
	intact := t.TempDir()
	s := sinktest.Open(t, Format(nil), intact, nil)
	checkpoint := sinktest.Put(t, s, found)
	sinktest.Close(t, s)
	for _, table := range tables {
		for damage, spoil := range map[string]func(name string, whole []byte) error{
			"gone":          func(name string, _ []byte) error { return os.Remove(name) },
			"empty":         func(name string, _ []byte) error { return os.Truncate(name, 0) },
			"a torn record": func(name string, whole []byte) error { return os.Truncate(name, int64(len(whole)-1)) },
			"a record less": func(name string, whole []byte) error {
				return os.Truncate(name, int64(bytes.LastIndexByte(whole[:len(whole)-1], '\n')+1))
			},
			"other columns": func(name string, whole []byte) error {
				return os.WriteFile(name, append(bytes.ToUpper(whole[:1]), whole[1:]...), 0o600)
			},
		} {
			dir := t.TempDir()
			name, whole := filepath.Join(dir, table), readFile(t, filepath.Join(intact, table))
			if err := errors.Join(os.CopyFS(dir, os.DirFS(intact)), spoil(name, whole)); err != nil {
				t.Fatal(err)
			}
			if _, err := Format(nil).Open(dir, checkpoint); !errors.Is(err, output.ErrIncomplete) || !strings.Contains(err.Error(), table) {
				t.Errorf("%s: %s: %v", table, damage, err)
			}
			s := sinktest.Open(t, Format(nil), dir, nil)
			sinktest.Put(t, s, found)
			sinktest.Close(t, s)
			if again := readFile(t, name); !bytes.Equal(again, whole) {
				t.Errorf("%s: %s: anew it is %q, it was %q", table, damage, again, whole)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	for _, checkpoint := range []string{"", "x", "{}", `["1"]`, "[1,2,3,4,99999999999999999999]"} {
		if _, err := Format(nil).Open(t.TempDir(), []byte(checkpoint)); !errors.Is(err, ErrCheckpoint) {
			t.Errorf("checkpoint %q: %v", checkpoint, err)
		}
	}
	dir := t.TempDir()
	if _, err := Format(nil).Open(dir, []byte("[0,0,0]")); !errors.Is(err, output.ErrIncomplete) { // of a version with fewer tables
		t.Errorf("checkpoint of fewer tables: %v", err)
	}
	if _, err := Format(nil).Open(filepath.Join(dir, "missing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	dir := t.TempDir()
	opened := sinktest.Open(t, Format(nil), dir, nil)
	s, ok := opened.(*sink)
	if !ok {
		t.Fatal("not ours")
	}
	if runtime.GOOS != "linux" {
		t.Skip("it needs a device that is always full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.files[rows.Links].file.Close(); err != nil {
		t.Fatal(err)
	}
	s.files[rows.Links].file = full
	if err := s.Write(&output.Results{Links: []*output.Links{{URL: "http://a.test/", To: []output.Link{{URL: "http://a.test/1"}}}}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if checkpoint, err := s.Commit(false); err == nil || checkpoint != nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("commit = %q, %v", checkpoint, err)
		}
	}
	many := slices.Repeat([]output.Link{{URL: "http://a.test/1"}}, 10_000)
	if err := s.Write(&output.Results{Links: []*output.Links{{URL: "http://a.test/", To: many}}}); err == nil {
		t.Error("write goes on after a failure")
	}
	sinktest.Close(t, s)
}

// TestColumnsAreDocumented holds that COLUMNS.md has each table with its columns.
func TestColumnsAreDocumented(t *testing.T) {
	var list strings.Builder
	list.WriteString("\n| table | columns |\n|---|---|\n")
	for i, table := range tables {
		_, _ = fmt.Fprintf(&list, "| `%s` | `%s` |\n", table, strings.Join(rows.Columns[i], "` `"))
	}
	doctest.Section(t, "COLUMNS.md", "<!-- columns -->", "<!-- end -->", list.String())
}
