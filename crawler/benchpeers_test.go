package crawler

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"golang.org/x/net/html"
)

// benchPage is the line that the peers write.
type benchPage struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Title  string `json:"title"`
}

// benchColly is what colly's documentation shows, with its own robots check.
func benchColly(b *testing.B, site, out string) {
	file, err := os.Create(out)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
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
	lines := json.NewEncoder(file)
	c.OnHTML("title", func(e *colly.HTMLElement) {
		mu.Lock()
		defer mu.Unlock()
		_ = lines.Encode(benchPage{e.Request.URL.String(), e.Response.StatusCode, e.Text})
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	if err := c.Visit(site + "/p/0"); err != nil {
		b.Fatal(err)
	}
	c.Wait()
}

// A bareCrawl is four goroutines, a queue and a map of what was seen. That the
// site disallows is built in.
type bareCrawl struct {
	client *http.Client
	host   string
	lines  *bufio.Writer

	mu    sync.Mutex // guards what follows, and lines
	wake  *sync.Cond
	queue []string
	seen  map[string]bool
	busy  int
}

func benchBare(b *testing.B, site, out string) {
	file, err := os.Create(out)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	c := &bareCrawl{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
		host:   strings.TrimPrefix(site, "http://"), lines: bufio.NewWriter(file),
		queue: []string{site + "/p/0"}, seen: map[string]bool{site + "/p/0": true},
	}
	c.wake = sync.NewCond(&c.mu)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for at, ok := c.next(); ok; at, ok = c.next() {
				if err := c.visit(at); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
	c.client.CloseIdleConnections()
	if err := c.lines.Flush(); err != nil {
		b.Fatal(err)
	}
}

func (c *bareCrawl) next() (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && c.busy > 0 {
		c.wake.Wait()
	}
	if len(c.queue) == 0 {
		return "", false
	}
	at := c.queue[0]
	c.queue = c.queue[1:]
	c.busy++
	return at, true
}

func (c *bareCrawl) visit(at string) error {
	resp, err := c.client.Get(at)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := bytes.NewBuffer(make([]byte, 0, max(resp.ContentLength, 0)+bytes.MinRead))
	if _, err := body.ReadFrom(resp.Body); err != nil {
		return err
	}
	title, refs := bareParse(body)
	var found []string
	for _, ref := range refs {
		u, err := resp.Request.URL.Parse(ref)
		if err != nil || u.Host != c.host || benchDisallowed(u) {
			continue
		}
		u.Fragment = ""
		found = append(found, u.String())
	}
	line, err := json.Marshal(benchPage{at, resp.StatusCode, title})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range found {
		if !c.seen[u] {
			c.seen[u] = true
			c.queue = append(c.queue, u)
		}
	}
	c.busy--
	c.wake.Broadcast()
	_, err = c.lines.Write(append(line, '\n'))
	return err
}

func bareParse(body io.Reader) (title string, links []string) {
	z := html.NewTokenizer(body)
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
