package visit

import (
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
)

// A page with upgrade-insecure-requests uses https instead of http, but for the own machine.
func TestUpgraded(t *testing.T) {
	for from, to := range map[string]string{
		"http://example.com/a?b": "https://example.com/a?b", "https://example.com/": "https://example.com/", "http://example.com:8080/": "https://example.com:8080/",
		"http://127.0.0.1/a": "http://127.0.0.1/a", "http://[::1]:8/": "http://[::1]:8/", "http://localhost/": "http://localhost/", "http://a.localhost/": "http://a.localhost/",
	} {
		u, err := weburl.Parse(from)
		if got := upgraded(u); err != nil || got.Canonical != to {
			t.Errorf("%s: %s, %v; want %s", from, got.Canonical, err, to)
		}
	}
}
