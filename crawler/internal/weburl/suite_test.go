package weburl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// suiteCase is a case of urltestdata.json of web-platform-tests.
type suiteCase struct {
	Input, Href string
	Base        *string
}

// readSuite reads the cases, which lie beside the repository. It leaves out the comments.
func readSuite(t *testing.T) (cases []suiteCase) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "web-suites", "urltestdata.json"))
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the test data are missing: ../shared/web-suites")
		}
		t.Skip("the test data are not here: ../shared/web-suites")
	}
	var all []json.RawMessage
	must(t, json.Unmarshal(body, &all))
	for _, raw := range all {
		var c suiteCase
		if raw[0] == '"' {
			continue
		}
		must(t, json.Unmarshal(raw, &c))
		cases = append(cases, c)
	}
	return cases
}

// webResult returns the expected URL as this package has it: without fragment and user. It is
// empty for a failure and for other schemes.
func (c suiteCase) webResult() string {
	scheme, rest, _ := strings.Cut(c.Href, "://")
	if scheme != "http" && scheme != "https" {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + authority[strings.LastIndexByte(authority, '@')+1:] + "/" + path
}

// suiteExceptions are the inputs of urltestdata.json that this package reads otherwise than browsers, and its
// result.
var suiteExceptions = map[string]struct{ want, why string }{
	"http://f:0/c":                             {"", "no server has port 0"},
	"http://f:00000000000000/c":                {"", "no server has port 0"},
	"http://./":                                {"", "no name in DNS"},
	"http://../":                               {"", "no name in DNS"},
	"http://foo.09..":                          {"", "no name in DNS: an empty label"},
	"http://!\"$&'()*+,-.;=_`{}~/":             {"", "no name in DNS"},
	"http://example.com/foo/%2e%2":             {"http://example.com/foo/%2e%252", "net/url cannot carry a stray %"},
	"http://example.com/foo%":                  {"http://example.com/foo%25", "net/url cannot carry a stray %"},
	"http://example.com/foo%2":                 {"http://example.com/foo%252", "net/url cannot carry a stray %"},
	"http://example.com/foo%2zbar":             {"http://example.com/foo%252zbar", "net/url cannot carry a stray %"},
	"http://example.com/foo%2\u00c2\u00a9zbar": {"http://example.com/foo%252%C3%82%C2%A9zbar", "net/url cannot carry a stray %"},
}

// TestWebPlatformURLs holds both ways to resolve against the cases of browsers. What is no http or
// https URL there is an error here.
func TestWebPlatformURLs(t *testing.T) {
	met := map[string]bool{}
	for _, c := range readSuite(t) {
		base, want := "", c.webResult()
		if c.Base != nil {
			base = *c.Base
		}
		exception, excepted := suiteExceptions[c.Input]
		if excepted {
			if met[c.Input] = true; want == exception.want {
				t.Errorf("%q is no exception: %s", c.Input, exception.why)
			}
			want = exception.want
		}
		got, err := Resolve(base, c.Input)
		if got.Canonical != want || (err == nil) != (want != "") {
			t.Errorf("%q in %q: %q, %v; want %q", c.Input, base, got.Canonical, err, want)
		}
		document := "https://document.test/"
		switch {
		case base == "" && want == "":
			continue // it may be valid in a document
		case base == "" && strings.HasPrefix(want, "https:"):
			document = "http://document.test/" // since https:x is relative in the other one
		case base != "":
			known, err := Parse(base)
			if err != nil {
				continue // documents have http and https URLs
			}
			document = known.Canonical
		}
		r, err := NewResolver(document, nil)
		must(t, err)
		if got, err := r.Resolve(c.Input); got != want || (err == nil) != (want != "") {
			t.Errorf("%q in a document at %q: %q, %v; want %q", c.Input, base, got, err, want)
		}
	}
	if len(met) != len(suiteExceptions) {
		t.Errorf("%d of %d exceptions are in the cases", len(met), len(suiteExceptions))
	}
}
