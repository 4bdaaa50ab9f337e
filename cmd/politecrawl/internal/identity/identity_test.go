package identity

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

var (
	began = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	clock = began
	now   = func() time.Time { return clock }

	program = clitest.Only(func(streams *cli.Streams) *cobra.Command { return command(streams, now) })
	run     = program.Run
)

// TestMain lets the program trust the certificate of test servers.
func TestMain(m *testing.M) {
	server := httptest.NewTLSServer(nil)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	server.Close()
	dir, err := os.MkdirTemp("", "identity")
	if err != nil {
		panic(err)
	}
	name := filepath.Join(dir, "ca.pem")
	if err := errors.Join(os.WriteFile(name, text, 0o600), os.Setenv("SSL_CERT_FILE", name)); err != nil {
		panic(err)
	}
	program.Main(m)
}

// A host serves the public files of an identity, with the fields in _headers. change may change a response.
type host struct {
	*httptest.Server
	dir    string
	change func(path string, status *int, h http.Header, body *[]byte)
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{dir: filepath.Join(t.TempDir(), "bot"), change: func(string, *int, http.Header, *[]byte) {}}
	h.Server = httptest.NewTLSServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	body, err := os.ReadFile(filepath.Join(h.dir, "public", filepath.FromSlash(r.URL.Path)))
	if err != nil {
		status = http.StatusNotFound
	}
	text, _ := os.ReadFile(filepath.Join(h.dir, "public", "_headers"))
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && r.URL.Path == botauth.DirectoryPath {
			w.Header().Set(name, value)
		}
	}
	h.change(r.URL.Path, &status, w.Header(), &body)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// done runs a command that succeeds.
func done(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	got := run(t, args...)
	if got.Code != cli.ExitDone {
		t.Fatalf("%q: %+v", args, got)
	}
	return got
}

func at(t *testing.T, after time.Duration) {
	t.Helper()
	clock = began.Add(after)
	t.Cleanup(func() { clock = began })
}

func (h *host) init(t *testing.T, args ...string) {
	t.Helper()
	done(t, append([]string{"identity", "init", h.URL, h.dir}, args...)...)
}

// captured returns a request as the crawl of an identity sends it.
func captured(t *testing.T, dir string) string {
	t.Helper()
	f := clitest.Must(identity.Open(dir, &identity.Options{Now: now}))(t)
	s := clitest.Must(f.Signer())(t)
	req := httptest.NewRequest(http.MethodGet, "https://site.example/a?b", http.NoBody)
	clitest.OK(t, s.Sign(req))
	var b bytes.Buffer
	clitest.OK(t, req.Write(&b))
	return b.String()
}

func TestInitPrintsTheStepsOfANewUser(t *testing.T) {
	printed := ""
	t.Run("in a directory", func(t *testing.T) {
		t.Chdir(t.TempDir())
		printed = done(t, "identity", "init", "https://bot.example.com/", "my bot", "--name", "examplebot", "--contact", "crawler@example.com").Out
		run(t, "identity", "init", "https://bot.example.com/", "my bot").WantRefusal(t, cli.ExitMisuse, `"my bot" is not empty`)
		got := done(t, "identity", "init", "https://bot.example.com/")
		clitest.WantParts(t, got.Out, `lacks your "purpose" and "contact"`, "politecrawl identity show identity")
	})
	printed = regexp.MustCompile(`[\w-]{43}`).ReplaceAllString(printed, "KEYID")
	printed = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d`).ReplaceAllString(printed, "TIME")
	clitest.Golden(t, "init.txt", printed)
}

func TestRotateAndShow(t *testing.T) {
	h := newHost(t)
	h.init(t)
	first := clitest.JSON[struct{ Keys []identity.Key }](t, done(t, "identity", "show", h.dir, "--format", "json").Out).Keys[0]
	got := done(t, "identity", "rotate", h.dir)
	clitest.WantParts(t, got.Out, "new key ", ", which signs from 2026-", "(upload it now)", "Upload them now", ", valid until")
	done(t, "identity", "check", h.URL)

	at(t, botauth.MaxLifetime+time.Hour)
	got = done(t, "identity", "show", h.dir)
	clitest.WantParts(t, got.Out, "Upload them now", "contact     none")
	if strings.Contains(got.Out, first.ID) || clitest.Exists(filepath.Join(h.dir, "keys", first.ID+".pem")) {
		t.Errorf("the expired key remains:\n%s", got.Out)
	}
	if got := done(t, "identity", "show", h.dir); strings.Contains(got.Out, "Upload") {
		t.Errorf("renewed twice:\n%s", got.Out)
	}
	clitest.OK(t, os.RemoveAll(filepath.Join(h.dir, "keys")))
	got = done(t, "identity", "rotate", h.dir)
	clitest.WantParts(t, got.Stderr, "note: the old key ", "is removed from the key directory")
}

func TestMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"identity"}, []clitest.Misuse{
		{Name: "no URL", Args: []string{"init"}, Words: []string{"give a URL"}},
		{Name: "http", Args: []string{"init", "http://bot.example.com", filepath.Join(t.TempDir(), "x")}, Words: []string{"not an https URL"}},
		{Name: "source", Args: []string{"init", "https://b.example", filepath.Join(t.TempDir(), "x"), "--key", "x"}, Words: []string{"env:NAME"}},
		{Name: "no identity", Args: []string{"show", t.TempDir()}, Words: []string{"politecrawl identity init"}},
		{Name: "rotate no identity", Args: []string{"rotate", "absent"}, Words: []string{"politecrawl identity init"}},
		{Name: "no file", Args: []string{"check", "absent.txt"}, Words: []string{"absent.txt", "no such file"}},
		{Name: "directory with URL", Args: []string{"check", "https://b.example", "--directory", "x"}, Words: []string{"captured request"}},
		{Name: "no host", Args: []string{"check", "https:///x"}, Words: []string{"identity check"}},
		{Name: "no request", Args: []string{"check", clitest.WriteFile(t, "r.txt", "hello\n")}, Words: []string{"no HTTP/1.1 request"}},
		{Name: "no Host", Args: []string{"check", clitest.WriteFile(t, "r.txt", "GET / HTTP/1.1\n")}, Words: []string{"has no Host"}},
	})
}

// TestCheckHost holds which problems of a published identity are found.
func TestCheckHost(t *testing.T) {
	directory := func(f func(status *int, h http.Header, body *[]byte)) func(string, *int, http.Header, *[]byte) {
		return func(path string, status *int, h http.Header, body *[]byte) {
			if path == botauth.DirectoryPath {
				f(status, h, body)
			}
		}
	}
	replaced := func(path, old, with string) func(string, *int, http.Header, *[]byte) {
		return func(p string, _ *int, _ http.Header, body *[]byte) {
			if p == path {
				*body = []byte(strings.Replace(string(*body), old, with, 1))
			}
		}
	}
	tests := []struct {
		name   string
		after  time.Duration
		change func(path string, status *int, h http.Header, body *[]byte)
		code   int
		want   []string
	}{
		{"as uploaded", 0, nil, 0, []string{"has the status 200", "its id is its thumbprint", "is signed by all its valid keys"}},
		{"missing", 0, directory(func(s *int, _ http.Header, _ *[]byte) { *s = 404 }), 1, []string{"has the status 404", "upload the directory public/"}},
		{"redirect", 0, directory(func(s *int, h http.Header, _ *[]byte) { *s = 302; h.Set("Location", "/x") }), 1, []string{"redirects to /x"}},
		{"content type", 0, directory(func(_ *int, h http.Header, _ *[]byte) { h.Set("Content-Type", "text/plain") }), 1, []string{`Content-Type is "text/plain"`, "nginx.conf"}},
		{"too large", 0, directory(func(_ *int, _ http.Header, b *[]byte) { *b = bytes.Repeat([]byte(" "), maxBody+1) }), 1, []string{"more than 65536 bytes"}},
		{"not JSON", 0, directory(func(_ *int, _ http.Header, b *[]byte) { *b = []byte("<html>") }), 1, []string{"not a JSON object"}},
		{"wrong key id", 0, replaced(botauth.DirectoryPath, `"kid":"`, `"kid":"x`), 1, []string{"is not the thumbprint of its key", "no key that is valid now"}},
		{"key of another type", 0, replaced(botauth.DirectoryPath, `"OKP","crv":"Ed25519"`, `"EC","crv":"P-256"`), 1, []string{"EC P-256 is ignored"}},
		{"no signature", 0, directory(func(_ *int, h http.Header, _ *[]byte) { h.Del("Signature") }), 1, []string{"is not signed by its keys"}},
		{"no fields", 0, directory(func(_ *int, h http.Header, _ *[]byte) {
			for _, name := range []string{"Signature", "Signature-Input", "Content-Digest"} {
				h.Del(name)
			}
		}), 1, []string{"is not signed by its keys"}},
		{"changed on the way", 0, replaced(botauth.DirectoryPath, `]}`, "] }"), 1, []string{"Content-Digest does not match"}},
		{"signature ends soon", 24 * 24 * time.Hour, nil, 0, []string{"note", "less than 7 more days", "identity show"}},
		{"signature has ended", 31 * 24 * time.Hour, nil, 1, []string{"has expired", "identity show"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t)
			h.init(t, "--ip-range", "192.0.2.0/24")
			if tt.change != nil {
				h.change = tt.change
			}
			at(t, tt.after)
			got := run(t, "identity", "check", h.URL)
			if got.Code != tt.code {
				t.Errorf("exit code %d, want %d: %s", got.Code, tt.code, got.Stderr)
			}
			clitest.WantParts(t, got.Out, tt.want...)
			lines := clitest.JSONLines[finding](t, run(t, "identity", "check", h.URL+botauth.DirectoryPath, "--format", "json").Out)
			for _, f := range lines {
				if f.Level == levelProblem && f.Advice == "" || f.Text == "" {
					t.Errorf("%+v says not what to do", f)
				}
			}
		})
	}
}

func TestCheckHostByHTTP(t *testing.T) {
	s := clitest.Server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) })
	got := run(t, "identity", "check", s.URL)
	if got.Code != cli.ExitFindings {
		t.Errorf("%+v", got)
	}
	clitest.WantParts(t, got.Out, "not an https URL", "no key that is valid now")
	s.Close()
	got = run(t, "identity", "check", s.URL)
	if got.Code != cli.ExitFailed || !strings.Contains(got.Stderr, "cannot request "+s.URL+botauth.DirectoryPath) {
		t.Errorf("%+v", got)
	}
	got = run(t, "identity", "check", "https://127.0.0.1:1/", "--allow-addr", "10.0.0.0/8")
	if got.Code != cli.ExitFailed || !strings.Contains(got.Stderr, "allow it with --allow-addr") {
		t.Errorf("%+v", got)
	}
}

// TestCheckRequest holds why a captured request is refused.
func TestCheckRequest(t *testing.T) {
	h := newHost(t)
	h.init(t)
	request := captured(t, h.dir)
	file := filepath.Join(h.dir, "public", filepath.FromSlash(botauth.DirectoryPath))
	other := newHost(t)
	other.init(t)
	otherFile := filepath.Join(other.dir, "public", filepath.FromSlash(botauth.DirectoryPath))
	without := func(field string) string {
		return regexp.MustCompile(`(?m)^`+field+`:.*\r\n`).ReplaceAllString(request, "")
	}
	tests := []struct {
		name, request, directory string
		after                    time.Duration
		want                     string
	}{
		{"as sent", request, file, 0, ""},
		{"as sent, keys by https", request, "", 0, ""},
		{"line feeds only", strings.ReplaceAll(request, "\r\n", "\n"), file, 0, ""},
		{"cut before the empty line", strings.TrimSpace(request), file, 0, ""},
		{"late", request, file, time.Hour, "signature has expired"},
		{"early", request, file, -time.Hour, "created in the future"},
		{"another site", strings.Replace(request, "site.example", "evil.example", 1), file, 0, "signature does not match"},
		{"another agent", strings.Replace(request, h.URL, "https://evil.example", 1), file, 0, "signature does not match"},
		{"another directory", request, otherFile, 0, "directory has no such key"},
		{"unsigned", without("Signature"), file, 0, "message has no signature"},
		{"no agent", without("Signature-Agent"), file, 0, "there is no Signature-Agent"},
		{"legacy agent", strings.Replace(request, "sig1=\"https", "\"https", 1), file, 0, "legacy string form"},
		{"agent is a card", strings.Replace(request, h.URL+`"`, h.URL+`";type=cimd`, 1), file, 0, "names no key directory"},
		{"tag", strings.Replace(request, `tag="web-bot-auth"`, `tag="other"`, 1), file, 0, "required tag"},
		{"algorithm", strings.Replace(request, `alg="ed25519"`, `alg="hmac-sha256"`, 1), file, 0, "algorithm does not fit"},
		{"field", strings.Replace(request, "Signature: sig1=:", "Signature: sig1=", 1), file, 0, "field is malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at(t, tt.after)
			args := []string{"identity", "check", "-", "--format", "json"}
			if tt.directory != "" {
				args = append(args, "--directory", tt.directory)
			}
			got := program.RunWith(t, tt.request, args...)
			findings := clitest.JSONLines[finding](t, got.Out)
			if len(findings) == 0 {
				t.Fatalf("%+v", got)
			}
			last := findings[len(findings)-1]
			switch {
			case tt.want == "" && (got.Code != cli.ExitDone || last.Level != levelOK || !strings.Contains(last.Text, "site.example is signed by key")):
				t.Errorf("%+v", got)
			case tt.want != "" && (got.Code != cli.ExitFindings || last.Level != levelProblem || !strings.Contains(last.Text, tt.want) || last.Advice == ""):
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}

// TestPrivateKeyIsInNoOutput runs each command with a key that can be recognized, and looks for it in what
// they print and write.
func TestPrivateKeyIsInNoOutput(t *testing.T) {
	key := clitest.Must(botauth.GenerateKey())(t)
	jwk := clitest.Must(key.JWK())(t)
	text, err := key.PEM()
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct{ D string }
	clitest.OK(t, json.Unmarshal(jwk, &parsed))
	secrets := []string{parsed.D, strings.Split(string(text), "\n")[1], "hunter2"}

	h := newHost(t)
	t.Setenv("BOT_KEY", string(jwk))
	t.Setenv("BAD_KEY", `{"kty":"OKP","d":"hunter2"}`)
	file := clitest.WriteFile(t, "key.pem", string(text))
	var out strings.Builder
	for _, args := range [][]string{
		{"init", h.URL, h.dir, "--key", "env:BOT_KEY"}, {"init", h.URL, h.dir, "--key", "env:BOT_KEY"}, {"show", h.dir}, {"show", h.dir, "--format", "json"}, {"check", h.URL},
		{"rotate", h.dir, "--key", "command:cat " + file}, {"rotate", h.dir, "--key", "env:BAD_KEY"}, {"rotate", h.dir, "--key", "command:sh -c echo${IFS}hunter2>&2;exit${IFS}1"},
		{"init", h.URL, filepath.Join(t.TempDir(), "x"), "--key", string(jwk)}, {"rotate", h.dir, "--key", string(text)}, {"rotate", h.dir, "--key", "env:" + string(jwk)},
		{"rotate", h.dir, "--key", "env:hunter2"}, {"rotate", h.dir, "--key", "command:" + parsed.D}, {"rotate", h.dir, "--key", "command:sh -c " + parsed.D}, {"rotate", h.dir, "--key", "hunter2"},
		{"rotate", h.dir, "--key", "file"}, {"show", h.dir},
		{"init", h.URL, filepath.Join(t.TempDir(), "y"), "--key", "command:cat " + file},
	} {
		got := run(t, append([]string{"identity"}, args...)...)
		out.WriteString(got.Out + got.Stderr)
	}
	err = filepath.WalkDir(h.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(name)) == "keys" {
			return err
		}
		text, err := os.ReadFile(name)
		out.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the private key is in:\n%s", &out)
		}
	}
	if !strings.Contains(out.String(), key.Public().Kid) {
		t.Error("the key was not used")
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, text := range []string{"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "GET http://a.example/ HTTP/1.1\n", "GET / HTTP/1.1\nHost: a\nSignature: a=:AA==:\nSignature-Input: a=()\nSignature-Agent: a=\"https://b\"", "\x00"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		req, err := parseRequest(text)
		if err != nil {
			return
		}
		if req.Host == "" {
			t.Error("a request without a host")
		}
		if agent, err := agentOf(req); err == nil && agent == "" {
			t.Error("neither an agent nor an error")
		}
		if id, err := botauth.Verify(req, &botauth.Directory{}, &botauth.VerifyOptions{Now: func() time.Time { return began }}); err == nil {
			t.Errorf("verified without a key: %+v", id)
		}
	})
}
