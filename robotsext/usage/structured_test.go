package usage

import (
	"encoding/base32"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/google/go-cmp/cmp"
)

// structuredCase is a case of the official suite for RFC 9651.
type structuredCase struct {
	Name       string
	Raw        []string
	HeaderType string `json:"header_type"`
	Expected   any
	MustFail   bool `json:"must_fail"`
	CanFail    bool `json:"can_fail"`
}

// TestStructuredFieldsSuite holds the parser of structured fields to every case of the
// official suite. Content-Usage is a dictionary and Robots-Tag a list; both have items.
func TestStructuredFieldsSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "vectors", "structured-fields", "*.json"))
	if err != nil || len(files) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("the test vectors are missing: ../shared/vectors/structured-fields")
		}
		t.Skip("the test vectors are not here: ../shared/vectors/structured-fields")
	}
	count := map[string]int{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []structuredCase
		if err := json.Unmarshal(body, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			count[c.HeaderType]++
			t.Run(filepath.Base(file)+"/"+c.Name, func(t *testing.T) { c.check(t) })
		}
	}
	t.Logf("%d dictionaries, %d lists, %d items", count["dictionary"], count["list"], count["item"])
	for _, kind := range []string{"dictionary", "list", "item"} {
		if count[kind] == 0 {
			t.Errorf("the suite has no case for a %s", kind)
		}
	}
}

func (c structuredCase) check(t *testing.T) {
	var got any
	var err error
	switch c.HeaderType {
	case "dictionary":
		var dict *httpsfv.Dictionary
		dict, err = httpsfv.UnmarshalDictionary(c.Raw)
		if err == nil {
			members := []any{}
			for _, name := range dict.Names() {
				member, _ := dict.Get(name)
				members = append(members, []any{name, plainMember(member)})
			}
			got = members
		}
	case "list":
		var list httpsfv.List
		list, err = httpsfv.UnmarshalList(c.Raw)
		members := []any{}
		for _, member := range list {
			members = append(members, plainMember(member))
		}
		got = members
	default:
		var item httpsfv.Item
		item, err = httpsfv.UnmarshalItem(c.Raw)
		if err == nil {
			got = plainMember(item)
		}
	}
	switch {
	case c.MustFail && err == nil:
		t.Errorf("%q is parsed as %v", c.Raw, got)
	case c.MustFail || err != nil && c.CanFail:
	case err != nil:
		t.Errorf("%q: %v", c.Raw, err)
	default:
		if diff := cmp.Diff(c.Expected, got); diff != "" {
			t.Errorf("%q: %s", c.Raw, diff)
		}
	}
}

// plainMember returns a member as the suite writes it.
func plainMember(member httpsfv.Member) any {
	if list, ok := member.(httpsfv.InnerList); ok {
		items := []any{}
		for _, item := range list.Items {
			items = append(items, plainMember(item))
		}
		return []any{items, plainParams(list.Params)}
	}
	item := member.(httpsfv.Item)
	return []any{plain(item.Value), plainParams(item.Params)}
}

func plainParams(params *httpsfv.Params) any {
	list := []any{}
	for _, name := range params.Names() {
		value, _ := params.Get(name)
		list = append(list, []any{name, plain(value)})
	}
	return list
}

func plain(value any) any {
	typed := func(kind string, value any) any { return map[string]any{"__type": kind, "value": value} }
	switch v := value.(type) {
	case httpsfv.Token:
		return typed("token", string(v))
	case httpsfv.DisplayString:
		return typed("displaystring", string(v))
	case time.Time:
		return typed("date", float64(v.Unix()))
	case []byte:
		return typed("binary", base32.StdEncoding.EncodeToString(v))
	case int64:
		return float64(v)
	default:
		return v // a bool, a string or a float64
	}
}

// TestStructuredFieldsTypes shows that the comparison above can fail.
func TestStructuredFieldsTypes(t *testing.T) {
	item, err := httpsfv.UnmarshalItem([]string{"y;a=1"})
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.NewDecoder(strings.NewReader(`["y", [["a", 1]]]`)).Decode(&want); err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(want, plainMember(item)) {
		t.Error("a token equals a string")
	}
}
