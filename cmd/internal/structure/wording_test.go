package structure

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

// privateNames are such words in file names, exported names, keys of JSON, flags and log messages.
// Elsewhere they have their usual meaning. These words are not in the list, since the field uses
// them too: line (of a file), bar (of a chart), notice (OnNotice) and found (found_on, not found).
var privateNames = append(strings.Fields(`answer answers answered ask asked asks books came finds hear heard hears leave
	leaves leaving left look looks loose meet museum pace paced paces printable shown stage stand stands tell tells told
	turn turns wire`), privateWords...)

// privatePhrases are what messages, comments and documents do not say: skip, request, retry, resume, receive,
// queue, fail, end are the usual verbs.
var privatePhrases = regexp.MustCompile(`(?i)\b(left alone|leaves? \w+ alone|asks? (it |them )?again|asked (for|again)|asks for again|go(es|ing|ne)? on with|` +
	`goes on|takes? up|taken up|puts? aside|left aside|hears? of|heard of|what came|of late|to an end|whose word|` +
	`speaks? for|at work|no offence|in peace|broken off|breaks? off|is no \w+ that|came of it|heeds?|spared|nobody knows|` +
	`at fault|of\s+which)\b|(?-i:(^|[.:;]\s+)(That|Those)\s+of\b)`)

// telegraphic is what comments and documents do not say: "nil if there is none" is a sentence, "nil: none" is not.
// Usages of flags may say it, since a line of the help has 80 characters.
var telegraphic = regexp.MustCompile(`(?im)(^|[.,;)|#]\s+)(nil|empty|zero|negative|-1|0)(\s\(default\))?:(\s|$)|:\s(it|there)\sis\snone\b`)

// privatePhrase returns a phrase that a text does not say, or "" if it says none.
func privatePhrase(text string) string {
	return privatePhrases.FindString(strings.ReplaceAll(text, "because of which", ""))
}

// TestWording holds that names and texts have the field's words.
func TestWording(t *testing.T) {
	for _, name := range append(documents(t, ".md"), "configs/crawl.yaml") {
		if path.Base(name) == "CHANGELOG.md" { // which names what was renamed
			continue
		}
		for i, line := range strings.Split(document(t, name), "\n") {
			if phrase := privatePhrase(line) + telegraphic.FindString(line); phrase != "" {
				t.Errorf("%s:%d says %q", name, i+1, phrase)
			}
		}
	}
	for _, name := range documents(t, ".go") {
		checkNames(t, privateNames, name, "file name", strings.TrimSuffix(path.Base(name), ".go"))
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, document(t, name), parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(name, "_test.go")
		for _, comment := range file.Comments {
			if phrase := privatePhrase(comment.Text()) + telegraphic.FindString(comment.Text()); phrase != "" && !test {
				t.Errorf("%s: a comment says %q", files.Position(comment.Pos()), phrase)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			at := ""
			if n != nil {
				at = files.Position(n.Pos()).String()
			}
			switch n := n.(type) {
			case *ast.FuncDecl:
				checkNames(t, privateIn(n.Name, test), at, "function", n.Name.Name)
			case *ast.TypeSpec:
				checkNames(t, privateIn(n.Name, test), at, "type", n.Name.Name)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					checkNames(t, privateIn(name, test), at, "value", name.Name)
				}
			case *ast.Field:
				for _, name := range n.Names {
					checkNames(t, privateIn(name, test), at, "field", name.Name)
				}
				if n.Tag != nil {
					if key := jsonKey.FindStringSubmatch(n.Tag.Value); key != nil {
						checkNames(t, privateNames, at, "key", key[1])
					}
				}
			case *ast.CallExpr:
				if message, ok := logMessage(n); ok && !test {
					checkNames(t, privateNames, at, "log message", strings.ReplaceAll(message, " ", "_"))
				}
				if flag, ok := flagName(n); ok && !test {
					checkNames(t, privateNames, at, "flag", strings.ReplaceAll(flag, "-", "_"))
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && !test {
					if phrase := privatePhrase(text); phrase != "" {
						t.Errorf("%s: a text says %q", at, phrase)
					}
				}
			}
			return true
		})
	}
}

// TestWordingOfKeys holds that the keys of a crawl, which are flags, have the field's words.
func TestWordingOfKeys(t *testing.T) {
	keys := regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(document(t, "configs/crawl.yaml"), -1)
	if len(keys) < 50 {
		t.Errorf("only %d keys were found", len(keys))
	}
	for _, key := range keys {
		checkNames(t, privateNames, "crawl.yaml", "key", strings.ReplaceAll(key[1], "-", "_"))
	}
}

// jsonKey matches the key in a field's tag.
var jsonKey = regexp.MustCompile(`json:"(\w+)`)

// logMessage returns the message of a call of a logger.
func logMessage(call *ast.CallExpr) (string, bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, f.Sel.Name) {
		return "", false
	}
	text, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	message, err := strconv.Unquote(text.Value)
	return message, err == nil
}

// flagName returns the name in a call that defines a flag, such as flags.IntVar(&rows, "rows", …).
func flagName(call *ast.CallExpr) (string, bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 || !strings.HasSuffix(strings.TrimSuffix(f.Sel.Name, "P"), "Var") {
		return "", false
	}
	text, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	name, err := strconv.Unquote(text.Value)
	return name, err == nil
}

// privateIn returns the words that an identifier must not have.
func privateIn(name *ast.Ident, test bool) []string {
	if name.IsExported() && !test {
		return privateNames
	}
	return privateWords
}

// checkNames splits a name into its words.
func checkNames(t *testing.T, private []string, at, kind, name string) {
	t.Helper()
	for _, word := range words(name) {
		if slices.Contains(private, word) {
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
