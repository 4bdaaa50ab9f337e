package settings

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// keyLines finds the line of each key in a configuration file that is known to be
// well written. A key that stands where people do not write it, as in a YAML file
// that is all in braces, is not found.
func keyLines(kind string, text []byte) map[string]int {
	switch kind {
	case "json":
		return jsonKeyLines(text)
	case "toml":
		return matchedLines(text, tomlKey)
	}
	return matchedLines(text, yamlKey)
}

var (
	yamlKey = regexp.MustCompile(`^["']?([\w-]+)["']?\s*:(?:\s|$)`) // what is indented belongs to a key above
	tomlKey = regexp.MustCompile(`^\s*\[*["']?([\w-]+)["']?\s*[].=]`)
)

// matchedLines returns the first line that has each key.
func matchedLines(text []byte, key *regexp.Regexp) map[string]int {
	lines := map[string]int{}
	number, quoted := 0, ""
	for line := range bytes.Lines(text) {
		number++
		inside := quoted != ""
		for _, mark := range []string{`"""`, "'''"} { // texts of TOML that go over lines
			switch odd := bytes.Count(line, []byte(mark))%2 == 1; {
			case odd && quoted == "":
				quoted = mark
			case odd && quoted == mark:
				quoted = ""
			}
		}
		if m := key.FindSubmatch(bytes.TrimPrefix(line, []byte("\ufeff"))); m != nil && !inside {
			name := strings.ToLower(string(m[1]))
			if lines[name] == 0 {
				lines[name] = number
			}
		}
	}
	return lines
}

// jsonKeyLines returns the lines of the keys of an object.
func jsonKeyLines(text []byte) map[string]int {
	lines := map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil { // the brace
		return lines
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		at := dec.InputOffset()
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			break
		}
		lines[strings.ToLower(name)] = 1 + bytes.Count(text[:at], []byte("\n"))
	}
	return lines
}
