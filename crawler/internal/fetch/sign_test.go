package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// A failingSigner cannot sign.
type failingSigner struct{}

var errNoKey = errors.New("no key")

func (failingSigner) Send(http.RoundTripper, *http.Request, func(context.Context) error) (*http.Response, error) {
	return nil, errNoKey
}

// A request that cannot be signed is not the site's failure: the crawl ends.
func TestSigningFailureEndsTheCrawl(t *testing.T) {
	base := sendFunc(func(*http.Request) (*http.Response, error) {
		t.Error("a request was sent")
		return nil, errNoKey
	})
	crawl := testCrawl()
	_, err := NewTransport(crawl, Config{Base: base, Signer: failingSigner{}}).RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", http.NoBody))
	if _, _, failed := crawl.Lifecycle.Ending(); !errors.Is(err, errNoKey) || !errors.Is(failed, errNoKey) {
		t.Errorf("%v; the crawl got %v", err, failed)
	}
}

// A site that asks for another signature gets it after the delay of its host, if the time limit of
// the request allows it. Otherwise its first response counts.
func TestAcceptSignatureWaitsForTheDelay(t *testing.T) {
	key, err := botauth.GenerateKey()
	must(t, err)
	signer, err := botauth.NewSigner(key, "https://bot.example", nil)
	must(t, err)
	for name, test := range map[string]struct {
		delay                    error
		requests, status, delays int
	}{
		"in time":         {nil, 2, http.StatusOK, 1},
		"after the limit": {context.DeadlineExceeded, 1, http.StatusUnauthorized, 1},
	} {
		t.Run(name, func(t *testing.T) {
			requests, pacer := 0, &countingPacer{err: test.delay}
			base := sendFunc(func(req *http.Request) (*http.Response, error) {
				requests++
				w := httptest.NewRecorder()
				if requests == 1 {
					w.Header().Set("Accept-Signature", `x=("@authority");nonce="n";tag="web-bot-auth"`)
					w.WriteHeader(http.StatusUnauthorized)
				}
				return w.Result(), nil
			})
			crawl := testCrawl()
			crawl.Pacer = pacer
			resp, err := NewTransport(crawl, Config{Base: base, Signer: signer}).RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", http.NoBody))
			must(t, err)
			_ = resp.Body.Close()
			if delays := pacer.pauses; requests != test.requests || delays != test.delays || resp.StatusCode != test.status {
				t.Errorf("%d requests after %d delays, status %d", requests, delays, resp.StatusCode)
			}
		})
	}
}
