package permit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/serverkey"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A client requests what the results need, one request after the other.
type client struct {
	robots  *robotsext.Robots
	http    *http.Client
	timeout time.Duration

	delay  time.Duration            // of all servers
	delays map[string]time.Duration // Crawl-delay, by server
	ended  map[string]time.Time     // end of the last request, by server
}

func (p *permit) newClient() (*client, error) {
	g, err := site.NewGuard(p.site.Allowed)
	if err != nil {
		return nil, err
	}
	c := &client{
		timeout: p.site.Timeout, delay: p.site.Delay,
		delays: map[string]time.Duration{}, ended: map[string]time.Time{},
	}
	c.robots, err = robotsext.New(p.site.UserAgent, &robotsext.Options{
		Guard: g, Logger: slog.New(slog.DiscardHandler),
		Fetch: robotsext.FetchOptions{Timeout: p.site.Timeout, Wait: c.wait},
	})
	if err != nil {
		return nil, cli.Misuse("permit: --user-agent: %w", err)
	}
	c.http = &http.Client{
		Transport:     c.robots.Transport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// wait waits until the server of u may be requested. Done ends the request.
func (c *client) wait(ctx context.Context, u *url.URL) (done func(), err error) {
	server := serverkey.Of(u.Host)
	if ended, ok := c.ended[server]; ok {
		timer := time.NewTimer(time.Until(ended.Add(max(c.delay, c.delays[server]))))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func() { c.ended[server] = time.Now() }, nil
}

const maxRedirects = 5

// A response has been read.
type response struct {
	url    *url.URL // requested last
	status int      // 0 if there is no response
	header http.Header
	body   []byte // at most the limit
}

// get requests u and its redirect targets, each if robots.txt allows it. After an error the response
// has at least the URL.
func (c *client) get(ctx context.Context, u *url.URL, limit int64) (response, error) {
	for range maxRedirects + 1 {
		d, err := c.robots.Decide(ctx, u)
		if err == nil {
			err = d.Err(u)
		}
		if err != nil {
			return response{url: u}, err
		}
		c.delays[serverkey.Of(u.Host)] = d.Group.CrawlDelay()
		resp, err := c.request(ctx, u, limit)
		if err != nil {
			return resp, err
		}
		location := resp.header.Get("Location")
		if location == "" || resp.status < 300 || resp.status > 399 {
			return resp, nil
		}
		if u, err = u.Parse(location); err != nil {
			return resp, fmt.Errorf("invalid redirect: %w", err)
		}
	}
	return response{url: u}, fmt.Errorf("more than %d redirects", maxRedirects)
}

// request sends one request.
func (c *client) request(ctx context.Context, u *url.URL, limit int64) (response, error) {
	got := response{url: u}
	done, err := c.wait(ctx, u)
	if err != nil {
		return got, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return got, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if about, ok := errors.AsType[*url.Error](err); ok {
			err = about.Err // without the URL
		}
		return got, err
	}
	defer func() { _ = resp.Body.Close() }()
	got.status, got.header = resp.StatusCode, resp.Header
	got.body, err = io.ReadAll(io.LimitReader(resp.Body, limit))
	return got, err
}

// readSite decides by what the site says: robots.txt, the page, tdmrep.json and a license file.
func (p *permit) readSite(ctx context.Context, a *result, u *url.URL) error {
	c := p.online
	if d, err := c.robots.Decide(ctx, u); err == nil && d.Record != nil && d.Record.File != nil {
		first := *a
		if p.readRobots(&first, d.Record.File, d.Record.Hash, u); first.Verdict == disallowed {
			*a = first // the crawler of --agent would not learn of a redirect
			return nil
		}
	}
	began := time.Now()
	resp, err := c.get(ctx, u, int64(crawler.Default().Fetch.MaxBody))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if resp.url != u {
		u = resp.url
		a.Page = u.String()
	}
	d, undecided := c.robots.Decide(ctx, u)
	if undecided != nil {
		p.failed(a, "%v", undecided)
		return nil
	}
	if d.Record != nil && d.Record.File != nil { // for the crawler of --agent
		p.readRobots(a, d.Record.File, d.Record.Hash, u)
	} else if a.decide(d.Group, robotstxt.Verdict{Allowed: d.Verdict != robotsext.Disallowed}); d.Verdict == robotsext.Later {
		a.Verdict = later
		p.unreachable(a, d)
		return nil
	}
	if a.Verdict == disallowed {
		return nil
	}
	said, unread := c.robots.SiteUsage(ctx, u, usage.TDM)
	if unread != nil {
		return unread
	}
	a.Status = resp.status
	for _, s := range said.Statements {
		if s.Source.Kind == usage.InFile { // tdmrep.json
			a.Statements = append(a.Statements, s)
		}
	}
	if said.TDMRepProblem != "" {
		a.fail("%s%s states nothing: %s", d.Record.Origin, usage.TDMRepPath, said.TDMRepProblem)
		if len(p.names) > 0 && slices.Contains(p.purposes, usage.TDM) { // the answer may change, as without a robots.txt
			p.code = cli.Worse(p.code, cli.ExitLater)
		}
	}
	switch {
	case err != nil:
		if why := site.RefusedAddress(err, u.Hostname()); why != "" {
			err = errors.New(why)
		}
		p.failed(a, "the page could not be read: %v", err)
	case resp.status < 200 || resp.status > 299:
		p.failed(a, "the page could not be read: status %d", resp.status)
	default:
		a.Statements = append(a.Statements, crawler.PageUsage(resp.header, resp.body, p.token, began)...)
	}
	p.readLicense(ctx, a, u)
	return nil
}

// unreachable explains why robots.txt could not be read.
func (p *permit) unreachable(a *result, d robotsext.Decision) {
	from := d.Record.Origin.RobotsURL()
	if why := site.RefusedRobots(d.Record); why != "" {
		p.failed(a, "%s is blocked: %s", from, why)
		return
	}
	reason := cmp.Or(cli.ErrorText(d.Record.Err), fmt.Sprintf("status %d", d.Record.Status))
	a.fail("%s is unreachable: %s", from, reason)
	p.code = cli.Worse(p.code, cli.ExitLater)
}

// failed adds an error that ends the command with exit code 3.
func (p *permit) failed(a *result, format string, args ...any) {
	a.fail(format, args...)
	p.code = cli.Worse(p.code, cli.ExitFailed)
}

// readLicense adds the statements of the first license file that a statement names.
func (p *permit) readLicense(ctx context.Context, a *result, page *url.URL) {
	for i := range a.Statements {
		s := &a.Statements[i]
		if s.Kind != usage.KindRSL {
			continue
		}
		found, err := p.license(ctx, s, page)
		if err != nil {
			a.fail("the license %s could not be read: %v", s.URL, err)
		}
		a.Statements = append(a.Statements, found...)
		return
	}
}

// license returns what the license file of a statement says about a page.
func (p *permit) license(ctx context.Context, s *usage.Statement, page *url.URL) ([]usage.Statement, error) {
	u, err := page.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	resp, err := p.online.get(ctx, u, usage.MaxRSLBytes+1)
	if err != nil {
		return nil, err
	}
	if resp.status < 200 || resp.status > 299 {
		return nil, fmt.Errorf("status %d", resp.status)
	}
	file, err := usage.ParseRSL(resp.body, resp.url.String())
	if err != nil {
		return nil, err
	}
	return file.Match(page.Host, page.RequestURI()), nil
}
