package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext"
)

// reply is an answer to /robots.txt, made up without a server so that it may be
// one that no server could give.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
	hang   bool                                    // until the request is given up
	open   func(ctx context.Context) io.ReadCloser // the body, instead of body
}

func (r reply) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.hang {
		<-req.Context().Done()
		return nil, context.Cause(req.Context())
	}
	if r.err != nil {
		return nil, r.err
	}
	h := r.header.Clone()
	if h == nil {
		h = make(http.Header)
	}
	resp := &http.Response{
		StatusCode: r.status, Header: h, Request: req,
		Body: io.NopCloser(strings.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}
	if r.open != nil {
		resp.Body, resp.ContentLength = r.open(req.Context()), -1
	}
	return resp, nil
}

const twoRules = "User-agent: *\nDisallow: /private\n"

// repliesSTA gives for each line of table STA the answers that it speaks of.
func repliesSTA() map[string][]reply {
	statuses := func(list ...int) (replies []reply) {
		for _, status := range list {
			replies = append(replies, reply{status: status, body: twoRules})
		}
		return replies
	}
	span := func(first, last int, but ...int) (list []int) {
		for status := first; status <= last; status++ {
			if !slices.Contains(but, status) {
				list = append(list, status)
			}
		}
		return list
	}
	located := func(url string, list ...int) (replies []reply) {
		for _, status := range list {
			replies = append(replies, reply{status: status, header: http.Header{"Location": {url}}})
		}
		return replies
	}
	ranged := func(value string) reply {
		return reply{status: 206, header: http.Header{"Content-Range": {value}}, body: twoRules}
	}
	n := len(twoRules)
	return map[string][]reply{
		"200 with body":             statuses(200),
		"200 empty body; 204; 205":  {{status: 200}, {status: 204}, {status: 205}},
		"201 202 203 and other 2xx": statuses(append(span(201, 203), span(207, 299)...)...),
		"206 with Content-Range covering 0..end of the whole length": {ranged(fmt.Sprintf("bytes 0-%d/%d", n-1, n))},
		"206 otherwise (never asked for)": {
			{status: 206, body: twoRules}, ranged(fmt.Sprintf("bytes 0-%d/%d", n-1, n+1)), ranged(fmt.Sprintf("bytes 1-%d/%d", n, n+1)),
			ranged(fmt.Sprintf("bytes 0-+%d/%d", n-1, n)),
			ranged(fmt.Sprintf("bytes 0-%d/*", n-1)), ranged(fmt.Sprintf("bytes 0-%d/%d", n, n+1)), ranged("lines 0-1/2"), ranged("bytes"),
		},
		"1xx": statuses(101, 199),
		"300-399 with usable Location, except 304 305 306": located("https://elsewhere.example/r.txt", span(300, 399, 304, 305, 306)...),
		"304, 305, 306; 3xx without Location or with a Location of unsupported scheme": slices.Concat(
			located("https://elsewhere.example/r.txt", 304, 305, 306), statuses(span(300, 399)...),
			located("ftp://h/robots.txt", 301, 302), located("javascript:x", 301), located("http://", 301), located("http://a b/", 302)),
		"400 401 402 403 404 405 406 408 410 414 418 421 425 431 451, any other 4xx except 407 429": statuses(span(400, 499, 407, 429)...),
		"429": statuses(429),
		"407": statuses(407),
		"500 501 502 504 505 507 508 511 520-599": statuses(span(500, 599, 503)...),
		"503":          statuses(503),
		"<100 or >599": statuses(0, 42, 99, 600, 700, 999),
		"DNS, connect, TLS, timeout, reset, bad framing, bad coding": {
			{err: errors.New("no such host")}, {status: 200, header: http.Header{"Content-Encoding": {"br"}}, body: "x"},
		},
		"more than five redirects, loop": located("/robots.txt", 301), // to itself
	}
}

func TestTableSTA(t *testing.T) {
	replies := repliesSTA()
	for _, row := range specTable(t, "sta") {
		line, want := row[0], row[1]
		if len(replies[line]) == 0 {
			t.Errorf("no answers for the line %q", line)
		}
		for _, reply := range replies[line] {
			t.Run(fmt.Sprintf("ROB-GEN-01/ROB-STA-01/ROB-STA-09/%s/%d", line, reply.status), func(t *testing.T) {
				var asked []string
				transport := roundTripper(func(req *http.Request) (*http.Response, error) {
					asked = append(asked, req.URL.String())
					if req.URL.Host == "elsewhere.example" {
						return (&robotsReply).RoundTrip(req)
					}
					return reply.RoundTrip(req)
				})
				rec := recordBy(t, transport)
				checkOutcome(t, rec, want)
				hops := 1 // nothing else is requested to find out more
				if strings.HasPrefix(want, "follow") {
					hops = 2
				}
				if asked = slices.Compact(asked); len(asked) != hops || !slices.Equal(asked, rec.RedirectChain) {
					t.Errorf("asked %q, chain %q, want %d", asked, rec.RedirectChain, hops)
				}
			})
		}
	}
}

var robotsReply = reply{status: 200, body: twoRules}

func recordBy(t *testing.T, transport http.RoundTripper) *robotsext.Record {
	t.Helper()
	r := newRobots(t, &robotsext.Options{Transport: transport})
	return recordFor(t, r, mustParse(t, "http://example.com/page"))
}

// checkOutcome compares rec with what a line of table STA says in words.
func checkOutcome(t *testing.T, rec *robotsext.Record, words string) {
	t.Helper()
	want, rules := robotsext.OutcomeRules, 1
	switch {
	case strings.HasPrefix(words, "rules with no rules"):
		rules = 0
	case strings.HasPrefix(words, "rules"), strings.HasPrefix(words, "follow"):
	case strings.HasPrefix(words, "allow-all"):
		want = robotsext.OutcomeAllowAll
	case strings.Contains(words, "unreachable"):
		want = robotsext.OutcomeUnreachable
	default:
		t.Fatalf("unknown outcome %q in the specification", words)
	}
	if rec.Outcome != want {
		t.Fatalf("outcome %v (status %d, %v), want %v", rec.Outcome, rec.Status, rec.Err, want)
	}
	if (rec.Outcome == robotsext.OutcomeRules) != (rec.File != nil) {
		t.Fatalf("outcome %v with file %v", rec.Outcome, rec.File)
	}
	if want == robotsext.OutcomeRules {
		if got := len(rec.File.Group("testbot").Rules()); got != rules {
			t.Errorf("%d rules, want %d", got, rules)
		}
	}
	if (rec.Outcome == robotsext.OutcomeUnreachable) != (rec.Err != nil) {
		t.Errorf("outcome %v with error %v", rec.Outcome, rec.Err)
	}
}

// A server that times out an idle connection may say so by 408. Where that crosses the request
// for robots.txt it looks like the response, and must not allow everything.
func TestRequestTimeoutOnReusedConnection(t *testing.T) {
	for name, test := range map[string]struct {
		before int // requests of the connection before
		want   robotsext.Outcome
	}{
		"ROB-STA-01/new connection":    {0, robotsext.OutcomeAllowAll},
		"ROB-STA-01/reused connection": {1, robotsext.OutcomeUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, status(http.StatusRequestTimeout))
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			for range test.before {
				resp, err := (&http.Client{Transport: transport}).Get(s.URL + "/page")
				wantOK(t, err)
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			r := newRobots(t, &robotsext.Options{Transport: transport})
			wantOutcome(t, recordFor(t, r, s.url("/page")), test.want)
		})
	}
}
