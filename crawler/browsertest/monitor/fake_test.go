package monitor_test

import (
	"io"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves a fake on loopback until the test ends.
func serve(t *testing.T, opts *monitor.Options) (*monitor.Server, *monitortest.Crawl) {
	t.Helper()
	s, err := monitor.Listen("127.0.0.1:0", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	f := new(monitortest.Crawl)
	s.SetCrawl(f)
	return s, f
}

// hand hands over what a crawl found.
func hand(t *testing.T, s *monitor.Server, found *output.Results) {
	t.Helper()
	sink, err := s.Format().Open("", nil)
	if err == nil {
		err = sink.Write(found)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// get requests a URL, and returns the status and the text of the response.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
