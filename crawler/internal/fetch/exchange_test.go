package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/notice"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
	"github.com/politecrawl/politecrawl/robotsext/guard"
)

// A rawServer sends scripted bytes as responses of HTTP/1.1, and keeps the requests as they arrived.
type rawServer struct {
	url   string
	roots *x509.CertPool

	mu       sync.Mutex
	requests []string
}

// respondFunc returns the bytes of a response, and whether the connection ends after it.
type respondFunc func(req *http.Request) (raw string, closes bool)

func newRawServer(t *testing.T, secure bool, respond respondFunc) *rawServer {
	t.Helper()
	s := &rawServer{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.url = "http://" + listener.Addr().String()
	if secure {
		other := httptest.NewTLSServer(nil) // has a certificate for 127.0.0.1
		s.roots = other.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		listener = tls.NewListener(listener, &tls.Config{Certificates: other.TLS.Certificates, MinVersion: tls.VersionTLS12})
		s.url = "https" + strings.TrimPrefix(s.url, "http")
		other.Close()
	}
	var serving sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { _ = conn.Close() })
			serving.Go(func() { s.serve(conn, respond) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		cancel()
		serving.Wait()
	})
	return s
}

func (s *rawServer) serve(conn net.Conn, respond respondFunc) {
	defer func() { _ = conn.Close() }()
	var received bytes.Buffer
	in := bufio.NewReader(io.TeeReader(conn, &received))
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, received.String())
		s.mu.Unlock()
		received.Reset()
		raw, closes := respond(req)
		for half := range 2 { // in two writes
			if _, err := io.WriteString(conn, raw[len(raw)/2*half:max(len(raw)/2, len(raw)*half)]); err != nil {
				return
			}
		}
		if closes {
			return
		}
	}
}

// archived keeps the exchanges and the notices.
type archived struct {
	mu        sync.Mutex
	exchanges []*output.Exchange
	lines     []string
}

func (a *archived) Exchange(e *output.Exchange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exchanges = append(a.exchanges, e)
}

// recordingTransport returns a transport that records into an archive.
func recordingTransport(t *testing.T, cfg Config, roots *x509.CertPool) (*Transport, *archived) {
	t.Helper()
	a := new(archived)
	crawl := testCrawl()
	crawl.Archive = a
	crawl.Lifecycle = lifecycle.New(slog.New(slog.DiscardHandler), notice.New(func(line string) { a.lines = append(a.lines, line) }))
	cfg.Timeout, cfg.Workers, cfg.PerHost, cfg.Guard = time.Minute, 4, 1, guard.New(netip.MustParsePrefix("127.0.0.0/8"))
	if cfg.MaxRecorded == 0 {
		cfg.MaxRecorded = 64 << 20
	}
	cfg.Spool = t.TempDir()
	transport := NewTransport(crawl, cfg)
	if cfg.Base == nil {
		own := newHTTPTransport(&cfg)
		if own.TLSClientConfig = nil; roots != nil {
			own.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		}
		transport.base = &idleCloser{newFallback(own, &cfg, true), crawl}
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if files, err := os.ReadDir(cfg.Spool); err != nil || len(files) > 0 {
			t.Errorf("the directory has %v, %v", files, err)
		}
		if _, _, fault := crawl.Lifecycle.Ending(); fault != nil {
			t.Error(fault)
		}
	})
	return transport, a
}

// A fetched is what became of a request for a page, or for another file.
type fetched struct {
	head, body string
	truncated  output.Truncated
	spooled    bool // the body is in a file
}

func fetchedFrom(t *testing.T, e *output.Exchange) fetched {
	t.Helper()
	f := fetched{head: string(e.Response), truncated: e.Truncated}
	if e.Body != nil {
		body := make([]byte, e.Body.Size())
		if n, err := e.Body.ReadAt(body, 0); n < len(body) {
			t.Error(err)
		}
		_, f.spooled = e.Body.(fileBody)
		f.body = string(body)
		must(t, e.Body.Close())
	}
	return f
}

// request requests a URL, as a page if it has a limit, and returns the error of its body.
func request(t *testing.T, transport *Transport, method, url string, page *Response) error {
	t.Helper()
	ctx := t.Context()
	if page != nil {
		ctx = context.WithValue(ctx, responseKey{}, page)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	must(t, err)
	req.Header.Set("User-Agent", "test")
	resp, err := transport.RoundTrip(req)
	must(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return err
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

// noise returns bytes that do not compress.
func noise(n int) string {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// An exchange has the header and the body as the server sent them, over TCP and TLS, as a page and otherwise, and says
// why the body is incomplete.
func TestExchangeIsAsReceived(t *testing.T) {
	const length, disconnect = output.TruncatedLength, output.TruncatedDisconnect
	chunk := func(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }
	zip, half, large := zipped(noise(30<<10)), noise(150<<10), noise(300<<10) // a page has at most 200 KiB
	tests := map[string]struct {
		before, head, body, after string
		closes                    bool
		method                    string
		truncated                 output.Truncated
		ofPage, ofFile            output.Truncated // if it differs, for a page or another file
	}{
		"odd names and values": {head: "HTTP/1.1 200 Very  OK \r\nsERVER:x\r\nX-Two: 1\r\nx-two:  2 \r\nX-Fold: a\r\n  b\r\n\tc\r\nContent-LENGTH: 2\r\n\r\n", body: "ok"},
		"no reason phrase":     {head: "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n", body: "ok"},
		"LF line ends":         {head: "HTTP/1.1 404 Not Found\nA: b\nContent-Length: 2\n\n", body: "no"},
		"chunks and a trailer": {head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n", body: "4;x=y\r\nsome\r\n" + chunk("more") + "0\r\nX-Trailer: 1\r\n\r\n"},
		"interim responses":    {before: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", head: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", body: "ok"},
		"HTTP/1.0 to the end":  {head: "HTTP/1.0 200 OK\r\n\r\n", body: "until the end", closes: true},
		"a stray line":         {head: "HTTP/1.1 200 OK\r\nstray\r\nA\x01: b\r\nContent-Length: 2\r\n\r\n", body: "ok"},
		"more than its length": {head: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", body: "ok", after: "HTTP/1.1 200 OK\r\n\r\n", closes: true},
		"no content":           {head: "HTTP/1.1 204 No Content\r\n\r\n"},
		"not modified":         {head: "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"},
		"HEAD":                 {method: http.MethodHead, head: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"},
		"HEAD with a body":     {method: http.MethodHead, head: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", after: "body", closes: true},
		"redirect":             {head: "HTTP/1.1 301 x\r\nLocation: /a b\r\nContent-Length: 0\r\n\r\n"},
		"error":                {head: "HTTP/1.1 503 x\r\nContent-Length: 3\r\n\r\n", body: "out"},
		"gzip":                 {head: fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", len(zip)), body: zip},
		"gzip in chunks":       {head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(zip) + "0\r\n\r\n"},
		"bytes after deflate":  {head: "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk("\x4b\x04\x00"+half) + "0\r\n\r\n", ofFile: length},
		"deflate in chunks":    {head: "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk("\x4b\x04\x00") + "0\r\n\r\n"},
		"a coding not asked":   {head: "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(half) + "0\r\n\r\n", ofFile: length},
		"not asked and large":  {head: "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(large) + "0\r\n\r\n", truncated: length},
		"no valid gzip":        {head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(zip[:1000]+half) + "0\r\n\r\n", ofFile: length},
		"no valid br in br":    {head: "HTTP/1.1 200 OK\r\nContent-Encoding: br, gzip\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(zipped(half)) + "0\r\n\r\n", ofFile: length},
		"bytes after chunks":   {head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk("some") + "0\r\nX-Trailer: 1\r\n\r\n", after: "HTTP/1.1 200 OK\r\n\r\n", closes: true},
		"bytes after a file":   {head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk(half) + "0\r\n\r\n", after: "0\r\n\r\n", closes: true},
		"large":                {head: "HTTP/1.1 200 OK\r\nContent-Length: 307200\r\n\r\n", body: large, ofPage: length},
		"another type":         {head: "HTTP/1.1 200 OK\r\nContent-Type: video/x\r\nContent-Length: 307200\r\n\r\n", body: large, ofPage: length},
		"another type, short":  {head: "HTTP/1.1 200 OK\r\nContent-Type: video/x\r\nContent-Length: 10000\r\n\r\n", body: large[:10000]},
		"cut":                  {head: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", body: "part", closes: true, truncated: disconnect},
		"cut in a chunk":       {head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", body: "10\r\npart", closes: true, truncated: disconnect},
		"cut gzip":             {head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 90000\r\n\r\n", body: zip[:5000], closes: true, truncated: disconnect},
		"broken chunks":        {head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", body: chunk("some") + "xyz\r\n", closes: true, truncated: disconnect},
	}
	for _, secure := range []bool{false, true} {
		for name, tt := range tests {
			for _, asPage := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, TLS %t, page %t", name, secure, asPage), func(t *testing.T) {
					s := newRawServer(t, secure, func(*http.Request) (string, bool) { return tt.before + tt.head + tt.body + tt.after, tt.closes })
					types, err := ParseTypes([]string{"text/*", "application/octet-stream"})
					must(t, err)
					transport, a := recordingTransport(t, Config{Types: types}, s.roots)
					var page *Response
					want := fetched{tt.head, tt.body, max(tt.truncated, tt.ofFile), len(tt.body) > maxInMemory}
					if asPage {
						page = &Response{limit: 200 << 10}
						want.truncated = max(tt.truncated, tt.ofPage)
					}
					_ = request(t, transport, max(tt.method, http.MethodGet), s.url, page)
					all := a.exchanges
					if asPage {
						all = page.Exchanges
					}
					if len(all) != 1 {
						t.Fatalf("%d exchanges", len(all))
					}
					e := all[0]
					if string(e.Request) != s.requests[len(s.requests)-1] || e.Addr != "127.0.0.1" || e.Duration <= 0 || e.Withheld != "" {
						t.Errorf("%+v, request %q", e, s.requests)
					}
					got := fetchedFrom(t, e)
					if got.truncated == length && len(got.body) > 0 && strings.HasPrefix(want.body, got.body) {
						want.body, want.spooled = got.body, got.spooled
					}
					if got.body != want.body {
						t.Errorf("the body has %d bytes, want %d", len(got.body), len(want.body))
						got.body, want.body = "", ""
					}
					if diff := cmp.Diff(want, got, cmp.AllowUnexported(fetched{})); diff != "" {
						t.Error(diff)
					}
				})
			}
		}
	}
}

// The header blocks of 200 responses on connections that are used again are those that the server sent.
func TestManyExchangesAreAsReceived(t *testing.T) {
	for _, secure := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 4))
		var mu sync.Mutex
		sent := make(map[string]string) // by path
		s := newRawServer(t, secure, func(req *http.Request) (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			eol := []string{"\r\n", "\n"}[r.IntN(2)]
			head := fmt.Sprintf("HTTP/1.1 %d%s", []int{200, 203, 404, 410, 500}[r.IntN(5)], []string{"", " ", " OK", "  So so"}[r.IntN(4)]) + eol
			for range r.IntN(20) {
				name := []string{"x-a", "X-A", "x-B", "Set-Cookie", "sErVeR", "Vary"}[r.IntN(6)]
				head += name + []string{":", ": ", ":\t"}[r.IntN(3)] + strings.Repeat("v", r.IntN(500)) + []string{"", eol + " more", " "}[r.IntN(3)] + eol
			}
			body := strings.Repeat("b", r.IntN(5000)*r.IntN(2))
			if r.IntN(2) == 0 {
				head += "content-length: " + fmt.Sprint(len(body)) + eol
			} else {
				head += "TRANSFER-ENCODING: chunked" + eol
				body = fmt.Sprintf("%X\r\n%s\r\n0\r\n\r\n", len(body)+1, body+".")
			}
			sent[req.URL.Path] = head + eol + body
			return []string{"", "HTTP/1.1 102 Wait\r\n\r\n"}[r.IntN(2)] + head + eol + body, r.IntN(20) == 0
		})
		transport, a := recordingTransport(t, Config{}, s.roots)
		var getting sync.WaitGroup
		for worker := range 4 {
			getting.Go(func() {
				for i := range 50 {
					_ = request(t, transport, http.MethodGet, fmt.Sprintf("%s/%d/%d", s.url, worker, i), nil)
				}
			})
		}
		getting.Wait()
		if len(a.exchanges) != 200 {
			t.Fatalf("%d exchanges", len(a.exchanges))
		}
		for _, e := range a.exchanges {
			got := fetchedFrom(t, e)
			if want := sent[strings.TrimPrefix(e.URL, s.url)]; got.head+got.body != want || got.truncated != "" {
				t.Errorf("%s: %q, %s, want %q", e.URL, got.head+got.body, got.truncated, want)
			}
		}
	}
}

// A body that stalls is incomplete because of the time, and one that is larger than the limit because of its length.
// There is one notice about that.
func TestTruncatedByLimits(t *testing.T) {
	s := newRawServer(t, false, func(req *http.Request) (string, bool) {
		if req.URL.Path == "/stalls" {
			return "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", false
		}
		if req.URL.Path == "/2" {
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", 300000, strings.Repeat("x", 300000)), false
		}
		return "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 300000), false
	})
	transport, a := recordingTransport(t, Config{MaxRecorded: 100_000}, nil)
	for _, path := range []string{"/stalls", "/1", "/2"} {
		if transport.cfg.StallTimeout = 0; path == "/stalls" {
			transport.cfg.StallTimeout = 50 * time.Millisecond
		}
		_ = request(t, transport, http.MethodGet, s.url+path, nil)
	}
	for i, want := range []struct {
		size      int64
		truncated output.Truncated
	}{{4, output.TruncatedTime}, {100_000, output.TruncatedLength}, {100_000, output.TruncatedLength}} {
		if e := a.exchanges[i]; e.Body.Size() != want.size || e.Truncated != want.truncated {
			t.Errorf("%s: %d bytes, %s", e.URL, e.Body.Size(), e.Truncated)
		}
		must(t, a.exchanges[i].Body.Close())
	}
	if len(a.lines) != 1 || !strings.Contains(a.lines[0], "first 100000 bytes of "+s.url+"/1,") {
		t.Errorf("notices %q", a.lines)
	}
}

// Each response to a request that is repeated is an exchange: a 408 on an old connection, and one that asks for another
// signature.
func TestRepeatedRequestsAreRecorded(t *testing.T) {
	key, err := botauth.GenerateKey()
	must(t, err)
	signer, err := botauth.NewSigner(key, "https://bot.example", nil)
	must(t, err)
	n := 0
	s := newRawServer(t, false, func(*http.Request) (string, bool) {
		n++
		return []string{
			"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1",
			"HTTP/1.1 408 x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n2",
			"HTTP/1.1 401 x\r\nAccept-Signature: x=(\"@authority\");nonce=\"n\";tag=\"web-bot-auth\"\r\nContent-Length: 1\r\n\r\n3",
			"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n4",
		}[n-1], n == 2
	})
	transport, a := recordingTransport(t, Config{Signer: signer}, nil)
	_ = request(t, transport, http.MethodGet, s.url, nil)
	page := &Response{limit: 100}
	_ = request(t, transport, http.MethodGet, s.url, page)
	var got []string
	for i, e := range append(a.exchanges, page.Exchanges...) {
		got = append(got, fmt.Sprint(e.Status, " ", fetchedFrom(t, e).body))
		if string(e.Request) != s.requests[i] {
			t.Errorf("request %q, want %q", e.Request, s.requests[i])
		}
	}
	if diff := cmp.Diff([]string{"200 1", "408 2", "401 3", "200 4"}, got); diff != "" {
		t.Error(diff)
	}
	if page.Status != http.StatusOK || string(page.Body) != "4" {
		t.Errorf("the page is %q", page.Body)
	}
}

// Fields with secrets are omitted, however they are spelled.
func TestOmitFields(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nset-COOKIE: a=b\r\n ; folded\r\nA: Set-Cookie: x\r\nSet-Cookie : c=d\nB: 1\r\n\tmore\r\n\r\n"
	want := "HTTP/1.1 200 OK\r\nA: Set-Cookie: x\r\nB: 1\r\n\tmore\r\n\r\n"
	if got := omitFields([]byte(head), map[string]bool{"Set-Cookie": true}); string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := omitFields([]byte(head), nil); string(got) != head {
		t.Errorf("%q", got)
	}
}

// An exchange of HTTP/2 is written as one of HTTP/1.1, and its connections are not wrapped.
func TestExchangeOverHTTP2(t *testing.T) {
	large := noise(100 << 10)
	server, trusting := http2Site(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "part")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, zipped(large))
		case "/moved":
			http.Redirect(w, r, "/x", http.StatusFound)
		}
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	transport, a := recordingTransport(t, Config{}, trusting.TLSClientConfig.RootCAs)
	for path, want := range map[string]fetched{
		"/zip": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", zipped(large), "", true},
		"/cut": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n", "part", output.TruncatedDisconnect, false},
		"/moved": {"HTTP/1.1 302 Found\r\nContent-Length: 25\r\nContent-Type: text/html; charset=utf-8\r\nLocation: /x\r\n\r\n",
			"<a href=\"/x\">Found</a>.\n\n", "", false},
	} {
		_ = request(t, transport, http.MethodGet, server.URL+path, nil)
		e := a.exchanges[len(a.exchanges)-1]
		if diff := cmp.Diff(want, fetchedFrom(t, e), cmp.AllowUnexported(fetched{})); diff != "" || e.Proto != "HTTP/2.0" {
			t.Errorf("%s, %s: %s", path, e.Proto, diff)
		}
		if want := "GET " + path + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(server.URL, "https://"); !strings.HasPrefix(string(e.Request), want) {
			t.Errorf("request %q", e.Request)
		}
	}
}

// A response through a proxy has the header as net/http sees it. Requests are without what is for the proxy.
func TestExchangeThroughProxy(t *testing.T) {
	const head, body = "HTTP/1.1 200 Fine\r\nx-b: 2\r\nX-a: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"
	respond := func(*http.Request) (string, bool) { return head + body, false }
	site, proxy := newRawServer(t, true, respond), newRawServer(t, false, respond)
	tunnel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := net.Dial("tcp", r.Host)
		must(t, err)
		w.WriteHeader(http.StatusOK)
		conn, in, err := http.NewResponseController(w).Hijack() // in has what came before it
		must(t, err)
		go func() { _, _ = io.Copy(to, in); _ = to.Close() }()
		_, _ = io.Copy(conn, to)
		_ = conn.Close()
	}))
	defer tunnel.Close()
	want := fetched{"HTTP/1.1 200 Fine\r\nX-A: 1\r\nX-B: 2\r\n\r\n", "ok", "", false}
	for _, tt := range []struct{ proxy, url string }{{proxy.url, "http://127.0.0.2/page"}, {tunnel.URL, site.url + "/page"}} {
		transport, a := recordingTransport(t, Config{Proxies: []string{strings.Replace(tt.proxy, "http://", "http://me:secret@", 1)}}, site.roots)
		for range 2 { // on the same connection
			_ = request(t, transport, http.MethodGet, tt.url, nil)
		}
		for _, e := range a.exchanges {
			if diff := cmp.Diff(want, fetchedFrom(t, e), cmp.AllowUnexported(fetched{})); diff != "" {
				t.Errorf("%s: %s", tt.url, diff)
			}
			if strings.Contains(string(e.Request), "Proxy") || e.Addr != "" || !strings.HasPrefix(string(e.Request), "GET /page HTTP/1.1\r\n") {
				t.Errorf("%q, to %q", e.Request, e.Addr)
			}
		}
	}
	if !strings.Contains(proxy.requests[0], "Proxy-Authorization") {
		t.Errorf("the proxy gets %q", proxy.requests[0])
	}
}

// A crawl that records nothing wraps no connection.
func TestConnectionsAreWrappedOnlyForAnArchive(t *testing.T) {
	cfg := Config{Timeout: time.Minute, Guard: guard.New()}
	for _, record := range []bool{false, true} {
		base, _ := newBase(&cfg, record)
		if _, wraps := base.(*fallback).base.(*routed); wraps != record {
			t.Errorf("recording %t, wrapped %t", record, wraps)
		}
	}
}

// An archive makes the crawl receive no more of a body that cannot be decoded than the limit of the page, unless the
// request asks for more, and little of another file. What is received beyond the page counts.
func TestBodiesAreDrainedWithinBounds(t *testing.T) {
	s := newRawServer(t, false, func(*http.Request) (string, bool) {
		return "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 307200\r\n\r\n" + noise(300<<10), true
	})
	for name, tt := range map[string]struct {
		page        *Response
		maxRecorded int64
		want        int64 // bytes that are received
	}{
		"a page":               {&Response{limit: 10_000}, 0, 10_000},
		"a page of an archive": {&Response{limit: 10_000, rest: 50_000}, 0, 60_000},
		"a whole page":         {&Response{limit: 10_000, rest: 1 << 20}, 0, 300 << 10},
		"more than is kept":    {&Response{limit: 1 << 20}, 20_000, 20_000},
		"another file":         {nil, 0, maxDropped},
	} {
		transport, a := recordingTransport(t, Config{MaxRecorded: tt.maxRecorded}, nil)
		_ = request(t, transport, http.MethodGet, s.url, tt.page)
		all := a.exchanges
		if tt.page != nil {
			all = tt.page.Exchanges
			if got := tt.page.Dropped; got < tt.want-bytes.MinRead || got > tt.want {
				t.Errorf("%s: %d bytes count, want %d", name, got, tt.want)
			}
		}
		if got := all[0].Body.Size(); got < tt.want || got > tt.want+readBuffer+32<<10 { // in an io.Copy
			t.Errorf("%s: %d bytes are received, want %d", name, got, tt.want)
		}
		must(t, all[0].Body.Close())
	}
}

// A body that decodes to too much is in an archive as far as the crawl read it: whoever replays it decodes it too.
func TestBodiesThatDecodeToTooMuchAreNotDrained(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, 32<<20))
	must(t, z.Close())
	s := newRawServer(t, false, func(*http.Request) (string, bool) {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", b.Len(), &b), true
	})
	transport, _ := recordingTransport(t, Config{}, nil)
	page := &Response{limit: 10 << 20, rest: 1 << 20}
	_ = request(t, transport, http.MethodGet, s.url, page)
	e := page.Exchanges[0]
	if e.Body.Size() > int64(b.Len())/2 || e.Truncated != output.TruncatedLength || page.Truncated != truncatedByRatio || page.Dropped != 0 {
		t.Errorf("%d of %d bytes, truncated by %q; %q, %d dropped", e.Body.Size(), b.Len(), e.Truncated, page.Truncated, page.Dropped)
	}
	must(t, e.Body.Close())
}

// What an archive has of a page beyond its limit is received without decoding it, up to a number of bytes as they are
// received. These count. If the connection is closed in them, the page fails.
func TestRestOfAPageIsReceivedEncoded(t *testing.T) {
	text := hex.EncodeToString([]byte(noise(100_000)))
	zip := zipped(text)
	const ahead = 20 << 10 // bytes that a decoder reads at most for the page
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	must(t, err)
	_, _ = io.WriteString(z, strings.Repeat("a", 100))
	must(t, z.Close())
	for name, tt := range map[string]struct {
		coding, body string
		length       int // that the header says
		rest, kept   int64
		truncated    output.Truncated
	}{
		"larger decoded":        {"gzip", zip, len(zip), 120_000, int64(len(zip)), ""},
		"larger than the rest":  {"gzip", zip, len(zip), 40_000, 40_010, output.TruncatedLength},
		"not valid in the rest": {"gzip", zip[:50_000] + noise(10_000), 60_000, 120_000, 60_000, ""},
		"cut in the rest":       {"gzip", zip[:50_000], len(zip), 120_000, 50_000, output.TruncatedDisconnect},
		"bytes after the end":   {"deflate", b.String() + noise(50_000), b.Len() + 50_000, 1 << 20, int64(b.Len()) + 50_000, ""},
		"not encoded":           {"identity", text, len(text), 50_000, 50_010, output.TruncatedLength},
	} {
		s := newRawServer(t, false, func(*http.Request) (string, bool) {
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", tt.coding, tt.length, tt.body), true
		})
		transport, _ := recordingTransport(t, Config{}, nil)
		page := &Response{limit: 10, rest: tt.rest}
		failure := request(t, transport, http.MethodGet, s.url, page)
		if page.Dropped > tt.kept || page.Dropped < tt.kept-ahead || page.Size != 10 || page.Undecoded || (failure != nil) != (name == "cut in the rest") {
			t.Errorf("%s: %v; %d bytes count, want %d; %+v", name, failure, page.Dropped, tt.kept, page)
		}
		got := fetchedFrom(t, page.Exchanges[0])
		if n := int64(len(got.body)); n < tt.kept || n > tt.kept+readBuffer+32<<10 || got.truncated != tt.truncated || !strings.HasPrefix(tt.body, got.body) {
			t.Errorf("%s: %d bytes, %q, want %d", name, n, got.truncated, tt.kept)
		}
	}
}

// The body of a robots.txt or a sitemap with no-store is never in a file, over HTTP/1.1 and HTTP/2.
func TestNoStoreIsNeverOnDisk(t *testing.T) {
	server, trusting := http2Site(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, noise(300<<10))
	}))
	plain := httptest.NewServer(server.Config.Handler)
	defer plain.Close()
	transport, a := recordingTransport(t, Config{}, trusting.TLSClientConfig.RootCAs)
	transport.cfg.Spool = t.TempDir() + "/missing" // to create a file there fails, and with it the crawl
	for _, url := range []string{plain.URL, server.URL} {
		_ = request(t, transport, http.MethodGet, url+"/robots.txt", nil)
	}
	for _, e := range a.exchanges {
		if e.Body != nil || e.Withheld != "no-store" || !bytes.Contains(e.Response, []byte("Cache-Control: no-store\r\n")) {
			t.Errorf("ROB-CAC-06: %+v", e)
		}
	}
	if len(a.exchanges) != 2 || len(a.lines) > 0 {
		t.Errorf("%d exchanges, notices %q", len(a.exchanges), a.lines)
	}
}

// abortable leases have the function that ends the last request.
type abortable struct{ abort func(error) }

func (l *abortable) WithinLease(_ context.Context, _ *url.URL, abort func(error)) error {
	l.abort = abort
	return nil
}

// A body is incomplete for no reason of the site's if the crawl ends the request: when it is aborted, or a lease is lost. The
// time limit of a robots.txt or sitemap has a cause of its own.
func TestTruncatedByTheCrawl(t *testing.T) {
	server, trusting := http2Site(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "part")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	plain := httptest.NewServer(server.Config.Handler)
	defer plain.Close()
	for _, base := range []string{plain.URL, server.URL} {
		for name, tt := range map[string]struct {
			end  func(*Transport, *abortable, context.CancelCauseFunc)
			want output.Truncated
		}{
			"crawl": {func(t *Transport, _ *abortable, _ context.CancelCauseFunc) { t.crawl.Lifecycle.Abort() }, output.TruncatedUnspecified},
			"lease": {func(_ *Transport, l *abortable, _ context.CancelCauseFunc) { l.abort(errors.New("the lease is lost")) }, output.TruncatedUnspecified},
			"limit of a caller": {func(_ *Transport, _ *abortable, cancel context.CancelCauseFunc) {
				cancel(errors.New("it takes too long"))
			}, output.TruncatedTime},
		} {
			transport, a := recordingTransport(t, Config{}, trusting.TLSClientConfig.RootCAs)
			leases := new(abortable)
			transport.crawl.Leases = leases
			ctx, cancel := context.WithCancelCause(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, base, nil)
			must(t, err)
			resp, err := transport.RoundTrip(req)
			must(t, err)
			_, err = io.ReadFull(resp.Body, make([]byte, 4))
			must(t, err)
			tt.end(transport, leases, cancel)
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			cancel(nil)
			if e := a.exchanges[0]; err == nil || e.Truncated != tt.want || e.Body.Size() != 4 {
				t.Errorf("%s, %s: %v, %s, %d bytes", base, name, err, e.Truncated, e.Body.Size())
			}
		}
	}
}

// A response that the server began to send before the request is recorded as net/http sees it. What the connection
// receives of it is not recorded a second time, nor is what it receives after a response.
func TestBytesThatAreNotOfTheResponse(t *testing.T) {
	transport, a := recordingTransport(t, Config{}, nil)
	client, server := net.Pipe()
	defer func() { _ = client.Close() }()
	conn := newRecordedConn(client)
	receive := func(text string) {
		go func() { _, _ = io.WriteString(server, text) }()
		_, err := io.ReadFull(conn, make([]byte, len(text)))
		must(t, err)
	}
	for _, head := range []string{"f: the end of a field\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"} {
		s := &sender{transport: transport, ctx: t.Context()}
		req := httptest.NewRequest(http.MethodGet, "http://a.test/", nil)
		s.record(req)
		s.gotConn(conn, true)
		receive(head)
		resp := &http.Response{
			Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ContentLength: 4, Header: http.Header{"A": {"b"}},
			Body: io.NopCloser(strings.NewReader("body")),
		}
		s.recording.responded(req, resp)
		receive("bo")
		_, _ = io.Copy(io.Discard, resp.Body)
		receive("dy")
		must(t, resp.Body.Close())
		receive("more")
		want := fetched{"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "body", "", false}
		if diff := cmp.Diff(want, fetchedFrom(t, a.exchanges[len(a.exchanges)-1]), cmp.AllowUnexported(fetched{})); diff != "" {
			t.Error(diff)
		}
		if c := s.recording.capture; c.body.size > 0 || len(c.head) > 0 || s.recording.body.size != 4 {
			t.Errorf("the capture keeps %q, and %d bytes are recorded", c.head, s.recording.body.size)
		}
	}
}

// A request on a connection begins before the body of the response before it is closed. Neither has a part of the other.
func TestNextRequestBeginsBeforeTheEnd(t *testing.T) {
	s := newRawServer(t, false, func(r *http.Request) (string, bool) {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nA: %s\r\nContent-Length: 60000\r\n\r\n%s", r.URL.Path[1:], strings.Repeat(r.URL.Path[1:], 60_000)), false
	})
	transport, a := recordingTransport(t, Config{}, nil)
	var bodies []io.ReadCloser
	for _, path := range []string{"/1", "/2"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		must(t, err)
		resp, err := transport.RoundTrip(req)
		must(t, err)
		if len(bodies) > 0 {
			must(t, bodies[0].Close())
		}
		_, err = io.ReadAll(resp.Body)
		must(t, err)
		bodies = append(bodies, resp.Body)
	}
	must(t, bodies[1].Close())
	for i, e := range a.exchanges {
		want := fetched{fmt.Sprintf("HTTP/1.1 200 OK\r\nA: %d\r\nContent-Length: 60000\r\n\r\n", i+1), strings.Repeat(fmt.Sprint(i+1), 60_000), "", false}
		if diff := cmp.Diff(want, fetchedFrom(t, e), cmp.AllowUnexported(fetched{})); diff != "" {
			t.Error(diff)
		}
	}
}

// Without a body, a request on a connection begins before net/http returns the response before it. Its response may
// even arrive first. Neither has a part of the other.
func TestNextRequestBeginsBeforeTheResponseIsReturned(t *testing.T) {
	transport, a := recordingTransport(t, Config{}, nil)
	client, server := net.Pipe()
	defer func() { _ = client.Close() }()
	conn := newRecordedConn(client)
	var senders []*sender
	var want, got []string
	for i := range 3 {
		s := &sender{transport: transport, ctx: t.Context()}
		sent, head := fmt.Sprintf("GET /%d HTTP/1.1\r\n\r\n", i), fmt.Sprintf("HTTP/1.1 304 x\r\na: %d\r\n\r\n", i)
		s.record(httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://a.test/%d", i), nil))
		s.gotConn(conn, i > 0)
		go func() {
			_, _ = io.ReadFull(server, make([]byte, len(sent)))
			_, _ = io.WriteString(server, head)
		}()
		_, err := io.WriteString(conn, sent)
		must(t, err)
		_, err = io.ReadFull(conn, make([]byte, len(head)))
		must(t, err)
		senders, want = append(senders, s), append(want, sent+head)
	}
	for i, s := range senders {
		resp := &http.Response{StatusCode: http.StatusNotModified, Proto: "HTTP/1.1", ProtoMajor: 1, Body: http.NoBody}
		s.recording.responded(httptest.NewRequest(http.MethodGet, s.recording.ex.URL, nil), resp)
		must(t, resp.Body.Close())
		got = append(got, string(a.exchanges[i].Request)+string(a.exchanges[i].Response))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A process that is killed between creating and removing the file of a body leaves it. The next crawl of the directory
// removes it.
func TestFilesOfAKilledProcessAreRemoved(t *testing.T) {
	dir := t.TempDir() + "/[a]"
	must(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{".body-123", ".body-x", ".bodies"} {
		must(t, os.WriteFile(dir+"/"+name, nil, 0o600))
	}
	NewTransport(Crawl{}, Config{Spool: dir})
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 2 || entries[0].Name() != ".bodies" || entries[1].Name() != ".body-x" {
		t.Errorf("the directory has %v", entries)
	}
}
