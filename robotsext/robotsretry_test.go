package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// noSuchHost is the error of a transport for a host name that does not exist.
func noSuchHost(op, name string) reply {
	return reply{err: &net.OpError{Op: op, Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}}}
}

// cutOff is a response whose body ends with an error.
func cutOff(body string, h http.Header, err error) reply {
	return reply{status: 200, header: h, open: func(context.Context) io.ReadCloser { return io.NopCloser(broken{strings.NewReader(body), err}) }}
}

// A failed connection is not yet an outage: robots.txt is requested once more.
func TestConnectionErrorIsRetried(t *testing.T) {
	reset := reply{err: errors.New("connection reset")}
	zipped := string(zip([]byte(twoRules)))
	for _, test := range []struct {
		name    string
		answers []reply // one after the other
		sent    string
		outcome robotsext.Outcome
	}{
		{"connection", []reply{reset, robotsReply}, "/robots.txt /robots.txt", robotsext.OutcomeRules},
		{"body", []reply{cutOff(twoRules, nil, io.ErrUnexpectedEOF), robotsReply}, "/robots.txt /robots.txt", robotsext.OutcomeRules},
		{"gzipped body", []reply{cutOff(zipped[:20], http.Header{"Content-Encoding": {"gzip"}}, io.ErrUnexpectedEOF), robotsReply}, "/robots.txt /robots.txt", robotsext.OutcomeRules},
		{"twice", []reply{reset, reset, robotsReply}, "/robots.txt /robots.txt", robotsext.OutcomeUnreachable},
		{"then 404", []reply{reset, {status: 404}}, "/robots.txt /robots.txt", robotsext.OutcomeAllowAll},
		{"then 500", []reply{reset, {status: 500}}, "/robots.txt /robots.txt", robotsext.OutcomeUnreachable},
		{"then redirect", []reply{reset, redirect("/r"), robotsReply}, "/robots.txt /robots.txt /r", robotsext.OutcomeRules},
		{"of a redirect", []reply{redirect("/r"), reset, robotsReply}, "/robots.txt /r /r", robotsext.OutcomeRules},
		{"once in all", []reply{reset, redirect("/r"), reset, robotsReply}, "/robots.txt /robots.txt /r", robotsext.OutcomeUnreachable},
		{"name of a proxy", []reply{noSuchHost("proxyconnect", "proxy.example"), robotsReply}, "/robots.txt /robots.txt", robotsext.OutcomeRules},
		{"no such host", []reply{noSuchHost("dial", "example.com"), robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
		{"canceled by the transport", []reply{{err: context.Canceled}, robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
		{"guard", []reply{{err: fmt.Errorf("dial: %w", guard.ErrRefused)}, robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
		{"no proxy", []reply{{err: robotsext.ErrProxy}, robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
		{"incomplete gzip", []reply{{status: 200, header: http.Header{"Content-Encoding": {"gzip"}}, body: zipped[:20]}, robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
		{"500", []reply{{status: 500}, robotsReply}, "/robots.txt", robotsext.OutcomeUnreachable},
	} {
		t.Run("ROB-STA-01/"+test.name, func(t *testing.T) {
			var sent []string
			waiting := 0
			r := newRobots(t, &robotsext.Options{
				Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
					sent = append(sent, req.URL.Path)
					if waiting != 1 {
						t.Errorf("%d turns during a request", waiting)
					}
					return test.answers[len(sent)-1].RoundTrip(req)
				}),
				Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) {
					waiting++
					return func() { waiting-- }, nil
				}},
			})
			rec := recordFor(t, r, mustParse(t, "http://example.com/"))
			wantOutcome(t, rec, test.outcome)
			if strings.Join(sent, " ") != test.sent || waiting != 0 {
				t.Errorf("sent %q, want %q; %d turns did not end", sent, test.sent, waiting)
			}
			if rec.Outcome != robotsext.OutcomeRules {
				return
			}
			var chain []string
			for _, path := range slices.Compact(sent) {
				chain = append(chain, "http://example.com"+path)
			}
			if rec.Err != nil || !slices.Equal(rec.RedirectChain, chain) {
				t.Errorf("error %v, chain %q, want %q", rec.Err, rec.RedirectChain, chain)
			}
		})
	}
	delayed := reply{status: 200, body: "User-agent: *\nCrawl-delay: 5\n"}
	onWeb(t, "ROB-POL-02/Crawl-delay", map[string][]reply{"/robots.txt": {delayed, reset, delayed}}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		c := colly.NewCollector(r.Attach, colly.ParseHTTPErrorResponse())
		r.ObeyCrawlDelay(c, 0)
		wantOK(t, c.Visit(siteA+"/a"))
		rec, err := r.Refresh(t.Context(), rootA)
		wantOK(t, err)
		wantOutcome(t, rec, robotsext.OutcomeRules)
		w.wantSent("0 /robots.txt", "6 /a", "11 /robots.txt", "16 /robots.txt")
	})
}

// A collector with several proxies of which one is dead goes on.
func TestRetryUsesNextProxy(t *testing.T) {
	s := newSite(t, text(private))
	p := newProxy(t)
	c := colly.NewCollector(newRobots(t, nil).Attach)
	dead := true
	c.SetProxyFunc(func(*http.Request) (*url.URL, error) {
		if dead {
			dead = false
			return url.Parse("http://127.0.0.1:1")
		}
		return url.Parse(p.URL)
	})
	wantOK(t, c.Visit(s.URL+"/a"))
	s.wantAsked(t, robotsLine, "GET /a")
	p.wantSeen(t, 2)
}

// If the program prevents the retry, the first failure counts.
func TestPreventedRetryCountsAsFailure(t *testing.T) {
	requests, waits := 0, 0
	r := newRobots(t, &robotsext.Options{
		Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			requests++
			return nil, errors.New("connection reset")
		}),
		Fetch: robotsext.FetchOptions{Wait: func(context.Context, *url.URL) (func(), error) {
			if waits++; waits%2 == 0 {
				return nil, errors.New("enough")
			}
			return nil, nil
		}},
	})
	for range 3 {
		blocked := wantLater(t, r.Check(t.Context(), mustParse(t, "http://h.example/a")))
		if !strings.Contains(blocked.Err.Error(), "connection reset") {
			t.Errorf("ROB-STA-04: reason %v", blocked.Err)
		}
	}
	if requests != 1 {
		t.Errorf("ROB-STA-06: %d requests, want 1", requests)
	}
}
