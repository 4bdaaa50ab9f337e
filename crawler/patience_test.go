package crawler

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// fakeNetwork answers requests by itself, for crawls in a time of their own.
type fakeNetwork func(req *http.Request) *http.Response

func (f fakeNetwork) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := f(req)
	resp.Request, resp.ProtoMajor, resp.ProtoMinor, resp.ContentLength = req, 1, 1, -1
	return resp, req.Context().Err()
}

// says is an answer of 200 with a body.
func says(kind string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body)}
}

// steady gives a line a second, for ever.
type steady struct {
	ctx  context.Context
	line string
}

func (s *steady) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		return copy(p, s.line), nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// A sitemap that goes on and on, at a pace that is none to complain of, is read for so
// long.
func TestSitemapTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const site = "http://a.example"
		cfg := testConfig(t, site+"/")
		took := make(chan time.Duration, 1)
		got := run(t, cfg, &Options{Frontier: frontier.NewMemory(nil), Transport: fakeNetwork(func(req *http.Request) *http.Response {
			switch req.URL.Path {
			case "/robots.txt":
				return says("text/plain", strings.NewReader("Sitemap: "+site+"/map.txt\nUser-agent: *\nDisallow: /x\n"))
			case "/map.txt":
				began := time.Now()
				context.AfterFunc(req.Context(), func() { took <- time.Since(began) })
				return says("text/plain", &steady{ctx: req.Context(), line: site + "/" + strings.Repeat("x", 500) + "\n"})
			}
			return says("text/html", strings.NewReader(""))
		})})
		if r, after := got.refusal(t, site+"/map.txt"), <-took; r.Reason != output.Failed || after != sitemapTime {
			t.Errorf("%+v after %v", r, after)
		}
	})
}

// A robots.txt that goes on and on is waited for as long as robots-timeout says.
func TestRobotsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const site = "http://a.example"
		cfg := testConfig(t, site+"/")
		cfg.Robots.Timeout = 40 * time.Second
		took := make(chan time.Duration, 1)
		got := run(t, cfg, &Options{Frontier: frontier.NewMemory(nil), Transport: fakeNetwork(func(req *http.Request) *http.Response {
			began := time.Now()
			context.AfterFunc(req.Context(), func() { took <- time.Since(began) })
			return says("text/plain", &steady{ctx: req.Context(), line: "#" + strings.Repeat("x", 500) + "\n"})
		})})
		if r, after := got.refusal(t, site+"/"), <-took; r.Reason != output.Later || after != cfg.Robots.Timeout {
			t.Errorf("%+v after %v", r, after)
		}
	})
}

// Two hosts whose robots.txt redirect to each other at the same moment do not wait for
// each other for ever.
func TestRobotsThatWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := testConfig(t, "http://a.example/", "http://b.example/")
		cfg.Limits.MaxWait = time.Hour
		var both sync.WaitGroup
		both.Add(2)
		once := map[string]*sync.Once{"a.example": {}, "b.example": {}}
		other := map[string]string{"a.example": "http://b.example/r.txt", "b.example": "http://a.example/r.txt"}
		began := time.Now()
		got := run(t, cfg, &Options{Frontier: frontier.NewMemory(nil), Transport: fakeNetwork(func(req *http.Request) *http.Response {
			if req.URL.Path != "/robots.txt" {
				return says("text/html", strings.NewReader(""))
			}
			once[req.URL.Host].Do(func() {
				both.Done()
				both.Wait()
				if req.URL.Host == "b.example" {
					time.Sleep(time.Second)
				}
			})
			resp := says("text/plain", strings.NewReader(""))
			resp.StatusCode = http.StatusFound
			resp.Header.Set("Location", other[req.URL.Host])
			return resp
		})})
		if took := time.Since(began); got.Pages != 2 || took > 2*time.Minute {
			t.Errorf("%d pages after %v", got.Pages, took)
		}
	})
}
