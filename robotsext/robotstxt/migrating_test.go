package robotstxt_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	temoto "github.com/temoto/robotstxt"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// The functions below are the blocks of Go in MIGRATING.md.

func checkName() error {
	body := []byte("User-agent: FooBot\nDisallow: /private/\n")
	v := robotstxt.Parse(body, nil).Check("https://example.com/private/", "FooBot/1.0")
	if v.Err != nil {
		return v.Err // no crawler can have this name
	}
	fmt.Println(v.Allowed, v.Rule) // false Disallow: /private/
	return nil
}

// fromResponse returns the rules of a response to GET /robots.txt. After an error, request no
// page, and fetch robots.txt again later.
func fromResponse(res *http.Response) (*robotstxt.File, error) {
	switch code := res.StatusCode; {
	case 200 <= code && code <= 299 && code != http.StatusPartialContent:
		// With one byte more than the limit, Parse sees that the file is too long.
		body, err := io.ReadAll(io.LimitReader(res.Body, robotstxt.DefaultMaxBytes+1))
		if err != nil {
			return nil, err
		}
		return robotstxt.Parse(body, nil), nil
	case 400 <= code && code <= 499 && code != http.StatusTooManyRequests:
		return robotstxt.Parse(nil, nil), nil // no file: everything is allowed
	}
	return nil, fmt.Errorf("robots.txt is unreachable: %s", res.Status)
}

func Example_migrating() {
	if err := checkName(); err != nil {
		fmt.Println(err)
	}
	// Output: false Disallow: /private/
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMigratingCode holds that the code in MIGRATING.md is that of this file.
func TestMigratingCode(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readPage(t, "MIGRATING.md"), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of code, want 2", len(blocks))
	}
	source := readPage(t, "migrating_test.go")
	for _, block := range blocks {
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block[1], "\n"), "\n", "\n\t") + "\n"
		if !strings.Contains(source, block[1]) && !strings.Contains(source, indented) {
			t.Errorf("not in migrating_test.go:\n%s", block[1])
		}
	}
}

// TestMigratingVerdicts checks each row of the table of verdicts with both parsers.
func TestMigratingVerdicts(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| (.*) \\| `(.*⏎.*)` \\| `(.*)` \\| `(/.*)` \\| (\\w+) \\| (\\w+) \\|$").FindAllStringSubmatch(readPage(t, "MIGRATING.md"), -1)
	if len(rows) < 12 {
		t.Fatalf("only %d rows", len(rows))
	}
	word := map[bool]string{true: "allowed", false: "disallowed"}
	for _, row := range rows {
		body, crawler, path := []byte(strings.ReplaceAll(row[2], "⏎", "\n")), row[3], row[4]
		theirs := "error"
		if data, err := temoto.FromBytes(body); err == nil {
			theirs = word[data.TestAgent(path, crawler)]
		}
		v := robotstxt.Parse(body, nil).Check(path, crawler)
		if v.Err != nil || theirs != row[5] || word[v.Allowed] != row[6] {
			t.Errorf("%s: got %s and %s, %v", row[1], theirs, word[v.Allowed], v.Err)
		}
	}
}

// TestMigratingResponses compares FromResponse and its replacement.
func TestMigratingResponses(t *testing.T) {
	word := func(allowed bool, err error) string {
		if err != nil {
			return "error"
		}
		return map[bool]string{true: "allowed", false: "disallowed"}[allowed]
	}
	for code, want := range map[int]string{
		200: "disallowed disallowed", 206: "disallowed error", 301: "error error", 304: "error error", 403: "allowed allowed",
		404: "allowed allowed", 429: "allowed error", 500: "disallowed error", 503: "disallowed error",
	} {
		response := func() *http.Response {
			w := httptest.NewRecorder()
			w.WriteHeader(code)
			_, _ = w.WriteString("User-agent: *\nDisallow: /\n")
			return w.Result()
		}
		data, err := temoto.FromResponse(response())
		theirs := word(data != nil && data.TestAgent("/a", "FooBot"), err)
		var v robotstxt.Verdict
		f, err := fromResponse(response())
		if err == nil {
			v = f.Check("/a", "FooBot")
		}
		if got := theirs + " " + word(v.Allowed, err); got != want {
			t.Errorf("%d: got %s, want %s", code, got, want)
		}
	}
}
