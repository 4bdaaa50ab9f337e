package crawler

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// keeping is a format without a name that keeps all results.
type keeping struct {
	mu sync.Mutex
	output.Results
}

func (k *keeping) format() output.Format {
	return output.Format{Exchanges: true, Open: func(string, []byte) (output.Sink, error) { return onWrite(k.keep), nil }}
}

func (k *keeping) keep(f *output.Results) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Exchanges = append(k.Exchanges, f.Exchanges...)
	k.Pages = append(k.Pages, f.Pages...)
	k.Robots = append(k.Robots, f.Robots...)
}

// A wireLog is a server connection that keeps the received bytes.
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

// Exchanges have the requests as the server received them, and the bodies as it sent them, for
// robots.txt, sitemaps, pages and redirects.
func TestExchanges(t *testing.T) {
	packed := make(map[string][]byte) // by content coding
	mux := http.NewServeMux()
	for _, coding := range codings {
		packed[coding] = encode(t, coding, []byte("<title>packed</title>"))
		mux.HandleFunc("/packed/"+coding, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", coding)
			_, _ = w.Write(packed[coding])
		})
	}
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "User-agent: *\nDisallow: /no\nSitemap: http://%s/map.txt\n", r.Host)
	})
	mux.HandleFunc("/map.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "http://%s/moved\nhttp://%s/long\nhttp://%s/hidden\nhttp://%s/unkept\nhttp://%s/packed/br\nhttp://%s/packed/zstd\n", r.Host, r.Host, r.Host, r.Host, r.Host, r.Host)
	})
	mux.HandleFunc("/moved", redirect("/packed/gzip?a=1&b"))
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
	must(t, err)
	log := &wireLog{Listener: plain, in: make(map[net.Conn]*bytes.Buffer)}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(log) }()
	t.Cleanup(func() { _ = server.Close() })

	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<meta name="robots" content="noarchive">secret`)
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Robots-Tag", "noindex")
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `secret`)
	})
	cfg := testConfig(t, "http://"+plain.Addr().String()+"/moved", "http://"+plain.Addr().String()+"/broken", "http://"+plain.Addr().String()+"/gone")
	cfg.Fetch.MaxBody = 50_000
	kept := new(keeping)
	runCrawl(t, cfg, &Options{Formats: []output.Format{kept.format()}})

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
		if e.Addr != "127.0.0.1" || e.Proto != "HTTP/1.1" || e.StartedAt.IsZero() || e.Duration <= 0 {
			t.Errorf("%s: %+v", e.URL, e)
		}
		if !bytes.HasPrefix(e.Response, fmt.Appendf(nil, "HTTP/1.1 %d ", e.Status)) || !bytes.HasSuffix(e.Response, []byte("\r\n\r\n")) {
			t.Errorf("%s: %q", e.URL, e.Response)
		}
	}
	slices.Sort(received)
	slices.Sort(sent)
	if strings.Contains(strings.Join(received, ""), "Politecrawl-") {
		t.Errorf("the site was sent a field for ourselves: %q", received)
	}
	if diff := cmp.Diff(received, sent); diff != "" {
		t.Errorf("requests (-received +recorded):\n%s", diff)
	}
	for path, want := range map[string]struct {
		status int
		body   []byte
		cut    bool
		field  string
	}{
		"/robots.txt":        {200, []byte("User-agent: *\nDisallow: /no\nSitemap: http://" + plain.Addr().String() + "/map.txt\n"), false, "Content-Length: "},
		"/moved":             {302, nil, false, "Location: /packed/gzip?a=1&b\r\n"},
		"/packed/gzip?a=1&b": {200, packed["gzip"], false, "Content-Encoding: gzip\r\n"},
		"/packed/br":         {200, packed["br"], false, "Content-Encoding: br\r\n"},
		"/packed/zstd":       {200, packed["zstd"], false, "Content-Encoding: zstd\r\n"},
		"/long":              {200, nil, true, "Content-Type: text/plain"},
	} {
		e := by[path]
		if e == nil || e.Status != want.status || (e.Truncated != "") != want.cut || !bytes.Contains(e.Response, []byte(want.field)) ||
			want.body != nil && !bytes.Equal(e.Body.(output.BytesBody), want.body) {
			t.Errorf("%s: %+v", path, e)
		}
	}
	for path, rule := range map[string]string{"/hidden": "noindex", "/unkept": "noarchive", "/broken": "noarchive", "/gone": "noindex"} {
		if e := by[path]; e == nil || e.Body != nil || e.Withheld != rule {
			t.Errorf("%s: %+v", path, e)
		}
	}
	if len(by) != 11 || len(kept.Exchanges) != 12 || int(by["/long"].Body.Size()) < cfg.Fetch.MaxBody {
		t.Errorf("%d exchanges", len(by))
	}
}

// Requests to a proxy itself, and content that must not be stored, are not archived. With
// obey-noindex off, noindex pages are.
func TestExchangesWithheld(t *testing.T) {
	const secret = "hunter2"
	s := newSite(t, "127.0.0.1", nil) // the proxy: it answers for any host
	s.handle("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60, No-Store")
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no\n")
	})
	s.handle("/p", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") == "" {
			t.Error("the proxy was not told who asks")
		}
		w.Header().Set("X-Robots-Tag", "noarchive")
		_, _ = io.WriteString(w, "content")
	})
	cfg := testConfig(t, "http://site.example/p")
	cfg.Fetch.Proxies = []string{"http://alice:" + secret + "@" + strings.TrimPrefix(s.url, "http://")}
	cfg.Robots.ObeyNoindex = false
	kept := new(keeping)
	runCrawl(t, cfg, &Options{Formats: []output.Format{kept.format()}})
	if len(kept.Exchanges) != 2 {
		t.Fatalf("%d exchanges", len(kept.Exchanges))
	}
	for _, e := range kept.Exchanges {
		if strings.Contains(string(e.Request), "Authorization") || e.Addr != "" {
			t.Errorf("of the proxy there is address %q, request %q", e.Addr, e.Request)
		}
		if page := strings.HasSuffix(e.URL, "/p"); page && string(e.Body.(output.BytesBody)) != "content" || !page && (e.Body != nil || e.Withheld != "no-store") {
			t.Errorf("ROB-CAC-06: %+v", e)
		}
	}
	for _, r := range kept.Robots {
		if r.Body != nil {
			t.Errorf("ROB-CAC-06: %+v", r)
		}
	}
}

// Each request of a crawl and of its recrawl is an exchange: robots.txt, sitemap, tdmrep.json, pages, redirects, errors,
// retries, checks with HEAD and GET, and conditional requests with the status 304.
func TestEveryRequestIsArchived(t *testing.T) {
	other := newSite(t, "127.0.0.2", map[string]string{"/page": "other"})
	other.handle("/no-head", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
		_, _ = io.WriteString(w, "content")
	})
	s := newSite(t, "127.0.0.1", map[string]string{
		"/": `<img src="/image"><link rel="stylesheet" href="/style"><a href="/moved">1</a><a href="/missing">2</a><a href="/down">3</a>
			<a href="/cut">4</a><a href="` + other.url + `/page">5</a><a href="` + other.url + `/no-head">6</a>`,
		"/sitemap.xml": `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{site}/listed</loc></url></urlset>`,
		"/target":      "target", "/image": "image", "/.well-known/tdmrep.json": `[{"location": "/*", "tdm-reservation": 1}]`,
	})
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "User-agent: *\nAllow: /\nSitemap: http://%s/sitemap.xml\n", r.Host)
	})
	s.handle("/style", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		_, _ = io.WriteString(w, "a { background: url(/image) }")
	})
	s.handle("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/target", http.StatusFound) })
	s.handle("/listed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "a.html", time.Time{}, strings.NewReader("listed"))
	})
	s.handle("/down", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	s.handle("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "part")
	})
	cfg := testConfig(t, s.url+"/")
	cfg.Scope.Check, cfg.Usage.Permissions, cfg.Fetch.Retries = []string{CheckAll}, true, 1
	cfg.Limits.MaxWait = time.Minute
	kept := new(keeping)
	for _, recrawl := range []bool{false, true} {
		runCrawl(t, cfg, &Options{Recrawl: recrawl, Formats: []output.Format{kept.format()}})
		cfg.Scope.Check = nil // with checks, requests are not conditional
	}
	var sent, archived []string
	for _, site := range []*site{s, other} {
		for _, r := range site.requests() {
			sent = append(sent, r.method+" "+site.url+r.uri)
		}
	}
	statuses := make(map[int]bool)
	for _, e := range kept.Exchanges {
		method, _, _ := strings.Cut(string(e.Request), " ")
		archived = append(archived, method+" "+e.URL)
		statuses[e.Status] = true
		if body, _ := e.Body.(output.BytesBody); strings.HasSuffix(e.URL, "/cut") && (string(body) != "part" || e.Truncated != output.TruncatedDisconnect) {
			t.Errorf("%+v", e)
		}
	}
	slices.Sort(sent)
	slices.Sort(archived)
	if diff := cmp.Diff(sent, archived); diff != "" {
		t.Errorf("requests (-sent +archived):\n%s", diff)
	}
	for _, status := range []int{200, 302, 304, 404, 405, 503} {
		if !statuses[status] {
			t.Errorf("there is no response of status %d", status)
		}
	}
}
