package crawler

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"golang.org/x/net/html"
)

// BenchmarkSite crawls one host without a delay: pages of 20 KB with 30 links, of
// which some are disallowed, external, fragments or repeated. The host is a
// process of its own, so pages/CPU-s is what the crawler alone costs. Beside the
// crawler run a minimal colly program and a bare loop of net/http and a
// tokenizer, the practical limit. BENCH_PAGES sets the size of the site.
func BenchmarkSite(b *testing.B) {
	size := 2000
	if s := os.Getenv("BENCH_PAGES"); s != "" {
		var err error
		if size, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	site := startBenchSite(b, size)
	for _, peer := range []struct {
		name  string
		crawl func(b *testing.B, site, out string) int
	}{
		{"politecrawl", benchCrawler}, {"bare", benchBare}, {"colly", benchColly},
	} {
		b.Run(peer.name, func(b *testing.B) {
			pages, cpu := 0, cpuTime()
			for b.Loop() {
				pages += peer.crawl(b, site, filepath.Join(b.TempDir(), "crawl"))
			}
			cpu = cpuTime() - cpu
			if pages != b.N*size {
				b.Fatalf("%d pages fetched in %d rounds of %d", pages, b.N, size)
			}
			b.ReportMetric(float64(pages)/cpu.Seconds(), "pages/CPU-s")
			b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func benchCrawler(b *testing.B, site, out string) int {
	cfg := Default()
	cfg.URLs, cfg.Output, cfg.Delay, cfg.Workers, cfg.PerHost = []string{site + "/p/0"}, out, 0, 4, 4
	c, err := New(cfg, nil)
	if err != nil {
		b.Fatal(err)
	}
	sum, err := c.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return sum.Pages
}

// benchColly is what colly's documentation shows, with its own robots check, and
// a line of JSON for each page.
func benchColly(b *testing.B, site, out string) int {
	file, err := os.Create(out)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	u, err := url.Parse(site)
	if err != nil {
		b.Fatal(err)
	}
	c := colly.NewCollector(colly.AllowedDomains(u.Hostname()), colly.Async(true))
	c.IgnoreRobotsTxt = false
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: 4}); err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	pages, lines := make(map[string]bool), json.NewEncoder(file)
	c.OnHTML("html", func(e *colly.HTMLElement) {
		mu.Lock()
		defer mu.Unlock()
		page := e.Request.URL.Path
		pages[page] = true
		_ = lines.Encode(map[string]any{"url": e.Request.URL.String(), "status": e.Response.StatusCode, "title": e.DOM.Find("title").Text()})
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	if err := c.Visit(site + "/p/0"); err != nil {
		b.Fatal(err)
	}
	c.Wait()
	return len(pages)
}

// benchBare is the least that can be done: four goroutines, a map of what was
// seen, prefixes for robots.txt.
func benchBare(b *testing.B, site, out string) int {
	file, err := os.Create(out)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	base, err := url.Parse(site + "/p/0")
	if err != nil {
		b.Fatal(err)
	}
	var (
		mu      sync.Mutex
		wake    = sync.NewCond(&mu)
		queue   = []string{base.String()}
		seen    = map[string]bool{queue[0]: true}
		busy    int
		pages   int
		workers sync.WaitGroup
		client  = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
	)
	defer client.CloseIdleConnections()
	work := func() {
		for {
			mu.Lock()
			for len(queue) == 0 && busy > 0 {
				wake.Wait()
			}
			if len(queue) == 0 {
				mu.Unlock()
				return
			}
			at := queue[0]
			queue = queue[1:]
			busy++
			mu.Unlock()
			title, links := bareFetch(b, client, at)
			mu.Lock()
			line, _ := json.Marshal(map[string]any{"url": at, "status": 200, "title": title})
			_, _ = file.Write(append(line, '\n'))
			pages++
			busy--
			for _, ref := range links {
				u, err := base.Parse(ref)
				if err != nil || u.Host != base.Host || strings.HasPrefix(u.Path, "/no/") {
					continue
				}
				u.Fragment = ""
				if s := u.String(); !seen[s] {
					seen[s] = true
					queue = append(queue, s)
				}
			}
			wake.Broadcast()
			mu.Unlock()
		}
	}
	for range 4 {
		workers.Go(work)
	}
	workers.Wait()
	return pages
}

func bareFetch(b *testing.B, client *http.Client, at string) (title string, links []string) {
	resp, err := client.Get(at)
	if err != nil {
		b.Error(err)
		return "", nil
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		b.Error(err)
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return title, links
		case html.StartTagToken:
			name, more := z.TagName()
			switch {
			case string(name) == "title" && z.Next() == html.TextToken:
				title = string(z.Text())
			case string(name) == "a":
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					if string(key) == "href" {
						links = append(links, string(value))
					}
				}
			}
		}
	}
}

// benchSiteEnv makes the test binary serve the site instead of testing.
const benchSiteEnv = "POLITECRAWL_BENCH_SITE"

// startBenchSite runs the site in a process of its own and returns its URL.
func startBenchSite(b *testing.B, size int) string {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", benchSiteEnv, size))
	stop, err := cmd.StdinPipe() // it serves until this is closed
	if err != nil {
		b.Fatal(err)
	}
	says, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = stop.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(says).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// serveBenchSite is the site: page n links to 2n+1 and 2n+2, so that all are
// found, and to others.
func serveBenchSite(size int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	words := strings.Repeat("<p class=\"text\">Words of a page, some <b>bold</b> and some not, as long as a paragraph is.</p>\n", 5)
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no/\nDisallow: /*?session=\n")
	})
	mux.HandleFunc("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n >= size {
			http.NotFound(w, r)
			return
		}
		var page bytes.Buffer
		fmt.Fprintf(&page, "<!doctype html><html><head><title>Page %d</title></head><body>\n", n)
		for i := range 30 {
			href := fmt.Sprintf("/p/%d", (n*31+i*7919)%size)
			switch {
			case i < 2 && 2*n+1+i < size:
				href = fmt.Sprintf("%d", 2*n+1+i)
			case i%10 == 7:
				href = fmt.Sprintf("/no/%d", n%50)
			case i%10 == 8:
				href = "http://elsewhere.invalid/"
			case i%10 == 9:
				href += "#part"
			}
			fmt.Fprintf(&page, "<a class=\"link\" href=\"%s\">link %d</a>\n%s", href, i, words)
		}
		page.WriteString("</body></html>")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	})
	fmt.Println("http://" + listener.Addr().String())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
