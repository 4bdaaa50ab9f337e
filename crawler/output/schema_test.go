package output

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// schemaFields returns the names in the first table of a section of SCHEMA.md, in order, and
// those that it calls optional.
func schemaFields(t *testing.T, section string) (names, optional []string) {
	t.Helper()
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	if !found {
		t.Fatalf("SCHEMA.md has no section %q", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	_, table, _ := strings.Cut(rest, "\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [a-z ]+ \\| (optional)?").FindAllStringSubmatch(table, -1) {
		names = append(names, row[1])
		if row[2] != "" {
			optional = append(optional, row[1])
		}
	}
	return names, optional
}

// TestSchema: SCHEMA.md has every field of every line, in order, and calls those optional that a
// line without values omits. The values are written without field names, so that a new field must
// be added here.
func TestSchema(t *testing.T) {
	now := time.Unix(1e9, 0)
	lines := map[string]any{
		"pages.jsonl": Page{
			"u", 200, "t", 1, "v", "link", "l", "text/html", 1, 1, "c", []Directive{{"noindex", "h"}}, "noindex",
			now, 1, 1, "h", true, "d", map[string]any{"x": "y"}, "t", 1, []string{"max-links"},
			"h", "d", "l", 1, []Hreflang{{"l", "u"}}, map[string]string{"x": "y"}, []string{"u"}, 2, "utf-8", "m", 3, true,
		},
		"rejected.jsonl": Rejection{"u", Disallowed, "r", 1, "r", "*", 1, "v", "link", "d", netip.AddrFrom4([4]byte{10}), now, true},
		"links.jsonl":    Links{"u", []Link{{"v", "t", "r", "a"}}, []Link{{"w", "", "", "img"}}},
		"sitemaps.jsonl": Sitemap{"u", 200, "h", "v", 1, 1, 1, "d", now, Failed},
		"entries.jsonl":  Entry{"u", "s", now},
		"checks.jsonl":   Check{"u", CheckOK, "a", "v", 200, "l", Failed, "d", "text/html", 1, "noindex", "c", []Hreflang{{"l", "u"}}, now, 1},
		"anchors.jsonl":  Anchors{"u", []string{"i"}, []string{"u#i"}},

		"permissions.jsonl": Permission{"u", now, "h", "h", usage.Verdicts{usage.TDM: {Value: usage.Allowed, Statement: 1}}, []usage.Statement{{}}, "w", "p"},
	}
	for list := range reflect.TypeFor[Results]().Fields() {
		line, ok := reflect.TypeAssert[interface{ file() string }](reflect.Zero(list.Type.Elem()))
		if ok && lines[line.file()] == nil {
			t.Errorf("no line of %s is compared with SCHEMA.md", line.file())
		}
	}
	for file, line := range lines {
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		var written map[string]json.RawMessage
		if err := json.Unmarshal(text, &written); err != nil {
			t.Fatal(err)
		}
		// Names are not nested in these values under names of their own line.
		names := slices.SortedFunc(maps.Keys(written), func(a, b string) int {
			return bytes.Index(text, []byte(`"`+a+`":`)) - bytes.Index(text, []byte(`"`+b+`":`))
		})
		described, optional := schemaFields(t, file)
		if diff := cmp.Diff(names, described); diff != "" {
			t.Errorf("%s (-written +described):\n%s", file, diff)
		}
		if text, err = json.Marshal(reflect.Zero(reflect.TypeOf(line)).Interface()); err != nil {
			t.Fatal(err)
		}
		var empty map[string]json.RawMessage
		if err := json.Unmarshal(text, &empty); err != nil {
			t.Fatal(err)
		}
		omitted := slices.DeleteFunc(names, func(name string) bool { return empty[name] != nil })
		if diff := cmp.Diff(omitted, optional, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: optional fields (-omitted +described):\n%s", file, diff)
		}
	}
}

// TestSchemaReasons: SCHEMA.md has every reason.
func TestSchemaReasons(t *testing.T) {
	text, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("output.go")
	if err != nil {
		t.Fatal(err)
	}
	reasons := regexp.MustCompile(`(?m)^\t\w+ +Reason = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(reasons) < 12 {
		t.Errorf("only %d reasons", len(reasons))
	}
	for _, reason := range reasons {
		if !strings.Contains(string(text), "\n| `"+reason[1]+"` | ") {
			t.Errorf("SCHEMA.md has no reason %q", reason[1])
		}
	}
}

func TestFileNames(t *testing.T) {
	long := "http://" + strings.Repeat("a", 250)
	seen := make(map[string]string)
	for _, origin := range []string{
		"http://a", "https://a", "http://a:80", "http://a_80", "http://[::1]", "http://[::1]:80", long, long + "b", long + ":80",
	} {
		name := fileName(origin)
		if other, ok := seen[name]; ok || len(name) > 200 || strings.ContainsAny(name, `/\:*?"<>|`) {
			t.Errorf("%s is %s (also of %q)", origin, name, other)
		}
		seen[name] = origin
	}
}
