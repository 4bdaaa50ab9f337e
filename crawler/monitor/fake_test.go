package monitor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ Crawl = (*crawler.Crawler)(nil)

// serve serves a fake on loopback until the test ends.
func serve(t *testing.T, opts *Options) (*Server, *monitortest.Crawl) {
	t.Helper()
	s, err := Listen("127.0.0.1:0", opts)
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

// An answer is a response of the server.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request, without following redirects.
func ask(t *testing.T, method, url string, change func(*http.Request)) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a stream that should have been refused has no end
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

func get(t *testing.T, url string) answer {
	t.Helper()
	return ask(t, http.MethodGet, url, nil)
}

// An event is an event of a stream.
type event struct{ name, data string }

// A viewer reads a stream of events.
type viewer struct {
	t     *testing.T
	lines *bufio.Reader
	leave context.CancelFunc
}

func view(t *testing.T, s *Server) *viewer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL()+"events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{t, bufio.NewReader(resp.Body), func() { cancel(); resp.Body.Close() }}
	t.Cleanup(v.leave)
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("status %d, %s", resp.StatusCode, kind)
	}
	return v
}

// next returns the next event; io.EOF is the end of the stream.
func (v *viewer) next() (event, error) {
	var e event
	for {
		line, err := v.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e, nil
			}
		}
	}
}

// into decodes the data of an event if it has this name.
func into(t *testing.T, e event, name string, data any) {
	t.Helper()
	if e.name != name {
		return
	}
	if err := json.Unmarshal([]byte(e.data), data); err != nil {
		t.Fatal(err)
	}
}

// until returns the data of the first event with this name for which ok returns true.
func until[T any](v *viewer, name string, is func(T) bool) T {
	v.t.Helper()
	for {
		e, err := v.next()
		if err != nil {
			v.t.Fatalf("waiting for %s: %v", name, err)
		}
		var data T
		if e.name != name {
			continue
		}
		if err := json.Unmarshal([]byte(e.data), &data); err != nil {
			v.t.Fatal(err)
		}
		if is(data) {
			return data
		}
	}
}
