package identity

import (
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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

func create(t *testing.T, c *clock, source string) *Identity {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "identity"), settings(), source, &Options{Now: c.now})
	must(t, err)
	return f
}

// served returns the key directory as a host with _headers serves it.
func served(t *testing.T, f *Identity, now time.Time) *botauth.Directory {
	t.Helper()
	body, err := os.ReadFile(f.public(botauth.DirectoryPath))
	must(t, err)
	text, err := os.ReadFile(f.public("_headers"))
	must(t, err)
	h := http.Header{}
	for line := range strings.Lines(strings.TrimPrefix(string(text), botauth.DirectoryPath+"\n")) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			break
		}
		h.Set(name, value)
	}
	dir, err := botauth.VerifyDirectory("bot.example.com", h, body, now)
	must(t, err)
	return dir
}

// signed returns a request that an identity has signed.
func signed(t *testing.T, f *Identity) *http.Request {
	t.Helper()
	s, err := f.Signer()
	must(t, err)
	req := httptest.NewRequest(http.MethodGet, "https://site.example/", http.NoBody)
	must(t, s.Sign(req))
	return req
}

func verify(t *testing.T, req *http.Request, f *Identity, c *clock) string {
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
	must(t, err)
	names := []string{"identity.json", "nginx.conf", "public/.well-known/http-message-signatures-directory", "public/_headers", "public/index.html", "public/ip-ranges.json", "public/signature-agent-card.json"}
	if diff := cmp.Diff(names, sortedKeys(got)); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for _, name := range names {
		golden := filepath.Join("testdata", "identity", strings.ReplaceAll(name, "/.", "/"))
		if *update {
			must(t, errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, []byte(got[name]), 0o644)))
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
	must(t, err)
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
		{"empty port", with(func(s *Settings) { s.Agent = "https://h:" }), FileSource, "has a port that is not a number"},
		{"port with a zero", with(func(s *Settings) { s.Agent = "https://h:0443" }), FileSource, "has a port that is not a number"},
		{"large port", with(func(s *Settings) { s.Agent = "https://h:99999" }), FileSource, "has a port that is not a number"},
		{"invalid host", with(func(s *Settings) { s.Agent = "https://a^b.example" }), FileSource, "not"},
		{"source", settings(), "keychain", "do not put the key itself there"},
		{"JWK as source", settings(), `{"d":"hunter2"}`, "do not put the key itself there"},
		{"PEM as source", settings(), "hunter2MC4CAQ", "do not put the key itself there"},
		{"JWK after env:", settings(), `env:{"d":"hunter2"}`, "do not put the key itself there"},
		{"key after env:", settings(), "env:hunter2", "from --key: the environment variable is empty"},
		{"key after command:", settings(), "command:hunter2", "from --key: executable file not found"},
		{"path after command:", settings(), "command:/hunter2 hunter2", "from --key: no such file"},
		{"no key in the variable", settings(), "env:BAD_KEY", "--key delivers no key"},
		{"failing command", settings(), "command:sh -c exit${IFS}1", "from --key: exit status 1"},
		{"no key from the command", settings(), "command:echo hunter2", "--key delivers no key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Create(filepath.Join(t.TempDir(), "i"), tt.settings, tt.source, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
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
		must(t, os.WriteFile(filepath.Join(dir, contentFile), []byte(tt.text), 0o600))
		if _, err := Open(dir, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// reopen opens an identity as another process does.
func reopen(t *testing.T, f *Identity, c *clock) *Identity {
	t.Helper()
	other, err := Open(f.dir, &Options{Now: c.now})
	must(t, err)
	return other
}

func rotate(t *testing.T, f *Identity, c *clock, notes int) {
	t.Helper()
	if got, err := reopen(t, f, c).Rotate(""); err != nil || len(got) != notes {
		t.Fatal(got, err)
	}
}

// TestNewKeySignsWhenItIsPublishedEverywhere rotates three times beside a running crawl. A site has a copy of
// the key directory that is as old as its max-age allows.
func TestNewKeySignsWhenItIsPublishedEverywhere(t *testing.T) {
	c := newClock()
	running := create(t, c, FileSource)
	used := map[string]bool{}
	for range 3 {
		copied := served(t, running, c.at)
		copied.URL = "https://bot.example.com"
		rotate(t, running, c, 0)
		for range 60 {
			req := signed(t, running)
			id, err := botauth.Verify(req, copied, &botauth.VerifyOptions{Now: c.now})
			if err != nil {
				t.Fatalf("a site with an old copy refuses: %v", err)
			}
			used[id.KeyID] = true
			c.at = c.at.Add(time.Minute - time.Second)
		}
		c.at = c.at.Add(time.Minute + reread)
		if got := verify(t, signed(t, running), running, c); got != reopen(t, running, c).Keys()[0].ID {
			t.Errorf("after the max-age, signed by %s", got)
		}
	}
	used[verify(t, signed(t, running), running, c)] = true
	if len(used) != 4 || len(served(t, running, c.at).Keys) != 4 {
		t.Errorf("the crawl used %d keys of %d", len(used), len(served(t, running, c.at).Keys))
	}

	c.at = c.at.Add(botauth.MaxLifetime + publishTime)
	f := reopen(t, running, c)
	if renewed, _, err := f.Renew(); err != nil || !renewed {
		t.Fatal(renewed, err)
	}
	files, err := os.ReadDir(filepath.Join(f.dir, "keys"))
	if err != nil || len(files) != 1 || files[0].Name() != f.Keys()[0].ID+".pem" || len(served(t, f, c.at).Keys) != 1 {
		t.Errorf("expired keys remain: %v %v", files, err)
	}
}

// TestRotateTwiceKeepsTheSigningKey rotates again before the new key signs.
func TestRotateTwiceKeepsTheSigningKey(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	rotate(t, f, c, 0)
	c.at = c.at.Add(publishTime / 2)
	rotate(t, f, c, 0)
	keys := reopen(t, f, c).Keys()
	var signers []string
	for range 4 {
		signers = append(signers, verify(t, signed(t, f), f, c))
		c.at = c.at.Add(publishTime/2 + reread)
	}
	if want := []string{keys[2].ID, keys[1].ID, keys[0].ID, keys[0].ID}; !slices.Equal(signers, want) {
		t.Errorf("signed by %q, want %q", signers, want)
	}
	for i, k := range keys[1:] {
		if want := keys[i].SignsFrom.Add(botauth.MaxLifetime); !k.Expires.Equal(want) {
			t.Errorf("key %d expires %v, want %v", i+1, k.Expires, want)
		}
	}
}

// TestStolenKey deletes the private half of a key and rotates: the key is dropped, and the next one signs.
func TestStolenKey(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rotations int // before
		stolen    int // key, the newest is 0
		left      int // keys after
		signs     int // key after, the newest is 0
	}{
		{"the only key", 0, 0, 1, 0},
		{"the key that signs, and the next one waits", 1, 1, 2, 1},
		{"the key that waits", 1, 0, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			f := create(t, c, FileSource)
			for range tt.rotations {
				rotate(t, f, c, 0)
			}
			stolen := reopen(t, f, c).Keys()[tt.stolen].ID
			must(t, os.Remove(f.keyFile(stolen)))
			rotate(t, f, c, 1)
			c.at = c.at.Add(reread)
			keys := reopen(t, f, c).Keys()
			if len(keys) != tt.left || len(served(t, f, c.at).Keys) != tt.left || slices.ContainsFunc(keys, func(k Key) bool { return k.ID == stolen }) {
				t.Fatalf("%+v", keys)
			}
			if got := verify(t, signed(t, f), f, c); got != keys[tt.signs].ID {
				t.Errorf("signed by %s of %+v", got, keys)
			}
			for i, k := range keys[1:] {
				if want := keys[i].SignsFrom.Add(botauth.MaxLifetime); k.Expires.Before(want) {
					t.Errorf("%+v expires before %v", k, want)
				}
			}
		})
	}
}

func TestRotateIsExclusive(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	unlock, err := f.lock()
	must(t, err)
	_, err = reopen(t, f, c).Rotate("")
	_, _, renewErr := reopen(t, f, c).Renew()
	for _, err := range []error{err, renewErr} {
		if err == nil || !strings.Contains(err.Error(), "another command is changing the identity") {
			t.Error(err)
		}
	}
	must(t, unlock())
	rotate(t, f, c, 0)
}

// TestFailedInitCanBeRepeated makes an identity on a disk that fails after the private key was written.
func TestFailedInitCanBeRepeated(t *testing.T) {
	for _, missing := range []bool{false, true} {
		dir := t.TempDir()
		if missing {
			dir = filepath.Join(dir, "new")
		}
		blocked := &Options{Now: func() time.Time {
			must(t, os.MkdirAll(dir, 0o755))
			must(t, os.WriteFile(filepath.Join(dir, publicDir), nil, 0o600))
			return newClock().at
		}}
		if _, err := Create(dir, settings(), FileSource, blocked); err == nil {
			t.Fatal("created")
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || missing != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("left %v %v", left, err)
		}
		if _, err := Create(dir, settings(), FileSource, nil); err != nil {
			t.Error(err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKeyThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	f := create(t, newClock(), FileSource)
	name := f.keyFile(f.Keys()[0].ID)
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620} {
		must(t, os.Chmod(name, mode))
		other, err := Open(f.dir, nil)
		must(t, err)
		if _, err := other.Signer(); err == nil || !strings.Contains(err.Error(), "run: chmod 600") {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

func TestAgentIsInPunycode(t *testing.T) {
	t.Setenv("TEST_KEY", testKeys[0])
	s := settings()
	s.Agent = "https://Bücher.example:443/"
	f, err := Create(filepath.Join(t.TempDir(), "i"), s, "env:TEST_KEY", nil)
	must(t, err)
	if got := signed(t, f).Header.Get("Signature-Agent"); got != `sig1="https://xn--bcher-kva.example"` {
		t.Error(got)
	}
}

func TestRotateWithEnvironmentAndCommand(t *testing.T) {
	c := newClock()
	t.Setenv("KEY_A", testKeys[0])
	f := create(t, c, "env:KEY_A")
	if _, err := f.Rotate(""); err == nil || !strings.Contains(err.Error(), "has already") {
		t.Errorf("the same key: %v", err)
	}
	if k := f.Keys()[0]; !k.Expires.IsZero() || len(f.Keys()) != 1 {
		t.Errorf("a failed rotation retires %+v", k)
	}
	name := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(name, []byte(testKeys[1]), 0o600))
	if notes, err := f.Rotate("command:cat " + name); err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	if got := served(t, f, c.at).Keys; len(got) != 2 {
		t.Errorf("%+v", got)
	}
	t.Setenv("KEY_A", "")
	notes, err := f.Rotate(FileSource)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "the environment variable KEY_A") {
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
	command := reopen(t, f, c)
	if _, err := command.Rotate(FileSource); err != nil {
		t.Fatal(err)
	}
	hidden := f.keyFile(command.Keys()[0].ID)
	must(t, os.Rename(hidden, hidden+".x"))
	c.at = c.at.Add(publishTime)
	if got := verify(t, signed(t, f), f, c); got != first {
		t.Errorf("signed by %s", got)
	}
	c.at = c.at.Add(botauth.MaxLifetime - time.Second)
	if got := verify(t, signed(t, f), f, c); got != first {
		t.Errorf("signed by %s", got)
	}
	for range 3 { // in the minute before the next attempt to read the key too
		c.at = c.at.Add(time.Second)
		resp, err := f.Send(nil, httptest.NewRequest(http.MethodGet, "https://site.example/", http.NoBody), nil)
		if err == nil || !strings.Contains(err.Error(), "cannot read the private key") {
			_ = resp.Body.Close()
			t.Errorf("with an expired key: %v", err)
		}
	}
	must(t, os.Rename(hidden+".x", hidden))
	c.at = c.at.Add(time.Minute)
	if got := served(t, f, c.at).Keys[0].Kid; got != command.Keys()[0].ID || signedBy(t, f) != got {
		t.Errorf("signed by %s", got)
	}
}

func signedBy(t *testing.T, f *Identity) string {
	t.Helper()
	_, after, _ := strings.Cut(signed(t, f).Header.Get("Signature-Input"), `keyid="`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

func TestRenew(t *testing.T) {
	c := newClock()
	f := create(t, c, FileSource)
	renew := func(want bool, why string) {
		t.Helper()
		f, err := Open(f.dir, &Options{Now: c.now})
		must(t, err)
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
	must(t, err)
	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), `"search"`, `"research"`, 1)), 0o600))
	renew(true, "settings changed")
	for _, file := range []string{"index.html", "_headers", botauth.DirectoryPath, RangesPath} {
		must(t, os.WriteFile(f.public(file), []byte("x"), 0o600))
		renew(true, file+" changed")
		must(t, os.Remove(f.public(file)))
		renew(true, file+" removed")
		renew(false, "as it must be")
	}

	// A rotation that was killed before it wrote identity.json.
	text, err = os.ReadFile(name)
	must(t, err)
	killed, err := Open(f.dir, &Options{Now: c.now})
	must(t, err)
	if _, err := killed.Rotate(""); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(name, text, 0o600))
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
