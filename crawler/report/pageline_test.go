package report

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestLinesOfPagesAreReadWithoutEncodingJSON(t *testing.T) {
	page := output.Page{URL: "http://example.com/?a=1&b", Status: 200, Title: "Tea é", FoundOn: "http://example.com/", Source: "link", ContentType: "text/html", Bytes: 20_000, FetchedAt: day, DurationMS: 7, Attempt: 1}
	with := func(change func(p *output.Page)) output.Page {
		p := page
		change(&p)
		return p
	}
	for name, test := range map[string]struct {
		page output.Page
		read bool
	}{
		"few values":     {page, true},
		"a start URL":    {with(func(p *output.Page) { p.FoundOn = "" }), true},
		"a redirect":     {with(func(p *output.Page) { p.Status, p.Location = 301, "/b" }), true},
		"a canonical":    {with(func(p *output.Page) { p.Canonical, p.Hash = "http://example.com/b", "00ff" }), true},
		"facts":          {with(func(p *output.Page) { p.H1, p.Description, p.Lang, p.Words = "a", "b", "de", 12 }), true},
		"headers":        {with(func(p *output.Page) { p.Headers = map[string]string{"etag": `"\1"`, "server": "s"} }), true},
		"two languages":  {with(func(p *output.Page) { p.Hreflang = []output.Hreflang{{Lang: "de", URL: "http://a/"}, {Lang: "fr"}} }), true},
		"quotes":         {with(func(p *output.Page) { p.Title = `"Tea"` }), false},
		"quotes and tag": {with(func(p *output.Page) { p.Description, p.Headers = `"`, map[string]string{"etag": `"1"`} }), false},
		"a line feed":    {with(func(p *output.Page) { p.Headers = map[string]string{"etag": "\n"} }), false},
		"fields":         {with(func(p *output.Page) { p.Fields = map[string]any{"a": "b"} }), false},
		"a directive":    {with(func(p *output.Page) { p.Directives = []output.Directive{{Rule: "noindex"}} }), false},
		"redirects":      {with(func(p *output.Page) { p.Redirects = []string{"http://a/"} }), false},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := jsonlines.Line(nil, &test.page)
			if err != nil {
				t.Fatal(err)
			}
			var want, got pageLine
			if got.ReadJSON(text) != test.read {
				t.Fatalf("read is %t: %s", !test.read, text)
			}
			if !test.read {
				return
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzPageLine: what ReadJSON accepts, encoding/json reads in the same way.
func FuzzPageLine(f *testing.F) {
	const begin = `{"url":"a","status":200,"title":"","depth":0,"found_on":"b","source":"link"`
	const middle = `,"content_type":"","bytes":1,"links":2,"fetched_at":"2026-01-31T12:00:00.5Z","duration_ms":3,"attempt":1`
	for _, text := range []string{
		begin + middle + `}`, begin + `,"location":"c"` + middle + `,"hash":"00","h1":"a","description":"b","lang":"c","words":4}`,
		begin + middle + `,"hreflang":[{"lang":"de","url":"x"},{"lang":"fr","url":""}]}`, begin + middle + `,"hreflang":[]}`, begin + middle + `,"hreflang":[{"lang":"de"}]}`,
		begin + middle + `,"headers":{"etag":"\"1\\","server":"x"}}`, begin + middle + `,"headers":{"etag":"\q"}}`, begin + middle + `,"headers":{"a":"b",}}`,
		begin + middle + `,"headers":{,"a":"b"}}`, begin + middle + `,"headers":{"a" "b"}}`, begin + middle + `,"words":01}`, begin + middle + `,"words":-1}`,
		begin + middle + `,"words":99999999999999999999}`, begin + middle + `} `, begin + `}`, begin + middle + `,"hreflang":[{"lang":"de","url":"x"}`, begin + `,"location":"\""` + middle + `}`,
	} {
		f.Add([]byte(text + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want, got pageLine
		if !got.ReadJSON(text) {
			if diff := cmp.Diff(pageLine{}, got); diff != "" {
				t.Errorf("%q is not read, but has changed the line:\n%s", text, diff)
			}
			return
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" && utf8.Valid(text) {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
