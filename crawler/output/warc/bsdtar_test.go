package warc

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// bsdtar runs libarchive's bsdtar. Where there is none the test is skipped, but for
// continuous integration, which has to have it.
func bsdtar(t *testing.T, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("bsdtar")
	if err != nil {
		const missing = "no bsdtar to read the archive with; install it (on Debian: apt-get install libarchive-tools)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("bsdtar %q: %v: %s", args, err, &stderr)
	}
	return out
}

// A recorder asks a server and keeps what went over the wire.
type recorder struct {
	t      *testing.T
	client *http.Client
	found  output.Found
}

func (r *recorder) get(rawURL string, header ...string) {
	r.t.Helper()
	x := &output.Exchange{URL: rawURL, Began: time.Now()}
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, rawURL, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if x.Request, err = httputil.DumpRequestOut(req, false); err != nil {
		r.t.Fatal(err)
	}
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		x.Addr, _, _ = net.SplitHostPort(info.Conn.RemoteAddr().String())
	}}
	resp, err := r.client.Transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if x.Body, err = io.ReadAll(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	x.Took, x.Proto, x.Status = time.Since(x.Began), resp.Proto, resp.StatusCode
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %s\r\n", resp.Status)
	if err := resp.Header.Write(&head); err != nil {
		r.t.Fatal(err)
	}
	x.Response = append(head.Bytes(), "\r\n"...)
	r.found.Exchanges = append(r.found.Exchanges, x)
	r.found.Pages = append(r.found.Pages, &output.Page{URL: rawURL, Status: x.Status, Source: "link", Depth: 1, FetchedAt: x.Began})
}

// A site is pages of all sizes, so that their records come to lie everywhere, and
// what else a crawl meets.
func site() http.Handler {
	random := rand.New(rand.NewPCG(5, 6))
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
	}
	for n := range 240 {
		page(fmt.Sprintf("/page/%d.html", n), fmt.Sprintf("<title>%d</title>%s", n, strings.Repeat("x ", random.IntN(1<<(1+n%15)))))
	}
	for n := range 12 {
		page(fmt.Sprintf("/large/%d", n), strings.Repeat(fmt.Sprint("z", n), 20_000*(n+1)))
	}
	page("/{$}", "the front page")
	page("/folder/", "a page in a folder: "+strings.Repeat("y", 1000))
	page("/robots.txt", "User-agent: *\nDisallow: /private\n")
	page("/sitemap.xml", "<urlset/>")
	page("/twin", "<title>7</title>")
	page("/search", "what was looked for")
	mux.HandleFunc("GET /packed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "packed by the server")
		z.Close()
	})
	mux.Handle("GET /moved", http.RedirectHandler("/page/1.html", http.StatusMovedPermanently))
	mux.HandleFunc("GET /same", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("the same as ever"))
	})
	return mux
}

// TestBsdtar writes what a server was asked and has answered, and has bsdtar read it.
func TestBsdtar(t *testing.T) {
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(proto, func(t *testing.T) {
			server := httptest.NewUnstartedServer(site())
			if server.EnableHTTP2 = proto == "HTTP/2.0"; server.EnableHTTP2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			transport := server.Client().Transport.(*http.Transport)
			transport.DisableCompression = true
			r := &recorder{t: t, client: &http.Client{Transport: transport}}
			dir := t.TempDir()
			s := openSink(t, dir, &Options{MaxBytes: 200_000, Software: "test"})
			for i, path := range []string{
				"/robots.txt", "/sitemap.xml", "/", "/moved", "/packed", "/missing", "/same",
				"/search?q=a+b&p=2", "/search?q=%C3%A9%20%22", "/folder/",
			} {
				r.get(server.URL + path)
				if i%3 == 0 {
					flush(t, s, r)
				}
			}
			r.get(server.URL+"/same", "If-None-Match", `"1"`)
			for n := range 240 {
				r.get(fmt.Sprintf("%s/page/%d.html", server.URL, n))
				if n%7 == 0 {
					flush(t, s, r)
				}
				if n%20 == 0 && n/20 < 12 {
					r.get(fmt.Sprintf("%s/large/%d", server.URL, n/20))
				}
			}
			r.get(server.URL + "/twin")
			flush(t, s, r)
			sinktest.Close(t, s)

			all := readDir(t, dir)
			compare(t, dir, all, server.URL)
			if fillers := slices.DeleteFunc(slices.Clone(all), func(r *parsed) bool { return !isFiller(r) }); len(fillers) == 0 {
				t.Error("no record had to be moved: too little for the test")
			}
			for _, rec := range all {
				if want := map[string]string{"HTTP/2.0": "h2"}[proto]; rec.kind() == "response" && rec.get("WARC-Protocol") != want {
					t.Fatalf("protocol %q, want %q", rec.get("WARC-Protocol"), want)
				}
			}
		})
	}
}

func flush(t *testing.T, s output.Sink, r *recorder) {
	t.Helper()
	sinktest.Write(t, s, &r.found)
	r.found = output.Found{}
}

// compare holds what bsdtar finds in the files against what our reader finds, and
// against what the server says again.
func compare(t *testing.T, dir string, all []*parsed, origin string) {
	t.Helper()
	var listed []*parsed // what bsdtar takes for a file: responses whose URL has a last segment
	for _, r := range all {
		if u := r.get("WARC-Target-URI"); r.kind() == "response" && !strings.HasSuffix(u, "/") {
			listed = append(listed, r)
		}
	}
	if len(listed) < 240 {
		t.Fatalf("%d responses", len(listed))
	}
	handler := site()
	for number := 0; ; number++ {
		archive := filepath.Join(dir, fileName(number))
		if _, err := os.Stat(archive); err != nil {
			if number < 2 {
				t.Errorf("%d files", number)
			}
			break
		}
		here := slices.DeleteFunc(slices.Clone(listed), func(r *parsed) bool { return r.file != fileName(number) })
		var names strings.Builder
		for _, r := range here {
			fmt.Fprintln(&names, strings.TrimPrefix(r.get("WARC-Target-URI"), origin+"/"))
		}
		if got := string(bsdtar(t, "-tf", archive)); got != names.String() {
			t.Errorf("bsdtar -tf %s:\n%s\nwant\n%s", fileName(number), got, &names)
		}
		got := bsdtar(t, "-xOf", archive)
		for _, r := range here {
			u, err := url.Parse(r.get("WARC-Target-URI"))
			if err != nil {
				t.Fatal(err)
			}
			if got = next(t, got, r); got == nil {
				return
			}
			resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(r.block)), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			want := httptest.NewRecorder()
			handler.ServeHTTP(want, httptest.NewRequest(http.MethodGet, u.RequestURI(), http.NoBody))
			if err != nil || resp.StatusCode != want.Code || !bytes.Equal(body, want.Body.Bytes()) {
				t.Errorf("%s: archived with %d and %d bytes (%v), the server has %d and %d",
					u, resp.StatusCode, len(body), err, want.Code, want.Body.Len())
			}
		}
		if len(got) > 0 {
			t.Errorf("bsdtar -xOf %s has %d bytes more", fileName(number), len(got))
		}
	}
}

// next takes the block of a record from what bsdtar -xOf wrote. Some versions write
// four zero bytes behind each, for the end of the record.
func next(t *testing.T, out []byte, r *parsed) []byte {
	t.Helper()
	rest, ok := bytes.CutPrefix(out, r.block)
	if !ok {
		t.Errorf("bsdtar has something else where %s should be: %q", r.get("WARC-Target-URI"), out[:min(len(out), 100)])
		return nil
	}
	rest, _ = bytes.CutPrefix(rest, []byte{0, 0, 0, 0})
	return rest
}

// TestBsdtarAwkward writes records of lengths behind which bsdtar finds no other one.
func TestBsdtarAwkward(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	const size = 3*blockSize - 10
	large := answered("http://a.test/large", 200, "")
	large.Body = bytes.Repeat([]byte("."), size-len(large.Response))
	for range 2 {
		sinktest.Write(t, s, &output.Found{Exchanges: []*output.Exchange{answered("http://a.test/small", 200, ""), large}})
		large.Body[0]++
	}
	sinktest.Close(t, s)
	all := readDir(t, dir)
	for number := range 2 {
		archive := filepath.Join(dir, fileName(number))
		if got := string(bsdtar(t, "-tf", archive)); got != "small\nlarge\n" {
			t.Errorf("bsdtar -tf %s: %q", fileName(number), got)
		}
		got := bsdtar(t, "-xOf", archive)
		for _, r := range all {
			if r.file == fileName(number) && r.kind() == "response" && got != nil {
				got = next(t, got, r)
			}
		}
		if len(got) > 0 {
			t.Errorf("bsdtar -xOf %s has %d bytes more", fileName(number), len(got))
		}
	}
	if files := contents(t, dir); len(files) != 2 {
		t.Errorf("files %s", sizes(files))
	}
}
