package monitor

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A guard rejects requests without the permission to see or change something. The package
// comment names the attacks.
type guard struct {
	listened string
	token    string // empty if none is required
	session  string // the value of a browser's cookie, instead of the token
	change   string // a secret of the page, required for changes
	foreign  *http.CrossOriginProtection
}

func newGuard(listened, token string) *guard {
	return &guard{
		listened: listened, token: token, session: rand.Text(), change: rand.Text(),
		foreign: http.NewCrossOriginProtection(),
	}
}

// changeHeader is how the page shows that it is the page.
const changeHeader = "X-Politecrawl-Change"

// policy allows the page its own origin, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// protect stands before next.
func (g *guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		shown := false // the token, as a header
		switch {
		case g.token == "" && !isLoopback(r.Host, g.listened):
			http.Error(w, "this is served to this machine alone, as localhost or 127.0.0.1", http.StatusForbidden)
			return
		case g.token == "" || r.URL.Path == "/healthz":
		case same(bearer(r), g.token):
			shown = true
		case r.Method == http.MethodGet && same(r.URL.Query().Get("token"), g.token):
			g.welcome(w, r)
			return
		case !g.welcomed(r):
			h.Set("WWW-Authenticate", `Bearer realm="politecrawl"`)
			http.Error(w, "a token is required: add ?token=… to the address once, or send Authorization: Bearer …", http.StatusUnauthorized)
			return
		}
		if err := g.sameSite(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && !shown && !same(r.Header.Get(changeHeader), g.change) {
			http.Error(w, "only the page can send this request, or a client with Authorization: Bearer …; reload a page that was open before the crawl started", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameSite refuses what a page of somebody else makes a browser ask for. They may lead
// there, to be seen by the person.
func (g *guard) sameSite(r *http.Request) error {
	if err := g.foreign.Check(r); err != nil {
		return fmt.Errorf("a page of another origin may not ask for this: %w", err)
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "", site == "same-origin", site == "none":
	case r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document":
	default:
		return fmt.Errorf("a page of another origin may not ask for this: Sec-Fetch-Site is %.20q", site)
	}
	return nil
}

// cookie is what a browser shows in place of the token. Cookies belong to a host whatever the port,
// and there may be several crawls on one.
func (g *guard) cookie(r *http.Request) *http.Cookie {
	name := "politecrawl"
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		name += fmt.Sprintf("_%d", at.Port)
	}
	return &http.Cookie{ //nolint:gosec // Secure behind a proxy with TLS: without TLS a browser would not send it back
		Name: name, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// welcome takes the token out of the address, where others could read it, and gives a
// cookie for it.
func (g *guard) welcome(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, g.cookie(r))
	query := r.URL.Query()
	query.Del("token")
	// One slash: two would begin the name of another host.
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: query.Encode()}
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

// welcomed reports whether a request has the cookie.
func (g *guard) welcomed(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie(r).Name) {
		if same(c.Value, g.session) {
			return true
		}
	}
	return false
}

// bearer returns the token that a request shows, or "".
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// same compares a secret in a time that reveals nothing about it, not even its length.
func same(given, secret string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(secret))
	return given != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
