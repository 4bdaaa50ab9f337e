package crawler

import (
	"net/http"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

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
func TestURLsOutOfScopeAreNotRequested(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "", "/maps/": "{site}/maps/a\n", "/maps/a": "a", "/b": "b", "/c": "c"})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: " + other.url + "/maps/\nSitemap: {site}/own.txt\n", "/own.txt": other.url + "/c\n", "/": `<a href="/to">to</a>`,
	})
	s.handle("/to", http.RedirectHandler(other.url+"/b", http.StatusFound).ServeHTTP)
	for scope, want := range map[ScopeKind]map[string]output.Reason{
		ScopeHost: {"/maps/a": output.OutOfScope, "/b": output.OutOfScope, "/c": output.NotEntitled},
		ScopeAny:  {"/c": output.NotEntitled}, // a sitemap may not speak for others, wherever the crawl goes
	} {
		cfg := testConfig(t, s.url+"/")
		cfg.Scope.Kind = scope
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
