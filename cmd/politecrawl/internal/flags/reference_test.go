package flags

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/politecrawl/politecrawl/crawler"
)

var update = flag.Bool("update", false, "write configs/crawl.yaml anew from the table")

// TestReferenceIsThatOfTheTable holds that configs/crawl.yaml has every key, in the order of the table,
// below the heading of its group, with its default. -update writes the file, and keeps the explanation
// above a key; a new key gets its usage.
func TestReferenceIsThatOfTheTable(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "configs", "crawl.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := reference(t, string(text))
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := gocmp.Diff(want, string(text)); diff != "" && !*update {
		t.Errorf("configs/crawl.yaml differs from the table; run the test with -update (-want +got):\n%s", diff)
	}
}

// A new key is written with its usage, and one that is no key any more goes.
func TestReferenceOfANewKey(t *testing.T) {
	text := reference(t, "# Every key.\n\n# Gone.\ngone: 1\n\n# How long to wait.\ndelay: 3s\n")
	for _, part := range []string{"# Every key.\n\n#### Input\n\n# Start URLs.\nurls: []\n", "\n\n# How long to wait.\ndelay: 1s\n\n", "\n\n# Read at most N bytes of a page.\nmax-body: 10485760\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
	if strings.Contains(text, "gone") {
		t.Error("the key that is gone is there")
	}
}

// reference returns the text of configs/crawl.yaml, with the explanations of its present text.
func reference(t *testing.T, before string) string {
	t.Helper()
	head, _, _ := strings.Cut(before, "\n\n")
	explained := map[string]string{} // by key
	for _, m := range regexp.MustCompile(`((?:\n# ?.*)+)\n([\w-]+):`).FindAllStringSubmatch(before, -1) {
		explained[m[2]] = strings.TrimPrefix(m[1], "\n") + "\n"
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	group := ""
	for _, r := range New().Rows() {
		if r.Has(FlagOnly) {
			continue
		}
		if r.Group != group {
			group = r.Group
			b.WriteString("\n#### " + group + "\n")
		}
		_, usage := pflag.UnquoteUsage(r.Flag)
		fmt.Fprintf(&b, "\n%s%s: %s\n", cmp.Or(explained[r.Name], "# "+strings.ToUpper(usage[:1])+usage[1:]+".\n"), r.Name, inYAML(t, r.Flag))
	}
	return b.String()
}

// inYAML returns the default of a flag as a person would write it.
func inYAML(t *testing.T, f *pflag.Flag) string {
	t.Helper()
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return "[" + strings.Join(list.GetSlice(), ", ") + "]"
	}
	value := f.Value.String()
	switch f.Value.Type() {
	case "duration":
		return regexp.MustCompile(`([hm])0[ms](0s)?$`).ReplaceAllString(value, "$1")
	case "string", "text|json|off":
		text, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(text), "\n")
	}
	return value
}

// Each row sets the field of the configuration that has its key.
func TestRowsSetTheFieldOfTheirKey(t *testing.T) {
	values := map[string]string{"duration": "7m0s", "bool": "true", "stringSlice": "a", "stringArray": "a", "string": "a"}
	for i, r := range New().Rows() {
		if r.Has(FlagOnly | ThisRun) {
			continue
		}
		v := New()
		r = v.Rows()[i]
		if r.Flag.Value.String() == "true" {
			values["bool"] = "false"
		} else {
			values["bool"] = "true"
		}
		value := cmp.Or(values[r.Flag.Value.Type()], "7")
		if err := r.Flag.Value.Set(value); err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		var keys []string
		is, was := inJSON(t, v.Config), inJSON(t, crawler.Default())
		for key := range is {
			if string(is[key]) != string(was[key]) {
				keys = append(keys, key)
			}
		}
		if len(keys) != 1 || keys[0] != r.Name {
			t.Errorf("--%s %s sets %q", r.Name, value, keys)
		}
	}
}

func inJSON(t *testing.T, cfg crawler.Config) (values map[string]json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(cfg)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		t.Fatal(err)
	}
	return values
}
