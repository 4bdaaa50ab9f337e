package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantInReadme holds the sample of the demo against what the demo printed. Only
// the time that it took and the directory are its own.
func wantInReadme(t *testing.T, printed string) {
	t.Helper()
	var sample string
	for block := range strings.SplitSeq(readme(t), "```") {
		if text, ok := strings.CutPrefix(block, "text\nfinished after "); ok {
			sample = "finished after " + text
		}
	}
	own := regexp.MustCompile(`(finished after |robots/ in )\S+`)
	if diff := cmp.Diff(own.ReplaceAllString(printed, "$1…"), own.ReplaceAllString(sample, "$1…")); diff != "" {
		t.Errorf("the sample in README.md is not what the demo prints (-demo +README):\n%s", diff)
	}
}

// TestReadmeExplainsReasons holds that each reason of a rejection has its line.
func TestReadmeExplainsReasons(t *testing.T) {
	path := filepath.Join("..", "..", "crawler", "output", "output.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, reasons := readme(t), 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			return true
		}
		reason, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		reasons++
		if !strings.Contains(text, "\n| `"+reason+"` | ") {
			t.Errorf("README.md does not explain %q", reason)
		}
		return false
	})
	if reasons < 10 {
		t.Errorf("only %d reasons were found in %s", reasons, path)
	}
}

// TestReadmeQuotesTheRefusal holds that the error in README.md is the real one.
func TestReadmeQuotesTheRefusal(t *testing.T) {
	site := roundTripper(func(*http.Request) *http.Response {
		answer := httptest.NewRecorder()
		_, _ = answer.WriteString("User-agent: *\nDisallow: /private/\n")
		return answer.Result()
	})
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{Transport: site})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse("https://example.com/private/x")
	if err != nil {
		t.Fatal(err)
	}
	refusal := robots.Check(t.Context(), u)
	if refusal == nil || !strings.Contains(readme(t), "\n"+refusal.Error()+"\n") {
		t.Errorf("README.md does not hold the line %v", refusal)
	}
}

// A roundTripper answers by a function.
type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
