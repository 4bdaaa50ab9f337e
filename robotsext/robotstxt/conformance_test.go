package robotstxt

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

const shared = "../../../shared"

// sharedFile opens a file of the conformance cases, which are kept outside of
// the repository. Where they have to be there their absence is a failure.
func sharedLines(t testing.TB, name string, each func(line []byte)) {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, name))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("the conformance cases are not here: %v", err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	var last []byte
	for s.Scan() {
		switch line := s.Bytes(); {
		case len(line) == 0:
		case line[0] == '{':
			if last != nil {
				each(last)
			}
			last = append([]byte(nil), line...)
		default: // a line separator inside of a string had become a line end
			last = append(append(last, "\u2028"...), line...)
		}
	}
	if last != nil {
		each(last)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

func unbase64(t testing.TB, s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type specCase struct {
	ID      string
	Robots  string `json:"robots_b64"`
	Agents  []string
	URL     string
	Allowed bool
	Strict  bool
}

func TestQuick(t *testing.T) {
	google := &Options{GoogleParser: true}
	for _, name := range []string{"robots-cases/spec.jsonl", "robots-cases/rfc.jsonl", "robots-cases/quirks.jsonl"} {
		n, bad := 0, 0
		sharedLines(t, name, func(line []byte) {
			var c specCase
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			if got := Parse(unbase64(t, c.Robots), google).Check(c.URL, c.Agents...).Allowed; got != c.Allowed {
				bad++
				t.Logf("%s strict %v: %q %q: got %v", c.ID, c.Strict, c.Agents, c.URL, got)
			}
			n++
		})
		t.Log(name, n, bad)
	}
	n, bad := 0, 0
	sharedLines(t, "robots-cases/fuzz.jsonl", func(line []byte) {
		var c struct {
			ID     string
			Robots string `json:"robots_b64"`
			Cases  [][]any
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		f := Parse(unbase64(t, c.Robots), google)
		for _, k := range c.Cases {
			v := f.Check(k[1].(string), k[0].(string))
			line := 0
			if v.Rule != nil {
				line = v.Rule.Line
			}
			n++
			if v.Allowed != (k[2].(float64) == 1) || line != int(k[3].(float64)) {
				bad++
				t.Log(c.ID, k, v.Allowed, line)
			}
		}
	})
	t.Log("fuzz", n, bad)
	n, bad = 0, 0
	sharedLines(t, "robots-cases/corpus.jsonl", func(line []byte) {
		var c struct {
			Ref     string
			Agents  []string
			URLs    []string
			Allowed []string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		body, err := os.ReadFile(filepath.Join(shared, "robots-corpus", c.Ref))
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(body, google)
		for i, a := range c.Agents {
			for j, u := range c.URLs {
				n++
				if f.Check(u, a).Allowed != (c.Allowed[i][j] == '1') {
					bad++
					t.Log(c.Ref, a, u)
				}
			}
		}
	})
	t.Log("corpus", n, bad)
}
