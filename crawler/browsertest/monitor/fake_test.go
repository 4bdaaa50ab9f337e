package monitor_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A fake is a crawl that does what a test says.
type fake struct {
	mu     sync.Mutex // guards all below
	status crawler.Status
	hosts  map[frontier.Host]frontier.HostRecord
	calls  []string
}

func (f *fake) Status() (*crawler.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	return &s, nil
}

func (f *fake) Host(_ context.Context, host frontier.Host) (frontier.HostRecord, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rec, ok := f.hosts[host]
	if !ok {
		return rec, errors.New("not known")
	}
	return rec, nil
}

func (f *fake) call(name string, paused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, name)
	f.status.Paused = paused
}

func (f *fake) Pause()    { f.call("pause", true) }
func (f *fake) Continue() { f.call("continue", false) }
func (f *fake) Stop()     { f.call("stop", false) }

func (f *fake) change(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fake) called() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.calls, " ")
}

// serve serves a fake on loopback until the test ends.
func serve(t *testing.T, opts *monitor.Options) (*monitor.Server, *fake) {
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
	f := &fake{hosts: map[frontier.Host]frontier.HostRecord{}}
	s.Begin(f)
	return s, f
}

// hand hands over what a crawl found.
func hand(t *testing.T, s *monitor.Server, found *output.Found) {
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

// atWork is the state of a crawl that has something to do.
func atWork() crawler.Status {
	return crawler.Status{
		Summary:  crawler.Summary{Left: 10, NextDue: time.Now()},
		Frontier: frontier.Stats{Counts: frontier.Counts{Added: 12, Pending: 9, Leased: 1, Done: 2}},
	}
}
