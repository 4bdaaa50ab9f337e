package visit

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/quota"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Each limit of fields has its own name.
func TestLimitsOfFieldsHaveNames(t *testing.T) {
	for err, want := range map[error]string{
		extract.ErrTooLarge: "field-size", extract.ErrTooManyTags: "field-tags", extract.ErrTooSlow: "field-time", io.EOF: "field-nesting",
	} {
		if got := fieldLimit(fmt.Errorf("of a page: %w", err)); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

// The reason for a skipped URL has no user, for any error.
func TestDetailHoldsNoPassword(t *testing.T) {
	r := skipFor(output.Failed, fmt.Errorf(`get "http://alice:hunter2@proxy.test/": %w`, io.EOF)).rejection
	if want := `get "http://***@proxy.test/": EOF`; r.Detail != want {
		t.Errorf("%q, want %q", r.Detail, want)
	}
}

// FuzzLicenseChallenge: a challenge is found whatever others are around it.
func FuzzLicenseChallenge(f *testing.F) {
	f.Add(`Basic realm="a, b"`, `License error="x\"y"`)
	f.Add("Negotiate abc==", `x="`)
	f.Add(`\`, ",,")
	f.Fuzz(func(t *testing.T, before, after string) {
		licenseChallenge([]string{before + "," + after, after})
		code, found := licenseChallenge([]string{`Basic realm="x", License realm = "y" , error="a\"b", ` + after, before})
		if !found || code != `a"b` {
			t.Errorf("%q, %t", code, found)
		}
		_, first := licenseChallenge([]string{before})
		if _, second := licenseChallenge([]string{before, "License"}); !second || first && !second {
			t.Errorf("License after %q is not found", before)
		}
	})
}

// A page with upgrade-insecure-requests uses https instead of http, but for the own machine.
func TestLostLeaseReturnsThePageAndKeepsExchanges(t *testing.T) {
	for name, resp := range map[string]*fetch.Response{"no response": nil, "a response": {Exchanges: []*output.Exchange{{}}}} {
		limits := quota.NewPages(quota.Limits{MaxPages: 1}, nil)
		v := New(Settings{}, &Parts{Parts: discover.Parts{Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil)}, Limits: limits})
		out := &outcome{verdict: done, response: resp, granted: true}
		if share, err := limits.Take(t.Context(), nil, "a"); share != quota.Granted || err != nil {
			t.Fatal(share, err)
		}
		out.leaseLost()
		kept := len(v.withholdBodies(&item{}, &admitted{}, out))
		if err := v.releasePage(&item{lease: frontier.Lease{Item: frontier.Item{Host: "a"}}}, out); err != nil || (kept == 1) != (resp != nil) {
			t.Errorf("%s: %v, %d exchanges", name, err, kept)
		}
		if share, err := limits.Take(t.Context(), nil, "a"); share != quota.Granted || err != nil {
			t.Errorf("%s: the page was not returned: %v, %v", name, share, err)
		}
	}
}

func TestUpgraded(t *testing.T) {
	for from, to := range map[string]string{
		"http://example.com/a?b": "https://example.com/a?b", "https://example.com/": "https://example.com/", "http://example.com:8080/": "https://example.com:8080/",
		"http://127.0.0.1/a": "http://127.0.0.1/a", "http://[::1]:8/": "http://[::1]:8/", "http://localhost/": "http://localhost/", "http://a.localhost/": "http://a.localhost/",
	} {
		u, err := weburl.Parse(from)
		if got := upgraded(u); err != nil || got.Canonical != to {
			t.Errorf("%s: %s, %v; want %s", from, got.Canonical, err, to)
		}
	}
}
