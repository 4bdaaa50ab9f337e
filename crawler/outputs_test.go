package crawler

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier/pebblestore"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// listFormat is a format of tests: a file with a line for all that is found.
var listFormat = output.Format{Name: "list", Files: []string{"found.list"}, Open: openList}

type list struct {
	file  *os.File
	lines bytes.Buffer // written, and not committed
}

func openList(dir string, mark []byte) (output.Sink, error) {
	file, err := os.OpenFile(filepath.Join(dir, "found.list"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	length := 0
	if mark != nil {
		if length, err = strconv.Atoi(string(mark)); err != nil {
			return nil, err
		}
	}
	return &list{file: file}, file.Truncate(int64(length))
}

func (l *list) Write(f *output.Found) error {
	for _, v := range f.Pages {
		_, _ = fmt.Fprintln(&l.lines, "page", v.URL)
	}
	for _, v := range f.Rejected {
		_, _ = fmt.Fprintln(&l.lines, "rejected", v.URL, v.Reason)
	}
	for _, v := range f.Links {
		_, _ = fmt.Fprintln(&l.lines, "links", v.URL, len(v.To))
	}
	for _, v := range f.Sitemaps {
		_, _ = fmt.Fprintln(&l.lines, "sitemap", v.URL)
	}
	for _, v := range f.Entries {
		_, _ = fmt.Fprintln(&l.lines, "entry", v.URL)
	}
	for _, v := range f.Robots {
		_, _ = fmt.Fprintln(&l.lines, "robots", v.URL, v.Outcome, v.Status)
	}
	return nil
}

func (l *list) Commit(bool) ([]byte, error) {
	if _, err := l.lines.WriteTo(l.file); err != nil {
		return nil, err
	}
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	return []byte(strconv.FormatInt(info.Size(), 10)), nil
}

func (l *list) Close() error { return l.file.Close() }

// listed returns what found.list and the files of lines of a directory say, each
// sorted. They ought to say the same.
func listed(t *testing.T, cfg Config, robots bool) (sink, lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(cfg.Output, "found.list"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if robots || !strings.HasPrefix(line, "robots") {
			sink = append(sink, line)
		}
	}
	add := func(v ...any) { lines = append(lines, fmt.Sprintln(v...)) }
	for _, v := range readOutput[output.Page](t, cfg, output.PagesFile) {
		add("page", v.URL)
	}
	for _, v := range readOutput[output.Rejection](t, cfg, output.RejectedFile) {
		add("rejected", v.URL, v.Reason)
	}
	for _, v := range readOutput[output.Links](t, cfg, output.LinksFile) {
		add("links", v.URL, len(v.To))
	}
	for _, v := range readOutput[output.Sitemap](t, cfg, output.SitemapsFile) {
		add("sitemap", v.URL)
	}
	for _, v := range readOutput[output.Entry](t, cfg, output.EntriesFile) {
		add("entry", v.URL)
	}
	if robots {
		for _, v := range readOutput[struct {
			Chain   []string `json:"chain"`
			Outcome string   `json:"outcome"`
			Status  int      `json:"status"`
		}](t, cfg, output.RobotsFile) {
			add("robots", v.Chain[len(v.Chain)-1], v.Outcome, v.Status)
		}
	}
	slices.Sort(sink)
	slices.Sort(lines)
	return sink, lines
}

// sameInSink holds that a sink was given what the files of lines have.
func sameInSink(t *testing.T, cfg Config, robots bool) {
	t.Helper()
	sink, lines := listed(t, cfg, robots)
	if diff := cmp.Diff(lines, sink); diff != "" {
		t.Errorf("in the sink (-lines +sink):\n%s", diff)
	}
}

// A sink is given all that is in the files of lines: in a crawl, in one that goes on,
// where it comes in later, and in a recrawl, which puts its files aside.
func TestSink(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.txt\n", "/map.txt": "{site}/b\n{site}/c\n",
		"/":  `<a href="/a">a</a> <a href="/no">no</a> <a href="http://elsewhere.invalid/">out</a>`,
		"/a": "a", "/b": "b", "/c": "c",
	})
	cfg := testConfig(t, s.url)
	cfg.Write, cfg.MaxPages = []string{"list"}, 2
	formats := []output.Format{listFormat}
	run(t, cfg, &Options{Formats: formats})
	sameInSink(t, cfg, true)

	cfg.MaxPages = 3
	run(t, cfg, &Options{Formats: formats, Resume: true})
	sameInSink(t, cfg, true)

	without := cfg
	without.Write, without.MaxPages = nil, 4
	run(t, without, &Options{Formats: formats, Resume: true})
	cfg.MaxPages = 0
	if err := os.Remove(filepath.Join(cfg.Output, "found.list")); err != nil {
		t.Fatal(err)
	}
	forget := listFormat // its mark is not known where it was never used
	forget.Name, cfg.Write = "later", []string{"later"}
	formats = []output.Format{forget}
	got := run(t, cfg, &Options{Formats: formats, Resume: true})
	sameInSink(t, cfg, true)
	if got.Pages != 4 || got.End != EndFinished {
		t.Errorf("%+v", got.Summary)
	}

	before, _ := listed(t, cfg, true)
	run(t, cfg, &Options{Formats: formats, Recrawl: true})
	sameInSink(t, cfg, true)
	aside, err := os.ReadFile(filepath.Join(cfg.Output, "found.1.list"))
	if err != nil || strings.Count(string(aside), "\n") != len(before) {
		t.Errorf("put aside: %v\n%s", err, aside)
	}
}

// Whenever a crawl ends between what it writes and what its frontier learns of it, the
// sink has everything once when it has gone on.
func TestSinkAfterEnd(t *testing.T) {
	const n = 4
	for at := range int32(2*n + 1) {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			s := chain(t, n)
			cfg := testConfig(t, s.url+"/0")
			cfg.Workers, cfg.Write = 1, []string{"list"}
			store, err := pebblestore.Open(filepath.Join(cfg.Output, frontierDir), &pebblestore.Options{MaxInFlight: 1})
			if err != nil {
				t.Fatal(err)
			}
			broken := &failing{Frontier: store}
			broken.left.Store(at)
			c, err := New(cfg, &Options{Frontier: broken, Formats: []output.Format{listFormat}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Run(t.Context()); !errors.Is(err, errEnded) {
				t.Fatal(err)
			}
			run(t, cfg, &Options{Resume: true, Formats: []output.Format{listFormat}}).whole(t, s, n)
			sameInSink(t, cfg, false) // of robots.txt there may be a line more
		})
	}
}

// A sink that fails ends the crawl, which says which one it was.
func TestSinkFails(t *testing.T) {
	full := errors.New("no space left")
	for _, at := range []string{"Open", "Write", "Commit", "Close"} {
		t.Run(at, func(t *testing.T) {
			s := chain(t, 3)
			cfg := testConfig(t, s.url+"/0")
			cfg.Write = []string{"broken"}
			c, err := New(cfg, &Options{Formats: []output.Format{{Name: "broken", Open: func(string, []byte) (output.Sink, error) {
				if at == "Open" {
					return nil, full
				}
				return brokenSink{at, full}, nil
			}}}})
			if err != nil {
				t.Fatal(err)
			}
			sum, err := c.Run(t.Context())
			if !errors.Is(err, full) || !strings.Contains(err.Error(), "write broken") {
				t.Errorf("Run = %v", err)
			}
			if at != "Open" && (sum == nil || sum.End != EndFailed) {
				t.Errorf("%+v", sum)
			}
			if at != "Close" && s.count("/2") > 0 {
				t.Error("the crawl has gone on")
			}
		})
	}
}

type brokenSink struct {
	at  string
	err error
}

func (b brokenSink) fails(at string) error {
	if b.at == at {
		return b.err
	}
	return nil
}

func (b brokenSink) Write(*output.Found) error   { return b.fails("Write") }
func (b brokenSink) Commit(bool) ([]byte, error) { return []byte{}, b.fails("Commit") }
func (b brokenSink) Close() error                { return b.fails("Close") }

func TestWriteNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		write   []string
		formats []output.Format
		want    string
	}{
		{"unknown", []string{"lisp"}, []output.Format{listFormat}, `there is no format "lisp"; there are list`},
		{"none given", []string{"list"}, nil, `none was given`},
		{"the same files", []string{"list", "other"}, []output.Format{listFormat, {Name: "other", Files: listFormat.Files}}, "write the same files"},
		{"twice", []string{"list", "list"}, []output.Format{listFormat}, "named twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := testConfig(t, "http://h.invalid/")
			cfg.Write = c.write
			if _, err := New(cfg, &Options{Formats: c.formats}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A new crawl is not begun over the files of a format.
func TestVacantOfFormats(t *testing.T) {
	cfg := testConfig(t, "http://h.invalid/")
	cfg.Write = []string{"list"}
	if err := os.MkdirAll(cfg.Output, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Output, "found.list"), []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := New(cfg, &Options{Formats: []output.Format{listFormat}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), "found.list") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(filepath.Join(cfg.Output, "found.list")); string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// keeping is a format without a name that keeps what it is given.
type keeping struct {
	mu sync.Mutex
	output.Found
}

func (k *keeping) format() output.Format {
	return output.Format{Exchanges: true, Open: func(string, []byte) (output.Sink, error) { return k, nil }}
}

func (k *keeping) Write(f *output.Found) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Exchanges = append(k.Exchanges, f.Exchanges...)
	k.Pages = append(k.Pages, f.Pages...)
	k.Robots = append(k.Robots, f.Robots...)
	return nil
}

func (k *keeping) Commit(bool) ([]byte, error) { return nil, nil }
func (k *keeping) Close() error                { return nil }

// wireLog is a server's connection that keeps what comes in.
type wireLog struct {
	net.Listener
	mu sync.Mutex
	in map[net.Conn]*bytes.Buffer
}

func (l *wireLog) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in[conn] = new(bytes.Buffer)
	return &loggedConn{Conn: conn, log: l, buf: l.in[conn]}, nil
}

type loggedConn struct {
	net.Conn
	log *wireLog
	buf *bytes.Buffer
}

func (c *loggedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.buf.Write(p[:n])
	return n, err
}

// Exchanges are what went over the wire: requests as the server received them, bodies
// as it sent them, of robots.txt, sitemaps, pages and redirects.
func TestExchanges(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, "<title>packed</title>")
	_ = z.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "User-agent: *\nDisallow: /no\nSitemap: http://%s/map.txt\n", r.Host)
	})
	mux.HandleFunc("/map.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "http://%s/moved\nhttp://%s/long\nhttp://%s/hidden\nhttp://%s/unkept\n", r.Host, r.Host, r.Host, r.Host)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/packed?a=1&b", http.StatusFound) })
	mux.HandleFunc("/packed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), 100_000)) })
	mux.HandleFunc("/hidden", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<meta name="robots" content="noindex">secret`)
	})
	mux.HandleFunc("/unkept", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Robots-Tag", "noarchive")
		_, _ = io.WriteString(w, `secret`)
	})
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &wireLog{Listener: plain, in: make(map[net.Conn]*bytes.Buffer)}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(log) }()
	t.Cleanup(func() { _ = server.Close() })

	cfg := testConfig(t, "http://"+plain.Addr().String()+"/moved")
	cfg.MaxBody = 50_000
	kept := new(keeping)
	run(t, cfg, &Options{Formats: []output.Format{kept.format()}})

	var received, sent []string
	log.mu.Lock()
	for _, in := range log.in {
		for _, head := range strings.SplitAfter(in.String(), "\r\n\r\n") {
			if head != "" {
				received = append(received, head)
			}
		}
	}
	log.mu.Unlock()
	by := make(map[string]*output.Exchange)
	for _, e := range kept.Exchanges {
		sent = append(sent, string(e.Request))
		by[strings.TrimPrefix(e.URL, "http://"+plain.Addr().String())] = e
		if e.Addr != "127.0.0.1" || e.Proto != "HTTP/1.1" || e.Began.IsZero() || e.Took <= 0 {
			t.Errorf("%s: %+v", e.URL, e)
		}
		if !bytes.HasPrefix(e.Response, fmt.Appendf(nil, "HTTP/1.1 %d ", e.Status)) || !bytes.HasSuffix(e.Response, []byte("\r\n\r\n")) {
			t.Errorf("%s: %q", e.URL, e.Response)
		}
	}
	slices.Sort(received)
	slices.Sort(sent)
	if diff := cmp.Diff(received, sent); diff != "" {
		t.Errorf("requests (-received +recorded):\n%s", diff)
	}
	for path, want := range map[string]struct {
		status int
		body   []byte
		cut    bool
		field  string
	}{
		"/robots.txt":   {200, []byte("User-agent: *\nDisallow: /no\nSitemap: http://" + plain.Addr().String() + "/map.txt\n"), false, "Content-Length: "},
		"/moved":        {302, nil, false, "Location: /packed?a=1&b\r\n"},
		"/packed?a=1&b": {200, packed.Bytes(), false, "Content-Encoding: gzip\r\n"},
		"/long":         {200, nil, true, "Content-Type: text/plain"},
	} {
		e := by[path]
		if e == nil || e.Status != want.status || e.Cut != want.cut || !bytes.Contains(e.Response, []byte(want.field)) ||
			want.body != nil && !bytes.Equal(e.Body, want.body) {
			t.Errorf("%s: %+v", path, e)
		}
	}
	for path, rule := range map[string]string{"/hidden": "noindex", "/unkept": "noarchive"} {
		if e := by[path]; e == nil || e.Body != nil || e.Withheld != rule || e.Status != 200 {
			t.Errorf("%s: %+v", path, e)
		}
	}
	if len(by) != 7 || len(by["/long"].Body) < cfg.MaxBody {
		t.Errorf("%d exchanges", len(by))
	}
}

// A pause lets nothing be sent, and the end of it everything.
func TestPause(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<a href="/1">1</a>`, "/1": `<a href="/2">2</a>`, "/2": `<a href="/3">3</a>`, "/4": `<a href="/5">5</a>`, "/5": "5",
	})
	cfg := testConfig(t, s.url)
	third, paused := make(chan struct{}), make(chan struct{})
	s.handle("/3", func(w http.ResponseWriter, _ *http.Request) {
		close(third)
		<-paused
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/4">4</a>`)
	})
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	var during, after int
	go func() {
		<-third
		c.Pause()
		c.Pause() // is one
		close(paused)
		for { // the page in flight is finished
			if s, err := c.Status(); err != nil || !s.Paused || s.Pages == 4 && s.Frontier.Leased == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		during = len(s.asked())
		time.Sleep(300 * time.Millisecond)
		after = len(s.asked())
		c.Continue()
	}()
	sum, err := c.Run(t.Context())
	if err != nil || sum.End != EndFinished || sum.Pages != 6 {
		t.Errorf("Run = %+v, %v", sum, err)
	}
	if during != 4 || after != during {
		t.Errorf("%d requests when the pause began and %d when it ended, want 4", during, after)
	}
}

// A crawl is stopped from outside: while it runs, during a pause, before it runs.
func TestStop(t *testing.T) {
	for _, when := range []string{"running", "paused", "before"} {
		t.Run(when, func(t *testing.T) {
			s := chain(t, 1000)
			cfg := testConfig(t, s.url+"/0")
			cfg.Delay = 20 * time.Millisecond
			var c *Crawler
			stop := func() {
				if when == "paused" {
					c.Pause()
				}
				c.Stop()
			}
			c, err := New(cfg, &Options{Begun: func() {
				if when != "before" {
					go stop()
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if when == "before" {
				stop()
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			sum, err := c.Run(ctx)
			if err != nil || sum.End != EndInterrupted || sum.Left == 0 || sum.Pages > 10 {
				t.Errorf("Run = %+v, %v", sum, err)
			}
		})
	}
}
