package e2e

import (
	"bufio"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// webBotAuth verifies messages with the npm package web-bot-auth.
type webBotAuth struct {
	in  *json.Encoder
	out *bufio.Scanner
}

// newWebBotAuth starts the verifier with the directory of an identity.
func newWebBotAuth(t *testing.T, directory string) *webBotAuth {
	t.Helper()
	node := tool(t, "node")
	if !clitest.Exists("testdata/webbotauth/node_modules/web-bot-auth") {
		clitest.Need(t, errors.New("no verifier of signatures; run make webbotauth"))
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/webbotauth/verify.mjs", directory)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	clitest.OK(t, errors.Join(err, err2, cmd.Start()))
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &webBotAuth{json.NewEncoder(in), bufio.NewScanner(out)}
}

// verify returns why a message is refused; empty: it is not.
func (w *webBotAuth) verify(message any) (refused string) {
	if err := w.in.Encode(message); err != nil {
		return err.Error()
	}
	if !w.out.Scan() {
		return "the verifier has ended"
	}
	if err := json.Unmarshal(w.out.Bytes(), &refused); err != nil {
		return err.Error()
	}
	return refused
}

// lowerFields returns header fields as Node has them.
func lowerFields(h http.Header) map[string]string {
	fields := make(map[string]string)
	for name, values := range h {
		fields[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return fields
}

// A signedSite has some hosts on loopback that verify each request.
type signedSite struct {
	verifier *webBotAuth
	pages    int // of each host
	hosts    []string

	mu       sync.Mutex
	requests int
	paths    map[string]int
	keys     map[string]map[string]bool // key ids of requests, by the process that sent them
	process  string
	refused  []string
	reached  map[int]chan struct{} // closed at this number of requests
}

func newSignedSite(t *testing.T, verifier *webBotAuth, hosts, pages int) *signedSite {
	t.Helper()
	s := &signedSite{verifier: verifier, pages: pages, paths: make(map[string]int), keys: make(map[string]map[string]bool), reached: make(map[int]chan struct{})}
	for i := range hosts {
		server := serveAt(t, fmt.Sprintf("127.0.0.%d", i+1), s.ServeHTTP)
		s.hosts = append(s.hosts, server.URL)
	}
	return s
}

// A signedCrawl is a process that crawls a signedSite.
type signedCrawl struct {
	t    *testing.T
	site *signedSite
	cmd  *exec.Cmd
	ends chan error
	out  clitest.Buffer
}

func (s *signedSite) start(t *testing.T, args ...string) *signedCrawl {
	t.Helper()
	c := &signedCrawl{t: t, site: s, cmd: program.Process(t, args...), ends: make(chan error, 1)}
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.out
	s.mu.Lock()
	s.process = fmt.Sprintf("process %d", len(s.keys)+1)
	s.mu.Unlock()
	clitest.OK(t, c.cmd.Start())
	go func() { c.ends <- c.cmd.Wait() }()
	return c
}

// wait waits until the site has seen this number of requests.
func (c *signedCrawl) wait(requests int) {
	c.t.Helper()
	c.site.mu.Lock()
	reached := make(chan struct{})
	if c.site.reached[requests] = reached; c.site.requests >= requests {
		close(reached)
	}
	c.site.mu.Unlock()
	select {
	case <-reached:
	case err := <-c.ends:
		c.t.Fatalf("the crawl ended before request %d: %v: %s", requests, err, c.out.String())
	}
}

func (s *signedSite) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.paths[req.URL.Path]++
	if _, after, ok := strings.Cut(req.Header.Get("Signature-Input"), `keyid="`); ok {
		id, _, _ := strings.Cut(after, `"`)
		if s.keys[s.process] == nil {
			s.keys[s.process] = make(map[string]bool)
		}
		s.keys[s.process][id] = true
	}
	if reached, ok := s.reached[s.requests]; ok {
		close(reached)
	}
	if refused := s.verifier.verify(map[string]any{"method": req.Method, "url": "http://" + req.Host + req.URL.RequestURI(), "headers": lowerFields(req.Header)}); refused != "" {
		s.refused = append(s.refused, req.Host+req.URL.Path+": "+refused)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	const html = "text/html; charset=utf-8"
	switch path := req.URL.Path; {
	case path == "/robots.txt":
		fmt.Fprintf(w, "User-agent: *\nDisallow: /private\nSitemap: http://%s/sitemap.xml\n", req.Host)
	case path == "/sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://%s/page/1</loc></url></urlset>`, req.Host)
	case path == "/moved":
		http.Redirect(w, req, "/page/2", http.StatusFound)
	case path == "/challenge" && !strings.Contains(req.Header.Get("Signature-Input"), `nonce="bm9uY2U="`):
		w.Header().Set("Accept-Signature", `sig2=("@authority" "signature-agent";key="sig2" "@method" "@path");created;expires;nonce="bm9uY2U=";tag="web-bot-auth"`)
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasPrefix(path, "/.well-known/"), strings.HasPrefix(path, "/image"):
		http.NotFound(w, req)
	default:
		w.Header().Set("Content-Type", html)
		fmt.Fprint(w, `<!doctype html><title>page</title><img src="/image.png" alt=""><a href="/moved">m</a><a href="/challenge">c</a><a href="/private">p</a>`)
		for i := range s.pages {
			fmt.Fprintf(w, `<a href="/page/%d">%d</a>`, i, i)
		}
	}
}

// rotateAnHourAgo rotates the key of an identity, and lets the new key sign now, as if an hour had passed.
func rotateAnHourAgo(t *testing.T, identity string) {
	t.Helper()
	done(t, "identity", "rotate", identity)
	name := filepath.Join(identity, "identity.json")
	var content map[string]any
	clitest.OK(t, json.Unmarshal([]byte(readText(t, name)), &content))
	newest := content["keys"].([]any)[0].(map[string]any)
	newest["signs_from"] = time.Now().Add(-time.Second).UTC().Format(time.RFC3339)
	text := clitest.Must(json.Marshal(content))(t)
	clitest.OK(t, errors.Join(os.WriteFile(name+".new", text, 0o600), os.Rename(name+".new", name)))
}

// Cloudflare's verifier accepts each request of a crawl over 50 hosts, whose keys change while it
// runs, and after it was killed: those for pages, robots.txt, tdmrep.json, sitemaps, redirects and
// checks. The delay gives a process the time to read identity.json again.
func TestWebBotAuthAcceptsEveryRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls 2,000 pages in half a minute")
	}
	identity, dir := filepath.Join(t.TempDir(), "identity"), filepath.Join(t.TempDir(), "crawl")
	done(t, "identity", "init", "https://bot.example.com/", identity)
	directory := filepath.Join(identity, "public", ".well-known", "http-message-signatures-directory")
	site := newSignedSite(t, newWebBotAuth(t, directory), 50, 40)
	start := clitest.WriteFile(t, "urls", strings.Join(site.hosts, "\n"))

	crawl := site.start(t, "crawl", "--url-file", start, "--identity", identity, "--output", dir, "--delay", "500ms", "--concurrency", "60", "--permissions", "--check", "assets")
	crawl.wait(200)
	rotateAnHourAgo(t, identity)
	crawl.wait(1000)
	clitest.OK(t, crawl.cmd.Process.Kill())
	if err := <-crawl.ends; err == nil {
		t.Error("the crawl ended before it was killed")
	}
	rotateAnHourAgo(t, identity)
	crawl = site.start(t, "crawl", "--resume", dir)
	crawl.wait(1300)
	rotateAnHourAgo(t, identity)
	if err := <-crawl.ends; err != nil {
		t.Errorf("the resumed crawl: %v: %s", err, crawl.out.String())
	}

	site.mu.Lock()
	defer site.mu.Unlock()
	if len(site.refused) > 0 {
		t.Errorf("%d of %d requests are refused, such as %q", len(site.refused), site.requests, site.refused[0])
	}
	used := make(map[string]bool)
	for process, ids := range site.keys {
		if maps.Copy(used, ids); len(ids) != 2 {
			t.Errorf("%s signed with %d keys, want 2", process, len(ids))
		}
	}
	if len(used) != 4 {
		t.Errorf("the crawl signed with %d keys, want 4", len(used))
	}
	for path, least := range map[string]int{"/robots.txt": 50, "/sitemap.xml": 50, "/.well-known/tdmrep.json": 50, "/moved": 50, "/challenge": 100, "/image.png": 50, "/page/39": 50} {
		if site.paths[path] < least {
			t.Errorf("%d requests for %s, want %d", site.paths[path], path, least)
		}
	}
	if site.paths["/private"] > 0 || site.requests < 2000 {
		t.Errorf("%d requests, %d of them disallowed", site.requests, site.paths["/private"])
	}
	t.Logf("%d requests", site.requests)
}

// Cloudflare's verifier accepts the directory that an identity publishes, with the header fields of
// the file _headers.
func TestWebBotAuthAcceptsTheDirectory(t *testing.T) {
	identity := filepath.Join(t.TempDir(), "identity")
	done(t, "identity", "init", "https://bot.example.com/", identity)
	done(t, "identity", "rotate", identity)
	const path = "/.well-known/http-message-signatures-directory"
	_, fields, found := strings.Cut(readText(t, filepath.Join(identity, "public", "_headers")), path+"\n")
	if !found {
		t.Fatal("_headers lacks the directory")
	}
	headers := make(map[string]string)
	for line := range strings.Lines(fields) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			break // the next path
		}
		headers[strings.ToLower(name)] = value
	}
	file := filepath.Join(identity, "public", path)
	message := map[string]any{"url": "https://bot.example.com" + path, "headers": headers, "body": readText(t, file)}
	verifier := newWebBotAuth(t, file)
	if refused := verifier.verify(map[string]any{"directory": message}); refused != "" {
		t.Errorf("%s: %v", refused, headers)
	}
	message["url"] = "https://other.example.com" + path
	if verifier.verify(map[string]any{"directory": message}) == "" {
		t.Error("the directory is accepted from another host")
	}
}

// The signatures of requests are archived. The private key is in no file of a crawl or an identity
// that gets it from the environment, and in no output: results, debug log and errors.
func TestPrivateKeyIsInNoOutput(t *testing.T) {
	const seed = "a-key-that-nobody-else-has-at-all" // 32 bytes, and one to cut
	private := ed25519.NewKeyFromSeed([]byte(seed)[:ed25519.SeedSize])
	public := base64.RawURLEncoding.EncodeToString(private.Public().(ed25519.PublicKey))
	secret := base64.RawURLEncoding.EncodeToString(private.Seed())
	t.Setenv("TEST_CRAWLER_KEY", fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","x":%q,"d":%q}`, public, secret))
	identity, dir := filepath.Join(t.TempDir(), "identity"), filepath.Join(t.TempDir(), "crawl")
	der := clitest.Must(x509.MarshalPKCS8PrivateKey(private))(t)
	pkcs8 := base64.StdEncoding.EncodeToString(der)
	secrets := []string{
		seed[:ed25519.SeedSize], secret, hex.EncodeToString(private.Seed()), strings.ToUpper(hex.EncodeToString(private.Seed())),
		base64.StdEncoding.EncodeToString(private.Seed())[:40], pkcs8[len(pkcs8)-20:], fmt.Sprintf("%d", private.Seed())[1:40],
	}
	check := func(got clitest.Result) clitest.Result {
		t.Helper()
		for _, secret := range secrets {
			if strings.Contains(got.Out+got.Stderr, secret) {
				t.Errorf("the output has %q: %+v", secret, got)
			}
		}
		return got
	}
	check(done(t, "identity", "init", "https://bot.example.com/", identity, "--key", "env:TEST_CRAWLER_KEY"))
	site := newSignedSite(t, newWebBotAuth(t, filepath.Join(identity, "public", ".well-known", "http-message-signatures-directory")), 1, 5)
	check(done(t, "crawl", site.hosts[0], "--identity", identity, "--output", dir, "--delay", "0s", "--also-write", "warc,csv,sqlite", "--log-level", "debug", "--keep-header", "signature,signature-input"))
	check(done(t, "identity", "show", identity))
	for _, secret := range secrets {
		wantNowhere(t, dir, secret)
		wantNowhere(t, identity, secret)
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archive: %v", err)
	}
	archive := unzipped(t, archives[0])
	if !strings.Contains(archive, "\r\nSignature-Input: sig1=(") {
		t.Error("the archive lacks the signatures of requests")
	}
	check(clitest.Result{Out: archive})
	t.Setenv("TEST_CRAWLER_KEY", secret+secret)
	check(run(t, "crawl", site.hosts[0], "--identity", identity, "--output", dir+"2")).WantRefusal(t, cli.ExitMisuse, "identity", "TEST_CRAWLER_KEY")
}

// unzipped returns the content of a file that is compressed with gzip.
func unzipped(t *testing.T, name string) string {
	t.Helper()
	file := clitest.Must(os.Open(name))(t)
	defer file.Close()
	r := clitest.Must(gzip.NewReader(file))(t)
	text := clitest.Must(io.ReadAll(r))(t)
	return string(text)
}
