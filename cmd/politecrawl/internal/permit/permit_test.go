package permit

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// A host records its requests.
type host struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // paths, in order
	times []time.Time
}

// newHost serves texts by path. {host} in a text is the URL of the host. A text that begins with a
// number is a status, with > it is a redirect; lines with a colon before an empty line are headers.
func newHost(t *testing.T, texts map[string]string) *host {
	t.Helper()
	h := &host{}
	h.Server = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked, h.times = append(h.asked, r.URL.RequestURI()), append(h.times, time.Now())
		h.mu.Unlock()
		text, ok := texts[r.URL.RequestURI()]
		text = strings.ReplaceAll(text, "{host}", h.URL)
		status := 0
		switch _, err := fmt.Sscanf(text, "%d", &status); {
		case !ok:
			http.NotFound(w, r)
			return
		case err == nil:
			w.WriteHeader(status)
			return
		case strings.HasPrefix(text, ">"):
			http.Redirect(w, r, text[1:], http.StatusFound)
			return
		}
		if head, body, found := strings.Cut(text, "\n\n"); found {
			for line := range strings.Lines(head) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				w.Header().Add(name, value)
			}
			text = body
		}
		_, _ = w.Write([]byte(text))
	})
	return h
}

func (h *host) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	clitest.WantEqual(t, "requests", want, h.asked)
}

// ask runs permit for one URL without delay.
func ask(t *testing.T, args ...string) (result, int) {
	t.Helper()
	got := run(t, append([]string{"permit", "--delay", "0s", "--format", "json"}, args...)...)
	results := clitest.JSONLines[result](t, got.Out)
	if len(results) != 1 {
		t.Fatalf("%+v", got)
	}
	return results[0], got.Code
}

// said returns the purposes of a result as "purpose value source".
func said(a result) []string {
	var lines []string
	for _, p := range a.Purposes {
		by := ""
		if p.Statement > 0 {
			by = " " + a.Statements[p.Statement-1].Source.String()
		}
		lines = append(lines, fmt.Sprintf("%s %s%s", p.Purpose, p.Value, by))
	}
	return lines
}

const html = "Content-Type: text/html\n\n"

// Each source of a statement is read, in one request each, and decides for the purposes that nothing
// else disallows.
func TestPermitReadsEverySource(t *testing.T) {
	texts := map[string]string{
		"/robots.txt":              "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nLicense: {host}/license.xml\nLicense: {host}/other.xml\n",
		"/.well-known/tdmrep.json": `[{"location": "/a*", "tdm-reservation": 1, "tdm-policy": "https://user:pass@example.com/policy"}]`,
		"/license.xml":             `<rsl xmlns="https://rslstandard.org/rsl"><content url="/a"><license><prohibits type="usage">archive</prohibits><prohibits type="usage">ai-input</prohibits></license></content></rsl>`,
		"/a":                       "X-Robots-Tag: noarchive\n" + html + "<meta name=robots content=nosnippet>",
	}
	h := newHost(t, texts)
	a, code := ask(t, h.URL+"/a")
	want := []string{
		"search allowed robots.txt line 2, Content-Signal",
		"ai-input disallowed meta robots",
		"train-ai disallowed file /.well-known/tdmrep.json, rule 1",
		"tdm disallowed file /.well-known/tdmrep.json, rule 1",
		"archive disallowed header X-Robots-Tag",
	}
	if diff := cmp.Diff(want, said(a)); diff != "" || code != cli.ExitDone || a.Status != 200 || a.Verdict != allowed {
		t.Errorf("exit code %d, %+v (-want +got):\n%s", code, a, diff)
	}
	h.wantAsked(t, "/robots.txt", "/a", "/.well-known/tdmrep.json", "/license.xml")
	if last := a.Statements[len(a.Statements)-1]; last.Source.Name != h.URL+"/license.xml" || last.Values[usage.AIInput] != usage.Disallowed {
		t.Errorf("statement of the license %+v", last)
	}
	for i, s := range a.Statements {
		if strings.Contains(s.Raw+s.URL, "pass") {
			t.Errorf("statement %d has a password: %+v", i+1, s)
		}
		hash := map[usage.SourceKind]string{usage.InRobots: strings.ReplaceAll(texts["/robots.txt"], "{host}", h.URL)}[s.Source.Kind]
		if hash != "" && s.Source.Hash != usage.Hash([]byte(hash)) {
			t.Errorf("hash of statement %d: %s", i+1, s.Source.Hash)
		}
	}
}

// The exit code is that of robots check, and considers only the purposes that were named.
func TestPermitExitCodes(t *testing.T) {
	const signal = "User-agent: *\nDisallow: /no\nContent-Signal: ai-train=no, search=yes\n"
	h := newHost(t, map[string]string{"/robots.txt": signal, "/": html, "/gone": "410", "/moved": ">/no/x", "/loop": ">/loop"})
	down := newHost(t, map[string]string{"/robots.txt": "503"})
	odd := newHost(t, map[string]string{"/": html, "/.well-known/tdmrep.json": "503"})
	invalid := newHost(t, map[string]string{"/": html, "/.well-known/tdmrep.json": "{}"})
	for name, tt := range map[string]struct {
		args    []string
		code    int
		verdict string
	}{
		"without purpose":                {[]string{h.URL + "/"}, cli.ExitDone, allowed},
		"disallowed purpose":             {[]string{h.URL + "/", "--purpose", "train-ai"}, cli.ExitFindings, allowed},
		"one of two is disallowed":       {[]string{h.URL + "/", "--purpose", "search,train-ai"}, cli.ExitFindings, allowed},
		"allowed purpose":                {[]string{h.URL + "/", "--purpose", "search"}, cli.ExitDone, allowed},
		"unknown purpose":                {[]string{h.URL + "/", "--purpose", "archive"}, cli.ExitDone, allowed},
		"disallowed page":                {[]string{h.URL + "/no/x"}, cli.ExitFindings, disallowed},
		"redirect to a disallowed page":  {[]string{h.URL + "/moved"}, cli.ExitFindings, disallowed},
		"redirect loop":                  {[]string{h.URL + "/loop"}, cli.ExitFailed, allowed},
		"page that is gone":              {[]string{h.URL + "/gone"}, cli.ExitFailed, allowed},
		"robots.txt unreachable":         {[]string{down.URL + "/"}, cli.ExitLater, later},
		"robots.txt at blocked address":  {[]string{h.URL + "/", "--allow-addr", "10.0.0.0/8"}, cli.ExitFailed, later},
		"tdmrep.json unreachable":        {[]string{odd.URL + "/", "--purpose", "tdm"}, cli.ExitLater, allowed},
		"tdmrep.json invalid":            {[]string{invalid.URL + "/", "--purpose", "search,tdm"}, cli.ExitLater, allowed},
		"tdmrep.json of no interest":     {[]string{odd.URL + "/", "--purpose", "search"}, cli.ExitDone, allowed},
		"tdmrep.json without purpose":    {[]string{odd.URL + "/"}, cli.ExitDone, allowed},
		"disallowed, and a failed page":  {[]string{h.URL + "/gone", "--purpose", "train-ai"}, cli.ExitFailed, allowed},
		"a purpose of a disallowed page": {[]string{h.URL + "/no/x", "--purpose", "search"}, cli.ExitFindings, disallowed},
	} {
		t.Run(name, func(t *testing.T) {
			a, code := ask(t, tt.args...)
			if code != tt.code || a.Verdict != tt.verdict {
				t.Errorf("exit code %d, want %d; %+v", code, tt.code, a)
			}
			if failed := code == cli.ExitFailed || code == cli.ExitLater || strings.HasPrefix(name, "tdmrep.json"); failed == (len(a.Errors) == 0) {
				t.Errorf("errors %q", a.Errors)
			}
		})
	}
	for _, path := range h.asked {
		if strings.HasPrefix(path, "/no") {
			t.Errorf("requested %s", path)
		}
	}
}

// A page that redirects is answered for its target, by the files of its site.
func TestPermitFollowsRedirects(t *testing.T) {
	target := newHost(t, map[string]string{"/robots.txt": "User-agent: *\nContent-Usage: train-ai=n\n", "/b": html})
	h := newHost(t, map[string]string{"/robots.txt": "User-agent: *\nContent-Usage: train-ai=y\n", "/a": ">" + target.URL + "/b"})
	a, _ := ask(t, h.URL+"/a", "--purpose", "train-ai")
	if diff := cmp.Diff([]string{"train-ai disallowed robots.txt line 2, Content-Usage"}, said(a)); diff != "" || a.Page != target.URL+"/b" {
		t.Errorf("page %s:\n%s", a.Page, diff)
	}
	h.wantAsked(t, "/robots.txt", "/a")
	target.wantAsked(t, "/robots.txt", "/b", "/.well-known/tdmrep.json")
}

// Files that cannot be read are named, and the rest is answered.
func TestPermitUnreadableFiles(t *testing.T) {
	const link = `Link: <{host}/license.xml>; rel="license"; type="application/rsl+xml"` + "\n" + html
	for name, tt := range map[string]struct {
		texts map[string]string
		want  string // in the error
		asked bool   // the license
	}{
		"tdmrep.json is no JSON":     {map[string]string{"/.well-known/tdmrep.json": "{"}, "tdmrep.json states nothing", false},
		"tdmrep.json is unreachable": {map[string]string{"/.well-known/tdmrep.json": "500"}, "tdmrep.json states nothing: unreachable: status 500", false},
		"tdmrep.json is too large":   {map[string]string{"/.well-known/tdmrep.json": "[]" + strings.Repeat(" ", usage.MaxTDMRepBytes)}, "tdmrep.json states nothing: larger than 262144 bytes", false},
		"no license":                 {map[string]string{"/": link}, "license.xml could not be read: status 404", true},
		"license is no RSL":          {map[string]string{"/": link, "/license.xml": "x"}, "not RSL", true},
		"license is too large":       {map[string]string{"/": link, "/license.xml": strings.Repeat(" ", usage.MaxRSLBytes+1)}, "larger than", true},
		"license is disallowed":      {map[string]string{"/": link, "/robots.txt": "User-agent: *\nContent-Usage: search=y\nDisallow: /license"}, "is disallowed by", false},
		"tdmrep.json is disallowed":  {map[string]string{"/robots.txt": "User-agent: *\nContent-Usage: search=y\nDisallow: /.well-known"}, "states nothing: disallowed by robots.txt", false},
	} {
		t.Run(name, func(t *testing.T) {
			texts := map[string]string{"/robots.txt": "User-agent: *\nContent-Usage: search=y\n", "/": html}
			maps.Copy(texts, tt.texts)
			h := newHost(t, texts)
			a, code := ask(t, h.URL+"/", "--purpose", "search")
			if !strings.Contains(strings.Join(a.Errors, "\n"), tt.want) || (tt.want == "") != (len(a.Errors) == 0) {
				t.Errorf("errors %q, want %q", a.Errors, tt.want)
			}
			if diff := cmp.Diff([]string{"search allowed robots.txt line 2, Content-Usage"}, said(a)); diff != "" || code != cli.ExitDone {
				t.Errorf("exit code %d:\n%s", code, diff)
			}
			if asked := slices.Contains(h.asked, "/license.xml"); asked != tt.asked {
				t.Errorf("license requested: %v", asked)
			}
		})
	}
}

// One host gets a request each time the delay is over; robots.txt may ask for a longer one.
func TestPermitDelay(t *testing.T) {
	for name, tt := range map[string]struct {
		robots, delay string
		want          time.Duration
	}{
		"delay":       {"", "30ms", 30 * time.Millisecond},
		"crawl delay": {"User-agent: *\nCrawl-delay: 0.05\n", "0s", 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, map[string]string{"/robots.txt": tt.robots, "/1": html, "/2": html})
			if got := run(t, "permit", "--delay", tt.delay, h.URL+"/1", h.URL+"/2"); got.Code != cli.ExitDone {
				t.Fatalf("%+v", got)
			}
			h.wantAsked(t, "/robots.txt", "/1", "/.well-known/tdmrep.json", "/2")
			for i := 1; i < len(h.times); i++ {
				if gap := h.times[i].Sub(h.times[i-1]); gap < tt.want {
					t.Errorf("request %d came after %v, want at least %v", i+1, gap, tt.want)
				}
			}
		})
	}
}

// A file decides without a request, for the group of the user agent.
func TestPermitFile(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", "User-agent: *\nDisallow: /no\nContent-Usage: train-ai=y\nContent-Usage: /a train-ai=n\n\nUser-agent: otherbot\nContent-Usage: train-ai=n, search=y\n")
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"a path":             {[]string{"/"}, cli.ExitDone, []string{"train-ai allowed robots.txt line 3, Content-Usage"}},
		"the longest rule":   {[]string{"https://example.com/a/b"}, cli.ExitFindings, []string{"train-ai disallowed robots.txt line 4, Content-Usage"}},
		"a disallowed page":  {[]string{"/no"}, cli.ExitFindings, []string{"train-ai unknown"}},
		"another user agent": {[]string{"/a", "--user-agent", "otherbot/1.0"}, cli.ExitFindings, []string{"train-ai disallowed robots.txt line 7, Content-Usage"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, code := ask(t, append(tt.args, "--robots", file, "--purpose", "train-ai")...)
			if diff := cmp.Diff(tt.want, said(a)); diff != "" || code != tt.code {
				t.Errorf("exit code %d, want %d:\n%s", code, tt.code, diff)
			}
		})
	}
	got := program.RunWith(t, "User-agent: *\nContent-Usage: search=n\n", "permit", "--robots", "-", "/", "--purpose", "search")
	if !strings.Contains(got.Out, "search      disallowed  by 1, robots.txt line 2, Content-Usage\n") || got.Code != cli.ExitFindings {
		t.Errorf("standard input: %+v", got)
	}
}

func TestPermitText(t *testing.T) {
	file := clitest.WriteFile(t, "robots.txt", "User-agent: *\nDisallow: /no\nContent-Signal: search=yes, ai-train=no\nLicense: https://example.com/license.xml\n")
	got := run(t, "permit", "--robots", file, "https://example.com/a", "/no")
	want := `https://example.com/a
  robots.txt  allowed: no rule applies in the group *
  search      allowed     by 1, robots.txt line 3, Content-Signal
  ai-input    unknown
  train-ai    disallowed  by 1, robots.txt line 3, Content-Signal
  tdm         unknown
  archive     unknown
   1  robots.txt line 3, Content-Signal: search=yes, ai-train=no
      search allowed, train-ai disallowed
   2  robots.txt line 4, License: https://example.com/license.xml
      nothing about these purposes, see https://example.com/license.xml
/no
  robots.txt  disallowed by line 2, "Disallow: /no" in the group *
`
	if diff := cmp.Diff(want, got.Out); diff != "" || got.Code != cli.ExitFindings || got.Stderr != "" {
		t.Errorf("%+v\n%s", got, diff)
	}
}

func TestPermitMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"permit"}, []clitest.Misuse{
		{"nothing", nil, []string{"give URLs"}},
		{"an unknown purpose", []string{"https://h/", "--purpose", "ai"}, []string{"--purpose", `unknown purpose "ai"`, "train-ai"}},
		{"a path", []string{"/a"}, []string{`"/a" is a path`, "--robots"}},
		{"no timeout", []string{"https://h/", "--timeout", "0s"}, []string{"--timeout"}},
		{"a negative delay", []string{"https://h/", "--delay", "-1s"}, []string{"--delay"}},
		{"a browser", []string{"https://h/", "--user-agent", "Mozilla/5.0"}, []string{"--user-agent"}},
		{"a bad network", []string{"https://h/", "--allow-addr", "x"}, []string{"--allow-addr"}},
		{"no such file", []string{"/", "--robots", "absent.txt"}, []string{"absent.txt", "name a file"}},
		{"a URL to verify", []string{"https://h/", "--verify", "x"}, []string{"takes no arguments"}},
		{"a purpose to verify", []string{"--purpose", "tdm", "--verify", "x"}, []string{"--verify and --purpose"}},
		{"no product token", []string{"https://h/", "--agent", "Example Bot"}, []string{"--agent", "is not a product token"}},
		{"several product tokens", []string{"https://h/", "--agent", "a+b"}, []string{"--agent", "one product token"}},
		{"every crawler", []string{"https://h/", "--agent", "*"}, []string{"--agent", "one product token"}},
		{"an agent to verify", []string{"--agent", "x", "--verify", "x"}, []string{"--verify and --agent"}},
		{"a robots.txt to verify", []string{"--robots", "x", "--verify", "x"}, []string{"--verify and --robots"}},
		{"no directory", []string{"--verify", "absent"}, []string{`no directory "absent"`}},
		{"a directory without a crawl", []string{"--verify", t.TempDir()}, []string{"holds no crawl"}},
	})
}

// A record is verified, and a change of it is found.
func TestPermitVerify(t *testing.T) {
	const robots = "User-agent: *\nContent-Usage: train-ai=n\n"
	h := newHost(t, map[string]string{"/robots.txt": robots, "/": html + "<meta name=robots content=noarchive>"})
	cfg := crawler.Default()
	cfg.URLs, cfg.Output.Dir = []string{h.URL + "/"}, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Fetch.AllowAddr = 0, []string{"127.0.0.0/8"}
	c := clitest.Must(crawler.New(cfg, nil))(t)
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := cfg.Output.Dir
	got := run(t, "permit", "--verify", dir)
	if want := "1 line with 2 statements, 1 kept file: 0 differences\n"; got.Out != want || got.Code != cli.ExitDone || got.Stderr != "" {
		t.Errorf("%+v, want %q", got, want)
	}
	kept, lines := output.VersionPath(dir, usage.Hash([]byte(robots))), filepath.Join(dir, "permissions.jsonl")
	clitest.OK(t, os.WriteFile(kept, []byte(strings.Replace(robots, "=n", "=y", 1)), 0o600))
	text := clitest.Must(os.ReadFile(lines))(t)
	clitest.OK(t, os.WriteFile(lines, []byte(strings.Replace(string(text), "noarchive", "noindex", 1)), 0o600))
	got = run(t, "permit", "--verify", dir)
	clitest.WantParts(t, got.Out, kept+": the file was changed", "line 1  "+h.URL+"/: meta robots: values", "\n1 line with 2 statements, 1 kept file: 2 differences\n")
	if got.Code != cli.ExitFindings {
		t.Errorf("exit code %d", got.Code)
	}
	got = run(t, "permit", "--verify", dir, "--format", "json")
	found := clitest.JSONLines[map[string]any](t, got.Out)
	if len(found) != 3 || found[0]["file"] != kept || found[1]["line"] != 1.0 || found[2]["differences"] != 2.0 {
		t.Errorf("%v", found)
	}
	clitest.OK(t, errors.Join(os.WriteFile(lines, nil, 0o600), os.WriteFile(kept, []byte(robots), 0o600)))
	got = run(t, "permit", "--verify", dir)
	if want := h.URL + "/: permissions.jsonl has no line for this page of pages.jsonl\n0 lines with 0 statements, 1 kept file: 1 difference\n"; got.Out != want || got.Code != cli.ExitFindings {
		t.Errorf("without lines: %+v, want %q", got, want)
	}
	clitest.OK(t, errors.Join(os.Remove(lines), os.Remove(kept)))
	run(t, "permit", "--verify", dir).WantRefusal(t, cli.ExitMisuse, "has no permissions.jsonl", "was removed", "earlier version", "crawl into a new directory")

	state := filepath.Join(dir, "crawl.json")
	clitest.OK(t, os.WriteFile(state, []byte(`{"version":1}`), 0o600))
	run(t, "permit", "--verify", dir).WantRefusal(t, cli.ExitMisuse, "has no permissions.jsonl", "earlier version")
	dir = t.TempDir()
	clitest.OK(t, os.WriteFile(filepath.Join(dir, "permissions.jsonl"), text, 0o600))
	run(t, "permit", "--verify", dir).WantRefusal(t, cli.ExitMisuse, "has permissions.jsonl but no crawl.json", "copy it")
}

// --agent asks about another crawler, in robots.txt, headers and meta elements. What robots.txt
// disallows to the command itself is not requested.
func TestPermitAgent(t *testing.T) {
	const robots = "User-agent: OtherBot\nDisallow: /closed\nContent-Signal: ai-train=no\n" +
		"User-agent: *\nDisallow: /others\nContent-Signal: ai-train=yes\n"
	h := newHost(t, map[string]string{
		"/robots.txt":              robots,
		"/.well-known/tdmrep.json": `[{"location": "/", "tdm-reservation": 0}]`,
		"/":                        "X-Robots-Tag: otherbot: noarchive\n" + html + "<meta name=OtherBot content=nosnippet>",
		"/closed":                  html,
		"/others":                  html,
	})
	file := filepath.Join(t.TempDir(), "robots.txt")
	clitest.OK(t, os.WriteFile(file, []byte(robots), 0o600))
	for _, tt := range []struct {
		args    []string
		verdict string
		group   string
		code    int
		want    string // who decides about what
	}{
		{[]string{h.URL + "/"}, allowed, "*", cli.ExitDone, "train-ai allowed robots.txt line 6, Content-Signal; tdm allowed file /.well-known/tdmrep.json, rule 1"},
		{[]string{h.URL + "/", "--agent", "OtherBot"}, allowed, "OtherBot", cli.ExitDone, "ai-input disallowed meta otherbot; train-ai disallowed robots.txt line 3, Content-Signal; " +
			"tdm allowed file /.well-known/tdmrep.json, rule 1; archive disallowed header X-Robots-Tag"},
		{[]string{h.URL + "/closed", "--agent", "OtherBot"}, disallowed, "OtherBot", cli.ExitFindings, ""},
		{[]string{h.URL + "/others", "--agent", "OtherBot"}, allowed, "OtherBot", cli.ExitFailed, "train-ai disallowed robots.txt line 3, Content-Signal"},
		{[]string{"/closed", "--robots", file}, allowed, "*", cli.ExitDone, "train-ai allowed robots.txt line 6, Content-Signal"},
		{[]string{"/closed", "--robots", file, "--agent", "otherbot"}, disallowed, "OtherBot", cli.ExitFindings, ""},
		{[]string{h.URL + "/robots.txt", "--agent", "OtherBot"}, allowed, "", cli.ExitDone, ""},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			a, code := ask(t, tt.args...)
			lines := slices.DeleteFunc(said(a), func(line string) bool { return strings.Contains(line, "unknown") })
			if got := strings.Join(lines, "; "); got != tt.want || a.Verdict != tt.verdict || a.Group != tt.group || code != tt.code {
				t.Errorf("exit code %d, %+v\n%s", code, a, got)
			}
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.asked, "/others") {
		t.Error("a page was requested that robots.txt disallows")
	}
}
