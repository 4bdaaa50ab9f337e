package crawler

import (
	"net/http"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A response that requires payment or a license is requested once, is no page, and says what the
// site has sent about it.
func TestPaymentAndLicense(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const auth, price, code = "WWW-Authenticate", "Crawler-Price", "Crawler-Error"
		tests := []struct {
			name   string
			status int
			fields []string
			reason output.Reason // empty for a page
			detail string
		}{
			{"price", 402, []string{price, "USD 0.01", code, "MissingCrawlerPrice"}, output.PaymentRequired, "USD 0.01, MissingCrawlerPrice"},
			{"no price", 402, nil, output.PaymentRequired, ""},
			{"error code only", 402, []string{code, "InvalidCrawlerMaxPrice"}, output.PaymentRequired, "InvalidCrawlerMaxPrice"},
			{"license to pay for", 402, []string{auth, `License error="payment_required"`}, output.PaymentRequired, "payment_required"},
			{"hostile price", 402, []string{price, "\u202e" + strings.Repeat("9", 5000)}, output.PaymentRequired, "\u202e999"},
			{"price with a password", 402, []string{price, "pay at http://alice:hunter2@h/"}, output.PaymentRequired, "pay at http://***@h/"},
			{"license", 401, []string{auth, `License error="invalid_request", error_description="a license, please", authorization_uri="https://h/token"`}, output.LicenseRequired, "invalid_request"},
			{"license without an error", 401, []string{auth, "license"}, output.LicenseRequired, ""},
			{"license among others", 401, []string{auth, `Basic realm="News, License"`, auth, `Negotiate, Digest nonce="x", License error=expired_token, Bearer error="no"`}, output.LicenseRequired, "expired_token"},
			{"error of another scheme", 401, []string{auth, `Bearer error="no", License`}, output.LicenseRequired, ""},
			{"unfinished challenge", 401, []string{auth, `License error="x\`}, output.LicenseRequired, `x\`},
			{"license in a quoted text", 401, []string{auth, `Basic realm="5\" of text, License error=no"`}, "", ""},
			{"license in a name", 401, []string{auth, `Basic realm="License error=\"no\", License error=no"`}, "", ""},
			{"other scheme", 401, []string{auth, `Bearer error="invalid_token"`}, "", ""},
			{"no scheme", 401, nil, "", ""},
			{"license and success", 200, []string{auth, "License", price, "USD 1"}, "", ""},
			{"license and forbidden", 403, []string{auth, "License", code, "CrawlerForbidden"}, "", ""},
		}
		s := newSite(t, "127.0.0.1", nil)
		path := func(name string) string { return "/" + strings.ReplaceAll(name, " ", "-") }
		var urls []string
		for _, tt := range tests {
			urls = append(urls, s.url+path(tt.name))
			s.handle(path(tt.name), func(w http.ResponseWriter, _ *http.Request) {
				for i := 0; i < len(tt.fields); i += 2 {
					w.Header().Add(tt.fields[i], tt.fields[i+1])
				}
				w.WriteHeader(tt.status)
			})
		}
		cfg := testConfig(t, urls...)
		cfg.Fetch.Retries = 3
		got := runCrawl(t, cfg, nil)
		pages := 0
		for _, tt := range tests {
			if n := s.count(path(tt.name)); n != 1 {
				t.Errorf("%s: %d requests", tt.name, n)
			}
			if tt.reason == "" {
				pages++
				continue
			}
			r := got.refusal(t, s.url+path(tt.name))
			if r.Reason != tt.reason || !strings.HasPrefix(r.Detail, tt.detail) || tt.name != "hostile price" && r.Detail != tt.detail || len(r.Detail) > escape.MaxDetail {
				t.Errorf("%s: %+v", tt.name, r)
			}
		}
		if got.Pages != pages || got.Rejected[output.PaymentRequired] != 6 || got.Rejected[output.LicenseRequired] != 5 {
			t.Errorf("%+v", got.Summary)
		}
	})
}
