// How do I write a polite crawler? Minimal-crawler is small enough to copy. Its arguments are
// URLs; it crawls their hosts, by links and sitemaps.
//
// The frontier has a queue for each host, and knows when the host is due. The crawler leases a
// URL, makes one request to its host, and finishes the lease with an outcome. Package robotsext
// decides whether the URL may be fetched, and reads the sitemaps.
//
// The crawler makes one request at a time. It does not handle robots meta elements and nofollow
// (see package robotstag), and does not check for private addresses (see package guard).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/serverkey"
)

const (
	userAgent   = "examplebot/1.0 (+https://example.com/bot)"
	maxPages    = 1000
	maxAttempts = 5        // for one URL
	maxBody     = 10 << 20 // bytes of a page that are read
)

func main() {
	if len(os.Args) == 1 {
		log.Fatal("usage: minimal-crawler URL…")
	}
	if err := crawl(context.Background(), os.Args[1:], time.Second); err != nil {
		log.Fatal(err)
	}
}

type crawler struct {
	robots *robotsext.Robots
	client *http.Client
	delay  time.Duration // minimum time between two requests to a host
}

// crawl returns when all URLs are fetched or have failed, or after maxPages.
func crawl(ctx context.Context, starts []string, delay time.Duration) error {
	pause := func(context.Context, *url.URL) (func(), error) { // after each robots.txt and sitemap
		return func() { time.Sleep(delay) }, nil
	}
	robots, err := robotsext.New(userAgent, &robotsext.Options{
		Fetch:    robotsext.FetchOptions{Wait: pause},
		Outage:   robotsext.OutageOptions{RetryMin: 60 * delay},
		Sitemaps: robotsext.SitemapOptions{Delay: delay},
	})
	if err != nil {
		return err
	}
	c := &crawler{robots: robots, delay: delay, client: &http.Client{
		Transport:     robots.Transport(nil), // sends userAgent, and nothing that robots.txt disallows
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	queue := frontier.NewMemory(nil)
	for _, start := range starts {
		u, err := url.Parse(start)
		if err != nil {
			return err
		}
		if _, err := queue.Add(ctx, items(u, start)); err != nil {
			return err
		}
	}
	for {
		leases, err := queue.Lease(ctx, frontier.LeaseRequest{Max: 1, Wait: time.Second, Duration: time.Hour})
		if err != nil {
			return err
		}
		for _, lease := range leases {
			if _, err := queue.Finish(ctx, []frontier.Outcome{c.visit(ctx, lease)}, nil); err != nil {
				return err
			}
		}
		if stats, err := queue.Stats(ctx); err != nil || stats.Finished() || stats.Done >= maxPages {
			return err
		}
	}
}

// visit processes one URL from lease to outcome.
func (c *crawler) visit(ctx context.Context, lease frontier.Lease) frontier.Outcome {
	leased := time.Now()
	outcome := frontier.Outcome{Lease: lease.ID, Result: frontier.Drop}
	u, err := url.Parse(lease.URL)
	if err != nil {
		return outcome
	}
	d, err := c.robots.Decide(ctx, u)
	if err != nil {
		return outcome
	}
	delay := max(c.delay, d.Group.CrawlDelay())
	retry := frontier.Retry
	if lease.Attempt >= maxAttempts {
		retry = frontier.Drop
	}
	switch {
	case d.Verdict == robotsext.Later:
		outcome.Result, outcome.NotBefore, outcome.HostDelay = retry, d.RetryAt, delay
	case d.Record != nil && d.Record.FetchedAt.After(leased):
		// This lease was used for robots.txt. The page needs another one.
		outcome.Result, outcome.HostDelay = frontier.Defer, delay
		for page, err := range c.robots.Sitemaps(ctx, u) {
			if err != nil {
				log.Print(err) // the other sitemaps are still read
				continue
			}
			outcome.Links = append(outcome.Links, items(u, page.Loc)...)
		}
	case d.Verdict == robotsext.Allowed:
		links, wait, err := c.fetch(u)
		outcome.Result, outcome.Links, outcome.HostDelay = frontier.Done, links, max(delay, wait)
		if err != nil {
			outcome.Result, outcome.NotBefore = retry, time.Now().Add(10*delay)
		}
	}
	return outcome
}

// fetch requests a page. It returns the URLs that the page links to, and the delay that the host
// wants before the next request.
func (c *crawler) fetch(u *url.URL) (links []frontier.Item, wait time.Duration, err error) {
	resp, err := c.client.Get(u.String())
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, u)
	wait = robotsext.RetryAfter(resp.Header, time.Now())
	switch {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return nil, wait, errors.New(resp.Status)
	case resp.StatusCode >= 300:
		return items(u, resp.Header.Values("Location")...), wait, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if extract.IsPage(resp.Header, body) {
		for _, link := range extract.Read(extract.Page{URL: u.String(), Header: resp.Header, Body: body}, nil).Links {
			links = append(links, items(u, link.URL)...)
		}
	}
	return links, wait, err
}

// items returns the links of a page to its own host, as URLs for the frontier.
func items(page *url.URL, refs ...string) (items []frontier.Item) {
	for _, ref := range refs {
		u, err := page.Parse(ref)
		if err != nil || serverkey.Of(u.Host) != serverkey.Of(page.Host) {
			continue
		}
		if origin, err := robotsext.OriginOf(u); err == nil {
			items = append(items, frontier.Item{URL: string(origin) + u.RequestURI()}) // no fragment
		}
	}
	return items
}
