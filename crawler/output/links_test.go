package output

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

func TestLinksAsJSON(t *testing.T) {
	for _, tt := range []struct {
		name  string
		links Links
		want  string
	}{
		{"none", Links{URL: "u", To: []Link{}}, `{"url":"u","to":[]}`},
		{"plain", Links{URL: "u", To: []Link{{URL: "a?b&c"}, {URL: "\"\\\n<é"}}}, `{"url":"u","to":["a?b&c","\"\\\n<é"]}`},
		{
			"full", Links{URL: "u", To: []Link{{URL: "a", Text: "<\x01>", Rel: "nofollow", Kind: "a"}, {URL: "b", Kind: "area"}}},
			`{"url":"u","to":[{"url":"a","text":"<\u0001>","rel":"nofollow","kind":"a"},{"url":"b","kind":"area"}]}`,
		},
		{
			"resources", Links{URL: "u", To: []Link{}, Resources: []Link{{URL: "a", Kind: "img"}, {URL: "b", Kind: "css"}}},
			`{"url":"u","to":[],"resources":[{"url":"a","kind":"img"},{"url":"b","kind":"css"}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line, err := jsonlines.Line(nil, &tt.links)
			if string(line) != tt.want+"\n" || err != nil {
				t.Errorf("got  %s, %v\nwant %s", line, err, tt.want)
			}
			var again Links
			if err := json.Unmarshal(line, &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.links, again); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
			var text bytes.Buffer
			encoder := json.NewEncoder(&text)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(tt.links); err != nil || text.String() != string(line) {
				t.Errorf("encoding/json writes %s, %v", text.String(), err)
			}
		})
	}
	for _, text := range []string{`1`, `{"url":1}`, `["a"]`} {
		if err := json.Unmarshal([]byte(text), new(Link)); err == nil {
			t.Errorf("%s is read as a link", text)
		}
	}
}

// FuzzLinks compares the two forms of a link with encoding/json.
func FuzzLinks(f *testing.F) {
	f.Add("http://example.com/", "text", "a")
	f.Add("\xff\u2028<&\"\\", "\x00\x7f", "")
	f.Fuzz(func(t *testing.T, url, text, kind string) {
		want := Links{URL: url, To: []Link{{URL: url, Kind: kind}}}
		if kind != "" {
			want.To[0].Text = text
		}
		var got Links
		if err := json.Unmarshal(want.AppendJSON(nil), &got); err != nil {
			t.Fatal(err)
		}
		valid := func(s string) string { // one character for each invalid byte, as encoding/json
			return strings.Map(func(r rune) rune { return r }, s)
		}
		want.URL = valid(url)
		want.To[0] = Link{URL: valid(url), Text: valid(want.To[0].Text), Kind: valid(kind)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
