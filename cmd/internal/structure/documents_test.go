package structure

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentsAreShort holds the length of README.md, of package comments, and of what go doc shows of
// robotsext.
func TestDocumentsAreShort(t *testing.T) {
	most := map[string]int{"README.md": 200}
	for _, name := range documents(t, "doc.go") {
		most[name] = 60
	}
	for name, most := range most {
		if n := strings.Count(document(t, name), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
	}
	doc := exec.CommandContext(t.Context(), "go", "doc", "-all", ".")
	doc.Dir = filepath.Join(root, "robotsext")
	text, err := doc.Output()
	if n := strings.Count(string(text), "\n"); err != nil || n == 0 || n > 350 {
		t.Errorf("go doc -all of robotsext has %d lines, not 1 to 350: %v", n, err)
	}
}

// TestDocumentLinks holds that each link of a document leads to a file, and to a heading of it.
func TestDocumentLinks(t *testing.T) {
	code, link := regexp.MustCompile("(?s)```.*?```|`[^`]*`"), regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading, punctuation := regexp.MustCompile(`(?m)^#+ (.*)$`), regexp.MustCompile(`[^\w\- ]`)
	for _, name := range documents(t, ".md") {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(document(t, name), ""), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			var anchors []string
			if anchor != "" {
				for _, h := range heading.FindAllStringSubmatch(document(t, target), -1) {
					anchors = append(anchors, strings.ReplaceAll(punctuation.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
				}
			}
			if anchor != "" && !slices.Contains(anchors, anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
}

// TestDocumentedBenchmarks holds that each "go test" command of a document selects a benchmark or
// test of its package.
func TestDocumentedBenchmarks(t *testing.T) {
	command := regexp.MustCompile(`(?m)\bgo test .*?(-bench|-v -run) '?([\w/$|]+)'?.* (\./?\S*)$`)
	commands := 0
	for _, name := range documents(t, ".md") {
		for _, m := range command.FindAllStringSubmatch(document(t, name), -1) {
			commands++
			kind, pattern := "Benchmark", regexp.MustCompile(strings.Split(m[2], "/")[0])
			if m[1] != "-bench" {
				kind = ""
			}
			dir := path.Dir(name)
			if m[3] != "." {
				dir = path.Join(".", m[3])
			}
			selected := false
			for f := range testFunctions(filesIn(t, dir)) {
				selected = selected || strings.HasPrefix(f, kind) && pattern.MatchString(strings.TrimPrefix(f, kind))
			}
			if !selected {
				t.Errorf("%s: %q selects nothing in %s", name, m[0], dir)
			}
		}
	}
	if commands < 10 {
		t.Errorf("only %d commands were found", commands)
	}
}
