package credentials

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestParseHeader(t *testing.T) {
	for _, tt := range []struct{ text, name, value, problem string }{
		{"X-Key: hunter2", "X-Key", "hunter2", ""},
		{"authorization:Bearer hunter2", "Authorization", "Bearer hunter2", ""},
		{" x-key :  a: b ", "X-Key", "a: b", ""},
		{"hunter2", "", "", "has no colon"},
		{"", "", "", "has no colon"},
		{": hunter2", "", "", "not one of a header field"},
		{"X Key: hunter2", "", "", "not one of a header field"},
		{"X-Key: hunter2\nX: y", "", "", "control character"},
		{"X-Key:", "", "", "has no value"},
		{"X-Key: ***", "", "", "not stored with a crawl"},
		{"From: hunter2", "", "", "contact"},
		{"host: hunter2", "", "", "sets Host itself"},
		{"Proxy-Authorization: hunter2", "", "", "sets Proxy-Authorization itself"},
		{"If-None-Match: hunter2", "", "", "sets If-None-Match itself"},
		{"Accept-Encoding: hunter2", "", "", "sets Accept-Encoding itself"},
	} {
		name, value, err := ParseHeader(tt.text)
		wantProblem(t, tt.text, err, tt.problem)
		if name != tt.name || value != tt.value {
			t.Errorf("%q: %q %q", tt.text, name, value)
		}
	}
}

func TestParseHeaderFor(t *testing.T) {
	for _, tt := range []struct {
		text    string
		origin  robotsext.Origin
		problem string
	}{
		{"https://Example.com:443 X-Key: hunter2", "https://example.com", ""},
		{" http://h:8080/  X-Key: hunter2", "http://h:8080", ""},
		{"https://h. X-Key: hunter2", "https://h.", ""},
		{"X-Key: hunter2", "", "does not begin with an origin"},
		{"https://h/path X-Key: hunter2", "", "does not begin with an origin"},
		{"https://me:hunter2@h X-Key: 1", "", "does not begin with an origin"},
		{"ftp://h X-Key: hunter2", "", "does not begin with an origin"},
		{"https://h:0 X-Key: hunter2", "", "does not begin with an origin"},
		{"https://h hunter2", "", "has no colon"},
		{"https://h", "", "has no colon"},
	} {
		origin, name, value, err := ParseHeaderFor(tt.text)
		wantProblem(t, tt.text, err, tt.problem)
		if err == nil && (origin != tt.origin || name != "X-Key" || value != "hunter2") {
			t.Errorf("%q: %q %q %q", tt.text, origin, name, value)
		}
	}
}

func TestParseBasicAuth(t *testing.T) {
	for _, tt := range []struct {
		text    string
		origin  robotsext.Origin
		value   string
		problem string
	}{
		{"https://Aladdin:open%20sesame@H:443/", "https://h", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", ""}, // RFC 7617, section 2
		{"http://me@h:81", "http://h:81", basic("me", ""), ""},
		{"http://me:hunter%2F2@h", "http://h", basic("me", "hunter/2"), ""},
		{"http://me:hunter/2@h", "", "", "not the URL of an origin"},
		{"http://h", "", "", "not the URL of an origin"},
		{"me:hunter2", "", "", "not the URL of an origin"},
		{"http://me:hunter2@h/path", "", "", "not the URL of an origin"},
		{"http://me:hunter2@h#f", "", "", "not the URL of an origin"},
		{"http://me:hunter2@", "", "", "not the URL of an origin"},
		{"http://***@h", "", "", "not stored with a crawl"},
	} {
		origin, value, err := ParseBasicAuth(tt.text)
		wantProblem(t, tt.text, err, tt.problem)
		if err == nil && (origin != tt.origin || value != tt.value) {
			t.Errorf("%q: %q %q", tt.text, origin, value)
		}
	}
}

func TestMask(t *testing.T) {
	for in, want := range map[string]string{"X-Key: hunter2": "X-Key: ***", "a:b:c": "a: ***", "hunter2": "***", "": "***"} {
		if got := MaskHeader(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	for in, want := range map[string]string{"https://me:hunter2@h:1": "https://***@h:1", "https://***@h": "https://***@h", "me:hunter2": "***", "https://me:hunter/2@h": "***"} {
		if got := MaskBasicAuth(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	for in, want := range map[string]string{" https://h  X-Key: hunter2": "https://h X-Key: ***", "hunter2": "***", "https://h hunter2": "https://h ***"} {
		if got := MaskHeaderFor(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// wantProblem checks an error, which must not repeat the secret.
func wantProblem(t *testing.T, text string, err error, problem string) {
	t.Helper()
	switch {
	case problem == "" && err != nil, problem != "" && (err == nil || !strings.Contains(err.Error(), problem)):
		t.Errorf("%q: error %v, want %q", text, err, problem)
	case err != nil && strings.Contains(err.Error(), "hunter2"):
		t.Errorf("%q: the error repeats the secret: %v", text, err)
	}
}

const cookieFile = "\uFEFF# Netscape HTTP Cookie File\n\n" +
	"site.test\tFALSE\t/\tFALSE\t-1\thost\t1\r\n" +
	".site.test\tTRUE\t/\tFALSE\t0\tdomain\t{\"a\":1}\n" +
	"#HttpOnly_site.test\tFALSE\t/docs\tFALSE\t32503680000.5\tpath\t1\n" +
	"site.test\tFALSE\t/\tTRUE\t0\tsecure\t1\n" +
	"site.test\tFALSE\t/\tFALSE\t1\texpired\t1\n" +
	"127.0.0.1\tTRUE\t/\tFALSE\t0\taddress\t1\n" +
	".test\tTRUE\t/\tFALSE\t0\tsuffix\t1\n" +
	"other.test\tFALSE\t/\tFALSE\t0\tother\t1"

// Cookies are sent by domain, path, scheme and expiry, and to start origins only.
func TestCookieFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cookies.txt")
	must(t, os.WriteFile(file, []byte(cookieFile), 0o600))
	s, err := New(Config{
		Start:      []robotsext.Origin{"http://site.test", "https://site.test", "http://www.site.test", "http://127.0.0.1:8080"},
		CookieFile: file, HeaderFor: []string{"http://site.test Cookie: given=1"},
	})
	must(t, err)
	for url, want := range map[string]string{
		"http://site.test/":             "given=1; host=1; domain={\"a\":1}",
		"http://site.test/docs/a":       "given=1; path=1; host=1; domain={\"a\":1}",
		"https://site.test/":            "host=1; domain={\"a\":1}; secure=1",
		"http://www.site.test/":         "domain={\"a\":1}",
		"http://127.0.0.1:8080/":        "address=1",
		"http://127.0.0.1/":             "", // another port
		"http://site.test./":            "",
		"http://other.test/":            "",
		"http://site.test:81/":          "",
		"http://not.a.start.site.test/": "",
	} {
		for content, want := range map[bool]string{true: want, false: ""} {
			req, err := http.NewRequest(http.MethodGet, url, nil)
			must(t, err)
			s.Apply(req, content)
			if got := req.Header.Get("Cookie"); got != want {
				t.Errorf("%s, content %t: %q, want %q", url, content, got, want)
			}
		}
	}
	s.Keep(&http.Request{URL: mustRequest(t, "http://site.test/").URL}, &http.Response{Header: http.Header{"Set-Cookie": {"new=1"}}})
	req := mustRequest(t, "http://site.test/")
	s.Apply(req, true)
	if got := req.Header.Get("Cookie"); strings.Contains(got, "new") {
		t.Errorf("without KeepCookies, a cookie is kept: %q", got)
	}
}

// A file without a cookie that a start origin gets is of no use.
func TestUnusedCookieFile(t *testing.T) {
	for line, unused := range map[string]bool{
		"site.test\tFALSE\t/\tFALSE\t0\ta\t1":                                          false,
		"site.test\tFALSE\t/docs\tFALSE\t0\ta\t1\nsite.test\tFALSE\t/\tFALSE\t1\ta\t1": false,
		".site.test\tTRUE\t/\tFALSE\t0\ta\t1\nother.test\tFALSE\t/\tFALSE\t0\ta\t1":    false,
		"": true,
		"other.test\tFALSE\t/\tFALSE\t0\ta\t1\nwww.site.test\tFALSE\t/\tFALSE\t0\ta\t1": true,
		"site.test\tFALSE\t/\tTRUE\t0\ta\t1":                                            true, // for https
		"site.test\tFALSE\t/\tFALSE\t1\ta\t1":                                           true, // expired
	} {
		file := filepath.Join(t.TempDir(), "cookies.txt")
		must(t, os.WriteFile(file, []byte(line), 0o600))
		s, err := New(Config{Start: []robotsext.Origin{"http://site.test"}, CookieFile: file})
		if err != nil || s.UnusedCookieFile() != unused {
			t.Errorf("%q: unused %t, %v", line, s.UnusedCookieFile(), err)
		}
	}
}

func mustRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	must(t, err)
	return req
}

func TestBadCookieFile(t *testing.T) {
	const good = "h\tFALSE\t/\tFALSE\t0\tn\tv\n"
	for text, problem := range map[string]string{
		"[{\"domain\":\"hunter2\"}]":            "line 1: it is not a cookie in the Netscape format",
		good + "h FALSE / FALSE 0 n hunter2":    "line 2: it is not a cookie in the Netscape format",
		good + "\tFALSE\t/\tFALSE\t0\tn\tv":     "line 2: the first field is not a domain",
		"http://h/\tFALSE\t/\tFALSE\t0\tn\tv":   "the first field is not a domain",
		"h\tyes\t/\tFALSE\t0\tn\thunter2":       "neither TRUE nor FALSE",
		"h\tFALSE\t/\tFALSE\tnever\tn\tv":       "not a Unix time",
		"h\tFALSE\t/\tFALSE\tNaN\tn\tv":         "not a Unix time",
		"h\tFALSE\t/\tFALSE\t0\t\thunter2":      "a character that no cookie can have",
		"h\tFALSE\t/\tFALSE\t0\tn\thunter2;":    "a character that no cookie can have",
		"h\tFALSE\t/\tFALSE\t0\tn\thunter2\x00": "a character that no cookie can have",
	} {
		_, err := parseCookies(text)
		wantProblem(t, text, err, problem)
	}
}

func TestNetrc(t *testing.T) {
	const file = "# comment\nmachine a.test password none\nmachine a.test login me password hunter2\nmachine b.test\n\tlogin\n  you account x password # \n" +
		"macdef init\nmachine c.test login no\n\nmachine c.test login macro # rest\ndefault login any password all\nmachine d.test login late\n"
	machines, err := parseNetrc(file)
	must(t, err)
	for origin, want := range map[robotsext.Origin]machine{
		"http://a.test": {"a.test", "me", "hunter2"}, "https://A.TEST:8443": {"a.test", "me", "hunter2"},
		"http://b.test": {"b.test", "you", "#"}, "http://c.test": {"c.test", "macro", ""}, "http://d.test": {"", "any", "all"}, "http://a.test.": {"", "any", "all"},
	} {
		if got := machineOf(machines, origin); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", origin, got, want)
		}
	}
	if m := machineOf(machines[:2], "http://z.test"); m != nil {
		t.Errorf("without default: %+v", m)
	}
	for text, problem := range map[string]string{
		"machine a\nlogin me\npassword": "line 3: the last word has no value",
		"\nlogin me":                    "line 2: it is not a netrc file",
		"machine h pasword hunter2":     "line 1: it is not a netrc file",
		"{\"hunter2\": 1}":              "it is not a netrc file",
		"user:hunter2":                  "has no value",
	} {
		_, err := parseNetrc(text)
		wantProblem(t, text, err, problem)
	}
}

// An origin has one Authorization. Netrc is for start origins that have none.
func TestAuthorization(t *testing.T) {
	netrc := filepath.Join(t.TempDir(), "netrc")
	must(t, os.WriteFile(netrc, []byte("default login me password netrc"), 0o600))
	t.Setenv("NETRC", netrc)
	cfg := Config{Start: []robotsext.Origin{"http://a", "http://b"}, BasicAuth: []string{"http://me:given@a", "http://me:other@c"}, Netrc: true}
	s, err := New(cfg)
	must(t, err)
	for url, want := range map[string]string{"http://a/": "given", "http://b/": "netrc", "http://c/": "other", "http://d/": ""} {
		for content, want := range map[bool]string{true: want, false: ""} {
			req := mustRequest(t, url)
			s.Apply(req, content)
			if _, got, _ := req.BasicAuth(); got != want {
				t.Errorf("%s, content %t: %q, want %q", url, content, got, want)
			}
		}
	}
	cfg.Header = []string{"Authorization: hunter2"}
	if _, err := New(Config{Start: cfg.Start, BasicAuth: []string{"http://me:given@a"}, Header: []string{"Authorization: " + basic("me", "given")}}); err != nil {
		t.Errorf("the same value twice: %v", err)
	}
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "two values for Authorization") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("two values: %v", err)
	}
	t.Setenv("NETRC", netrc+"x")
	if _, err := New(Config{Netrc: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a netrc file that is missing: %v", err)
	}
}

// Archives omit the credentials of requests, and cookies that their origins set.
func TestOmit(t *testing.T) {
	s, err := New(Config{HeaderFor: []string{"http://h x-key: 1"}})
	must(t, err)
	for _, tt := range []struct {
		store             *Store
		url               string
		request, response []string
	}{
		{s, "http://h/", []string{"Authorization", "Cookie", "X-Key"}, []string{"Set-Cookie"}},
		{s, "http://i/", nil, nil},
		{nil, "http://h/", nil, nil},
	} {
		request, response := tt.store.Omit(mustRequest(t, tt.url).URL)
		if got := slices.Sorted(maps.Keys(request)); !slices.Equal(got, tt.request) {
			t.Errorf("%s: requests omit %q", tt.url, got)
		}
		if got := slices.Sorted(maps.Keys(response)); !slices.Equal(got, tt.response) {
			t.Errorf("%s: responses omit %q", tt.url, got)
		}
	}
}

// Kept cookies are those of one origin, as it wrote them, and within limits.
func TestKeep(t *testing.T) {
	s, err := New(Config{Start: []robotsext.Origin{"http://h", "https://h", "http://h:8080"}, KeepCookies: true})
	must(t, err)
	field := func(url string) string {
		req := mustRequest(t, url)
		s.Apply(req, true)
		return req.Header.Get("Cookie")
	}
	set := func(url string, lines ...string) {
		s.Keep(mustRequest(t, url), &http.Response{Header: http.Header{"Set-Cookie": lines}})
	}
	set("https://h/", `plain=1; Path=/`, `quoted="a b"; Path=/`, "large="+strings.Repeat("x", maxCookie))
	set("http://other/", "other=1")
	for url, want := range map[string]string{"https://h/": `plain=1; quoted="a b"`, "http://h/": "", "http://h:8080/": "", "http://other/": ""} {
		if got := field(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	for i := range 2 * maxCookies {
		set("http://h/", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 10)))
	}
	set("http://h/", "c0=new")
	if got := field("http://h/"); strings.Count(got, "=") != maxCookies || !strings.Contains(got, "c0=new") {
		t.Errorf("%d cookies: %s", strings.Count(got, "="), got)
	}
	for i := range maxCookies {
		set("http://h:8080/", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", 1000)))
	}
	if got := field("http://h:8080/"); len(got) > maxCookieField || len(got) < maxCookieField/2 {
		t.Errorf("the field has %d bytes", len(got))
	}
}

// A field may have several values.
func TestSeveralValues(t *testing.T) {
	s, err := New(Config{Start: []robotsext.Origin{"http://h", "http://h"}, Header: []string{"X-A: 1", "x-a: 2"}, HeaderFor: []string{"http://h X-A: 3"}})
	must(t, err)
	req := mustRequest(t, "http://h/")
	s.Apply(req, false)
	if got := req.Header["X-A"]; !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("%q", got)
	}
}

// FuzzHeader: a field that is parsed can be sent, and its mask has nothing of the value.
func FuzzHeader(f *testing.F) {
	for _, s := range []string{"X-Key: 1", "https://h X-Key: 1", "a:\x00", ":", " http://h: a:b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func() (string, string, string, error){
			func() (string, string, string, error) {
				n, v, err := ParseHeader(text)
				return n, v, MaskHeader(text), err
			},
			func() (string, string, string, error) {
				_, n, v, err := ParseHeaderFor(text)
				return n, v, MaskHeaderFor(text), err
			},
		} {
			name, value, masked, err := parse()
			if err != nil {
				continue
			}
			if strings.ContainsAny(name+value, "\r\n\x00") || name == "" || value == "" {
				t.Errorf("%q is parsed as %q: %q", text, name, value)
			}
			if !strings.HasSuffix(masked, ": ***") || len(masked) > len(text)+4-len(value) {
				t.Errorf("%q is masked as %q", text, masked)
			}
		}
	})
}

// FuzzCookieFile: a cookie that is parsed can be sent.
func FuzzCookieFile(f *testing.F) {
	f.Add(cookieFile)
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseCookies(text)
		if err != nil {
			return
		}
		for _, c := range parsed {
			if c.host == "" || c.cookie.Name == "" || strings.ContainsAny(c.cookie.Name+c.cookie.Value, "\r\n;") {
				t.Errorf("%q: %+v", text, c)
			}
		}
	})
}

// FuzzNetrc: no word of a file gets lost or is invented.
func FuzzNetrc(f *testing.F) {
	f.Add("machine a login b password c\ndefault login d macdef x\ny\n\n#z")
	f.Fuzz(func(t *testing.T, text string) {
		machines, err := parseNetrc(text)
		if err != nil {
			return
		}
		words := strings.Fields(text)
		for _, m := range machines {
			for _, word := range []string{m.name, m.login, m.password} {
				if word != "" && !slices.Contains(words, word) {
					t.Errorf("%q: %+v", text, m)
				}
			}
		}
	})
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
