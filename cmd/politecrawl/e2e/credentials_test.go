package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// loginSite is a site for the user aladdin with the password hunter2 and the key k3y. It returns
// its URL, and a function that returns the number of pages that it sent.
func loginSite(t *testing.T) (url string, sent func() int) {
	t.Helper()
	var mu sync.Mutex
	pages := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/robots.txt":
		case user != "aladdin" || password != "hunter2" || r.Header.Get("X-Key") != "k3y":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			mu.Lock()
			pages++
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<a href="/next">next</a>`))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func() int { mu.Lock(); defer mu.Unlock(); return pages }
}

// A user and password in a start URL are sent, and moved out of sight. The directory of the crawl
// has neither them nor the values of header fields; a resumed crawl asks for them by name.
func TestCredentialsAreNotStored(t *testing.T) {
	url, sent := loginSite(t)
	full := strings.Replace(url, "http://", "http://aladdin:hunter2@", 1)
	masked := strings.Replace(url, "http://", "http://***@", 1)
	dir := filepath.Join(t.TempDir(), "crawl")
	check := func(got clitest.Result) {
		t.Helper()
		for _, secret := range []string{"aladdin", "hunter2", "k3y", "YWxhZGRpbjpodW50ZXIy"} {
			if strings.Contains(got.Out+got.Stderr, secret) {
				t.Errorf("the output has %q: %+v", secret, got)
			}
			wantNowhere(t, dir, secret)
		}
	}
	got := run(t, "crawl", full+"/", "--header", "X-Key: k3y", "--output", dir, "--delay", "0s", "--max-pages", "1", "--also-write", "warc")
	check(got)
	if got.Code != cli.ExitDone || sent() != 1 {
		t.Fatalf("%d pages sent: %+v", sent(), got)
	}
	for _, want := range []string{
		"in a start URL are sent to " + url + " only", "see the secret in a start URL in the process list; set POLITECRAWL_BASIC_AUTH", "see the secret in --header in the process list; set POLITECRAWL_HEADER",
	} {
		if !strings.Contains(got.Stderr, want) {
			t.Errorf("standard error lacks %q: %s", want, got.Stderr)
		}
	}
	for _, tt := range []struct {
		auth, header string
		args         []string
		refused      []string
	}{
		{"", "X-Key: k3y", nil, []string{masked, "POLITECRAWL_BASIC_AUTH", "--basic-auth"}},
		{full, "", nil, []string{`"X-Key: ***"`, "POLITECRAWL_HEADER", "--header"}},
		{full, "X-Other: k3y", nil, []string{`"X-Key: ***"`}},
		{full, "", []string{"--header", "X-Key: ***"}, []string{"X-Key"}},
		{full, "", []string{"--header", "", "--max-pages", "1"}, nil},
		{full, "", []string{"--header", "X-Key: k3y", "--max-pages", "1"}, nil},
		{full, "X-Other: 1\nX-Key: k3y", []string{"--max-pages", "2"}, nil},
		{"", "", []string{"--header", "X-Key: k3y", "--basic-auth", full, "--max-pages", "3"}, nil},
	} {
		t.Setenv("POLITECRAWL_BASIC_AUTH", tt.auth)
		t.Setenv("POLITECRAWL_HEADER", tt.header)
		got := run(t, append([]string{"crawl", "--resume", dir}, tt.args...)...)
		check(got)
		if tt.refused != nil {
			got.WantRefusal(t, cli.ExitMisuse, tt.refused...)
		} else if got.Code != cli.ExitDone {
			t.Errorf("%+v: %+v", tt, got)
		}
	}
	if sent() != 2 {
		t.Errorf("%d pages sent, want / and /next", sent())
	}
}

// config show masks all credentials.
func TestConfigShowMasksCredentials(t *testing.T) {
	got := run(t, "config", "show", "http://me:hunter2@h/", "--header", "X-Key: hunter2", "--header-for", "http://i X-Key: hunter2", "--source")
	if got.Code != cli.ExitDone || strings.Contains(got.Out+got.Stderr, "hunter2") {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"http://***@h", "X-Key: ***", "http://i X-Key: ***"} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("it lacks %q: %s", want, got.Out)
		}
	}
}

// Wrong credentials are refused in one line that does not repeat them.
func TestWrongCredentials(t *testing.T) {
	json := clitest.WriteFile(t, "cookies.json", `[{"domain": "h", "value": "hunter2"}]`)
	t.Setenv("NETRC", json)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--header", "hunter2"}, "header: a header field has no colon"},
		{[]string{"--header", "From: hunter2"}, "set it with contact"},
		{[]string{"--header", "User-Agent: hunter2/1.0"}, "User-Agent does not begin with politecrawl"},
		{[]string{"--header-for", "X-Key: hunter2"}, "header-for: a header field does not begin with an origin"},
		{[]string{"--basic-auth", "me:hunter2"}, "basic-auth: an entry is not the URL of an origin"},
		{[]string{"--cookie-file", json}, `cookies.json", line 1: it is not a cookie in the Netscape format`},
		{[]string{"--cookie-file", json + "x"}, "no such file"},
		{[]string{"--netrc"}, `cookies.json", line 1`},
		{[]string{"--basic-auth", "http://me:1@h", "--header", "Authorization: hunter2"}, "http://h has two values for Authorization"},
	} {
		for _, command := range []string{"crawl", "plan"} {
			out := filepath.Join(t.TempDir(), "out")
			args := append([]string{command, "http://h/"}, tt.args...)
			if command == "crawl" {
				args = append(args, "--output", out)
			}
			got := run(t, args...)
			got.WantRefusal(t, cli.ExitMisuse, tt.want)
			if strings.Contains(got.Stderr, "hunter2") {
				t.Errorf("%q: %s", tt.args, got.Stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Errorf("%q: the crawl has a directory", tt.args)
			}
		}
	}
	if got := run(t, "config", "show", "http://h/", "--header", "User-Agent: politecrawl/2 (test)"); got.Code != cli.ExitDone {
		t.Errorf("a User-Agent with the product token: %+v", got)
	}
}
