package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Without the seal only colly's own question is answered, which is a GET for
// /robots.txt without the mark that colly's pages carry.
func TestUnsealedIsNotAnswered(t *testing.T) {
	s := newSite(t, text(private))
	client := &http.Client{}
	c := colly.NewCollector()
	c.SetClient(client)
	newRobots(t, nil).Attach(c) // the client leads to the gate
	page := context.WithValue(t.Context(), colly.CheckRevisitKey, true)
	for name, test := range map[string]struct {
		ctx          context.Context
		method, path string
	}{
		"page":               {t.Context(), "GET", "/a"},
		"robots.txt as page": {page, "GET", "/robots.txt"},
		"HEAD":               {t.Context(), "HEAD", "/robots.txt"},
		"POST":               {t.Context(), "POST", "/robots.txt"},
		"robots.txt below":   {t.Context(), "GET", "/a/robots.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			body := &watchedBody{Reader: strings.NewReader("x")}
			req, err := http.NewRequestWithContext(test.ctx, test.method, s.URL+test.path, body)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err == nil {
				_ = resp.Body.Close()
			}
			if !errors.Is(err, robotsext.ErrUnsealed) {
				t.Errorf("error %v, want ErrUnsealed", err)
			}
			if !body.closed {
				t.Error("the body was left open")
			}
		})
	}
	s.wantAsked(t)
}

// When the collector's context is over, not even what needs no check is given to
// a transport.
func TestNothingSentAfterTheEnd(t *testing.T) {
	for name, mark := range map[string]func(context.Context) context.Context{
		"/robots.txt": func(ctx context.Context) context.Context { return ctx },
		"/a":          robotsext.WithUserFetch,
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
				sent = append(sent, req.Method+" "+req.URL.Path)
				return reply{status: 200}.RoundTrip(req)
			})})
			stop := errors.New("enough")
			ctx, cancel := context.WithCancelCause(mark(t.Context()))
			c := colly.NewCollector(colly.StdlibContext(ctx), r.Attach)
			cancel(stop)
			body := &watchedBody{Reader: strings.NewReader("x")}
			// HEAD, which colly asks no question before.
			if err := c.Request("HEAD", "http://example.com"+name, body, nil, nil); !errors.Is(err, stop) {
				t.Errorf("error %v, want %v", err, stop)
			}
			if !body.closed {
				t.Error("the body was left open")
			}
			if len(sent) != 0 {
				t.Errorf("sent %q", sent)
			}
		})
	}
}
