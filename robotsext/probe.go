package robotsext

import (
	"context"
	"crypto/rand"
	"net/http"
)

// missingAnswersAlike reports whether the site gives for a page that cannot
// exist the 5xx that it gave for robots.txt, while it is up otherwise: then that
// 5xx is its 404 (ROB-STA-09).
func (r *Robots) missingAnswersAlike(ctx context.Context, a *answer) bool {
	if a.status < 500 || a.status > 599 {
		return false
	}
	ctx, limit := withTimeLimit(ctx, r.timeout)
	defer limit.stop()
	if r.probeStatus(ctx, limit, string(a.origin)+"/"+rand.Text()) != a.status {
		return false
	}
	home := r.probeStatus(ctx, limit, string(a.origin)+"/")
	return 200 <= home && home <= 299
}

// probeStatus is the status that a plain request for url gets, 0 for none.
func (r *Robots) probeStatus(ctx context.Context, limit *timeLimit, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	release, err := r.turn(ctx, limit, req.URL)
	if err != nil {
		return 0
	}
	defer release()
	req.Header.Set("User-Agent", r.userAgent)
	resp, err := r.roundTrip(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	drain(resp)
	return resp.StatusCode
}
