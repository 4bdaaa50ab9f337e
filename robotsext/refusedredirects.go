package robotsext

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
)

// refusedRedirects are requests that were redirected to a refused URL. A program that retries
// errors would send them again, only to be redirected to the same URL.
type refusedRedirects struct {
	mu      sync.Mutex
	targets map[redirectKey]refusedTarget
}

// redirectKey is what a redirect may depend on: a site redirects a client without a cookie to a
// login, for example.
type redirectKey struct{ origin, path, cookie, authorization string }

type refusedTarget struct {
	url     *url.URL
	expires time.Time
}

const (
	// refusedRedirectAge is long enough for a program that retries errors, and short enough for a
	// site that redirects to its captcha only once.
	refusedRedirectAge = time.Minute

	maxRefusedRedirects = 10_000 // beyond it all are forgotten
)

// note remembers the redirects that led to req, which is refused, and to target.
func (r *refusedRedirects) note(req *http.Request, target *url.URL, now time.Time) {
	for resp := req.Response; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		key, ok := keyOf(resp.Request, resp.Request.URL)
		if !ok || len(target.RequestURI()) > lookup.MaxTextBytes {
			return
		}
		r.mu.Lock()
		if r.targets == nil || len(r.targets) >= maxRefusedRedirects {
			r.targets = make(map[redirectKey]refusedTarget)
		}
		r.targets[key] = refusedTarget{target, now.Add(refusedRedirectAge)}
		r.mu.Unlock()
	}
}

// refused returns the refused URL that req, which is sent to u, was redirected to, or nil if none
// is known.
func (r *refusedRedirects) refused(req *http.Request, u *url.URL, now time.Time) *url.URL {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.targets) == 0 {
		return nil
	}
	key, ok := keyOf(req, u)
	target := r.targets[key]
	if !ok || !now.Before(target.expires) {
		delete(r.targets, key)
		return nil
	}
	return target.url
}

// keyOf returns the key of req, which is sent to u; ok is false if a second request may be
// redirected to another URL, or if the key is too long.
func keyOf(req *http.Request, u *url.URL) (key redirectKey, ok bool) {
	if req.Method != "" && req.Method != http.MethodGet && req.Method != http.MethodHead {
		return key, false
	}
	key = redirectKey{u.Scheme + "://" + u.Host, u.RequestURI(), req.Header.Get("Cookie"), req.Header.Get("Authorization")}
	return key, len(key.path)+len(key.cookie)+len(key.authorization) <= lookup.MaxTextBytes
}
