package crawler

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/identity"
)

// BenchmarkSite crawls one host without a delay, with four requests in flight, to profile the crawler. The figure
// is the median over the rounds of the pages that one second of processor time brings in, user and system time
// together. The host is a process of its own, so its time does not count. It is also the judge: a page counts
// once, however often it was requested, and none may be disallowed. BENCH_PAGES sets the size of the site.
func BenchmarkSite(b *testing.B) {
	site := startBenchSite(b, "http", benchPages(b))
	var rates []float64
	for b.Loop() {
		rates = append(rates, benchRound(b, site, ""))
	}
	b.ReportMetric(median(rates), "pages/CPU-s")
}

// BenchmarkSigned crawls the site of BenchmarkSite in turn without and with signatures, and reports
// how much more processor time a signed page takes. A signature serves the requests of a host for a
// minute; BenchmarkSign of package botauth says what a new one costs.
func BenchmarkSigned(b *testing.B) {
	site := startBenchSite(b, "http", benchPages(b))
	dir := filepath.Join(b.TempDir(), "identity")
	if _, err := identity.Create(dir, identity.Settings{Agent: "https://bot.example.com/", Name: "politecrawl"}, identity.FileSource, nil); err != nil {
		b.Fatal(err)
	}
	var unsigned, signed, cost []float64
	for b.Loop() {
		u, s := benchRound(b, site, ""), benchRound(b, site, dir)
		unsigned, signed, cost = append(unsigned, u), append(signed, s), append(cost, 100*(u/s-1))
	}
	b.ReportMetric(median(unsigned), "unsigned-pages/CPU-s")
	b.ReportMetric(median(signed), "signed-pages/CPU-s")
	b.ReportMetric(median(cost), "%CPU")
	b.ReportMetric(0, "ns/op")
}

func benchPages(b *testing.B) int {
	s := os.Getenv("BENCH_PAGES")
	if s == "" {
		return 2000
	}
	size, err := strconv.Atoi(s)
	must(b, err)
	return size
}

func median(of []float64) float64 {
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// benchRound crawls the site once, with an identity unless that is empty, and returns the pages per second of
// processor time.
func benchRound(b *testing.B, site *benchSite, identity string) float64 {
	b.Helper()
	runtime.GC() // what the one before left
	cpu := cpuTime()
	benchCrawl(b, site.urls[0], filepath.Join(b.TempDir(), "crawl"), identity)
	cpu = cpuTime() - cpu
	seen := site.seen(b)
	if seen.Pages != site.pages || seen.Disallowed > 0 {
		b.Fatalf("%d pages of %d were fetched, and %d disallowed ones", seen.Pages, site.pages, seen.Disallowed)
	}
	return float64(seen.Pages) / cpu.Seconds()
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func benchCrawl(b *testing.B, site, out, identity string) {
	b.Helper()
	cfg := Default()
	cfg.Fetch.Identity = identity
	cfg.Fetch.AllowAddr = []string{"127.0.0.0/8"}
	cfg.URLs, cfg.Output.Dir, cfg.Politeness.Delay, cfg.Limits.Concurrency, cfg.Politeness.PerHost = []string{site + "/p/0"}, out, 0, 4, 4
	cfg.Limits.TrapPages = max(cfg.Limits.TrapPages, benchPages(b)) // its pages all say the same
	if l := os.Getenv("BENCH_LINKS"); l != "" {
		cfg.Output.Links = LinkList(l)
	}
	c, err := New(cfg, nil)
	must(b, err)
	if _, err := c.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// benchSiteEnv makes the test binary serve the site instead of testing: "VARIANT SIZE", as in
// startBenchSite.
const benchSiteEnv = "POLITECRAWL_BENCH_SITE"

// A benchSite is a site in its own process.
type benchSite struct {
	urls  []string // of its hosts
	pages int      // how many different ones a crawler is to find
	trust string   // file with the certificate of the hosts

	ask  io.Writer
	says *json.Decoder
}

// benchSeen has the requests to the site since the last call of seen.
type benchSeen struct {
	Pages, Disallowed int
	Unlike            int // not in the HTTP version or without the encoding of the variant
}

// seen returns the requests since its last call.
func (s *benchSite) seen(b *testing.B) (seen benchSeen) {
	b.Helper()
	_, err := fmt.Fprintln(s.ask)
	must(b, err)
	must(b, s.says.Decode(&seen))
	return seen
}

// A benchOpening is what a site says first.
type benchOpening struct {
	URLs        []string
	Certificate []byte // PEM
}

// startBenchSite starts a site with a number of pages. The variant says how it serves them: "https1" and
// "https2" are https with HTTP/1.1 and HTTP/2, "gzip" compresses, "15KB" has smaller pages, and "hosts"
// has the pages on benchHosts hosts with benchLatency. Others are one host with http.
func startBenchSite(b *testing.B, variant string, size int) *benchSite {
	b.Helper()
	ask, says, wait := startServer(b, benchSiteEnv, fmt.Sprint(variant, " ", size))
	b.Cleanup(func() { _ = ask.Close(); _ = wait() })
	site := &benchSite{trust: filepath.Join(b.TempDir(), "certificate.pem"), ask: ask, says: says}
	var opening benchOpening
	must(b, says.Decode(&opening))
	must(b, os.WriteFile(site.trust, opening.Certificate, 0o600))
	site.urls = opening.URLs
	site.pages = len(site.urls) * (size/len(site.urls) + 2*benchListed)
	return site
}

const (
	benchListed  = 10 // pages that are also linked with a query, in two orders
	benchHosts   = 64
	benchLatency = 50 * time.Millisecond // of a response
)

// benchDisallowed is the path that the site's robots.txt disallows.
func benchDisallowed(u *url.URL) bool {
	return strings.HasPrefix(u.Path, "/no/") || strings.HasPrefix(u.RawQuery, "session=")
}

// serveBenchSite serves pages of 20 KB with 30 links and with everything that the crawl records of
// a page. On each host, page n links to 2n+1 and 2n+2, so that all are found. The other links have
// fragments, queries in either order, other hosts and disallowed paths.
func serveBenchSite(args string) error {
	var variant string
	var size int
	if _, err := fmt.Sscan(args, &variant, &size); err != nil {
		return err
	}
	hosts := 1
	if variant == "hosts" {
		hosts = benchHosts
	}
	site := &benchHandler{variant: variant, size: size / hosts, asked: make(map[string]bool), gzip: gzip.NewWriter(nil)}
	var opening benchOpening
	for i := range hosts {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:0", i+1))
		if err != nil {
			return err
		}
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: site}, EnableHTTP2: variant == "https2"}
		if strings.HasPrefix(variant, "https") {
			server.StartTLS()
			opening.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		} else {
			server.Start()
		}
		opening.URLs = append(opening.URLs, server.URL)
	}
	say, asks := json.NewEncoder(os.Stdout), bufio.NewScanner(os.Stdin)
	err := say.Encode(opening)
	for err == nil && asks.Scan() {
		err = say.Encode(site.seen())
	}
	return err
}

// A benchHandler serves the hosts of a site.
type benchHandler struct {
	variant string
	size    int // number of pages of a host

	mu    sync.Mutex // guards what follows
	count benchSeen
	asked map[string]bool
	gzip  *gzip.Writer
}

func (h *benchHandler) seen() benchSeen {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer clear(h.asked)
	defer func() { h.count = benchSeen{} }()
	return h.count
}

func (h *benchHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.variant == "hosts" {
		time.Sleep(benchLatency)
	}
	if r.URL.Path == "/robots.txt" {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no/\nDisallow: /*?session=\n")
		return
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p/"))
	paragraphs := 6
	if h.variant == "15KB" {
		paragraphs = 4
	}
	page := h.note(r, benchHTML(r.Host, n, h.size, paragraphs))
	if h.variant == "gzip" {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	w.Header().Set("Content-Language", "en")
	w.Header().Set("Cache-Control", "max-age=600")
	w.Header().Set("ETag", strconv.Quote(r.URL.Path))
	w.Header().Set("Last-Modified", "Sat, 31 Jan 2026 12:00:00 GMT")
	w.Header().Set("Server", "bench/1.0")
	_, _ = w.Write(page)
}

// note counts a request, and returns the page as it is sent.
func (h *benchHandler) note(r *http.Request, page []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch url := r.Host + r.RequestURI; {
	case benchDisallowed(r.URL):
		h.count.Disallowed++
	case !h.asked[url]:
		h.asked[url] = true
		h.count.Pages++
	}
	gzipped := h.variant == "gzip"
	if (r.ProtoMajor == 2) != (h.variant == "https2") || gzipped && !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.count.Unlike++
	}
	if !gzipped {
		return page
	}
	var small bytes.Buffer
	h.gzip.Reset(&small)
	_, _ = h.gzip.Write(page)
	_ = h.gzip.Close()
	return small.Bytes()
}

// benchHTML returns page n of a host. Each link is followed by a number of paragraphs.
func benchHTML(host string, n, size, paragraphs int) []byte {
	const words = "<p class=\"text\">Words of a page, some <b>bold</b> and some not, as long as a paragraph of it may well be.</p>\n"
	var page bytes.Buffer
	fmt.Fprintf(&page, `<!doctype html><html lang="en"><head><title>Page %d</title><meta name="description" content="What page %[1]d of %s says.">`, n, host)
	for _, lang := range []string{"de", "fr", "x-default"} {
		fmt.Fprintf(&page, `<link rel="alternate" hreflang="%s" href="/%[1]s/%d">`, lang, n)
	}
	fmt.Fprintf(&page, "</head><body><h1>Page %d</h1>\n", n)
	for i := range 30 {
		other := int(uint32(n*30+i)*2654435761>>4) % size
		href := fmt.Sprintf("/p/%d", other)
		switch {
		case i < 2 && 2*n+1+i < size:
			href = fmt.Sprintf("%d", 2*n+1+i)
		case i%10 == 5:
			href = fmt.Sprintf("/p/%d?%s", n%benchListed, []string{"a=1&b=2", "b=2&a=1"}[i/10%2])
		case i%10 == 6:
			href = fmt.Sprintf("/p/0?session=%d", n%(size/10))
		case i%10 == 7:
			href = fmt.Sprintf("/no/%d", n%(size/10))
		case i%10 == 8:
			href = fmt.Sprintf("http://elsewhere.invalid/%d", n%(size/10))
		case i == 9:
			href += "#part"
		}
		fmt.Fprintf(&page, "<a class=\"link\" href=\"%s\">link %d</a>\n", href, i)
		for range paragraphs {
			page.WriteString(words)
		}
	}
	page.WriteString("</body></html>\n")
	return page.Bytes()
}
