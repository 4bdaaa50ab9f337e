package monitor

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
)

const secret = "a-token-that-is-hard-to-guess"

// changeOf returns the secret of the page.
func changeOf(t *testing.T, s *Server) string {
	t.Helper()
	m := regexp.MustCompile(`<meta name="change" data-header="X-Politecrawl-Change" content="(\w{20,})">`).FindStringSubmatch(get(t, s.URL()).body)
	if m == nil {
		t.Fatal("the page has no secret")
	}
	return m[1]
}

// fields changes the Host or the headers of a request.
func fields(pairs ...string) func(*http.Request) {
	return func(r *http.Request) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == "Host" {
				r.Host = pairs[i+1]
				continue
			}
			r.Header.Set(pairs[i], pairs[i+1])
		}
	}
}

func TestOnlyThePageChangesSomething(t *testing.T) {
	s, f := serve(t, nil)
	change, own := changeOf(t, s), strings.TrimSuffix(s.URL(), "/")
	for _, tt := range []struct {
		name, method string
		fields       []string
		status       int
	}{
		{"the page", "POST", []string{pageserver.ChangeHeader, change, "Origin", own, "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 204},
		{"the page in a browser without Sec-Fetch-Site", "POST", []string{pageserver.ChangeHeader, change, "Origin", own}, 204},
		{"a program that has read the page", "POST", []string{pageserver.ChangeHeader, change}, 204},
		{"by GET", "GET", []string{pageserver.ChangeHeader, change}, 405},
		{"by PUT", "PUT", []string{pageserver.ChangeHeader, change}, 405},
		{"without the secret", "POST", nil, 403},
		{"without the secret, of the same origin", "POST", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 403},
		{"with another secret", "POST", []string{pageserver.ChangeHeader, strings.ToLower(change)}, 403},
		{"of another origin", "POST", []string{pageserver.ChangeHeader, change, "Origin", "http://evil.example"}, 403},
		{"of an opaque origin", "POST", []string{pageserver.ChangeHeader, change, "Origin", "null"}, 403},
		{"of another port", "POST", []string{pageserver.ChangeHeader, change, "Origin", "http://127.0.0.1:1"}, 403},
		{"cross-site", "POST", []string{pageserver.ChangeHeader, change, "Sec-Fetch-Site", "cross-site"}, 403},
		{"same-site, which another port is", "POST", []string{pageserver.ChangeHeader, change, "Origin", own, "Sec-Fetch-Site", "same-site"}, 403},
		{"a form of another site", "POST", []string{pageserver.ChangeHeader, change, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"by a name of another host", "POST", []string{pageserver.ChangeHeader, change, "Host", "evil.example"}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"pause", "resume", "stop"} {
				f.Change(func(s *monitortest.State) { s.Calls = nil })
				got, want := ask(t, tt.method, s.URL()+path, fields(tt.fields...)), ""
				if tt.status == 204 {
					want = path
				}
				if got.status != tt.status || f.Called() != want {
					t.Errorf("%s: status %d, %q; the crawl was told %q", path, got.status, got.body, f.Called())
				}
			}
		})
	}
}

func TestWhoMaySee(t *testing.T) {
	s, _ := serve(t, nil)
	port := strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://127.0.0.1"), "/")
	for _, tt := range []struct {
		name   string
		fields []string
		status int
	}{
		{"a person", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a program", nil, 200},
		{"by name", []string{"Host", "localhost" + port}, 200},
		{"by name in capitals", []string{"Host", "LOCALHOST" + port}, 200},
		{"by another loopback address", []string{"Host", "127.9.9.9" + port}, 200},
		{"by IPv6", []string{"Host", "[::1]" + port}, 200},
		{"through a tunnel from another port", []string{"Host", "localhost:9999"}, 200},
		{"by a name that was made to point here", []string{"Host", "evil.example" + port}, 403},
		{"by a name that begins like ours", []string{"Host", "localhost.evil.example" + port}, 403},
		{"by a name that begins like an address", []string{"Host", "127.0.0.1.evil.example" + port}, 403},
		{"by an address of another network", []string{"Host", "192.0.2.1" + port}, 403},
		{"led here by another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"framed by another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a script of another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 403},
		{"a script element of another site", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, path := range []string{"", "metrics", "page.js", "healthz"} {
				if got := ask(t, "GET", s.URL()+path, fields(tt.fields...)); got.status != tt.status {
					t.Errorf("/%s: status %d, %.100q", path, got.status, got.body)
				}
			}
			if tt.status != 200 { // a stream has no end
				if got := ask(t, "GET", s.URL()+"events", fields(tt.fields...)); got.status != tt.status {
					t.Errorf("/events: status %d", got.status)
				}
			}
		})
	}
}

func TestHeadersOfAllAnswers(t *testing.T) {
	s, _ := serve(t, nil)
	for _, path := range []string{"", "page.js", "page.css", "icon.svg", "metrics", "healthz", "nowhere", "pause"} {
		got := get(t, s.URL()+path).header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if !strings.HasPrefix(got.Get(name), want) {
				t.Errorf("/%s: %s is %q", path, name, got.Get(name))
			}
		}
		if got.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("/%s: other origins may read it", path)
		}
	}
	if strings.Contains(policy, "http") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy allows more than the own origin: %s", policy)
	}
}

func TestToken(t *testing.T) {
	s, f := serve(t, &Options{Token: secret, Pprof: true})
	for _, path := range []string{"", "events", "metrics", "page.js", "debug/pprof/", "nowhere", "healthz/"} {
		for name, change := range map[string]func(*http.Request){
			"none":         nil,
			"another":      fields("Authorization", "Bearer "+secret+"x"),
			"a part of it": fields("Authorization", "Bearer "+secret[:5]),
			"empty":        fields("Authorization", "Bearer "),
			"as Basic":     fields("Authorization", "Basic "+secret),
			"a cookie":     fields("Cookie", "politecrawl="+secret),
		} {
			got := ask(t, "GET", s.URL()+path, change)
			if got.status != 401 || got.header.Get("WWW-Authenticate") == "" || strings.Contains(got.body, secret) {
				t.Errorf("/%s with token %s: status %d, %q", path, name, got.status, got.body)
			}
		}
	}
	if got := get(t, s.URL()+"?token="); got.status != 401 {
		t.Errorf("with an empty token in the address: status %d", got.status)
	}
	if got := ask(t, "POST", s.URL()+"stop?token="+secret, nil); got.status != 401 || f.Called() != "" {
		t.Errorf("POST with the token in the address: status %d", got.status)
	}
	if got := get(t, s.URL()+"healthz"); got.status != 200 || got.body != "ok\n" {
		t.Errorf("/healthz without a token: status %d, %q", got.status, got.body)
	}
	show := fields("Authorization", "bearer "+secret, "Host", "crawler.example")
	if got := ask(t, "GET", s.URL()+"metrics", show); got.status != 200 {
		t.Errorf("/metrics with the token: status %d", got.status)
	}
	if got := ask(t, "POST", s.URL()+"pause", show); got.status != 204 || f.Called() != "pause" {
		t.Errorf("POST with the token: status %d, %s", got.status, got.body)
	}
}

func TestTokenForACookie(t *testing.T) {
	s, f := serve(t, &Options{Token: secret})
	got := get(t, s.URL()+"?token="+secret)
	resp := http.Response{Header: got.header}
	if got.status != 303 || got.header.Get("Location") != "/" || len(resp.Cookies()) != 1 {
		t.Fatalf("status %d, %v", got.status, got.header)
	}
	c := resp.Cookies()[0]
	if !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, secret) || len(c.Value) < 20 || c.MaxAge != 0 {
		t.Errorf("the cookie is %v", c)
	}
	got = ask(t, "GET", s.URL()+"?token="+secret, fields("X-Forwarded-Proto", "https")) // by a proxy with TLS
	if resp := (http.Response{Header: got.header}); len(resp.Cookies()) != 1 || !resp.Cookies()[0].Secure {
		t.Errorf("behind TLS the cookies are %v", resp.Cookies())
	}
	cookie := fields("Cookie", c.Name+"="+c.Value)
	page := ask(t, "GET", s.URL(), cookie)
	if page.status != 200 || strings.Contains(page.body, secret) {
		t.Fatalf("with the cookie: status %d", page.status)
	}
	if got := ask(t, "POST", s.URL()+"stop", cookie); got.status != 403 || f.Called() != "" {
		t.Errorf("the cookie alone stops the crawl: status %d", got.status)
	}
	other, _ := serve(t, &Options{Token: secret})
	if got := ask(t, "GET", other.URL(), cookie); got.status != 401 {
		t.Errorf("the cookie of another process: status %d", got.status)
	}
	for path, want := range map[string]string{
		"metrics?token=" + secret + "&x=1":  "/metrics?x=1",
		"/evil.example/?token=" + secret:    "/evil.example/",
		`\evil.example/?token=` + secret:    "/%5Cevil.example/",
		"/%2Fevil.example/?token=" + secret: "/evil.example/",
	} {
		if got := get(t, s.URL()+path); got.status != 303 || got.header.Get("Location") != want {
			t.Errorf("%q leads to %q, want %q", path, got.header.Get("Location"), want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80"} {
		_, err := Listen(addr, nil)
		if !errors.Is(err, ErrTokenRequired) || !strings.Contains(err.Error(), "127.0.0.1:") || !strings.Contains(err.Error(), "token") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"", "8080", "127.0.0.1", "127.0.0.1:none", "no.such.host.invalid:80"} {
		if _, err := Listen(addr, &Options{Token: secret}); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", addr, err)
		}
	}
	first, _ := serve(t, nil)
	if _, err := Listen(strings.TrimSuffix(strings.TrimPrefix(first.URL(), "http://"), "/"), nil); !errors.Is(err, ErrAddress) {
		t.Errorf("an address that is taken: %v", err)
	}
	for _, addr := range []string{"127.0.0.1:0", "127.0.0.3:0", "localhost:0"} {
		s, err := Listen(addr, nil)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if got := get(t, s.URL()+"healthz"); got.status != 200 {
			t.Errorf("%s: status %d", s.URL(), got.status)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	s, err := Listen(":0", &Options{Token: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := get(t, s.URL()+"healthz"); got.status != 200 || !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("%s: status %d", s.URL(), got.status)
	}
}

func TestProfiles(t *testing.T) {
	without, _ := serve(t, nil)
	if got := get(t, without.URL()+"debug/pprof/"); got.status != 404 {
		t.Errorf("nobody asked for profiles: status %d", got.status)
	}
	s, _ := serve(t, &Options{Pprof: true})
	for path, want := range map[string]string{
		"": "goroutine?debug=1", "goroutine?debug=1": "goroutine profile: total", "heap": "\x1f\x8b", "profile?seconds=0.05": "\x1f\x8b", "trace?seconds=0.05": "go 1.",
	} {
		if got := get(t, s.URL()+"debug/pprof/"+path); got.status != 200 || !strings.Contains(got.body, want) {
			t.Errorf("%s: status %d, %.50q", path, got.status, got.body)
		}
	}
	if got := get(t, s.URL()+"debug/pprof/nothing"); got.status != 404 {
		t.Errorf("a profile that does not exist: status %d", got.status)
	}
}
