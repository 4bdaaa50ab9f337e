package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// privateWords are parts of names for which the field has other words: skipped, response, resume,
// blocked, escape, connection, batch, provenance, statistics, index, …
var privateWords = strings.Fields(`aside barred begun census fate ferry forest goon headcount heed heeded herald
	lane lanes overlong park putaside roster scarce shelf shortage spare spared stir tame tangled thrifty townhall
	trail trouble vacant`)

// privatePhrases are what messages and documents do not say: skip, request, retry, resume, receive,
// queue, fail, end are the usual verbs.
var privatePhrases = regexp.MustCompile(`(?i)\b(left alone|leaves? \w+ alone|asks? (it |them )?again|asked (for|again)|asks for again|go(es|ing|ne)? on with|` +
	`goes on|takes? up|taken up|puts? aside|left aside|hears? of|heard of|what came|of late|to (its|an) end|whose word|` +
	`speaks? for|at work|no offence|in peace|broken off|breaks? off|is no \w+ that|came of it|heeds?|spared?|nobody knows)\b`)

// TestWording holds that names and texts have the field's words.
func TestWording(t *testing.T) {
	for _, name := range documents(t, ".md") {
		if path.Base(name) == "CHANGELOG.md" { // which names what was renamed
			continue
		}
		for i, line := range strings.Split(document(t, name), "\n") {
			if phrase := privatePhrases.FindString(line); phrase != "" {
				t.Errorf("%s:%d says %q", name, i+1, phrase)
			}
		}
	}
	for _, name := range documents(t, ".go") {
		checkNames(t, name, "file name", strings.TrimSuffix(path.Base(name), ".go"))
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, document(t, name), 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			at := ""
			if n != nil {
				at = files.Position(n.Pos()).String()
			}
			switch n := n.(type) {
			case *ast.FuncDecl:
				checkNames(t, at, "function", n.Name.Name)
			case *ast.TypeSpec:
				checkNames(t, at, "type", n.Name.Name)
			case *ast.Field:
				for _, name := range n.Names {
					checkNames(t, at, "field", name.Name)
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && !strings.HasSuffix(name, "_test.go") {
					if phrase := privatePhrases.FindString(text); phrase != "" {
						t.Errorf("%s: a text says %q", at, phrase)
					}
				}
			}
			return true
		})
	}
}

// checkNames splits a name into its words.
func checkNames(t *testing.T, at, kind, name string) {
	t.Helper()
	for _, word := range words(name) {
		if slices.Contains(privateWords, word) {
			t.Errorf("%s: the %s %s has the word %q", at, kind, name, word)
		}
	}
}

// words splits a name in camel case, or with underscores, into words in lower case.
func words(name string) []string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) || r == '_' {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(strings.ReplaceAll(b.String(), "_", " "))
}
