package report

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestLinesOfLinksAreReadWithoutEncodingJSON(t *testing.T) {
	full := output.Link{URL: "http://example.com/?a=1&b", Text: "é <b>", Rel: "nofollow", Kind: "a"}
	for name, l := range map[string]output.Links{
		"none":                {URL: "http://example.com/"},
		"plain":               {URL: "http://example.com/", To: []output.Link{{URL: "http://example.com/a"}, {URL: ""}}},
		"full":                {URL: "http://example.com/", To: []output.Link{full, {URL: "http://example.com/b", Rel: "next", Kind: "link"}, {Kind: "area"}}},
		"assets":              {URL: "http://example.com/", To: []output.Link{{URL: "http://example.com/a"}}, Resources: []output.Link{{URL: "http://example.com/a.png", Kind: "img"}, {URL: "http://example.com/b.css", Kind: "stylesheet"}}},
		"a stylesheet":        {URL: "http://example.com/a.css", Resources: []output.Link{{URL: "http://example.com/a.png", Kind: "css"}}},
		"one that has a text": {URL: "http://example.com/", To: []output.Link{{URL: "http://example.com/a", Text: "a", Kind: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			want := linksLine{URL: l.URL}
			for _, to := range l.To {
				want.To = append(want.To, to.URL)
			}
			for _, r := range l.Resources {
				want.Resources, want.Kinds = append(want.Resources, r.URL), append(want.Kinds, r.Kind)
			}
			var got linksLine
			if !got.ReadJSON(append(l.AppendJSON(nil), '\n')) {
				t.Fatal("not read")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzLinksLine: what ReadJSON accepts, encoding/json reads in the same way.
func FuzzLinksLine(f *testing.F) {
	for _, text := range []string{
		`{"url":"a","to":[]}`, `{"url":"a","to":["b","c"]}`, `{"url":"a","to":["b",]}`, `{"url":"a","to":[,"b"]}`, `{"url":"a","to":["b"]} `,
		`{"url":"a","to":[{"url":"b","text":"c","rel":"d","kind":"e"},"f"]}`, `{"url":"a","to":[{"url":"b","kind":"e"`, `{"url":"a","to":[{"url":"b"}]}`,
		`{"url":"a\u0020","to":[]}`, "{\"url\":\"\t\",\"to\":[]}", `{"url":"a","to":["b","c"]}` + "\n" + `{"url":"a","to":[]}`, `{"to":[],"url":"a"}`,
		`{"url":"a","to":["b"],"resources":[{"url":"c","kind":"img"}]}`, `{"url":"a","resources":["c"]}`, `{"url":"a","to":["b"],"resources":[}`, `{"url":"a","to":[],}`,
	} {
		f.Add([]byte(text + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want, got linksLine
		if !got.ReadJSON(text) {
			if got.URL != "" || got.To != nil || got.Resources != nil {
				t.Errorf("%q is not read, but has changed the line", text)
			}
			return
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" && utf8.Valid(text) {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

func TestLinesOfPermissionsAreRead(t *testing.T) {
	for name, p := range map[string]output.Permission{
		"nothing":        {URL: "http://example.com/?a=1&b", FetchedAt: day},
		"robots.txt":     {URL: "http://example.com/", FetchedAt: day, Robots: "00"},
		"a statement":    permission("http://example.com/", inHeader("train-ai=n")),
		"escapes in url": {URL: "http://example.com/\"", FetchedAt: day, Withheld: "search"},
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
			var rest output.Permission
			if err := json.Unmarshal([]byte(line.object()), &rest); err != nil {
				t.Fatal(err)
			}
			rest.URL, rest.FetchedAt = p.URL, p.FetchedAt
			if diff := cmp.Diff(p, rest); diff != "" || line.URL != p.URL {
				t.Errorf("%q (-want +got):\n%s", line.URL, diff)
			}
		})
	}
}

// FuzzPermissionLine: what ReadJSON accepts, encoding/json reads in the same way.
func FuzzPermissionLine(f *testing.F) {
	for _, text := range []string{
		`{"url":"a","fetched_at":"b"}`, `{"url":"a","fetched_at":"b","withheld":"c"}`, `{"url":"a","fetched_at":"b","withheld":"c"`, `{"url":"a","fetched_at":"b"},{}`,
		`{"url":"a\u0020","fetched_at":"b"}`, `{"fetched_at":"b","url":"a"}`, `{"url":"a","fetched_at":"b",}`, `{"url":"a","fetched_at":"b"}{}`, `{"url":"a"}`, `[]`, `{"url":"a","fetched_at":"b"}}`,
	} {
		f.Add([]byte(text + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		type rest struct{ Withheld string }
		var got, want permissionLine
		if !got.ReadJSON(text) {
			if got != want {
				t.Errorf("%q is not read, but has changed the line", text)
			}
			return
		}
		var g, w rest
		err := json.Unmarshal([]byte(got.object()), &g)
		if failure := errors.Join(want.UnmarshalJSON(text), json.Unmarshal(text, &w)); (err == nil) != (failure == nil) {
			t.Errorf("%q: %v, want %v", text, err, failure)
		} else if err == nil && utf8.Valid(text) && !strings.Contains(strings.ToLower(got.rest), `"url"`) && (g != w || got.URL != want.URL) {
			t.Errorf("%q: %+v %+v, want %+v %+v", text, got, g, want, w)
		}
	})
}

func TestReportDoesNotReadMapsOfPages(t *testing.T) {
	page := output.Page{URL: "http://example.com/", Title: "Tea", Fields: map[string]any{"a": "b"}, Headers: map[string]string{"etag": "1"}}
	text, err := json.Marshal(page)
	if err != nil {
		t.Fatal(err)
	}
	var got pageLine
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(output.Page{URL: page.URL, Title: page.Title}, got.Page); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
