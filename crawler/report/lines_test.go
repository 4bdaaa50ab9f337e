package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A program that rewrites the files of a crawl may write the fields of a line in another order.
func TestReportDoesNotDependOnOrderOfFields(t *testing.T) {
	dir := everything().write(t)
	want, err := write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		var sorted bytes.Buffer
		for line, err := range jsonlines.Read[any](name) {
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(line) // sorts the fields
			if err != nil {
				t.Fatal(err)
			}
			sorted.Write(append(text, '\n'))
		}
		if err := os.WriteFile(name, sorted.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := write(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got.GeneratedAt = want.GeneratedAt
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A report reads every link, so that lists as a crawl writes them are not read by encoding/json.
func TestLinksOfCrawlAreSplit(t *testing.T) {
	full := output.Link{URL: "http://example.com/?a=1&b", Text: "é <b>", Rel: "nofollow", Kind: "a"}
	for _, list := range [][]output.Link{{}, {{URL: ""}, {URL: "http://example.com/a"}, full, {URL: "http://example.com/b.png", Kind: "img"}, {Kind: "area"}}} {
		var text struct {
			To json.RawMessage `json:"to"`
		}
		if err := json.Unmarshal((&output.Links{To: list}).AppendJSON(nil), &text); err != nil {
			t.Fatal(err)
		}
		var got links
		if ok, diff := got.split(string(text.To)), cmp.Diff(links(list), got); !ok || diff != "" {
			t.Errorf("%s is split: %t (-want +got):\n%s", text.To, ok, diff)
		}
	}
}

// FuzzLinks: a report reads a list of links as its type in package output does.
func FuzzLinks(f *testing.F) {
	for _, text := range []string{
		`[]`, `null`, `["b","c"]`, `["b", "c"]`, `[ ]`, `["b",null]`, `[1]`, `["a\u0020"]`, `["a\"b"]`, `{"url":"a"}`, `[["a"]]`,
		`[{"url":"b","text":"c","rel":"d","kind":"e"},"f"]`, `[{"kind":"e","rel":"d","url":"b"}]`, `[{"url":"b"}]`, `[{}]`, `[{"URL":"a"}]`, `[{"url":"a","URL":"b"}]`,
		"[\"\xf1\"]", `[{"url":"a","url":"b"}]`, `[{"url":1}]`, `[{"url":"a","more":"b"}]`, `[{"url":"a","more":[1]}]`, `[{"url":"a","text":1}]`, `["a",{"url":null}]`, `[{"url" :"a"}]`, `[{"url":"a"} ]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var list []output.Link
		var got links
		failed, err := jsonlines.Unmarshal(text, &list), jsonlines.Unmarshal(text, &got)
		if (err == nil) != (failed == nil) {
			t.Fatalf("%q: %v, want %v", text, err, failed)
		}
		if diff := cmp.Diff(links(list), got, cmpopts.EquateEmpty()); err == nil && diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

func TestLinesOfPermissionsAreRead(t *testing.T) {
	for name, p := range map[string]output.Permission{
		"nothing":        {URL: "http://example.com/?a=1&b", FetchedAt: day},
		"robots.txt":     {URL: "http://example.com/", FetchedAt: day, Robots: "00"},
		"a statement":    permission("http://example.com/", inHeader("train-ai=n")),
		"escapes in url": {URL: "http://example.com/\"", FetchedAt: day, Withheld: "search", TDMRepProblem: "status 500"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := jsonlines.Line(nil, p)
			if err != nil {
				t.Fatal(err)
			}
			var line permissionLine
			if err := jsonlines.Unmarshal(text, &line); err != nil {
				t.Fatal(err)
			}
			got := output.Permission{URL: line.URL, FetchedAt: p.FetchedAt, Robots: p.Robots, TDMRep: p.TDMRep, Withheld: line.Withheld, TDMRepProblem: line.Problem}
			if err := errors.Join(line.Purposes.decode(&got.Purposes), line.Statements.decode(&got.Statements)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
