package compare_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/compare"
)

// TestSchema: SCHEMA.md names the fields of a comparison, and has a ? after the names of those
// that are omitted when they have no value.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[compare.Comparison](), reflect.TypeFor[compare.Side](), reflect.TypeFor[compare.FindingChanges](), reflect.TypeFor[compare.NotCompared]()} {
		for field := range of.Fields() {
			name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || !field.IsExported() {
				continue // SCHEMA.md of package report has it
			}
			optional := strings.Contains(string(text), "`"+name+"`?")
			if !strings.Contains(string(text), "`"+name+"`") || optional != strings.HasPrefix(rest, "omit") {
				t.Errorf("SCHEMA.md does not name %q, or is wrong about when it is omitted", name)
			}
		}
	}
}
