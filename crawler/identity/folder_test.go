package identity

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// testKeys are the Ed25519 key of RFC 9421, appendix B.1.4, and another one, as JWK.
var testKeys = []string{
	`{"kty":"OKP","crv":"Ed25519","d":"n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU","x":"JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}`,
	`{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`,
}

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)} }

func settings() Settings {
	return Settings{Agent: "https://bot.example.com/", Name: "examplebot", Contact: "crawler@example.com", Purpose: "search", IPRanges: []string{"192.0.2.7/24", "2001:db8::/32"}}
}

func create(t *testing.T, c *clock, source string) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "identity"), settings(), source, &Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// served returns the key directory as a host with _headers serves it.
func served(t *testing.T, f *Folder, now time.Time) *botauth.Directory {
	t.Helper()
	body, err := os.ReadFile(f.public(botauth.DirectoryPath))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.public("_headers"))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for line := range strings.Lines(strings.TrimPrefix(string(text), botauth.DirectoryPath+"\n")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			break
		}
		h.Set(name, value)
	}
	dir, err := botauth.VerifyDirectory("bot.example.com", h, body, now)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// signed returns a request that the signer of a folder has signed.
func signed(t *testing.T, f *Folder) *http.Request {
	t.Helper()
	s, err := f.Signer()
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest(http.MethodGet, "https://site.example/", http.NoBody)
	if err := s.Sign(req); err != nil {
		t.Fatal(err)
	}
	return req
}

func verify(t *testing.T, req *http.Request, f *Folder, c *clock) string {
	t.Helper()
	dir := served(t, f, c.at)
	dir.URL = "https://bot.example.com"
	id, err := botauth.Verify(req, dir, &botauth.VerifyOptions{Now: c.now})
	if err != nil {
		t.Error(err)
	}
	return id.KeyID
}

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// TestFilesOfAnIdentity compares all files but keys/ with testdata/identity.
func TestFilesOfAnIdentity(t *testing.T) {
	t.Setenv("TEST_KEY", testKeys[0])
	f := create(t, newClock(), "env:TEST_KEY")
	got := map[string]string{}
	err := filepath.WalkDir(f.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(f.dir, name)
		got[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"identity.json", "nginx.conf", "public/.well-known/http-message-signatures-directory", "public/_headers", "public/index.html", "public/ip-ranges.json", "public/signature-agent-card.json"}
	if diff := cmp.Diff(names, sortedKeys(got)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for _, name := range names {
		golden := filepath.Join("testdata", "identity", strings.ReplaceAll(name, "/.", "/"))
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(got[name]), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), got[name]); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	body := []byte(got["public/signature-agent-card.json"])
	if _, err := botauth.ParseCard("https://bot.example.com"+CardPath, body); err != nil {
		t.Error(err)
	}
	if list, err := ParseRanges([]byte(got["public/ip-ranges.json"])); err != nil || len(list) != 2 || list[0].String() != "192.0.2.0/24" {
		t.Error(list, err)
	}
	if dir := served(t, f, f.now()); len(dir.Keys) != 1 {
		t.Errorf("%+v", dir)
	}
}

func sortedKeys(m map[string]string) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestPageAndCardOmitWhatIsNotSet(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "i"), Settings{Agent: "https://bot.example.com", Name: "examplebot"}, FileSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "signature-agent-card.json", "_headers"} {
		text, err := os.ReadFile(f.public(name))
		if found := regexp.MustCompile(`client-ranges|Purpose|purpose|mailto|ips_uri|contacts`).Find(text); err != nil || found != nil {
			t.Errorf("%s has %q (%v):\n%s", name, found, err, text)
		}
	}
	if _, err := os.Stat(f.public(RangesPath)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestPrivateKeyFileIsReadableByItsOwnerOnly(t *testing.T) {
	f := create(t, newClock(), FileSource)
	id := f.Keys()[0].ID
	for name, want := range map[string]fs.FileMode{"keys": fs.ModeDir | 0o700, filepath.Join("keys", id+".pem"): 0o600, "identity.json": 0o600} {
		if info, err := os.Stat(filepath.Join(f.dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Setenv("BAD_KEY", "hunter2")
	with := func(change func(*Settings)) Settings {
		s := settings()
		change(&s)
		return s
	}
	tests := []struct {
		name     string
		settings Settings
		source   string
		want     string
	}{
		{"http", with(func(s *Settings) { s.Agent = "http://bot.example.com/" }), FileSource, "not an https URL"},
		{"no scheme", with(func(s *Settings) { s.Agent = "bot.example.com" }), FileSource, "not an https URL"},
		{"path", with(func(s *Settings) { s.Agent = "https://example.com/bot" }), FileSource, "write it as https://example.com/"},
		{"password", with(func(s *Settings) { s.Agent = "https://me:hunter2@example.com/" }), FileSource, "leave them out"},
		{"name", with(func(s *Settings) { s.Name = "Example Bot" }), FileSource, "not a product token"},
		{"user agent", with(func(s *Settings) { s.UserAgent = "other/1.0" }), FileSource, "does not begin with the name examplebot"},
		{"contact", with(func(s *Settings) { s.Contact = "me" }), FileSource, "not an email address"},
		{"range", with(func(s *Settings) { s.IPRanges = []string{"example.com"} }), FileSource, "neither an IP address nor a network"},
		{"source", settings(), "keychain", "not a source of the key"},
		{"key as source", settings(), `{"d":"hunter2"}`, "do not put the key itself there"},
		{"empty variable", settings(), "env:NO_SUCH_KEY", "NO_SUCH_KEY is empty"},
		{"no key in the variable", settings(), "env:BAD_KEY", "env:BAD_KEY delivers no key"},
		{"failing command", settings(), "command:sh -c exit${IFS}1", "from the command sh"},
		{"no key from the command", settings(), "command:echo hunter2", "delivers no key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Create(filepath.Join(t.TempDir(), "i"), tt.settings, tt.source, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(strings.ReplaceAll(err.Error(), tt.source, ""), "hunter2") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	f := create(t, newClock(), FileSource)
	if _, err := Create(f.dir, settings(), FileSource, nil); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("in the directory of an identity: %v", err)
	}
}

func TestOpenRefusesADamagedFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), "politecrawl identity init") {
		t.Error(err)
	}
	for _, tt := range []struct{ text, want string }{
		{"{", "unexpected end"},
		{`{"version":1,"agent":"https://b.example","name":"b"}`, "no current key"},
		{`{"version":2,"agent":"https://b.example","name":"b"}`, "version 2"},
		{`{"version":1,"agent":"https://b.example","name":"b","keys":[{"id":"../../x","source":"file"}]}`, "is not valid"},
		{`{"version":1,"agent":"http://b.example","name":"b"}`, "not an https URL"},
	} {
		if err := os.WriteFile(filepath.Join(dir, contentFile), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestRotationsKeepOldSignaturesValid rotates three times beside a running crawl, which signs all the time.
func TestRotationsKeepOldSignaturesValid(t *testing.T) {
	c := newClock()
	running := create(t, c, FileSource)
	used := map[string]bool{}
	for round := range 4 {
		before := signed(t, running)
		used[verify(t, before, running, c)] = true
		if round == 3 {
			break
		}
		command, err := Open(running.dir, &Options{Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		if notes, err := command.Rotate(""); err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		c.at = c.at.Add(30 * time.Second)
		verify(t, before, running, c)
		verify(t, signed(t, running), running, c)
		c.at = c.at.Add(31 * time.Second)
	}
	if len(used) != 4 || len(served(t, running, c.at).Keys) != 4 {
		t.Errorf("the crawl used %d keys of %d", len(used), len(served(t, running, c.at).Keys))
	}

	c.at = c.at.Add(botauth.MaxLifetime)
	f, err := Open(running.dir, &Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if renewed, _, err := f.Renew(); err != nil || !renewed {
		t.Fatal(renewed, err)
	}
	files, err := os.ReadDir(filepath.Join(f.dir, "keys"))
	if err != nil || len(files) != 1 || files[0].Name() != f.Keys()[0].ID+".pem" || len(served(t, f, c.at).Keys) != 1 {
		t.Errorf("expired keys remain: %v %v", files, err)
	}
}

func TestRotateWithEnvironmentAndCommand(t *testing.T) {
	c := newClock()
	t.Setenv("KEY_A", testKeys[0])
	f := create(t, c, "env:KEY_A")
	if _, err := f.Rotate(""); err == nil || !strings.Contains(err.Error(), "has already") {
		t.Errorf("the same key: %v", err)
	}
	if k := f.Keys()[0]; !k.Expires.IsZero() {
		t.Errorf("a failed rotation retires %+v", k)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte(testKeys[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if notes, err := f.Rotate("command:cat " + name); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	if got := served(t, f, c.at).Keys; len(got) != 2 {
		t.Errorf("%+v", got)
	}
	t.Setenv("KEY_A", "")
	notes, err := f.Rotate(FileSource)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "KEY_A is empty") {
		t.Error(notes, err)
	}
	if got := served(t, f, c.at).Keys; len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestSignerKeepsTheOldKeyWhileTheNewOneIsMissing(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	first := verify(t, signed(t, f), f, c)
	command, err := Open(f.dir, &Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := command.Rotate(FileSource); err != nil {
		t.Fatal(err)
	}
	hidden := f.keyFile(command.Keys()[0].ID)
	if err := os.Rename(hidden, hidden+".x"); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(time.Minute)
	if got := verify(t, signed(t, f), f, c); got != first {
		t.Errorf("signed by %s", got)
	}
	c.at = c.at.Add(botauth.MaxLifetime)
	if _, err := f.Signer(); err == nil || !strings.Contains(err.Error(), "cannot read the private key") {
		t.Errorf("with an expired key: %v", err)
	}
	if err := os.Rename(hidden+".x", hidden); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(time.Minute)
	if got := verify(t, signed(t, f), f, c); got != command.Keys()[0].ID {
		t.Errorf("signed by %s", got)
	}
}

func TestRenew(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	renew := func(want bool, why string) {
		t.Helper()
		f, err := Open(f.dir, &Options{Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		if got, notes, err := f.Renew(); got != want || len(notes) > 0 || err != nil {
			t.Errorf("%s: renewed %v %v %v", why, got, notes, err)
		}
		served(t, f, c.at)
	}
	renew(false, "just created")
	c.at = c.at.Add(directoryLife / 2)
	renew(true, "half of the time has passed")
	renew(false, "just renewed")

	name := filepath.Join(f.dir, contentFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), `"search"`, `"research"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	renew(true, "settings changed")

	// A rotation that was killed before it wrote identity.json.
	text, err = os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	killed, err := Open(f.dir, &Options{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := killed.Rotate(""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	renew(true, "killed rotation")
	if got := served(t, f, c.at).Keys; len(got) != 1 || got[0].Exp != 0 {
		t.Errorf("after a killed rotation: %+v", got)
	}
}

func TestDirectoryURL(t *testing.T) {
	for agent, want := range map[string]string{
		"https://bot.example.com":          "https://bot.example.com" + botauth.DirectoryPath,
		"https://bot.example.com:8443/":    "https://bot.example.com:8443" + botauth.DirectoryPath,
		"https://bot.example.com/jwks":     "https://bot.example.com/jwks",
		"https://bot.example.com/?query=1": "https://bot.example.com/?query=1",
	} {
		if got := DirectoryURL(agent); got != want {
			t.Errorf("%s: %s, want %s", agent, got, want)
		}
	}
}

func FuzzParseRanges(f *testing.F) {
	for _, text := range []string{
		`{"creationTime":"2026-11-01T12:00:00Z","prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}`,
		`{"creationTime":"2026-11-01T12:00:00Z","prefixes":[{"ipv4Prefix":"2001:db8::/32"}]}`, `{"prefixes":[]}`, `[]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := ParseRanges(body)
		for _, p := range list {
			if !p.IsValid() {
				t.Error(p)
			}
		}
		if err == nil && !json.Valid(body) {
			t.Error("accepted what is not JSON")
		}
	})
}
