package robotsext

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// A verifyingSite answers only requests with a valid signature, and asks for one with a nonce for
// some paths.
type verifyingSite struct {
	*httptest.Server
	dir       *botauth.Directory
	challenge string // prefix of the paths that need a nonce

	mu   sync.Mutex // guards seen
	seen []string   // path, and nonce or the reason of a refusal
}

func newVerifyingSite(t *testing.T, key botauth.PrivateKey) *verifyingSite {
	t.Helper()
	s := &verifyingSite{challenge: "/challenge", dir: &botauth.Directory{URL: "https://bot.example", Keys: []botauth.JWK{key.Public()}}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *verifyingSite) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	id, err := botauth.Verify(req, s.dir, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch challenge := strings.HasPrefix(req.URL.Path, s.challenge); {
	case err != nil:
		s.seen = append(s.seen, req.URL.Path+" "+err.Error())
		w.WriteHeader(http.StatusForbidden)
	case challenge && id.Nonce != "n1":
		s.seen = append(s.seen, req.URL.Path+" asked")
		w.Header().Set("Accept-Signature", `sig2=("@authority" "signature-agent";key="sig2");nonce="n1";tag="web-bot-auth"`)
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasSuffix(req.URL.Path, "/redirect"):
		s.seen = append(s.seen, req.URL.Path)
		http.Redirect(w, req, "/target", http.StatusFound)
	default:
		s.seen = append(s.seen, req.URL.Path)
		if req.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /private\nSitemap: http://" + req.Host + "/sitemap.xml\n"))
		}
	}
}

func (s *verifyingSite) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.seen, ", "); got != strings.Join(want, ", ") {
		t.Errorf("the site saw %s", got)
	}
}

func signingRobots(t *testing.T) (*Robots, *verifyingSite) {
	t.Helper()
	key, err := botauth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := botauth.NewSigner(key, "https://bot.example", &botauth.SignerOptions{Reuse: true})
	if err != nil {
		t.Fatal(err)
	}
	site := newVerifyingSite(t, key)
	robots, err := New("examplebot/1.0", &Options{Signer: signer, Sitemaps: SitemapOptions{Delay: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(robots.CloseIdleConnections)
	return robots, site
}

func TestSignerSignsEveryRequest(t *testing.T) {
	for name, visit := range map[string]func(t *testing.T, robots *Robots, url string){
		"net/http": func(t *testing.T, robots *Robots, url string) {
			t.Helper()
			client := &http.Client{Transport: robots.Transport(nil)}
			for _, path := range []string{"/page", "/redirect", "/challenge"} {
				resp, err := client.Get(url + path) //nolint:noctx // a test
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK || resp.Request.Header.Get("Signature") != "" {
					t.Errorf("%s: %s, %v", path, resp.Status, resp.Request.Header)
				}
			}
		},
		"colly": func(t *testing.T, robots *Robots, url string) {
			t.Helper()
			c := colly.NewCollector(robots.Attach)
			for _, path := range []string{"/page", "/redirect", "/challenge"} {
				if err := c.Visit(url + path); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			robots, site := signingRobots(t)
			visit(t, robots, site.URL)
			site.want(t, "/robots.txt", "/page", "/redirect", "/target", "/challenge asked", "/challenge")
		})
	}
}

func TestSignerSignsSitemapsAndAnswersForRobotsTxt(t *testing.T) {
	robots, site := signingRobots(t)
	site.challenge = "/robots.txt"
	u, err := url.Parse(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range robots.Sitemaps(t.Context(), u) {
		if err != nil {
			t.Log(err) // the sitemap is empty
		}
	}
	site.want(t, "/robots.txt asked", "/robots.txt", "/sitemap.xml")
}
