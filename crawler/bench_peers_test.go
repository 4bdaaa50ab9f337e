package crawler

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gocolly/colly/v2"
	"golang.org/x/net/html"
)

// benchPeerEnv makes the test binary crawl as a peer instead of testing: "bare OUT PARALLEL SITE..."
// or "colly OUT PARALLEL SITE...".
const benchPeerEnv = "BENCH_PEER"

func benchPeer(args string) error {
	fields := strings.Fields(args)
	parallel, err := strconv.Atoi(fields[2])
	if err != nil {
		return err
	}
	peer := benchColly
	if fields[0] == "bare" {
		peer = benchBare
	}
	return peer(fields[1], parallel, fields[3:]...)
}

// A benchPage is the JSON line that the other crawlers write.
type benchPage struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	Title  string `json:"title"`
}

// benchColly crawls as in the documentation of colly, with its own robots.txt check.
func benchColly(out string, parallel int, sites ...string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	var hosts []string
	for _, site := range sites {
		u, err := url.Parse(site)
		if err != nil {
			return err
		}
		hosts = append(hosts, u.Hostname())
	}
	c := colly.NewCollector(colly.AllowedDomains(hosts...), colly.Async(true))
	c.IgnoreRobotsTxt = false
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		return err
	}
	var mu sync.Mutex
	lines := json.NewEncoder(file)
	c.OnHTML("title", func(e *colly.HTMLElement) {
		mu.Lock()
		defer mu.Unlock()
		_ = lines.Encode(benchPage{e.Request.URL.String(), e.Response.StatusCode, e.Text})
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	for _, site := range sites {
		if err := c.Visit(site + "/p/0"); err != nil {
			return err
		}
	}
	c.Wait()
	return nil
}

// A bareCrawl has goroutines, a queue and a map of known URLs. The disallowed path is hard-coded.
type bareCrawl struct {
	client *http.Client
	lines  *bufio.Writer

	mu    sync.Mutex // guards what follows, and lines
	wake  *sync.Cond
	queue []string
	seen  map[string]bool
	busy  int
}

func benchBare(out string, parallel int, sites ...string) error {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	c := &bareCrawl{
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallel}},
		lines:  bufio.NewWriter(file), seen: make(map[string]bool),
	}
	for _, site := range sites {
		c.queue, c.seen[site+"/p/0"] = append(c.queue, site+"/p/0"), true
	}
	c.wake = sync.NewCond(&c.mu)
	errs := make([]error, parallel)
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			for at, ok := c.next(); ok && errs[i] == nil; at, ok = c.next() {
				errs[i] = c.visit(at)
			}
		})
	}
	workers.Wait()
	c.client.CloseIdleConnections()
	return errors.Join(errors.Join(errs...), c.lines.Flush())
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
		if err != nil || u.Host != resp.Request.URL.Host || benchDisallowed(u) {
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
