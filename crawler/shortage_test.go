package crawler

import (
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// spent is a transport that has no descriptor left for a path.
type spent struct {
	http.RoundTripper
	path string
}

func (s *spent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == s.path {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}
	return s.RoundTripper.RoundTrip(req)
}

// A crawl that has no descriptor left fails, and says for what. That is no fault of the
// site: no URL is given up, no robots.txt is taken for one that cannot be reached, and the
// crawl goes on at once when there are some again.
func TestNoDescriptorsLeft(t *testing.T) {
	for _, path := range []string{"/robots.txt", "/", "/a"} {
		t.Run(path, func(t *testing.T) {
			s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "", "/": `<a href="/a">a</a>`, "/a": "a"})
			cfg := testConfig(t, s.url+"/")
			cfg.Robots.Retry = time.Hour
			c, err := New(cfg, &Options{Transport: &spent{&http.Transport{DisableKeepAlives: true}, path}})
			if err != nil {
				t.Fatal(err)
			}
			sum, err := c.Run(t.Context())
			if !errors.Is(err, syscall.EMFILE) || sum.End != EndFailed || sum.Robots > 1 || path == "/robots.txt" && sum.Robots > 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if lines := readOutput[output.Rejection](t, cfg, "rejected.jsonl"); len(lines) > 0 {
				t.Errorf("given up: %+v", lines)
			}
			got := resume(t, cfg, nil)
			if got.End != EndFinished || got.Pages != 2 || len(got.rejected) > 0 {
				t.Errorf("%+v, rejected %+v", got.Summary, got.rejected)
			}
		})
	}
}

// A robots.txt that comes when the crawl is over is not taken in: its files are closed.
func TestRobotsAfterTheEnd(t *testing.T) {
	c, err := New(testConfig(t, "http://a.test/"), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.life.Close()
	c.network.slots = politeness.NewSlots(nil, nil, 0)
	c.learned(&robotsext.Record{Origin: "http://a.test", Outcome: robotsext.AllowAll})
	if n := c.tally.summary().Robots; n != 0 {
		t.Errorf("%d robots.txt files are counted", n)
	}
}
