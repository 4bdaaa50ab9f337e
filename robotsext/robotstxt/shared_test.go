package robotstxt

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// shared is where the conformance cases and real files are: beside the
// repository, not in it.
const shared = "../../../shared"

// sharedFile reads one of them. A machine that has to have them says so by the
// variable CI; on others the tests that need them are skipped.
func sharedFile(t testing.TB, name ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{shared}, name...)...))
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("the conformance cases are not on this machine: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sharedCases calls each with every line of a file of cases, decoded.
func sharedCases[T any](t testing.TB, name string, each func(c T)) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(sharedFile(t, "robots-cases", name)))
	lines.Buffer(nil, 64<<20)
	var all [][]byte
	for lines.Scan() {
		switch line := bytes.Clone(lines.Bytes()); {
		case len(line) == 0:
		case line[0] != '{' && len(all) > 0: // a line separator within a string has become a line end
			all[len(all)-1] = append(append(all[len(all)-1], "\u2028"...), line...)
		default:
			all = append(all, line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatalf("%s: no cases", name)
	}
	for i, line := range all {
		var c T
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: case %d: %v", name, i, err)
		}
		each(c)
	}
}

// base64Body is a robots.txt file as the cases hold it.
type base64Body []byte

func (b *base64Body) UnmarshalText(text []byte) error {
	body, err := base64.StdEncoding.DecodeString(string(text))
	*b = body
	return err
}

// sharedVerdict is what Google's parser, or the source named in the case, says.
type sharedVerdict struct {
	name    string
	body    []byte
	agents  []string
	url     string
	allowed bool
	line    int  // the matching line; 0 if none, -1 if unknown
	strict  bool // agent and URL are in the form that the parser expects
}

// sharedVerdicts calls each with all verdicts of the named sets.
func sharedVerdicts(t testing.TB, each func(v sharedVerdict), sets ...string) {
	t.Helper()
	for _, set := range sets {
		switch set {
		case "fuzz":
			fuzzVerdicts(t, each)
		case "corpus":
			corpusVerdicts(t, each)
		default:
			sharedCases(t, set+".jsonl", func(c struct {
				ID      string
				Body    base64Body `json:"robots_b64"`
				Agents  []string
				URL     string
				Allowed bool
				Strict  bool
			}) {
				each(sharedVerdict{c.ID, c.Body, c.Agents, c.URL, c.Allowed, -1, c.Strict})
			})
		}
	}
}

func fuzzVerdicts(t testing.TB, each func(v sharedVerdict)) {
	sharedCases(t, "fuzz.jsonl", func(c struct {
		ID    string
		Body  base64Body `json:"robots_b64"`
		Cases [][]any
	}) {
		for i, row := range c.Cases {
			v := sharedVerdict{name: fmt.Sprintf("%s#%d", c.ID, i), body: c.Body}
			v.agents, v.url = []string{row[0].(string)}, row[1].(string)
			v.allowed, v.line, v.strict = row[2].(float64) == 1, int(row[3].(float64)), row[4].(float64) == 1
			each(v)
		}
	})
}

func corpusVerdicts(t testing.TB, each func(v sharedVerdict)) {
	sharedCases(t, "corpus.jsonl", func(c struct {
		Ref     string
		Agents  []string
		URLs    []string
		Allowed []string
		Strict  []int
	}) {
		body := sharedFile(t, "robots-corpus", c.Ref)
		for i, agent := range c.Agents {
			for j, url := range c.URLs {
				each(sharedVerdict{c.Ref, body, []string{agent}, url, c.Allowed[i][j] == '1', -1, c.Strict[j] == 1})
			}
		}
	})
}

// parsed keeps the last file, since cases of one file follow each other.
type parsed struct {
	body []byte
	file *File
}

func (p *parsed) parse(body []byte, d decision) *File {
	if p.file == nil || !bytes.Equal(p.body, body) {
		opts := &Options{}
		if d == allGoogle {
			opts.GoogleParser = true
			p.file = Parse(body, opts)
		} else {
			p.file = parse(body, *opts, d)
		}
		p.body = body
	}
	return p.file
}
