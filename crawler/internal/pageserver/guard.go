package pageserver

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

// A Guard rejects requests without the permission to see or change something. The comment of
// package monitor names the attacks.
type Guard struct {
	// Change is a secret of the page, required for changes.
	Change string

	access  Access
	session string // the value of a browser's cookie, instead of the token
	foreign *http.CrossOriginProtection
}

// Access says who may see a page, and what the page may load.
type Access struct {
	Listened string // the address to listen on
	Token    string // empty if none is required
	Open     string // the path that requires no token, if any
	Policy   string // the Content-Security-Policy
}

// NewGuard returns a guard with secrets of its own.
func NewGuard(access Access) *Guard {
	return &Guard{Change: rand.Text(), access: access, session: rand.Text(), foreign: http.NewCrossOriginProtection()}
}

// ChangeHeader is how the page shows that it is the page.
const ChangeHeader = "X-Politecrawl-Change"

// Protect returns a handler that rejects requests without permission, and passes the others to next.
func (g *Guard) Protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", g.access.Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		shown := false // the token, as a header
		switch {
		case g.access.Token == "" && !isLoopback(r.Host, g.access.Listened):
			http.Error(w, "this is served to this machine alone, as localhost or 127.0.0.1", http.StatusForbidden)
			return
		case g.access.Token == "" || g.access.Open != "" && r.URL.Path == g.access.Open:
		case same(bearer(r), g.access.Token):
			shown = true
		case r.Method == http.MethodGet && same(r.URL.Query().Get("token"), g.access.Token):
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
		if r.Method != http.MethodGet && r.Method != http.MethodHead && !shown && !same(r.Header.Get(ChangeHeader), g.Change) {
			http.Error(w, "only the page can send this request, or a client with Authorization: Bearer …; reload a page that was open before the crawl started", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sameSite refuses what a page of somebody else makes a browser ask for. They may lead
// there, to be seen by the person.
func (g *Guard) sameSite(r *http.Request) error {
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
func (g *Guard) cookie(r *http.Request) *http.Cookie {
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
func (g *Guard) welcome(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, g.cookie(r))
	query := r.URL.Query()
	query.Del("token")
	// One slash: two would begin the name of another host.
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: query.Encode()}
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

// welcomed reports whether a request has the cookie.
func (g *Guard) welcomed(r *http.Request) bool {
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
