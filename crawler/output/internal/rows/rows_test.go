package rows

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestListsAndObjectsAreJSON(t *testing.T) {
	for _, tt := range []struct {
		page output.Page
		want []JSON
	}{
		{output.Page{}, make([]JSON, 6)},
		{output.Page{Directives: []output.Directive{}, Fields: map[string]any{}}, make([]JSON, 6)},
		{
			output.Page{
				Directives:    []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}},
				Fields:        map[string]any{"price": "3 <4> & \x00\xff\n", "tags": []string{"a", "b"}},
				LimitsReached: []string{"max-body", "max-links"},
				Hreflang:      []output.Hreflang{{Lang: "de", URL: "http://a.test/de"}},
				Headers:       map[string]string{"server": "s", "etag": "1"},
				Redirects:     []string{"http://a.test/r"},
			},
			[]JSON{
				`[{"rule":"noindex","source":"1st robots meta element"}]`,
				`{"price":"3 <4> & \u0000\ufffd\n","tags":["a","b"]}`,
				`["max-body","max-links"]`,
				`[{"lang":"de","url":"http://a.test/de"}]`,
				`{"etag":"1","server":"s"}`,
				`["http://a.test/r"]`,
			},
		},
	} {
		var got []JSON
		err := Write(&output.Results{Pages: []*output.Page{&tt.page}}, func(_ Table, cells ...any) error {
			for _, cell := range cells {
				if text, ok := cell.(JSON); ok {
					got = append(got, text)
				}
			}
			return nil
		})
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q, %v, want %q", got, err, tt.want)
		}
	}
	err := Write(&output.Results{Pages: []*output.Page{{Fields: map[string]any{"x": func() {}}}}}, func(Table, ...any) error { return nil })
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("a field that is no value: %v", err)
	}
}
