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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// benchSiteEnv makes the test binary serve the site instead of testing.
const benchSiteEnv = "POLITECRAWL_BENCH_SITE"

// A benchSite is a site in a process of its own.
type benchSite struct {
	url   string
	pages int // how many different ones a crawler is to find
}

// benchSeen is what the site saw since it was last asked.
type benchSeen struct{ Pages, Repeated, Disallowed int }

// seen asks the site what it saw.
func (s *benchSite) seen(b *testing.B) (seen benchSeen) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(s.url + benchSeenPath)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&seen); err != nil {
		b.Fatal(err)
	}
	return seen
}

// startBenchSite starts a site of size pages.
func startBenchSite(b *testing.B, size int) *benchSite {
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
	return &benchSite{url: strings.TrimSpace(line), pages: size + 2*benchListed}
}

const (
	benchSeenPath = "/seen"
	benchListed   = 10 // pages that are also linked with a query, in two orders
)

// benchDisallowed is what the site's robots.txt disallows.
func benchDisallowed(u *url.URL) bool {
	return strings.HasPrefix(u.Path, "/no/") || strings.HasPrefix(u.RawQuery, "session=")
}

// serveBenchSite is the site: pages of 20 KB with 30 links. Page n links to 2n+1
// and 2n+2, so that all are found, and to others: by way of a fragment, by a query
// in either order, to other hosts, to disallowed paths.
func serveBenchSite(size int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var (
		mu    sync.Mutex
		count benchSeen
		asked = make(map[string]bool)
	)
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /no/\nDisallow: /*?session=\n")
	})
	mux.HandleFunc(benchSeenPath, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(w).Encode(count)
		count = benchSeen{}
		clear(asked)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		switch {
		case benchDisallowed(r.URL):
			count.Disallowed++
		case asked[r.RequestURI]:
			count.Repeated++
		default:
			asked[r.RequestURI] = true
			count.Pages++
		}
		mu.Unlock()
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p/"))
		page := benchHTML(n, size)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page)
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

// benchHTML is page n.
func benchHTML(n, size int) []byte {
	const words = "<p class=\"text\">Words of a page, some <b>bold</b> and some not, as long as a paragraph of it may well be.</p>\n"
	var page bytes.Buffer
	fmt.Fprintf(&page, "<!doctype html><html><head><title>Page %d</title></head><body>\n", n)
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
		for range 6 {
			page.WriteString(words)
		}
	}
	page.WriteString("</body></html>\n")
	return page.Bytes()
}
