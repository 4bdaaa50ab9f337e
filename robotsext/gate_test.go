package robotsext_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

// send makes a request through the gate of r, closing what comes back.
func send(t *testing.T, r *robotsext.Robots, req *http.Request) (*http.Response, error) {
	t.Helper()
	return do(&http.Client{Transport: r.Transport(nil)}, req)
}

func do(client *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return resp, err
}

// get requests a URL through a transport.
func get(t *testing.T, transport http.RoundTripper, rawURL string) error {
	t.Helper()
	_, err := do(&http.Client{Transport: transport}, newRequest(t, "GET", rawURL, ""))
	return err
}

func newRequest(t *testing.T, method, rawURL, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, rawURL, strings.NewReader(body))
	wantOK(t, err)
	return req
}

func TestTransport(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		t.Run("ROB-GEN-04/"+method, func(t *testing.T) {
			s := newSite(t, text(private))
			var refused []string
			r := newRobots(t, &robotsext.Options{OnRefused: func(err *robotsext.BlockedError) { refused = append(refused, err.URL) }})
			_, err := send(t, r, newRequest(t, method, s.URL+"/a", ""))
			wantOK(t, err)
			for _, path := range []string{"/private", "/to?/private", "/private/../private"} {
				_, err := send(t, r, newRequest(t, method, s.URL+path, ""))
				wantDisallowed(t, err, 2)
			}
			s.wantPages(t, method+" /a", method+" /to?/private")
			if want := []string{s.URL + "/private", s.URL + "/private", s.URL + "/private/../private"}; !slices.Equal(refused, want) {
				t.Errorf("OnRefused received %q, want %q", refused, want)
			}
		})
	}
	t.Run("URL as given", func(t *testing.T) {
		s := newSite(t, text(private))
		req := newRequest(t, "GET", "http://example.invalid/a/%2e%2e/private", "")
		req.Host = s.Listener.Addr().String()
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Host == "example.invalid" {
				return reply{status: 404}.RoundTrip(req)
			}
			return robotsReply.RoundTrip(req)
		})
		_, err := send(t, newRobots(t, &robotsext.Options{Transport: base}), req)
		if b, _ := errors.AsType[*robotsext.BlockedError](err); b == nil || b.URL != req.URL.String() || string(b.Origin) != s.URL {
			t.Errorf("error %v, want one of %s for %s", err, s.URL, req.URL)
		}
	})
	onWeb(t, "ROB-CAC-15/ROB-FET-19", map[string][]reply{"/robots.txt": {{status: 200}, robotsReply}}, func(t *testing.T, w *web) {
		r := w.robots(robotsext.Options{})
		queued := newRequest(t, "GET", siteA+"/private", "")
		wantOK(t, r.Check(t.Context(), queued.URL))
		time.Sleep(25 * time.Hour)
		_, err := send(t, r, queued)
		wantDisallowed(t, err, 2)
		w.wantSent("0 /robots.txt", "90001 /robots.txt")
	})
	t.Run("ROB-MAT-25/sent as checked", func(t *testing.T) {
		s := newSite(t, text(private))
		req := newRequest(t, "GET", s.URL+"/private/%2e%2e/a?b=/../c", "")
		resp, err := send(t, newRobots(t, nil), req)
		wantOK(t, err)
		s.wantAsked(t, robotsLine, "GET /a?b=/../c")
		if got := resp.Request.URL.RequestURI(); got != "/a?b=/../c" {
			t.Errorf("the answer says it is to %s", got)
		}
		if got := s.seen[1].Header.Get("User-Agent"); got != agent || len(req.Header) != 0 { // ROB-FET-04
			t.Errorf("sent as %q; header of the request %v", got, req.Header)
		}
	})
	t.Run("base", func(t *testing.T) {
		s := newSite(t, text(private))
		var through []string
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			through = append(through, req.URL.Path)
			if _, limited := req.Context().Deadline(); !limited || req.Cancel != nil { //nolint:staticcheck // deprecated, and what http.Client uses for other types
				t.Errorf("http.Client ends the request not by its context alone: %t", limited)
			}
			return reply{status: 200}.RoundTrip(req)
		})
		idle := &closingTransport{RoundTripper: base}
		client := &http.Client{Transport: newRobots(t, nil).Transport(idle), Timeout: time.Minute}
		_, err := do(client, newRequest(t, "GET", s.URL+"/a", ""))
		wantOK(t, err)
		if client.CloseIdleConnections(); !idle.closed {
			t.Error("CloseIdleConnections does not reach base")
		}
		if !slices.Equal(through, []string{"/a"}) {
			t.Errorf("through base went %q", through)
		}
		s.wantAsked(t, robotsLine)
	})
}

// closingTransport tells whether its idle connections were closed.
type closingTransport struct {
	http.RoundTripper
	closed bool
}

func (c *closingTransport) CloseIdleConnections() { c.closed = true }

// watchedBody tells whether it was closed.
type watchedBody struct {
	io.Reader
	closed bool
}

func (b *watchedBody) Close() error { b.closed = true; return nil }

func TestRefusedRequestIsClosed(t *testing.T) {
	s := newSite(t, text(private))
	gate := newRobots(t, nil).Transport(nil)
	for name, change := range map[string]func(*http.Request){
		"disallowed": func(*http.Request) {},
		"CONNECT":    func(req *http.Request) { req.Method = http.MethodConnect },
		"opaque":     func(req *http.Request) { req.URL.Opaque = "//" + req.URL.Host + "/a" },
		"asterisk":   func(req *http.Request) { req.Method, req.URL.Path = http.MethodOptions, "*" },
		"no URL":     func(req *http.Request) { req.URL = nil },
		"no host":    func(req *http.Request) { req.Host, req.URL.Host = "", "" },
		"no scheme":  func(req *http.Request) { req.URL.Scheme = "" },
	} {
		t.Run(name, func(t *testing.T) {
			req := newRequest(t, "POST", s.URL+"/private", "")
			body := &watchedBody{Reader: strings.NewReader("x")}
			req.Body = body
			change(req)
			resp, err := gate.RoundTrip(req)
			if err == nil {
				_ = resp.Body.Close()
				t.Fatal("sent")
			}
			if !body.closed {
				t.Error("the body was left open")
			}
			if (name == "CONNECT" || name == "opaque" || name == "asterisk") && !errors.Is(err, robotsext.ErrUncheckable) {
				t.Errorf("error %v, want ErrUncheckable", err)
			}
		})
	}
	s.wantPages(t)
}

// A fetch of robots.txt that took too long, or was stopped, is a refusal, not the
// end of the asker's own context.
func TestLaterIsNotAContextError(t *testing.T) {
	u := mustParse(t, "http://127.0.0.1:9/a")
	for name, dial := range map[string]error{
		"deadline": &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded},
		"canceled": &net.OpError{Op: "dial", Net: "tcp", Err: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, dial })})
			err := r.Check(t.Context(), u)
			wantLater(t, err)
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				t.Errorf("%v reads as the end of the caller's context", err)
			}
			if op, ok := errors.AsType[*net.OpError](err); !ok || op != dial || !errors.Is(err, dial) { //nolint:errorlint // the very error
				t.Errorf("%v hides why robots.txt is unreachable", err)
			}
		})
	}
	t.Run("disallowed", func(t *testing.T) {
		err := newRobots(t, &robotsext.Options{Transport: robotsReply}).Check(t.Context(), mustParse(t, "http://example.com/private"))
		wantDisallowed(t, err, 2)
		if _, ok := errors.AsType[*net.OpError](err); ok || errors.Is(err, io.EOF) {
			t.Errorf("%v has no cause", err)
		}
	})
}
