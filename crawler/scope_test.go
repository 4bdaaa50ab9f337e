package crawler

import (
	"net/http"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestScope(t *testing.T) {
	tests := []struct {
		name  string
		scope Scope
		start string
		url   string
		want  bool
	}{
		{"same host", ScopeHost, "http://example.com/", "http://example.com/a", true},
		{"https of an http start", ScopeHost, "http://example.com/", "https://example.com/a", true},
		{"default ports written out", ScopeHost, "http://example.com:80/", "https://example.com:443/a", true},
		{"upper case", ScopeHost, "http://EXAMPLE.com/", "http://example.COM/a", true},
		{"sub-domain", ScopeHost, "http://example.com/", "http://www.example.com/", false},
		{"parent domain", ScopeHost, "http://www.example.com/", "http://example.com/", false},
		{"another port", ScopeHost, "http://example.com/", "http://example.com:8080/", false},
		{"same other port", ScopeHost, "http://example.com:8080/", "http://example.com:8080/a", true},
		{"a suffix of the name is another host", ScopeHost, "http://example.com/", "http://notexample.com/", false},
		{"sub-domain", ScopeDomain, "http://www.example.co.uk/", "https://shop.example.co.uk:8443/", true},
		{"sibling under a public suffix", ScopeDomain, "http://www.example.co.uk/", "http://other.co.uk/", false},
		{"IP addresses have no domain", ScopeDomain, "http://127.0.0.1/", "http://127.0.0.2/", false},
		{"same IP address", ScopeDomain, "http://127.0.0.1/", "http://127.0.0.1:81/", true},
		{"IPv6", ScopeDomain, "http://[::1]/", "http://[::1]:81/", true},
		{"bare name", ScopeDomain, "http://localhost/", "http://localhost/a", true},
		{"anything", ScopeAny, "http://example.com/", "http://other.example/", true},
	}
	for _, tt := range tests {
		t.Run(string(tt.scope)+"/"+tt.name, func(t *testing.T) {
			b := newBoundary(tt.scope)
			b.join(mustResolve(t, tt.start))
			if got := b.holds(mustResolve(t, tt.url)); got != tt.want {
				t.Errorf("start %s: %s in scope: %v, want %v", tt.start, tt.url, got, tt.want)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"scheme and host in lower case", "HTTP://EXAMPLE.com/Path", "http://example.com/Path"},
		{"empty path", "http://example.com", "http://example.com/"},
		{"default port", "https://example.com:443/", "https://example.com/"},
		{"other port", "https://example.com:444/", "https://example.com:444/"},
		{"fragment", "http://example.com/a#b", "http://example.com/a"},
		{"user info", "http://user:secret@example.com/", "http://example.com/"},
		{"ROB-MAT-25 dot segments", "http://example.com/a/../b/./c/%2e%2e/d", "http://example.com/b/d"},
		{"ROB-MAT-28 octets that no URI holds raw, and no others", "http://example.com/it's|a%2Fb^(x)?|'", "http://example.com/it's%7Ca%2Fb%5E(x)?|%27"},
		{"ROB-LOC-08 IDN", "http://WWW.MÜLLER.eu/ü", "http://www.xn--mller-kva.eu/%C3%BC"},
		{"doubled slashes stay", "http://example.com//a//b", "http://example.com//a//b"},
		{"an empty query stays", "http://example.com/?", "http://example.com/?"},
		{"order of the query stays", "http://example.com/?b=1&a=2", "http://example.com/?b=1&a=2"},
		{"case of escapes stays", "http://example.com/%c3%A9", "http://example.com/%c3%A9"},
		{"white space around and in it", " http://exam\tple.com/a\nb ", "http://example.com/ab"},
		{"backslashes", `http:\\example.com\a`, "http://example.com/a"},
		{"IPv4 in its odd forms", "http://127.1/", "http://127.0.0.1/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical(tt.in)
			if err != nil || got != tt.want {
				t.Fatalf("Canonical(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
			}
			if again, err := Canonical(got); err != nil || again != got {
				t.Errorf("Canonical(%q) = %q, %v: a canonical URL should stay as it is", got, again, err)
			}
		})
	}
	for _, bad := range []string{"", "/relative", "http://", "mailto:a@example.com", "javascript:void(0)", "ftp://example.com/", "http://exa mple.com/", "http://[::1"} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("Canonical(%q) = %q, want an error", bad, got)
		}
	}
}

func mustResolve(t *testing.T, raw string) weburl.URL {
	t.Helper()
	a, err := weburl.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What lies outside is not asked for, whether a redirect or a sitemap leads there.
func TestOutside(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "", "/maps/": "{site}/maps/a\n", "/maps/a": "a", "/b": "b", "/c": "c"})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: " + other.url + "/maps/\nSitemap: {site}/own.txt\n", "/own.txt": other.url + "/c\n", "/": `<a href="/to">to</a>`,
	})
	s.handle("/to", http.RedirectHandler(other.url+"/b", http.StatusFound).ServeHTTP)
	for scope, want := range map[Scope]map[string]output.Reason{
		ScopeHost: {"/maps/a": output.OutOfScope, "/b": output.OutOfScope, "/c": output.NotEntitled},
		ScopeAny:  {"/c": output.NotEntitled}, // a sitemap may not speak for others, wherever the crawl goes
	} {
		cfg := testConfig(t, s.url+"/")
		cfg.Scope = scope
		asked := other.asked()
		got := run(t, cfg, nil)
		for path, reason := range want {
			if r := got.refusal(t, other.url+path); r.Reason != reason {
				t.Errorf("scope %s: %+v, want %s", scope, r, reason)
			}
			if slices.Contains(other.asked()[len(asked):], path) {
				t.Errorf("scope %s: %s was asked for", scope, path)
			}
		}
		if len(got.rejected) != len(want) {
			t.Errorf("scope %s: rejected %+v", scope, got.rejected)
		}
	}
}
