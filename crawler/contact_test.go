package crawler

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// The contact is the From of every request: for robots.txt, sitemaps, pages, and on other hosts.
// Without one, there is no From.
func TestContact(t *testing.T) {
	for _, contact := range []string{"", "crawler@example.com"} {
		inBubble(t, func(t *testing.T) {
			var mu sync.Mutex
			seen := make(map[string]string) // From by host and path
			server := func(address string, pages map[string]http.HandlerFunc) *site {
				s := newSite(t, address, nil)
				for path, respond := range pages {
					s.handle(path, func(w http.ResponseWriter, r *http.Request) {
						mu.Lock()
						seen[r.Host+r.URL.Path] = strings.Join(r.Header.Values("From"), ", ")
						mu.Unlock()
						respond(w, r)
					})
				}
				return s
			}
			var s *site
			other := server("127.0.0.2", map[string]http.HandlerFunc{
				"/robots.txt": page(200, ""), "/rules.txt": page(200, "Sitemap: {site}/map.txt\n"), "/end": page(200, "the end"),
				"/map.txt": func(w http.ResponseWriter, r *http.Request) { page(200, s.url+"/listed\n")(w, r) },
			})
			s = server("127.0.0.1", map[string]http.HandlerFunc{
				"/robots.txt": redirect(other.url + "/rules.txt"), "/": redirect("/moved"), "/moved": page(200, `<a href="`+other.url+`/end">next</a>`),
				"/listed": page(200, "listed"),
			})
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.Contact, cfg.Scope.Kind = contact, ScopeAny
			if got := runCrawl(t, cfg, nil); got.Pages != 4 {
				t.Errorf("%+v", got.Summary)
			}
			if len(seen) != 8 {
				t.Errorf("requests: %v", seen)
			}
			for url, from := range seen {
				if from != contact {
					t.Errorf("%s: From %q, want %q", url, from, contact)
				}
			}
		})
	}
}
