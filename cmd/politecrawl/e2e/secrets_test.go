package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

// loginSite is a site for the user aladdin with the password hunter2 and the key k3y. It returns
// its URL, and a function that returns the number of pages that it sent.
func loginSite(t *testing.T) (url string, sent func() int) {
	t.Helper()
	var mu sync.Mutex
	pages := 0
	server := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
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
	})
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
	done(t, "config", "show", "http://h/", "--header", "User-Agent: politecrawl/2 (test)")
}

// What a robots.txt or a sitemap has of users and passwords is shown by no command, in no
// form.
func TestFilesHoldNoPassword(t *testing.T) {
	const user = "alice:hunter2@"
	robots := clitest.WriteFile(t, "robots.txt", strings.ReplaceAll(`note: http://USERh/
http://USERh/ is no field
Sitemap: http://USERh/map.xml
Sitemap: http://USERh:x/map.xml
Sitemap: /map.xml http://USERh/
Sitemap: //USERh/map.xml
User-agent: *
Disallow: http://USERh/no
Disallow: //USERh/x
Allow: //USERh/x/y
Disallow: /a //USERh/x
Disallow: /a http://USERh/*/x
Disalow: http://USERh/
Crawl-delay: http://USERh/
Visit-time: http://USERh/
note: http://USERh/
Request-rate: http://USERh/
Sitemap: http:/USERh/map.xml
Sitemap: http:///USERh/map.xml
Sitemap: https:USERh
Sitemap: USERh/foo
Sitemap: http://alice:hun/hunter2@h/
Sitemap: http://alice:pass hunter2@h/
Sitemap: http://alice:hunter2＠h/
Host: USERfoo
Host: alice hunter2@foo
http:/USERh/
http //USERh
Disallow: http://alice:pass hunter2@h
Disallow: http://alice:hunter2 pass@h
Allow: USERh/f3
Disallow: http:USERh/f3
Sitemap: view-source:http://USERh/
`, "USER", user))
	sitemap := clitest.WriteFile(t, "map.xml", strings.ReplaceAll(`<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>http://USERh.test/a</loc>
<xhtml:link rel="alternate" hreflang="de" href="http://USERh.test/de"/>
<image:image><image:loc>http://USERh.test/i.png</image:loc><image:license>http://USERh.test/licence</image:license></image:image>
<video:video><video:thumbnail_loc>http://USERh.test/t.png</video:thumbnail_loc><video:title>t</video:title><video:description>d</video:description>
<video:content_loc>http://USERh.test/v.mp4</video:content_loc><video:player_loc>http://USERh.test/player</video:player_loc>
<video:uploader info="http://USERh.test/me">me</video:uploader></video:video></url>
<url><loc>http://USERh.test:x/</loc></url>
<url><loc>http:///USERh.test/</loc></url>
<url><loc>http:/USERh.test/</loc></url>
<url><loc>https:USERh.test/</loc></url>
<url><loc>USERh.test/</loc></url>
<url><loc>http://alice:hunter2＠h.test/</loc></url>
<url><loc>http://alice:pass hunter2@h.test/</loc></url>
<url><loc>http://alice:hunter2 pass@h.test/</loc></url>
<url><loc>http://alice:hunter2/pass@h.test/</loc></url>
<url><loc>http://h.test/v</loc><image:image><image:loc>http:///USERh.test/i.png</image:loc></image:image></url>
</urlset>`, "USER", user))
	for _, args := range [][]string{
		{"robots", "show", robots}, {"robots", "show", robots, "--format", "json"}, {"robots", "lint", robots}, {"robots", "lint", robots, "--format", "json"},
		{"robots", "check", "http://h/no", "--robots", robots, "--explain"}, {"robots", "check", "//alice:hunter2@h/x", "--robots", robots, "--explain"},
		{"robots", "check", "//alice:hunter2@h/x", "--robots", robots, "--explain", "--format", "json"},
		// The rule, decoded, is the path that is asked about: the output has the path as the user wrote it.
		{"robots", "check", "http://h//alice:%68unter2@h/x", "--robots", robots}, {"robots", "agents", robots}, {"robots", "agents", robots, "--format", "json"},
		{"permit", "/x", "--robots", robots}, {"permit", "/x", "--robots", robots, "--format", "json"}, {"permit", "http://alice:hunter2@h/x", "--robots", robots},
		{"robots", "diff", "-", robots}, {"robots", "diff", "-", robots, "--format", "json"},
		{"sitemap", sitemap}, {"sitemap", sitemap, "--format", "json"}, {"sitemap", sitemap, "--format", "csv"}, {"sitemap", sitemap, "--check"},
		{"sitemap", sitemap, "--check", "--format", "json"},
	} {
		got := run(t, args...)
		if text := got.Out + got.Stderr; strings.Contains(text, "hunter2") || len(got.Out) < 10 {
			t.Errorf("%q: %s", args, text)
		}
	}
}

// TestProxyPasswordIsNotKept holds that the directory of a crawl has no password of a
// proxy, and that the crawl resumes once it gets the proxy again, and not before.
func TestProxyPasswordIsNotKept(t *testing.T) {
	proxy := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := proxyUser(r); user != "aladdin" || password != "hunter2" {
			w.WriteHeader(http.StatusProxyAuthRequired)
		}
	})
	whole := strings.Replace(proxy.URL, "http://", "http://aladdin:hunter2@", 1)
	shown := strings.Replace(proxy.URL, "http://", "http://***@", 1)
	dir := filepath.Join(t.TempDir(), "crawl")
	t.Setenv("POLITECRAWL_PROXY", whole)
	if got := run(t, "crawl", "http://site.test/", "--output", dir, "--delay", "0s"); got.Code != cli.ExitDone || strings.Contains(got.Stderr, "process list") {
		t.Fatalf("%+v", got)
	}
	state := func() string { t.Helper(); return readText(t, filepath.Join(dir, "crawl.json")) }
	if strings.Contains(state(), "hunter2") || !strings.Contains(state(), shown) {
		t.Errorf("crawl.json is\n%s", state())
	}
	for _, tt := range []struct {
		environ string
		args    []string
		refused bool
	}{
		{whole, []string{"--resume", dir}, false},
		{"", []string{"--resume", dir}, true},
		{"http://aladdin:hunter2@another.test:1", []string{"--recrawl", dir}, true},
		{"http://first.test:1 " + whole, []string{"--recrawl", dir}, false},
		{"", []string{"--recrawl", dir, "--proxy", whole, "--listen", "127.0.0.1:0", "--listen-token", "hunter2"}, false},
		{"", []string{"--resume", dir, "--proxy", shown}, true},
		{"", []string{"--resume", dir, "--proxy", proxy.URL}, false}, // one that asks for no password
		{"", []string{"--resume", dir}, false},
	} {
		t.Setenv("POLITECRAWL_PROXY", tt.environ)
		got := run(t, append([]string{"crawl"}, tt.args...)...)
		if tt.refused {
			got.WantRefusal(t, cli.ExitMisuse, shown, "POLITECRAWL_PROXY", "--proxy")
		} else if got.Code != cli.ExitDone {
			t.Errorf("%q with %q: %+v", tt.args, tt.environ, got)
		}
		for flag, variable := range map[string]string{whole: "POLITECRAWL_PROXY", "--listen-token": "POLITECRAWL_LISTEN_TOKEN"} {
			note := "in the process list; set " + variable
			if given := slices.Contains(tt.args, flag); given != strings.Contains(got.Stderr, note) {
				t.Errorf("%q: it is said that it is seen: %t: %s", tt.args, !given, got.Stderr)
			}
		}
		if text := state() + got.Out + got.Stderr; strings.Contains(text, "hunter2") || strings.Contains(text, "aladdin") {
			t.Errorf("%q with %q: %s", tt.args, tt.environ, text)
		}
	}
	if saved, err := crawler.LoadConfig(dir); err != nil || saved.Fetch.Proxies[0] != proxy.URL {
		t.Errorf("%q, %v", saved.Fetch.Proxies, err)
	}
}
