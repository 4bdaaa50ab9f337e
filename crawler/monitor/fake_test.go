package monitor

import (
	"bufio"
	"context"
	"encoding/json"
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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ Crawl = (*crawler.Crawler)(nil)

// A fake is a crawl that does what a test says.
type fake struct {
	mu     sync.Mutex // guards all below
	status crawler.Status
	hosts  map[frontier.Host]frontier.HostRecord
	err    error // of Status
	calls  []string

	hang chan struct{} // Status does not answer before it is closed; nil: it does
}

func (f *fake) Status() (*crawler.Status, error) {
	if f.hang != nil {
		<-f.hang
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	return &s, f.err
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
func serve(t *testing.T, opts *Options) (*Server, *fake) {
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
	f := &fake{hosts: map[frontier.Host]frontier.HostRecord{}}
	s.Begin(f)
	return s, f
}

// An answer is what a server said.
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

// An event is one of a stream.
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

// into reads the data of an event, if it is one of this name.
func into(t *testing.T, e event, name string, data any) {
	t.Helper()
	if e.name != name {
		return
	}
	if err := json.Unmarshal([]byte(e.data), data); err != nil {
		t.Fatal(err)
	}
}

// until returns the data of the first event of this name that is as it should be.
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
