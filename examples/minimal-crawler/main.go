// How is a polite crawler made? Minimal-crawler is one, small enough to copy: it crawls
// the hosts of its start URLs by links and sitemaps. Its arguments are the start URLs;
// without any it crawls a site of its own.
//
// The frontier keeps a queue and a clock for each host. A worker leases a URL, makes one
// request to its host, and finishes the lease with an outcome. robotsext says whether
// the URL may be fetched, and reads the sitemaps.
//
// It leaves out what pages ask for by robots meta elements and nofollow (see package
// robotstag), and private addresses (see package guard).
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
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/server"
)

const (
	userAgent   = "examplebot/1.0 (+https://example.com/bot)"
	workers     = 8 // requests at once, each to another host
	maxPages    = 1000
	maxAttempts = 5        // for one URL
	maxBody     = 10 << 20 // bytes of a page that are read
)

func main() {
	starts, delay := os.Args[1:], time.Second
	if len(starts) == 0 {
		site, err := demosite.Start(nil)
		if err != nil {
			log.Fatal(err)
		}
		starts, delay = site.StartURLs(), 10*time.Millisecond // nobody is bothered
	}
	if err := crawl(context.Background(), starts, delay); err != nil {
		log.Fatal(err)
	}
}

type crawler struct {
	frontier frontier.Frontier
	robots   *robotsext.Robots
	client   *http.Client
	delay    time.Duration // between two requests to a host, at least
}

// crawl returns when every URL that it finds is fetched or given up, or after maxPages.
func crawl(ctx context.Context, starts []string, delay time.Duration) (err error) {
	c := &crawler{delay: delay, frontier: frontier.NewMemory(nil)}
	c.robots, err = robotsext.New(userAgent, &robotsext.Options{
		Fetch:    robotsext.FetchOptions{Wait: c.wait},
		Outage:   robotsext.OutageOptions{RetryMin: 60 * delay},
		Sitemaps: robotsext.SitemapOptions{Delay: delay},
	})
	if err != nil {
		return err
	}
	c.client = &http.Client{
		Transport:     c.robots.Transport(nil), // sends userAgent, and nothing that robots.txt disallows
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, start := range starts {
		u, err := url.Parse(start)
		if err != nil {
			return err
		}
		if _, err := c.frontier.Add(ctx, items(u, start)); err != nil {
			return err
		}
	}
	errs := make(chan error, workers)
	for range workers {
		go func() { errs <- c.work(ctx) }()
	}
	for range workers {
		err = errors.Join(err, <-errs)
	}
	return err
}

// work visits URLs until none is left.
func (c *crawler) work(ctx context.Context) error {
	for {
		leases, err := c.frontier.Lease(ctx, frontier.LeaseRequest{Wait: time.Second, For: time.Hour})
		if err != nil {
			return err
		}
		for _, lease := range leases {
			if _, err := c.frontier.Finish(ctx, []frontier.Outcome{c.visit(ctx, lease)}, nil); err != nil {
				return err
			}
		}
		if stats, err := c.frontier.Stats(ctx); err != nil || stats.Finished() || stats.Done >= maxPages {
			return err
		}
	}
}

// visit takes one URL from lease to outcome.
func (c *crawler) visit(ctx context.Context, lease frontier.Lease) frontier.Outcome {
	leased := time.Now()
	outcome := frontier.Outcome{Lease: lease.ID, Result: frontier.Drop}
	u, err := url.Parse(lease.URL)
	if err != nil {
		return outcome
	}
	ctx = context.WithValue(ctx, hostKey{}, lease.Host)
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
		// This lease was spent on robots.txt. The page waits for another one.
		outcome.Result, outcome.HostDelay = frontier.Defer, delay
		for page, err := range c.robots.Sitemaps(ctx, u) {
			if err != nil {
				log.Print(err) // one file: the others go on
				continue
			}
			outcome.Links = append(outcome.Links, items(u, page.Loc)...)
		}
	case d.Verdict == robotsext.Allowed:
		refs, err := c.fetch(ctx, lease.Host, u)
		outcome.Result, outcome.Links, outcome.HostDelay = frontier.Done, items(u, refs...), delay
		if err != nil {
			outcome.Result, outcome.NotBefore = retry, time.Now().Add(10*delay)
		}
	}
	return outcome
}

// fetch requests a page and returns the references on it.
func (c *crawler) fetch(ctx context.Context, host frontier.Host, u *url.URL) (refs []string, err error) {
	resp, err := c.client.Get(u.String())
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, u)
	now := time.Now()
	if wait := robotsext.RetryAfter(resp.Header, now); wait > 0 {
		if err := c.frontier.UpdateHost(ctx, host, frontier.HostUpdate{BlockUntil: now.Add(wait)}); err != nil {
			return nil, err
		}
	}
	switch {
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return nil, errors.New(resp.Status)
	case resp.StatusCode >= 300:
		return resp.Header.Values("Location"), nil
	case !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html"):
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	page := extract.Parse(body)
	base, invalid := u.Parse(page.Base)
	if invalid != nil {
		base = u
	}
	for _, link := range page.Links {
		if ref, invalid := base.Parse(link.URL); invalid == nil {
			refs = append(refs, ref.String())
		}
	}
	return refs, err
}

// items returns references on a page as URLs for the frontier, if they lead to its host.
func items(page *url.URL, refs ...string) (items []frontier.Item) {
	for _, ref := range refs {
		u, err := page.Parse(ref)
		if err != nil || server.Name(u.Host) != server.Name(page.Host) {
			continue
		}
		if origin, err := robotsext.OriginOf(u); err == nil {
			items = append(items, frontier.Item{URL: string(origin) + u.RequestURI()}) // no fragment
		}
	}
	return items
}

type hostKey struct{} // of the host that is leased, in a context

// wait is called before each request for a robots.txt or a sitemap. The host of the lease
// gets them one delay apart. Others, where redirects lead, have to be free.
func (c *crawler) wait(ctx context.Context, u *url.URL) (done func(), err error) {
	host, err := frontier.HostOf(u.String())
	if err != nil {
		return nil, err
	}
	if host == ctx.Value(hostKey{}) {
		time.Sleep(c.delay)
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // two hosts may wait for each other
	defer cancel()
	release, err := c.frontier.Hold(ctx, host)
	return func() { release(c.delay) }, err
}
