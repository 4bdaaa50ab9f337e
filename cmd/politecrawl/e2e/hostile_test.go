package e2e

import (
	"bufio"
	"bytes"
	"compress/flate"
	"database/sql"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A secretSearch looks for secrets in all that a crawl of a hostileSite has brought forth.
type secretSearch struct {
	t   *testing.T
	own []string // of whoever runs the crawl: nobody is to see them
	all []string // with those of the site, which stand in nothing but copies of what it sent
}

func newSecretSearch(t *testing.T) *secretSearch {
	coded := func(user string) string { return base64.StdEncoding.EncodeToString([]byte(user)) }
	own := []string{proxyPassword, watchToken, "aladdin", coded("aladdin:" + proxyPassword)}
	return &secretSearch{t, own, append([]string{sitePassword, coded("alice:" + sitePassword)}, own...)}
}

// in looks for secrets in a text.
func (s *secretSearch) in(what string, text []byte, secrets []string) {
	s.t.Helper()
	for _, secret := range secrets {
		if i := bytes.Index(text, []byte(secret)); i >= 0 {
			s.t.Errorf("%s has %q: …%.300q", what, secret, text[max(i-150, 0):])
		}
	}
}

// wantEscaped holds that a terminal shows a text and does not obey it.
func (s *secretSearch) wantEscaped(what string, text []byte) {
	s.t.Helper()
	if i := bytes.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' }); i >= 0 {
		s.t.Errorf("%s has a control character: …%.100q", what, text[max(i-50, 0):])
	}
}

// dir looks through the directory of a crawl.
func (s *secretSearch) dir(dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(name, "frontier/"): // which holds each robots.txt as it came
			s.in(name, text, s.own)
		case strings.HasPrefix(name, "robots/versions/") || strings.HasPrefix(name, "robots/") && strings.HasSuffix(name, ".txt"):
			s.in(name, text, s.own)
		case strings.HasSuffix(name, ".sqlite"):
			s.in(name, text, s.own)
			s.database(path)
		case strings.HasSuffix(name, ".warc.gz"):
			s.archive(name, []byte(unzipped(s.t, path)))
		case strings.HasSuffix(name, ".csv"):
			s.in(name, text, s.all)
			s.wantEscaped(name, text)
			s.table(name, text)
		default:
			s.in(name, text, s.all)
			s.wantEscaped(name, text)
			s.coded(name, text)
			s.blocks(name, text)
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// coded looks into what JSON has in base64.
func (s *secretSearch) coded(name string, text []byte) {
	s.t.Helper()
	for _, m := range regexp.MustCompile(`"meta":"([^"]*)"`).FindAllSubmatch(text, -1) {
		plain, err := base64.StdEncoding.DecodeString(string(m[1]))
		if err != nil {
			s.t.Errorf("%s: %v", name, err)
		}
		s.in(name+" (meta)", plain, s.all)
	}
}

// blocks looks into the compressed data of report.html.
func (s *secretSearch) blocks(name string, text []byte) {
	s.t.Helper()
	found := regexp.MustCompile(`id="block-([a-z0-9-]+)">([^<]*)<`).FindAllSubmatch(text, -1)
	for _, m := range found {
		plain, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[2]))))
		if err != nil || len(plain) == 0 {
			s.t.Errorf("%s, block %s: %v", name, m[1], err)
		}
		s.in(name+", block "+string(m[1]), plain, s.all)
	}
	if name == "report.html" && len(found) < 3 {
		s.t.Errorf("%s has %d blocks", name, len(found))
	}
}

// database looks through all tables, but for the copies of robots.txt.
func (s *secretSearch) database(path string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	cells := 0
	for _, table := range []string{"meta", "pages", "rejected", "urls", "sitemaps", "entries", "robots"} {
		rows, err := db.QueryContext(s.t.Context(), "SELECT * FROM "+table)
		if err != nil {
			s.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			row := make([]sql.RawBytes, len(columns))
			to := make([]any, len(columns))
			for i := range row {
				to[i] = &row[i]
			}
			if err := rows.Scan(to...); err != nil {
				s.t.Fatal(err)
			}
			for i, cell := range row {
				if columns[i] != "body" {
					s.in("crawl.sqlite, "+table+"."+columns[i], cell, s.all)
					cells++
				}
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			s.t.Fatal(err)
		}
	}
	if cells < 200 {
		s.t.Errorf("crawl.sqlite has %d cells", cells)
	}
}

// archive looks through an archive: the site's passwords may stand in its answers alone.
func (s *secretSearch) archive(name string, text []byte) {
	s.t.Helper()
	s.in(name, text, s.own)
	kinds := make(map[string]int)
	for record := range bytes.SplitSeq(text, []byte("WARC/1.1\r\n")) {
		head, _, _ := bytes.Cut(record, []byte("\r\n\r\n"))
		s.in(name+" (head of a record)", head, s.all)
		kind := string(regexp.MustCompile(`WARC-Type: (\w*)`).Find(head))
		if kinds[kind]++; kind != "WARC-Type: response" && kind != "WARC-Type: revisit" { // which has the fields of an answer
			s.in(name+" ("+kind+")", record, s.all)
		}
	}
	if kinds["WARC-Type: response"]+kinds["WARC-Type: revisit"] < 10 || kinds["WARC-Type: request"] < 10 || kinds["WARC-Type: warcinfo"] != 1 {
		s.t.Errorf("%s has %v", name, kinds)
	}
}

// table holds that no spreadsheet finds a formula, whether commas or semicolons separate
// its cells.
func (s *secretSearch) table(name string, text []byte) {
	s.t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	for _, row := range rows {
		for _, cell := range row {
			for part := range strings.SplitSeq(cell, ";") {
				if part = strings.TrimLeft(part, " \""); strings.IndexAny(part, "=+-@\t\r") == 0 {
					s.t.Errorf("%s has the formula %q", name, cell)
				}
			}
		}
	}
}

// TestHostileSite crawls a site that wants to harm whoever looks at what a crawl finds,
// through a proxy with a password, with all that a crawl can write, and looks for all
// secrets everywhere: in files, in what is printed, in the live page, in the list of
// processes.
func TestHostileSite(t *testing.T) {
	t.Parallel()
	site, search := newHostileSite(t), newSecretSearch(t)
	dir := filepath.Join(t.TempDir(), "crawl")
	log := filepath.Join(t.TempDir(), "log.json")
	child := func(args ...string) *exec.Cmd {
		cmd := program.Process(t, args...)
		cmd.Env = append(cmd.Env, "POLITECRAWL_PROXY="+site.url, flags.TokenVariable+"="+watchToken, "HTTP_PROXY="+site.url)
		return cmd
	}
	quick := []string{"--delay", "0s", "--retries", "1", "--max-wait", "0s", "--robots-timeout", "5s"}
	first := child(append([]string{
		"crawl", "http://site.test/", "http://other.test/", "http://moved.test/", "http://lost.test/", "http://odd.test/", "--output", dir, "--extract", "heading=h1", "--keep-header", "x-note", "--links", "full", "--check", "assets",
		"--also-write", "csv,sqlite,warc", "--listen", "127.0.0.1:0", "--pprof", "--log", "json", "--log-level", "debug", "--log-file", log,
	}, quick...)...)
	said := clitest.Must(first.StderrPipe())(t)
	var out bytes.Buffer
	first.Stdout = &out
	clitest.OK(t, first.Start())
	notes := bufio.NewReader(said)
	var stderr strings.Builder
	var page string
	for page == "" {
		line, err := notes.ReadString('\n')
		stderr.WriteString(line)
		if m := regexp.MustCompile(`live page: (http://\S+)`).FindStringSubmatch(line); m != nil {
			page = m[1]
		}
		if err != nil {
			t.Fatalf("%v after %s", err, stderr.String())
		}
	}
	select {
	case <-site.reached:
	case <-time.After(time.Minute):
		t.Fatalf("the crawl does not come to its last page: %s", readText(t, log))
	}
	if runtime.GOOS == "linux" {
		search.in("the process list", []byte(readText(t, fmt.Sprintf("/proc/%d/cmdline", first.Process.Pid))), search.all)
	}
	t.Run("live page", func(t *testing.T) { watchHostile(t, page) })
	openInBrowser(t, page+"?token="+watchToken)
	close(site.free)
	rest, err := io.ReadAll(notes)
	if err != nil {
		t.Error(err)
	}
	stderr.Write(rest)
	if err := first.Wait(); first.ProcessState.ExitCode() != cli.ExitLater { // lost.test
		t.Errorf("%v: %s", err, stderr.String())
	}
	search.in("the summary", out.Bytes(), search.all)
	search.wantEscaped("the summary", out.Bytes())
	search.in("standard error", []byte(stderr.String()), search.all)
	search.wantEscaped("standard error", []byte(stderr.String()))
	search.dir(dir)
	logged := readText(t, log)
	search.in("the log", []byte(logged), append([]string{queryPassword}, search.all...))
	search.wantEscaped("the log", []byte(logged))
	clitest.WantParts(t, logged, "page fetched", "site.test/torn?password=***")
	for line := range strings.Lines(logged) {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Level == "forged" || entry.Time == "" {
			t.Errorf("a line of the log is %q: %v", line, err)
		}
	}
	checked := []string{"http://odd.test/x", "http://alice:" + sitePassword + "@site.test/no/x", "http://alice:" + sitePassword + "@lost.test/no/x", "http://site.test/no"}
	for _, args := range [][]string{
		append([]string{"crawl", "--resume", dir, "--log", "text", "--log-level", "debug"}, quick...),
		append([]string{"crawl", "--recrawl", dir, "--format", "json", "--quiet"}, quick...),
		{"report", dir}, {"report", dir, "--format", "json"}, {"sitemap", "write", dir}, {"config", "show", "--proxy", site.url}, {"config", "show", "--proxy", site.url, "--format", "json"},
		{"frontier", "stats", dir}, {"frontier", "ls", dir}, {"frontier", "ls", dir, "--urls", "--limit", "0"}, {"frontier", "export", dir},
		{"plan", "http://site.test/", "--delay", "0s"}, {"plan", "http://site.test/", "--delay", "0s", "--format", "json"},
		{"robots", "show", "http://site.test/"}, {"robots", "show", "http://site.test/", "--format", "json"}, {"robots", "lint", "http://site.test/", "http://lost.test/"},
		{"robots", "show", "http://odd.test/"}, {"robots", "show", "http://odd.test/", "--format", "json"}, {"plan", "http://odd.test/", "--delay", "0s", "--max-wait", "0s", "--format", "json"},
		append([]string{"robots", "check", "--explain"}, checked...), append([]string{"robots", "check", "--explain", "--format", "json"}, checked...), {"robots", "agents", "http://site.test/"},
		{"robots", "diff", "http://site.test/", "http://moved.test/"}, {"permit", "--verify", dir}, {"permit", "--verify", dir, "--format", "json"},
		{"permit", "http://site.test/", "--delay", "0s"}, {"permit", "http://alice:" + sitePassword + "@odd.test/", "--delay", "0s", "--format", "json"},
		{"sitemap", "http://site.test/", "--delay", "0s"}, {"sitemap", "http://other.test/index.xml", "--delay", "0s", "--check"},
		{"sitemap", "http://site.test/map.xml", "--delay", "0s", "--check", "--format", "csv"}, {"sitemap", "http://site.test/map.xml", "--delay", "0s", "--format", "json"},
	} {
		// Commands that request something are processes, since net/http reads HTTP_PROXY once.
		requests := args[0] == "crawl" || slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, ".test/") })
		var got clitest.Result // most find something
		if requests {
			got = outcome(t, child(args...))
		} else {
			got = run(t, args...)
		}
		what := strings.Join(args, " ")
		if got.Out+got.Stderr == "" && args[0] != "crawl" || got.Code == cli.ExitMisuse || got.Code < 0 {
			t.Errorf("%s: exit code %d, %s", what, got.Code, got.Stderr)
		}
		for name, text := range map[string]string{"standard output of " + what: got.Out, "standard error of " + what: got.Stderr} {
			search.in(name, []byte(text), search.all)
			search.wantEscaped(name, []byte(text))
			search.coded(name, []byte(text))
		}
		if strings.Contains(got.Stderr, "\ntime=2030") {
			t.Errorf("%s: a line of the log is forged", what)
		}
	}
	search.dir(dir) // with the files of both rounds, and the report
	t.Run("shared", func(t *testing.T) { shareHostile(t, child, quick) })
	site.wantNothingSent(t)
	openInBrowser(t, "file://"+filepath.Join(dir, "report.html"))
}

// shareHostile crawls the site by way of a Redis with a password.
func shareHostile(t *testing.T, child func(args ...string) *exec.Cmd, quick []string) {
	const password = "red1s-pa55"
	server := redistest.Start(t, "--requirepass", password)
	search, dir := newSecretSearch(t), filepath.Join(t.TempDir(), "crawl")
	search.own, search.all = append(search.own, password), append(search.all, password)
	at := []string{"--frontier", server.URL()}
	for environ, runs := range map[string][][]string{
		redisstore.PasswordVariable + "=": {append([]string{"crawl", "http://site.test/", "--output", dir + "-refused"}, at...)},
		redisstore.PasswordVariable + "=" + password: {
			append(append([]string{"crawl", "http://site.test/", "--output", dir, "--log", "json", "--log-level", "debug", "--also-write", "csv,sqlite,warc"}, at...), quick...),
			append([]string{"crawl", "status", "default", "--format", "json"}, at...),
			append([]string{"crawl", "stop", "default"}, at...),
			append([]string{"crawl", "--resume", dir, "--log", "text"}, quick...),
			{"report", dir},
		},
	} {
		for _, args := range runs {
			cmd := child(args...)
			cmd.Env = append(cmd.Env, environ)
			text, err := cmd.CombinedOutput()
			if len(text) == 0 || cmd.ProcessState.ExitCode() == cli.ExitMisuse || err == nil && strings.HasSuffix(environ, "=") {
				t.Errorf("%v: exit code %d, %s", args, cmd.ProcessState.ExitCode(), text)
			}
			search.in(strings.Join(args, " "), text, search.all)
			search.wantEscaped(strings.Join(args, " "), text)
		}
	}
	if pages := jsonLines[output.Page](t, filepath.Join(dir, "pages.jsonl")); len(pages) < 10 {
		t.Errorf("%d pages", len(pages))
	}
	search.dir(dir)
}

// browserVariable names what opens pages in a browser: crawler/browsertest/hostile, which
// runs this test, since what drives browsers is in a module of its own.
const browserVariable = "BROWSER_URL"

// openInBrowser has a page opened in a browser, where there is one, and waits until it has
// been looked at. What is found there fails the test that does it.
func openInBrowser(t *testing.T, page string) {
	browser := os.Getenv(browserVariable)
	if browser == "" {
		return
	}
	req := clitest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, browser, strings.NewReader(page)))(t)
	resp := clitest.Must((&http.Transport{DisableKeepAlives: true}).RoundTrip(req))(t)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Errorf("the browser says %s", resp.Status)
	}
}

// watchHostile looks at all that is served while a crawl runs.
func watchHostile(t *testing.T, page string) {
	search := newSecretSearch(t)
	for _, path := range []string{"", "page.js", "metrics", "healthz", "debug/pprof/", "debug/pprof/goroutine?debug=2", "debug/pprof/cmdline", "events"} {
		req := clitest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, page+path, http.NoBody))(t)
		req.Header.Set("Authorization", "Bearer "+watchToken)
		resp := clitest.Must((&http.Transport{DisableKeepAlives: true}).RoundTrip(req))(t)
		var text []byte
		if path == "events" { // which has no end
			for lines := bufio.NewScanner(resp.Body); lines.Scan() && (lines.Text() != "" || !bytes.Contains(text, []byte("data:"))); {
				text = append(text, lines.Text()+"\n"...)
			}
		} else {
			text = clitest.Must(io.ReadAll(io.LimitReader(resp.Body, 100<<10)))(t)
		}
		_ = resp.Body.Close()
		if known := path != "debug/pprof/cmdline"; known != (resp.StatusCode == http.StatusOK) || known && len(text) == 0 {
			t.Errorf("/%s: status %d, %d bytes", path, resp.StatusCode, len(text))
		}
		search.in("/"+path, text, search.all)
	}
}
