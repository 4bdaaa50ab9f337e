package robotsext

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// refusedRedirects are URLs that redirect to a refused URL. A program that retries errors would
// request them again, only to be redirected to the same URL.
type refusedRedirects struct {
	mu      sync.Mutex
	targets map[string]refusedTarget // by URL
}

type refusedTarget struct {
	url     *url.URL
	expires time.Time // of the record that refused it
}

// maxRefusedRedirects limits the URLs of refusedRedirects.
const maxRefusedRedirects = 10_000

// note remembers the redirects that led to req, which is refused until expires.
func (r *refusedRedirects) note(req *http.Request, expires time.Time) {
	for resp := req.Response; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		if !isRead(resp.Request) {
			return
		}
		r.mu.Lock()
		if r.targets == nil || len(r.targets) >= maxRefusedRedirects {
			r.targets = make(map[string]refusedTarget)
		}
		r.targets[resp.Request.URL.String()] = refusedTarget{req.URL, expires}
		r.mu.Unlock()
	}
}

// refused returns the refused URL that u redirects to; nil: none is known.
func (r *refusedRedirects) refused(u *url.URL, now time.Time) *url.URL {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.targets) == 0 {
		return nil
	}
	target, ok := r.targets[u.String()]
	if ok && !now.Before(target.expires) {
		delete(r.targets, u.String())
		return nil
	}
	return target.url
}

// isRead reports whether req only reads, so that its redirect is the same the next time.
func isRead(req *http.Request) bool {
	return req.Method == "" || req.Method == http.MethodGet || req.Method == http.MethodHead
}
