package visit

import (
	"context"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
)

// probe requests a start URL of a plan to learn whether it redirects to another host, which then belongs to the
// crawl.
func (v *Visitor) probe(it *item, adm *admitted) (outcome, error) {
	ctx, cancel := context.WithTimeout(v.Lifecycle.Working, v.set.Timeout)
	defer cancel()
	began := time.Now()
	resp, err := v.request(ctx, http.MethodHead, it.url)
	out := outcome{verdict: done, host: hostOutcome{delay: v.Delays.After(time.Since(began))}}
	if err != nil {
		return out, nil // the crawl will report it
	}
	_ = resp.Body.Close()
	out.host.status = resp.StatusCode
	if location := redirection.Location(resp.StatusCode, resp.Header); location != "" {
		out.found = v.Discovery.Redirect(it.document(adm), location)
	}
	return out, nil
}
