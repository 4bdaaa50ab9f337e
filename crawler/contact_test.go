package crawler

import (
	"net/http"
	"slices"
	"testing"
)

// Each request, for robots.txt, sitemaps, pages and redirects, and on other hosts, has the contact as From, if there
// is one, and no cookies.
func TestFieldsOfEachRequest(t *testing.T) {
	for _, contact := range []string{"", "crawler@example.com"} {
		inBubble(t, func(t *testing.T) {
			s, other := newSite(t, "127.0.0.1", nil), newSite(t, "127.0.0.2", nil)
			for on, pages := range map[*site]map[string]http.HandlerFunc{
				s: {
					"/robots.txt": redirect(other.url + "/rules.txt"), "/": redirect("/moved"), "/moved": page(200, `<a href="`+other.url+`/end">next</a>`), "/listed": page(200, "listed"),
				},
				other: {
					"/robots.txt": page(200, ""), "/rules.txt": page(200, "Sitemap: {site}/map.txt\n"), "/map.txt": page(200, s.url+"/listed\n"), "/end": page(200, "the end"),
				},
			} {
				for path, respond := range pages {
					on.handle(path, func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Set-Cookie", "id=1; Path=/")
						respond(w, r)
					})
				}
			}
			cfg := testConfig(t, s.url+"/")
			cfg.Fetch.Contact, cfg.Scope.Kind = contact, ScopeAny
			if got := runCrawl(t, cfg, nil); got.Pages != 4 {
				t.Errorf("%+v", got.Summary)
			}
			requests := slices.Concat(s.requests(), other.requests())
			if len(requests) != 8 {
				t.Errorf("requests: %+v", requests)
			}
			for _, r := range requests {
				if from := r.header.Get("From"); from != contact || (contact == "") != (r.header["From"] == nil) || r.header["Cookie"] != nil {
					t.Errorf("%s%s: %v", r.host, r.uri, r.header)
				}
			}
		})
	}
}
