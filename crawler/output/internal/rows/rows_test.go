package rows

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// cells collects the JSON of a row.
type cells struct {
	Row // nil: nothing else is asked for

	json []string
}

func (c *cells) Text(string)       {}
func (c *cells) Optional(string)   {}
func (c *cells) JSON(text string)  { c.json = append(c.json, text) }
func (c *cells) Int(int64)         {}
func (c *cells) Bool(bool)         {}
func (c *cells) Time(time.Time)    {}
func (c *cells) End(_ Table) error { return nil }

func TestListsAndObjectsAreJSON(t *testing.T) {
	for _, tt := range []struct {
		page output.Page
		want []string
	}{
		{output.Page{}, []string{"", "", "", ""}},
		{output.Page{Directives: []output.Directive{}, Usage: map[string]bool{}, Fields: map[string]any{}}, []string{"", "", "", ""}},
		{
			output.Page{
				Directives: []output.Directive{{Rule: "noindex", Source: "meta line 1"}},
				Usage:      map[string]bool{"train-ai": false, "search": true},
				Fields:     map[string]any{"price": "3 <4> & \x00\xff\n", "tags": []string{"a", "b"}},
				CutBy:      []string{"max-body", "max-links"},
			},
			[]string{
				`[{"rule":"noindex","source":"meta line 1"}]`,
				`{"search":true,"train-ai":false}`,
				`{"price":"3 <4> & \u0000\ufffd\n","tags":["a","b"]}`,
				`["max-body","max-links"]`,
			},
		},
	} {
		var got cells
		if err := Write(&output.Found{Pages: []*output.Page{&tt.page}}, &got); err != nil || !slices.Equal(got.json, tt.want) {
			t.Errorf("%q, %v, want %q", got.json, err, tt.want)
		}
	}
	err := Write(&output.Found{Pages: []*output.Page{{Fields: map[string]any{"x": func() {}}}}}, new(cells))
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); !ok {
		t.Errorf("a field that is no value: %v", err)
	}
}
