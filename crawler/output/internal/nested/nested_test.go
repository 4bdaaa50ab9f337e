package nested

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		page output.Page
		want Cells
	}{
		{output.Page{}, Cells{}},
		{output.Page{Directives: []output.Directive{}, Usage: map[string]bool{}, Fields: map[string]any{}}, Cells{}},
		{
			output.Page{
				Directives: []output.Directive{{Rule: "noindex", Source: "meta line 1"}},
				Usage:      map[string]bool{"train-ai": false, "search": true},
				Fields:     map[string]any{"price": "3 <4> & \x00\xff\n", "tags": []string{"a", "b"}},
				CutBy:      []string{"max-body", "max-links"},
			},
			Cells{
				`[{"rule":"noindex","source":"meta line 1"}]`,
				`{"search":true,"train-ai":false}`,
				`{"price":"3 <4> & \u0000\ufffd\n","tags":["a","b"]}`,
				`["max-body","max-links"]`,
			},
		},
	} {
		if got, err := Of(&tt.page); err != nil || got != tt.want {
			t.Errorf("%+v, %v, want %+v", got, err, tt.want)
		}
	}
	_, err := Of(&output.Page{Fields: map[string]any{"x": func() {}}})
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("a field that is no value: %v", err)
	}
}
