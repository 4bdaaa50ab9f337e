package settings

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keyLines finds the line of each key in a configuration file that is known to be
// well written.
func keyLines(kind string, text []byte) map[string]int {
	if kind == "toml" {
		return tomlKeyLines(text)
	}
	lines := map[string]int{}
	if kind == "json" { // which is YAML too, but for this escape
		text = bytes.ReplaceAll(text, []byte(`\/`), []byte("/"))
	}
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.Content) == 0 || file.Content[0].Kind != yaml.MappingNode {
		return lines
	}
	for i, node := range file.Content[0].Content {
		if i%2 == 0 { // a key, before its value
			lines[strings.ToLower(node.Value)] = node.Line
		}
	}
	return lines
}

var tomlKey = regexp.MustCompile(`^\s*\[*["']?([\w-]+)["']?\s*[].=]`)

// tomlKeyLines returns the first line that has each key. The library for TOML has lines
// only in a package that it calls unstable.
func tomlKeyLines(text []byte) map[string]int {
	lines := map[string]int{}
	number, quoted := 0, ""
	for line := range bytes.Lines(text) {
		number++
		inside := quoted != ""
		for _, mark := range []string{`"""`, "'''"} { // texts that go over lines
			switch odd := bytes.Count(line, []byte(mark))%2 == 1; {
			case odd && quoted == "":
				quoted = mark
			case odd && quoted == mark:
				quoted = ""
			}
		}
		if m := tomlKey.FindSubmatch(line); m != nil && !inside {
			name := strings.ToLower(string(m[1]))
			if lines[name] == 0 {
				lines[name] = number
			}
		}
	}
	return lines
}
