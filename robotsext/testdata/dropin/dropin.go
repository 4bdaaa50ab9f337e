// Package dropin is ten colly programs with the one line of robotsext. TestDropIn runs it with
// several versions of colly.
package dropin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"reflect"
	"slices"
	"sync"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A site records what it is asked, and by which way.
type site struct {
	*httptest.Server
	robots string

	mu   sync.Mutex
	seen []string // "GET /a by transport"
}

// strict is a robots.txt for which colly's own parser refuses all of the site.
const strict = "Disallow: /\n\nUser-agent: *\nDisallow: /private\n"

func newSite(robots string) *site {
	s := &site{robots: robots}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		line := req.Method + " " + req.URL.Path
		if way := req.Header.Get(wayField); way != "" {
			line += " by " + way
		}
		s.mu.Lock()
		s.seen = append(s.seen, line)
		s.mu.Unlock()
		switch req.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, s.robots)
		case "/to-private":
			http.Redirect(w, req, "/private/target", http.StatusFound)
		}
	}))
	return s
}

// wayField is added to each request by the transport or proxy that the program sets.
const wayField = "X-Way"

// marking is a transport that the program has set.
type marking struct{ way string }

func (m marking) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.Header.Set(wayField, m.way)
	return http.DefaultTransport.RoundTrip(out)
}

// newProxy is an HTTP proxy.
func newProxy() *httptest.Server {
	return httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.Header.Set(wayField, "proxy") },
		Transport: &http.Transport{Proxy: nil},
	})
}

// A setUp is what a program does with its collector beside the one line.
type setUp struct {
	name   string
	before func(c *colly.Collector)
	after  func(c *colly.Collector)
	again  bool   // Attach is called once more after that
	way    string // by which its requests go
	unseen bool   // until the first page: colly requests the robots.txt of its host itself
}

func setUps(proxy string) []setUp {
	type key struct{}
	with := context.WithValue(context.Background(), key{}, true)
	transport := func(c *colly.Collector) { c.WithTransport(marking{"transport"}) }
	client := func(c *colly.Collector) { c.SetClient(&http.Client{Transport: marking{"client"}}) }
	throughProxy := func(c *colly.Collector) {
		if err := c.SetProxy(proxy); err != nil {
			panic(err)
		}
	}
	setContext := func(c *colly.Collector) {
		reflect.ValueOf(c).Elem().FieldByName("Context").Set(reflect.ValueOf(with))
	}
	all := []setUp{
		{name: "plain"},
		{name: "WithTransport before", before: transport, way: "transport"},
		{name: "WithTransport after", after: transport, way: "transport"},
		{name: "SetClient before", before: client, way: "client"},
		{name: "SetClient after", after: client, way: "client", unseen: true},
		{name: "SetClient after, attached again", after: client, again: true, way: "client"},
		{name: "SetProxy before", before: throughProxy, way: "proxy"},
		{name: "SetProxy after", after: throughProxy, way: "proxy"},
		{name: "IgnoreRobotsTxt later", after: func(c *colly.Collector) { c.IgnoreRobotsTxt = true }},
	}
	if hasContexts() {
		all = append(all, setUp{name: "context before", before: setContext}, setUp{name: "context after", after: setContext})
	}
	return all
}

// hasContexts reports whether the collectors of this colly have a context.
func hasContexts() bool {
	return reflect.ValueOf(colly.NewCollector()).Elem().FieldByName("Context").IsValid()
}

// A drive makes three requests with a collector.
type drive struct {
	name string
	do   func(c *colly.Collector, base string) error
}

var paths = []string{"/allowed", "/private/page", "/to-private"}

func visit(c *colly.Collector, base string) error {
	for _, path := range paths {
		_ = c.Visit(base + path) // the site is the judge
	}
	c.Wait()
	return nil
}

var drives = []drive{
	{"sync", visit},
	{"async", func(c *colly.Collector, base string) error {
		c.Async = true
		return visit(c, base)
	}},
	{"clone", func(c *colly.Collector, base string) error { return visit(c.Clone(), base) }},
	{"queue", func(c *colly.Collector, base string) error {
		q, err := queue.New(2, nil)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := q.AddURL(base + path); err != nil {
				return err
			}
		}
		return q.Run(c)
	}},
}

func newRobots() *robotsext.Robots {
	robots, err := robotsext.New("dropinbot/1.0", &robotsext.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	return robots
}

// run is one program, judged by the site that it visits.
func run(s setUp, d drive) error {
	site := newSite(strict)
	defer site.Close()
	robots := newRobots()
	c := colly.NewCollector()
	if s.before != nil {
		s.before(c)
	}
	robots.Attach(c)
	if s.after != nil {
		s.after(c)
	}
	if s.again {
		robots.Attach(c)
	}
	if s.unseen {
		first := newSite("User-agent: *\nDisallow: /private\n")
		defer first.Close()
		if err := c.Visit(first.URL + "/first"); err != nil {
			return err
		}
	}
	if err := d.do(c, site.URL); err != nil {
		return err
	}
	site.mu.Lock()
	defer site.mu.Unlock()
	by := ""
	if s.way != "" {
		by = " by " + s.way
	}
	want := []string{"GET /allowed" + by, "GET /robots.txt" + by, "GET /to-private" + by}
	slices.Sort(site.seen)
	if !slices.Equal(site.seen, want) {
		return fmt.Errorf("the site has seen %q, want %q", site.seen, want)
	}
	return nil
}

// visitRobots holds that a program may read robots.txt as a page.
func visitRobots(site *site, _ *robotsext.Robots, c *colly.Collector) error {
	var got string
	c.OnResponse(func(r *colly.Response) { got = string(r.Body) })
	if err := c.Visit(site.URL + "/robots.txt"); err != nil || got != strict {
		return fmt.Errorf("got %q, error %w", got, err)
	}
	return nil
}

// cloneAfterSetClient holds that a clone sends nothing by a new client until Attach is called
// again. In a colly without contexts, it sends pages unchecked.
func cloneAfterSetClient(site *site, robots *robotsext.Robots, c *colly.Collector) error {
	if err := c.Visit(site.URL + "/allowed"); err != nil {
		return err
	}
	clone := c.Clone()
	c.SetClient(&http.Client{})
	err := clone.Visit(site.URL + "/private/page")
	robots.Attach(c)
	_ = clone.Visit(site.URL + "/private/attached-again")
	want := []string{"GET /robots.txt", "GET /allowed"}
	if !hasContexts() {
		want = append(want, "GET /private/page")
	}
	site.mu.Lock()
	defer site.mu.Unlock()
	if !slices.Equal(site.seen, want) || errors.Is(err, robotsext.ErrDetached) != hasContexts() {
		return fmt.Errorf("the site has seen %q, want %q; error %w", site.seen, want, err)
	}
	return nil
}

// Run returns what the sites of the programs have not seen as they should have.
func Run() (failed []error) {
	proxy := newProxy()
	defer proxy.Close()
	for _, s := range setUps(proxy.URL) {
		for _, d := range drives {
			if err := run(s, d); err != nil {
				failed = append(failed, fmt.Errorf("%s, %s: %w", s.name, d.name, err))
			}
		}
	}
	for name, check := range map[string]func(*site, *robotsext.Robots, *colly.Collector) error{
		"robots.txt as a page":  visitRobots,
		"clone after SetClient": cloneAfterSetClient,
	} {
		site, robots := newSite(strict), newRobots()
		if err := check(site, robots, colly.NewCollector(robots.Attach)); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
		site.Close()
	}
	return failed
}
