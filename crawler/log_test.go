package crawler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// logLines is a log in memory, as the JSON handler writes it.
type logLines struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logLines) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// named returns the lines with a message.
func (l *logLines) named(t *testing.T, message string) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []map[string]any
	for line := range bytes.Lines(l.text.Bytes()) {
		var attrs map[string]any
		if err := json.Unmarshal(line, &attrs); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if attrs["msg"] == message {
			found = append(found, attrs)
		}
	}
	return found
}

// TestLog checks the log of a crawl with almost all events.
func TestLog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newSite(t, "127.0.0.1", map[string]string{
			"/robots.txt": "User-agent: *\nDisallow: /private\nSitemap: {site}/map.xml\nSitemap: {site}/bad.xml\nSitemap: {site}/none.xml\nSitemap: {site}/fourth.xml\n",
			"/":           `<a href="/private/x">p</a> <a href="/tired">t</a> <a href="/torn">b</a> <a href="http://elsewhere.test/">e</a>`,
			"/map.xml":    `<urlset><url><loc>{site}/entry</loc></url></urlset>`,
			"/bad.xml":    `<urlset><url><loc>{site}/entry</loc></url><oops`,
			"/entry":      "an entry",
		})
		var once sync.Once
		s.handle("/tired", func(w http.ResponseWriter, _ *http.Request) {
			once.Do(func() {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(503)
			})
		})
		s.handle("/torn", func(w http.ResponseWriter, _ *http.Request) {
			panic(http.ErrAbortHandler) // no answer
		})
		closed := newSite(t, "127.0.0.2", nil)
		closed.handle("/robots.txt", status(500))

		cfg := testConfig(t, s.url+"/")
		cfg.URLs = append(cfg.URLs, closed.url+"/")
		cfg.Fetch.Retries, cfg.Sitemaps.MaxFiles, cfg.Limits.MaxWait, cfg.Robots.Retry = 1, 3, 5*time.Second, time.Hour
		log := &logLines{}
		got := runCrawl(t, cfg, &Options{Logger: log.logger()})
		if got.End != EndDeferred {
			t.Fatalf("%+v", got.Summary)
		}

		for _, want := range []struct {
			level, message string
			n              int
			attrs          map[string]any
		}{
			{"INFO", "crawl started", 1, map[string]any{"output": cfg.Output.Dir, "urls": 2.0}},
			{"INFO", "crawl stopping", 1, map[string]any{"reason": "deferred"}},
			{"INFO", "crawl ended", 1, map[string]any{"reason": "deferred", "pages": float64(got.Pages), "remaining": 1.0}},
			{"INFO", "robots.txt read", 3, map[string]any{"host": s.url, "status": 200.0, "outcome": "rules"}},
			{"WARN", "robots.txt unreachable", 1, map[string]any{"host": closed.url, "status": 500.0}},
			{"INFO", "host slowed down", 1, map[string]any{"host": string(weburl.ServerOf(s.url)), "status": 503.0}},
			{"INFO", "host sent Retry-After", 1, map[string]any{"host": string(weburl.ServerOf(s.url)), "status": 503.0}},
			{"INFO", "retrying URL", 2, map[string]any{"attempt": 1.0}},
			{"INFO", "sitemap read", 2, map[string]any{"host": s.url, "pages": 1.0}},
			{"WARN", "sitemap error", 1, map[string]any{"url": s.url + "/bad.xml", "host": s.url}},
			{"WARN", "sitemap missing", 1, map[string]any{"url": s.url + "/none.xml", "host": s.url, "status": 404.0}},
			{"WARN", "too many sitemaps", 1, map[string]any{"host": s.url, "limit": 3.0}},
			{"DEBUG", "page fetched", 3, map[string]any{"status": 200.0}},
			{"", "URL skipped", len(got.rejected), nil}, // disallowed, out of scope, too many, failed, later
		} {
			lines := log.named(t, want.message)
			if len(lines) != want.n {
				t.Errorf("%d lines %q, want %d:\n%v", len(lines), want.message, want.n, lines)
			}
			for _, line := range lines {
				if level := want.level; level != "" && line["level"] != level {
					t.Errorf("%v is not at level %s", line, level)
				}
				for name, value := range want.attrs {
					if line[name] != value {
						t.Errorf("%v: %s is not %v", line, name, value)
					}
				}
			}
		}
		var left []output.Rejection
		for _, line := range log.named(t, "URL skipped") {
			left = append(left, output.Rejection{URL: fmt.Sprint(line["url"]), Reason: output.Reason(fmt.Sprint(line["reason"]))})
			switch line["url"] {
			case s.url + "/private/x":
				if line["reason"] != "disallowed" || line["rule"] != "Disallow: /private" || line["line"] != 2.0 {
					t.Errorf("%v", line)
				}
			case s.url + "/torn":
				if line["level"] != "WARN" || line["reason"] != "failed" || line["attempt"] != 2.0 || line["error"] == "" {
					t.Errorf("%v", line)
				}
			default:
				if line["level"] != "DEBUG" || line["attempt"] != nil {
					t.Errorf("%v", line)
				}
			}
		}
		for _, r := range got.rejected {
			want := output.Rejection{URL: r.URL, Reason: r.Reason}
			if !slices.Contains(left, want) {
				t.Errorf("not logged: %+v", want)
			}
		}
	})
}

// listedLines returns the attributes of each message that README.md lists.
func listedLines(t *testing.T) map[string][]string {
	t.Helper()
	text := contentOf(t, "README.md")
	_, section, found := strings.Cut(string(text), "\n## The log\n")
	section, _, end := strings.Cut(section, "\n## ")
	if !found || !end {
		t.Fatal("README.md has no section on the log")
	}
	listed := map[string][]string{}
	inBrackets, columns := regexp.MustCompile(`\([^)]*\)?`), regexp.MustCompile(`  +`)
	for line := range strings.Lines(section) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		if !ok {
			continue
		}
		if strings.HasPrefix(line, " ") { // continues a remark in brackets
			continue
		}
		var attrs []string
		rest := ""
		if at := columns.FindStringIndex(line); at != nil {
			line, rest = line[:at[0]], line[at[1]:]
		}
		rest = strings.ReplaceAll(inBrackets.ReplaceAllString(rest, ""), " or ", ",")
		for attr := range strings.SplitSeq(rest, ",") {
			if attr = strings.TrimSpace(attr); attr != "" {
				attrs = append(attrs, attr)
			}
		}
		for message := range strings.SplitSeq(line, ",") {
			message = strings.TrimSpace(message)
			listed[message] = append(listed[message], attrs...)
		}
	}
	return listed
}

// TestLogIsListed: README.md lists each message of the crawl with its attributes, and no other.
func TestLogIsListed(t *testing.T) {
	t.Parallel()
	listed, logged := listedLines(t), map[string][]string{}
	for _, dir := range []string{".", "frontier", "internal"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && name != dir && (dir == "." || entry.Name() == "faultsite" || entry.Name() == "testdata"):
				return fs.SkipDir
			case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
				file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
				if err == nil {
					addLogged(logged, file)
				}
				return err
			}
			return nil
		})
		must(t, err)
	}
	if len(logged) < 30 {
		t.Errorf("only %d messages were found", len(logged))
	}
	for message := range listed {
		if _, ok := logged[message]; !ok {
			t.Errorf("README.md lists %q, which no code logs", message)
		}
	}
	for message, attrs := range logged {
		if diff := cmp.Diff(distinct(attrs), distinct(listed[message])); diff != "" {
			t.Errorf("attributes of %q (-code +README.md):\n%s", message, diff)
		}
	}
}

// distinct returns the distinct names, in order.
func distinct(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// addLogged adds the messages that a file logs, with their attributes: those of the call, and for
// LogAttrs those that its function makes.
func addLogged(logged map[string][]string, file *ast.File) {
	text := func(e ast.Expr) string {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			s, _ := strconv.Unquote(l.Value)
			return s
		}
		return ""
	}
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		var messages, made []string
		ast.Inspect(function.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := f.X.(*ast.Ident)
			args := call.Args
			if f.Sel.Name == "Notice" && len(args) > 2 { // after the message stands the line for the operator
				args = slices.Delete(slices.Clone(args), 1, 2)
			}
			switch name := f.Sel.Name; {
			case of != nil && of.Name == "slog" && len(call.Args) == 2:
				made = append(made, text(call.Args[0]))
			case name == "LogAttrs":
				messages = append(messages, text(call.Args[2]))
			case slices.Contains([]string{"Debug", "Info", "Warn", "Error", "Notice"}, name) && len(args) > 0 && text(args[0]) != "":
				message := text(args[0])
				attrs := logged[message]
				for i := 1; i < len(args); i += 2 {
					attrs = append(attrs, text(args[i]))
				}
				logged[message] = attrs
			}
			return true
		})
		for _, message := range messages {
			logged[message] = append(logged[message], made...)
		}
	}
}

// No notice, log line or output line has a password of a URL.
func TestNoticesHoldNoPassword(t *testing.T) {
	const user = "alice:hunter2@"
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/index.xml\nSitemap: {site}/torn.xml\n",
		"/torn.xml":   "<urlset></http://" + user + "b.test></urlset>",
		"/index.xml":  "<sitemapindex><sitemap><loc>http://" + user + "elsewhere.test/map.xml</loc></sitemap></sitemapindex>",
		"/":           `<a href="http://` + user + `a.test:x/">no URL</a><a href="http://` + user + `elsewhere.test/">out</a>`,
	})
	var log bytes.Buffer
	cfg := testConfig(t, s.url+"/")
	got := runCrawl(t, cfg, &Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if text := fmt.Sprint(got.notices); strings.Contains(text, "hunter2") || !strings.Contains(text, "http://***@elsewhere.test/map.xml is not read") || !strings.Contains(text, "http://***@b.test") {
		t.Errorf("notices: %s", text)
	}
	if text := log.String(); strings.Contains(text, "hunter2") || !strings.Contains(text, "http://***@elsewhere.test/map.xml") {
		t.Errorf("log: %s", text)
	}
	sitemaps := readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl")
	if text := fmt.Sprintf("%+v %+v %+v", got.pages, got.rejected, sitemaps); strings.Contains(text, "hunter2") || len(got.rejected) != 3 {
		t.Errorf("output: %s", text)
	}
}

// A disallowing rule is recorded without a user, by a crawl and by its plan. The URL itself has
// that text in its path, and is not changed.
func TestRulesHoldNoPassword(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.txt\nUser-agent: *\nDisallow: //alice:hunter2@h/x\n",
		"/map.txt":    "{site}//alice:hunter2@h/x\n",
	})
	const want = "Disallow: //***@h/x"
	cfg := testConfig(t, s.url+"/")
	if _, plan := makePlan(t, cfg, nil); len(plan.Disallowed) != 1 || plan.Disallowed[0].Rule != want {
		t.Errorf("plan: %+v", plan.Disallowed)
	}
	if got := runCrawl(t, cfg, nil); len(got.rejected) != 1 || got.rejected[0].Rule != want || got.rejected[0].URL != s.url+"//alice:hunter2@h/x" {
		t.Errorf("rejected: %+v", got.rejected)
	}
}
