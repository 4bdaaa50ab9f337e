package settings

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKeyLines holds where keys are found in the files that people write.
func TestKeyLines(t *testing.T) {
	for _, tt := range []struct {
		name, kind, text string
		want             map[string]int
	}{
		{"YAML", "yaml", "# workers: 1\n\nworkers: 3\nurls:\n  - http://h/\n  - delay: 3\nDelay : 2s\n'per-host': 1\n", map[string]int{"workers": 3, "urls": 4, "delay": 7, "per-host": 8}},
		{"YAML with a byte order mark and CR LF", "yml", "\ufeffworkers: 3\r\ndelay:\r\n", map[string]int{"workers": 1, "delay": 2}},
		{"YAML in braces", "yaml", "{workers: 3,\n delay: 2s}", map[string]int{"workers": 1, "delay": 2}},
		{"YAML, a URL at the edge", "yaml", "http://h/\n", map[string]int{}},
		{"TOML", "toml", "# workers = 1\nworkers = 3\n\"per-host\" = 1\nuser-agent = \"\"\"a\ndelay = 3\n\"\"\"\ndelay = \"2s\"\n[crawl]\nscope = 1\n", map[string]int{"workers": 2, "per-host": 3, "user-agent": 4, "delay": 7, "crawl": 8, "scope": 9}},
		{"TOML, a key with a dot", "toml", "crawl.workers = 3\n[[list]]\n", map[string]int{"crawl": 1, "list": 2}},
		{"JSON", "json", "{\n \"workers\": 3, \"Delay\":\n \"2s\",\n \"urls\": [{\"scope\": 1}]\n}", map[string]int{"workers": 2, "delay": 2, "urls": 4}},
		{"JSON with tabs", "json", "{\n\t\"workers\": 3,\n\t\"delay\":\t\"\\u00e9\\/\",\n}", map[string]int{"workers": 2, "delay": 3}},
		{"JSON that is none", "json", "{\"workers\": 3, ", map[string]int{}},
		{"nothing", "json", "", map[string]int{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, keyLines(tt.kind, []byte(tt.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// yamlLineEnd matches the line ends that YAML 1.1 knows.
var yamlLineEnd = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

func FuzzKeyLines(f *testing.F) {
	for i, text := range []string{"workers: 3\n", "a = \"\"\"\nb = 1", "{\"a\": [1]\n, \"B\": {}}", "\ufeff'a': 1", "[[a]]", "{", "{\r0}"} {
		f.Add(i%len(configKinds), []byte(text))
	}
	f.Fuzz(func(t *testing.T, kind int, text []byte) {
		name := configKinds[uint(kind)%uint(len(configKinds))]
		lines := keyLines(name, text)
		if name != "toml" { // YAML knows other line ends too
			text = yamlLineEnd.ReplaceAll(text, []byte("\n"))
		}
		all := slices.Collect(bytes.Lines(text))
		for key, line := range lines {
			if line < 1 || line > len(all) {
				t.Fatalf("%q is in line %d of %d", key, line, len(all))
			}
			if name == "toml" && !strings.Contains(strings.ToLower(string(all[line-1])), key) {
				t.Errorf("%q is not in line %d, %q", key, line, all[line-1])
			}
		}
	})
}
