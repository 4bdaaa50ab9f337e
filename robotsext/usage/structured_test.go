package usage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"
)

// structuredCase is a case of the official suite for RFC 9651.
type structuredCase struct {
	Name       string
	Raw        []string
	HeaderType string `json:"header_type"`
	Canonical  []string
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

// check compares what is parsed with the canonical form of the suite.
func (c structuredCase) check(t *testing.T) {
	var got httpsfv.StructuredFieldValue
	var err error
	switch c.HeaderType {
	case "dictionary":
		got, err = httpsfv.UnmarshalDictionary(c.Raw)
	case "list":
		got, err = httpsfv.UnmarshalList(c.Raw)
	default:
		got, err = httpsfv.UnmarshalItem(c.Raw)
	}
	if err != nil {
		if !c.MustFail && !c.CanFail {
			t.Errorf("%q: %v", c.Raw, err)
		}
		return
	}
	if c.Canonical == nil {
		c.Canonical = c.Raw
	}
	if text, err := httpsfv.Marshal(got); c.MustFail || err != nil || text != strings.Join(c.Canonical, ", ") {
		t.Errorf("%q is parsed as %q, %v", c.Raw, text, err)
	}
}
