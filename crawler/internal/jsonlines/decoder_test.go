package jsonlines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// anyLine has the kinds of fields that lines have.
type anyLine struct {
	output.Page

	Title  json.RawMessage   `json:"title"` // instead of that of the page
	Nested map[string][]byte `json:"nested"`
	Array  [2]int            `json:"array"`
	Any    any               `json:"any"`
	Float  float64           `json:"float"`
	Small  int8              `json:"small"`
	Number uint16
	Next   *anyLine
}

// lines are texts that decoders may read in different ways.
var lines = []string{
	`{"url":"a","status":200,"fetched_at":"2026-01-02T03:04:05.678Z","directives":[{"rule":"noindex","source":"meta"}],"fields":{"a":["b",1]},"headers":{"etag":"1"},"redirects":["b"]}`,
	`{"URL":"a","Found_On":"b","foundon":"c"}`, `{"foundon":"c"}`, `{"found-on":"d"}`, `{"url":"a","url":"b"}`, `{"url":"a","URL":"b"}`, `{"fields":{"a":1,"a":2},"fields":{"b":1}}`, `{"ſtatus":1,"K":2}`,
	`{"directives":[{"rule":"a"}],"directives":[{"source":"b"}]}`, `{"url":null,"status":null,"fetched_at":null,"fields":null,"headers":{"a":null},"redirects":[null]}`,
	`{"status":1.0}`, `{"status":1e2}`, `{"status":-0}`, `{"status":99999999999999999999}`, `{"status":"1"}`, `{"small":128}`, `{"float":1e999}`, `{"number":-1}`, `{"bytes":01}`,
	`{"fetched_at":"2026-01-02"}`, `{"fetched_at":"2026-01-02T03:04:05,6Z"}`, `{"fetched_at":1}`, `{"url":"\ud800"}`, `{"url":"\u0000\/\uD83D\uDE00"}`, "{\"url\":\"\x01\"}", `{"\u0075rl":"a"}`,
	`{"nested":{"a":"YQ==","b":"YQ\n=="}}`, `{"array":[1]}`, `{"array":[1,2,3]}`, `{"any":{"a":{"a":1,"a":2}}}`, `{"title":  [1, 2] }`, `{"next":{"url":"a","next":null}}`,
	`{"addr":"1.2.3.4"}`, `{"addr":""}`, `{"addr":"1.2.3"}`, `{"purposes":{"search":{"value":"allowed"}},"statements":[{"kind":"a","values":{"search":"disallowed"}}]}`,
	`{"next":{"url":"a"},"next":{"status":1}}`, `{"next":{"url":"a"},"next":null,"Next":{}}`, `{"array":[1,2],"array":[3]}`, `{"nested":{"a":"YQ=="},"nested":{"a":null,"b":""}}`, `{"headers":{"a":"b"},"headers":{"a":null}}`,
	`{"any":{"a":1},"any":{"b":2}}`, `{"any":1,"any":"a"}`, `{"any":[1,2],"any":[3]}`, `{"redirects":["a","b"],"redirects":["c"],"redirects":["d",null]}`, `{"redirects":["a"],"redirects":null}`, `{"redirects":["a"],"redirects":[]}`,
	`{"title":1,"title":2}`, `{"fetched_at":"2026-01-02T03:04:05Z","fetched_at":null}`, `{"addr":"1.2.3.4","addr":null}`, `{"purposes":{"search":{"value":"allowed"}},"purposes":{"search":{}}}`,
	`{"directives":[{"rule":"a"},{"rule":"b"}],"directives":[{}],"directives":[{"source":"c"},{},{}]}`, `{"to":["a",{"url":"b","url":"c","kind":"a"}],"to":[{"kind":"b"}]}`, `{"status":1,"status":"a"}`, `{"status":"a","status":1}`,
	`null`, `[]`, `"a"`, `1`, ` {} `, `{}{}`, `{"url":"a",}`, `{"url":"a"`, ``, "\xef\xbb\xbf{}", "{\"url\":\"\xff\"}",
}

// Lines are read as encoding/json reads them, with the same errors.
func FuzzDecoder(f *testing.F) {
	for _, line := range lines {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sameAsStd[anyLine](t, text)
		sameAsStd[output.Page](t, text)
		sameAsStd[output.Rejection](t, text)
		sameAsStd[output.Links](t, text)
		sameAsStd[output.Sitemap](t, text)
		sameAsStd[output.Entry](t, text)
		sameAsStd[output.Check](t, text)
		sameAsStd[output.Anchors](t, text)
		sameAsStd[output.Permission](t, text)
		sameAsStd[json.RawMessage](t, text)
	})
}

func sameAsStd[T any](t *testing.T, text []byte) {
	t.Helper()
	got, err := jsonlines.UnmarshalLine[T](text)
	if !utf8.Valid(text) {
		if got != nil || !errors.Is(err, jsonlines.ErrNotUTF8) {
			t.Errorf("%T %q: %v, %v", got, text, got, err)
		}
		return
	}
	var want T
	failed := json.Unmarshal(text, &want)
	if fmt.Sprint(err) != fmt.Sprint(failed) || (got == nil) != (failed != nil) {
		t.Errorf("%T %q: %v, want %v", got, text, err, failed)
	}
	if got == nil {
		return
	}
	if diff := cmp.Diff(&want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("%T %q (-want +got):\n%s", got, text, diff)
	}
}
