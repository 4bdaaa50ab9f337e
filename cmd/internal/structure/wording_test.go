package structure

import (
	"go/ast"
	"go/token"
	"maps"
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
var privateWords = set(`aside barred begun census fate ferry forest goon headcount heed heeded herald
	lane lanes overlong park putaside roster scarce shelf shortage spare spared stir tame tangled thrifty townhall
	trail trouble vacant`)

// privateNames are such words in file names, exported names, keys of JSON, flags and log messages.
// Elsewhere they have their usual meaning. These words are not in the list, since the field uses
// them too: line (of a file), bar (of a chart), notice (OnNotice) and found (found_on, not found).
var privateNames = set(`answer answers answered ask asked asks books came finds hear heard hears leave
	leaves leaving left look looks loose meet museum pace paced paces printable shown stage stand stands tell tells told
	turn turns wire`, slices.Collect(maps.Keys(privateWords))...)

// set returns the set of the words of a text and of others.
func set(text string, others ...string) map[string]bool {
	words := make(map[string]bool)
	for _, word := range append(strings.Fields(text), others...) {
		words[word] = true
	}
	return words
}

// A wording is something that texts do not say. A text is only matched with the pattern, which takes
// longer, if it has the part.
type wording struct {
	part    string // in lower case
	pattern *regexp.Regexp
}

// privatePhrases are what messages, comments and documents do not say: skip, request, retry, resume, receive,
// queue, fail, end are the usual verbs.
var privatePhrases = []wording{
	phrase("alone", `left alone|leaves? \w+ alone`), phrase("again", `asks? (it |them )?again|asked again|asks for again`), phrase("asked for", `asked for`),
	phrase("on with", `go(es|ing|ne)? on with`), phrase("goes on", `goes on`), phrase(" up", `takes? up|taken up`), phrase("aside", `puts? aside|left aside`),
	phrase("hear", `hears? of|heard of`), phrase("what came", `what came`), phrase("of late", `of late`), phrase("to an end", `to an end`), phrase("whose word", `whose word`),
	phrase("speak", `speaks? for`), phrase("at work", `at work`), phrase("no offence", `no offence`), phrase("in peace", `in peace`), phrase(" off", `broken off|breaks? off`),
	phrase("is no ", `is no \w+ that`), phrase("came of it", `came of it`), phrase("heed", `heeds?`), phrase("spared", `spared`), phrase("nobody knows", `nobody knows`),
	phrase("at fault", `at fault`), phrase("which", `of\s+which`),
	{"that of", regexp.MustCompile(`(^|[.:;]\s+)That\s+of\b`)}, {"those of", regexp.MustCompile(`(^|[.:;]\s+)Those\s+of\b`)},
}

// phrase returns the wording of whole words in any letters.
func phrase(part, words string) wording {
	return wording{part, regexp.MustCompile(`(?i)\b(` + words + `)\b`)}
}

// telegraphic is what comments and documents do not say: "nil if there is none" is a sentence, "nil: none" is not.
// Usages of flags may say it, since a line of the help has 80 characters.
var telegraphic = []wording{
	{":", regexp.MustCompile(`(?im)(^|[.,;)|#]\s+)(nil|empty|zero|negative|-1|0)(\s\(default\))?:(\s|$)`)}, {"none", regexp.MustCompile(`(?i):\s(it|there)\sis\snone\b`)},
}

// says returns the first of the wordings in a text, or "" if it has none.
func says(text string, wordings ...wording) string {
	text = strings.ReplaceAll(text, "because of which", "")
	lower := strings.ToLower(text)
	for _, w := range wordings {
		if strings.Contains(lower, w.part) {
			if found := w.pattern.FindString(text); found != "" {
				return found
			}
		}
	}
	return ""
}

// TestWording holds that names and texts have the field's words, and so do the keys of a crawl, which are flags.
func TestWording(t *testing.T) {
	prose := slices.Concat(privatePhrases, telegraphic)
	for _, name := range append(documents(t, ".md"), "configs/crawl.yaml") {
		if path.Base(name) == "CHANGELOG.md" { // which names what was renamed
			continue
		}
		for i, line := range strings.Split(document(t, name), "\n") {
			if phrase := says(line, prose...); phrase != "" {
				t.Errorf("%s:%d says %q", name, i+1, phrase)
			}
		}
	}
	keys := regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(document(t, "configs/crawl.yaml"), -1)
	if len(keys) < 50 {
		t.Errorf("only %d keys were found", len(keys))
	}
	for _, key := range keys {
		checkNames(t, privateNames, token.NoPos, "key of crawl.yaml", strings.ReplaceAll(key[1], "-", "_"))
	}
	for _, file := range sources(t) {
		checkNames(t, privateNames, file.Package, "file name", strings.TrimSuffix(path.Base(file.name), ".go"))
		for _, comment := range file.Comments {
			if file.test {
				break
			}
			if phrase := says(comment.Text(), prose...); phrase != "" {
				t.Errorf("%s: a comment says %q", positions.Position(comment.Pos()), phrase)
			}
		}
		ast.Inspect(file.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				checkNames(t, privateIn(n.Name, file.test), n.Pos(), "function", n.Name.Name)
			case *ast.TypeSpec:
				checkNames(t, privateIn(n.Name, file.test), n.Pos(), "type", n.Name.Name)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					checkNames(t, privateIn(name, file.test), n.Pos(), "value", name.Name)
				}
			case *ast.Field:
				for _, name := range n.Names {
					checkNames(t, privateIn(name, file.test), n.Pos(), "field", name.Name)
				}
				if n.Tag != nil {
					if key := jsonKey.FindStringSubmatch(n.Tag.Value); key != nil {
						checkNames(t, privateNames, n.Pos(), "key", key[1])
					}
				}
			case *ast.CallExpr:
				if message, ok := logMessage(n); ok && !file.test {
					checkNames(t, privateNames, n.Pos(), "log message", strings.ReplaceAll(message, " ", "_"))
				}
				if flag, ok := flagName(n); ok && !file.test {
					checkNames(t, privateNames, n.Pos(), "flag", strings.ReplaceAll(flag, "-", "_"))
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && !file.test {
					if phrase := says(text, privatePhrases...); phrase != "" {
						t.Errorf("%s: a text says %q", positions.Position(n.Pos()), phrase)
					}
				}
			}
			return true
		})
	}
}

// TestWordingIsNoticed holds that says finds phrases in any letters and across lines, and only whole words.
func TestWordingIsNoticed(t *testing.T) {
	prose := slices.Concat(privatePhrases, telegraphic)
	for _, text := range []string{
		"it leaves them Alone", "is asked for", "asks it again", "going on with", "it takes up", "puts aside", "two hosts, of\nwhich", "That of a site", "x. Those of it", "It breaks off",
		"there is no page that", "heeds it", "Nil: none", "Size. -1 (default): all", "the host: there is none", "the host: it is\nnone",
	} {
		if says(text, prose...) == "" {
			t.Errorf("%q is not noticed", text)
		}
	}
	for _, text := range []string{"because of which", "unasked forms", "like that of a site", "a nil: value of it", "setup", "heedless"} {
		if found := says(text, prose...); found != "" {
			t.Errorf("%q says %q", text, found)
		}
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
func privateIn(name *ast.Ident, test bool) map[string]bool {
	if name.IsExported() && !test {
		return privateNames
	}
	return privateWords
}

// checkNames splits a name into its words.
func checkNames(t *testing.T, private map[string]bool, at token.Pos, kind, name string) {
	for _, word := range words(name) {
		if private[word] {
			t.Errorf("%s: the %s %s has the word %q", positions.Position(at), kind, name, word)
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
