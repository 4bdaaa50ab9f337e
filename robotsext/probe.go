package robotsext

import (
	"context"
	"crypto/rand"
	"net/http"
)

// missingAnswersAlike reports whether the site gives for a page that cannot
// exist the 5xx that it gave for robots.txt, while it is up otherwise: then that
// 5xx is its 404 (ROB-STA-09).
func (f *robotsFetcher) missingAnswersAlike(ctx context.Context, res *fetchResult) bool {
	if res.status < 500 || res.status > 599 {
		return false
	}
	ctx, limit := withTimeLimit(ctx, f.timeout)
	defer limit.stop()
	if f.probeStatus(ctx, limit, string(res.origin)+"/"+rand.Text()) != res.status {
		return false
	}
	home := f.probeStatus(ctx, limit, string(res.origin)+"/")
	return 200 <= home && home <= 299
}

// probeStatus is the status that a plain request for url gets, 0 for none.
func (f *robotsFetcher) probeStatus(ctx context.Context, limit *timeLimit, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	release, err := f.turn(ctx, limit, req.URL)
	if err != nil {
		return 0
	}
	defer release()
	req.Header.Set("User-Agent", f.userAgent)
	resp, err := f.transports.roundTrip(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	drain(resp)
	return resp.StatusCode
}
