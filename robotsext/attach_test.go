package robotsext_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/politecrawl/politecrawl/robotsext"
)

// drive is one of the ways in which colly is used. It performs the actions on a
// collector that is, or comes from, c, waits, and returns every error that the
// caller could have seen, from the call or from OnError.
type drive func(t *testing.T, c *colly.Collector, actions ...action) []error

type action struct{ method, url string }

func (a action) do(c *colly.Collector) error {
	switch a.method {
	case "GET":
		return c.Visit(a.url)
	case "HEAD":
		return c.Head(a.url)
	case "POST":
		return c.Post(a.url, map[string]string{"a": "b"})
	}
	return c.Request(a.method, a.url, strings.NewReader("body"), nil, nil)
}

type errorList struct {
	mu   sync.Mutex
	errs []error
}

func (l *errorList) add(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

func direct(_ *testing.T, c *colly.Collector, actions ...action) []error {
	var l errorList
	c.OnError(func(_ *colly.Response, err error) { l.add(err) })
	for _, a := range actions {
		l.add(a.do(c))
	}
	c.Wait()
	return l.errs
}

func asynchronous(t *testing.T, c *colly.Collector, actions ...action) []error {
	c.Async = true
	return direct(t, c, actions...)
}

func cloned(t *testing.T, c *colly.Collector, actions ...action) []error {
	return direct(t, c.Clone(), actions...)
}

func clonedAsync(t *testing.T, c *colly.Collector, actions ...action) []error {
	return asynchronous(t, c.Clone(), actions...)
}

func queued(t *testing.T, c *colly.Collector, actions ...action) []error {
	t.Helper()
	q, err := queue.New(2, nil)
	wantOK(t, err)
	var l errorList
	c.OnError(func(_ *colly.Response, err error) { l.add(err) })
	for _, a := range actions {
		u := mustParse(t, a.url)
		wantOK(t, q.AddRequest(&colly.Request{URL: u, Method: a.method, Headers: &http.Header{"User-Agent": {agent}}}))
	}
	wantOK(t, q.Run(c))
	return l.errs
}

var drives = map[string]drive{
	"sync": direct, "async": asynchronous, "clone": cloned, "clone async": clonedAsync, "queue": queued,
}

// newAttached is a site with a path that is disallowed, and a collector for it.
func newAttached(t *testing.T) (*site, *colly.Collector) {
	t.Helper()
	return newSite(t, text(private)), colly.NewCollector(newRobots(t, nil).Attach)
}

const private = "User-agent: *\nDisallow: /private\n"

func TestAttachNeverSendsDisallowed(t *testing.T) {
	tests := map[string]struct {
		do   func(s *site) action
		want []string // what is sent besides robots.txt
	}{
		"page":                       {func(s *site) action { return action{"GET", s.URL + "/private/page"} }, nil},
		"ROB-GEN-04/redirect":        {func(s *site) action { return action{"GET", s.URL + "/to?/private/page"} }, []string{"GET /to?/private/page"}},
		"HEAD":                       {func(s *site) action { return action{"HEAD", s.URL + "/private/page"} }, nil},
		"POST":                       {func(s *site) action { return action{"POST", s.URL + "/private/page"} }, nil},
		"PUT":                        {func(s *site) action { return action{"PUT", s.URL + "/private/page"} }, nil},
		"HEAD redirect":              {func(s *site) action { return action{"HEAD", s.URL + "/to?/private/page"} }, []string{"HEAD /to?/private/page"}},
		"ROB-MAT-25/dots":            {func(s *site) action { return action{"GET", s.URL + "/a/%2e%2e/private/page"} }, nil},
		"ROB-MAT-25/dots redirected": {func(s *site) action { return action{"GET", s.URL + "/to?/a/%2e%2E/private/page"} }, []string{"GET /to?/a/%2e%2E/private/page"}},
	}
	for name, test := range tests {
		for how, drive := range drives {
			t.Run(name+"/"+how, func(t *testing.T) {
				s := newSite(t, text(private))
				var refused errorList // of OnRefused
				c := colly.NewCollector(newRobots(t, &robotsext.Options{OnRefused: func(err *robotsext.BlockedError) { refused.add(err) }}).Attach)
				errs := drive(t, c, action{"GET", s.URL + "/public"}, test.do(s))
				if got, want := s.pages(), append(slices.Clone(test.want), "GET /public"); !sameSet(got, want) {
					t.Errorf("site was asked %q, want %q", got, want)
				}
				s.wantCount(t, robotsLine, 1)
				if len(errs) == 0 || len(refused.errs) == 0 {
					t.Fatalf("errors %v, OnRefused received %v", errs, refused.errs)
				}
				for _, err := range append(errs, refused.errs...) {
					wantDisallowed(t, err, 2)
				}
			})
		}
	}
}

func sameSet(a, b []string) bool {
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func wantDisallowed(t *testing.T, err error, line int) {
	t.Helper()
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case !errors.Is(err, colly.ErrRobotsTxtBlocked):
		t.Errorf("error %v is not colly.ErrRobotsTxtBlocked", err)
	case !ok || blocked.Reason != robotsext.Disallowed || blocked.Rule == nil || blocked.Rule.Line != line:
		t.Errorf("error %v, want disallowed by line %d", err, line)
	}
	var network net.Error                                                       // for code that retries those
	if errors.As(err, &network) && (network.Timeout() || network.Temporary()) { //nolint:staticcheck // deprecated, and in use
		t.Errorf("%v: timeout %t, temporary %t", err, network.Timeout(), network.Temporary()) //nolint:staticcheck // as above
	}
}

func wantLater(t *testing.T, err error) robotsext.BlockedError {
	t.Helper()
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case !errors.Is(err, colly.ErrRobotsTxtBlocked):
		t.Fatalf("error %v is not colly.ErrRobotsTxtBlocked", err)
	case !ok || blocked.Reason != robotsext.Later || blocked.RetryAt.IsZero():
		t.Fatalf("error %v, want later with a time", err)
	}
	return *blocked
}

// outages are answers to /robots.txt that leave it unknown.
var outages = map[string]reply{
	"500": {status: 500}, "503": {status: 503}, "429": {status: 429}, "timeout": {hang: true},
	"reset": {err: syscall.ECONNRESET}, "truncated": cutOff("User-agent: *\nAllow: /\n", nil, io.ErrUnexpectedEOF),
}

func TestAttachLater(t *testing.T) {
	soon := robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: 5 * time.Second}} // before colly's own timeout
	for name, robots := range outages {
		tries := 1
		if name == "reset" || name == "truncated" { // a failed connection is retried at once
			tries = 2
		}
		for how, drive := range drives {
			onWeb(t, "ROB-STA-02/"+name+"/"+how, map[string][]reply{"/robots.txt": {robots}}, func(t *testing.T, w *web) {
				var refused errorList
				soon.OnRefused = func(err *robotsext.BlockedError) { refused.add(err) }
				c := colly.NewCollector(w.robots(soon).Attach)
				c.OnRequest(func(*colly.Request) { t.Error("OnRequest was called") })
				errs := drive(t, c, action{"GET", siteA + "/a"}, action{"GET", siteA + "/b"})
				if n := w.count("/robots.txt"); n != tries || len(w.sent) != n {
					t.Errorf("sent %q, want robots.txt %d times", w.sent, tries)
				}
				for _, err := range refused.errs {
					wantLater(t, err)
				}
				if len(refused.errs) < 2 {
					t.Errorf("OnRefused received %v", refused.errs)
				}
				if how == "queue" { // colly's queue drops what Visit returns
					return
				}
				if len(errs) != 2 {
					t.Fatalf("errors %v, want 2", errs)
				}
				for _, err := range errs {
					if b := wantLater(t, err); b.URL != siteA {
						t.Errorf("refused URL %s, want the origin and no path", b.URL)
					}
				}
				if visited, _ := c.HasVisited(siteA + "/a"); visited {
					t.Error("URL is marked as visited")
				}
			})
		}
		for _, method := range []string{"HEAD", "POST", "PUT"} { // which the gate refuses
			onWeb(t, "ROB-STA-02/"+name+"/"+method, map[string][]reply{"/robots.txt": {robots}}, func(t *testing.T, w *web) {
				c := colly.NewCollector(w.robots(soon).Attach)
				wantLater(t, action{method, siteA + "/a"}.do(c))
				if w.count("/robots.txt") != len(w.sent) {
					t.Errorf("sent %q", w.sent)
				}
			})
		}
	}
}

func TestVisitAtRetryAtRequestsRobotsTxtAgain(t *testing.T) {
	onWeb(t, "ROB-STA-02", map[string][]reply{"/robots.txt": {{status: 500}, {status: 500}, robotsReply}}, func(t *testing.T, w *web) {
		c := colly.NewCollector(w.robots(robotsext.Options{}).Attach, colly.ParseHTTPErrorResponse())
		for range 2 {
			blocked := wantLater(t, c.Visit(siteA+"/a"))
			time.Sleep(time.Until(blocked.RetryAt))
		}
		wantOK(t, c.Visit(siteA+"/a"))
		w.wantSent("0 /robots.txt", "61 /robots.txt", "182 /robots.txt", "183 /a")
	})
}

func TestAttachNoRobots(t *testing.T) {
	for _, code := range []int{401, 403, 404, 410} {
		for how, drive := range drives {
			t.Run(fmt.Sprintf("ROB-STA-01/%d/%s", code, how), func(t *testing.T) {
				s := newSite(t, status(code))
				c := colly.NewCollector(newRobots(t, nil).Attach)
				if errs := drive(t, c, action{"GET", s.URL + "/private"}); len(errs) != 0 {
					t.Error(errs)
				}
				s.wantAsked(t, robotsLine, "GET /private")
			})
		}
	}
}

func TestAttachFiftyFirstVisits(t *testing.T) {
	onWeb(t, "ROB-FET-02/ROB-FET-03", map[string][]reply{"/robots.txt": {robotsReply}}, func(t *testing.T, w *web) {
		c := colly.NewCollector(w.robots(robotsext.Options{}).Attach, colly.Async())
		for i := range 50 {
			go func() {
				if err := c.Visit(fmt.Sprintf("%s/%d", siteA, i)); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		c.Wait()
		if n := w.count("/robots.txt"); n != 1 || w.sent[0] != "0 /robots.txt" || len(w.sent) != 51 {
			t.Errorf("robots.txt was asked for %d times; sent %q", n, w.sent)
		}
	})
}

func TestAttachSharedRobots(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	a, b := colly.NewCollector(r.Attach), colly.NewCollector(r.Attach)
	wantOK(t, errors.Join(a.Visit(s.URL+"/a"), b.Visit(s.URL+"/b")))
	wantDisallowed(t, b.Visit(s.URL+"/private"), 2)
	s.wantAsked(t, robotsLine, "GET /a", "GET /b")
}

func TestAttachShortPageTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		robots reply // which takes a second
		sent   []string
	}{
		"ROB-FET-17/rules": {robotsReply, []string{"0 /robots.txt", "1 /a"}},
		"unreachable":      {reply{status: 500}, []string{"0 /robots.txt"}},
	} {
		onWeb(t, name, map[string][]reply{"/robots.txt": {test.robots}}, func(t *testing.T, w *web) {
			c := colly.NewCollector(w.robots(robotsext.Options{}).Attach)
			c.SetRequestTimeout(300 * time.Millisecond)
			err := c.Visit(siteA + "/a")
			if test.robots.status == 500 {
				wantLater(t, err)
			} else if err == nil || err.Error() != http.StatusText(http.StatusNotFound) {
				t.Errorf("error %v, want that of the page", err)
			}
			w.wantSent(test.sent...)
		})
	}
	onWeb(t, "page still limited", map[string][]reply{"/a": {{hang: true}}}, func(t *testing.T, w *web) {
		c := colly.NewCollector(w.robots(robotsext.Options{}).Attach)
		c.SetRequestTimeout(300 * time.Millisecond)
		err := c.Visit(siteA + "/a")
		if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
			t.Errorf("error %v, want a timeout", err)
		}
	})
}
