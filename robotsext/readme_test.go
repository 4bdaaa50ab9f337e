package robotsext_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// The functions below are the blocks of Go in README.md, compiled; TestReadmeCode holds
// that they are the same.

func oneLine() error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", nil)
	if err != nil {
		return err
	}
	c := colly.NewCollector()
	// what the program sets on the collector: transport, client, proxy, cookies, context
	robots.Attach(c) // the one line
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		link := e.Request.AbsoluteURL(e.Attr("href"))
		if robots.CheckLink(link) == nil { // optional: a disallowed link then costs nothing
			_ = e.Request.Visit(link)
		}
	})
	err = c.Visit("https://example.com/")
	return err
}

func refusalOrFailure(c *colly.Collector) {
	c.OnError(func(r *colly.Response, err error) {
		var blocked *robotsext.BlockedError
		switch {
		case !errors.As(err, &blocked):
			log.Print("failed: ", err)
		case blocked.Reason == robotsext.Disallowed:
			log.Print("not for us: ", blocked.URL, ", by line ", blocked.Rule.Line, " of ", blocked.RobotsURL)
		case blocked.Reason == robotsext.Later:
			time.AfterFunc(time.Until(blocked.RetryAt), func() { _ = r.Request.Retry() })
		}
	})
}

func paceAndSitemaps(ctx context.Context, robots *robotsext.Robots, c *colly.Collector) error {
	site, err := url.Parse("https://example.com/")
	if err != nil {
		return err
	}
	robots.ObeyCrawlDelay(c, 10*time.Second)
	for page, err := range robots.Sitemaps(ctx, site) {
		if err != nil {
			log.Print(err) // a sitemap that could not be read; the next one follows
			continue
		}
		_ = c.Visit(page.Loc)
	}
	return nil
}

func ownNetwork() error {
	robots, err := robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{Guard: guard.New()})
	if err != nil {
		return err
	}
	c := colly.NewCollector()
	robots.Attach(c)
	return c.Visit("https://example.com/")
}

func ownNetworkWithout() error {
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: guard.New().Control}
	c := colly.NewCollector()
	c.WithTransport(&http.Transport{DialContext: dialer.DialContext})
	return c.Visit("https://example.com/")
}

func permitted(ctx context.Context, robots *robotsext.Robots, c *colly.Collector) {
	c.OnRequest(func(r *colly.Request) {
		if err := robots.Permit(ctx, r.URL, usage.TrainAI, usage.TDM); err != nil {
			log.Print(err)
			r.Abort()
		}
	})
}

// TestReadmeCode holds that the code in README.md is code.
func TestReadmeCode(t *testing.T) {
	_ = []any{oneLine, refusalOrFailure, paceAndSitemaps, permitted, ownNetwork, ownNetworkWithout}
	page, err := os.ReadFile("README.md")
	wantOK(t, err)
	source, err := os.ReadFile("readme_test.go")
	wantOK(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of code, want 6", len(blocks))
	}
	for _, block := range blocks {
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block[1], "\n"), "\n", "\n\t") + "\n"
		if !strings.Contains(string(source), indented) {
			t.Errorf("not in readme_test.go:\n%s", block[1])
		}
	}
}

// TestReadmeStatementsHaveTests lists what README.md says, each with the test that shows it.
func TestReadmeStatementsHaveTests(t *testing.T) {
	held := []struct{ statement, test string }{
		{"once per origin for all URLs and goroutines", "TestSiteUsageRequestsTDMRepOnce"},
		{"only if robots.txt allows it", "TestTDMRepObeysRobots"},
		{"While it is unreachable, its last copy applies", "TestTDMRepExpires"},
		{"missing, invalid or too large says nothing", "TestTDMRepResponses"},
		{"turns the check off for origins of your own. Their robots.txt is not requested", "TestExemptOriginIsNotChecked"},
		{"so no `Crawl-delay` applies", "TestExemptOriginHasNoCrawlDelay"},
		{"every request: redirects, HEAD, POST, clones", "TestAttachNeverSendsDisallowed"},
		{"by scheme, host and port", "TestSchemesOfOneHost"},
		{"they share its records", "TestAttachSharedRobots"},
		{"no longer need to set `IgnoreRobotsTxt` and the user agent", "TestUserAgentOfCollector"},
		{"robots.txt responds with 5xx or 429 | everything is allowed, forever", "TestDiffersFromCollyCheck"},
		{"no page is requested until it is available", "TestAttachLater"},
		{"does not respond | every page fails", "TestCollysOwnCheck"},
		{"404, 403 and other 4xx | everything is allowed | the same", "TestAttachNoRobots"},
		{"up to 9, within `AllowedDomains`; then every page fails", "TestCollysOwnCheck"},
		{"up to 5, also to other hosts; then as 404", "TestRedirects"},
		{"how long it is used | forever", "TestCollysOwnCheck"},
		{"between 5 minutes and a day", "TestLifetime"},
		{"50 concurrent first requests to a host | 50 fetches of robots.txt", "TestCollysOwnCheck"},
		{"| one |", "TestAttachFiftyFirstVisits"},
		{"one invalid line | every page of the host fails | the line is skipped", "TestCollysOwnCheck"},
		{"the group of `mybot`, crawler `mybotnet` | applies | does not apply", "TestDiffersFromCollyCheck"},
		{"`Allow` and `Disallow` of equal length", "TestDiffersFromCollyCheck"},
		{"match as RFC 9309 requires", "TestDiffersFromCollyCheck"},
		{"the same by `errors.Is`, with the rule, its line and the file", "TestAttachNeverSendsDisallowed"},
		{"`OnError` receives every disallowed URL", "TestErrorsReachCallers"},
		{"so count it in one of the two places", "TestErrorsReachCallers"},
		{"If robots.txt is unreachable, the first `Visit` to a host returns *later*, and `OnError` is not called. This also applies to asynchronous collectors", "TestErrorsReachCallers"},
		{"which drops the errors of `Visit`, and with them these URLs", "TestQueueLater"},
		{"they reach `OnError` too, in the queue and everywhere else", "TestErrorsReachCallers"},
		{"so that the function above retries them", "TestQueueLater"},
		{"`ObeyCrawlDelay` waits between two requests to a host for its `Crawl-delay`", "TestObeyCrawlDelay"},
		{"here up to 10 s", "TestObeyCrawlDelay"},
		{"the longer delay applies", "TestObeyCrawlDelayWithLimitRule"},
		{"With colly v2.3.0 `ObeyCrawlDelay` does not wait for them", "TestObeyCrawlDelay"},
		{"In an asynchronous collector, other hosts do not have to wait", "TestObeyCrawlDelay"},
		{"It waits before redirects, too", "TestDelayTransport"},
		{"With `c.Context`, `Sitemaps` uses the transport, proxy and cookies of the attached collector", "TestSitemapsOfCollector"},
		{"retry after a network error | once", "TestConnectionErrorIsRetried"},
		{"all calls that wait for the file panic with the same value", "TestPanicReachesCallers"},
		{"refuses connections to addresses that are not public", "TestGuard"},
		{"the error of `Visit` or `OnError` matches `guard.ErrRefused`", "TestGuard"},
		{"If it refuses the connection for robots.txt, the error matches too, and its verdict is *later*", "TestGuard"},
		{"With the first program, a proxy of `SetProxy` may have any address", "TestGuardAndProxy"},
		{"With the second, its address must be public or allowed in `guard.New`", "TestControlAndProxy"},
		{"All of it stays in use, whether you set it before `Attach` or after it, and robots.txt is fetched the same way", "TestDropIn"},
		{"TLS settings, timeouts, redirect checks", "TestAttachAdopts"},
		{"The original stays unchecked where you use it elsewhere", "TestClientOfTheProgramIsNotChanged"},
		{"Call `robots.Attach(c)` again", "TestDropIn"},
		{"later changes to it do not reach the collector", "TestClientOfTheProgramIsNotChanged"},
		{"The same happens if you set both a transport and a cookie jar or a storage between two requests", "TestClonesSendNothingAfterNewClient"},
		{"robotsext detects the new client and logs a warning", "TestClientFoundAtRequestIsLogged"},
		{"a new client sends pages unchecked until robotsext detects it", "TestDropIn"},
		{"Until then the clones of that collector send nothing", "TestClonesSendNothingAfterNewClient"},
		{"`Attach` replaces the context with one that ends when yours does", "TestContextLives"},
		{"robotsext does not replace a context that you set after `Attach`", "TestDropIn"},
		{"A clone with another context, even a derived one, sends pages unchecked once its client is replaced too", "TestContextAndClientReplaced"},
		{"with `StatusCode` 0", "TestErrorsReachCallers"},
		{"robotsext chooses the rules by the name given to `New`", "TestUserAgentOfCollector"},
		{"If you set it after `Attach`, every request is still checked", "TestDropIn"},
		{"and a warning says so", "TestNothingFailsSilently"},
		{"`Timeout` and `Temporary` are false for a disallowed URL", "TestAttachNeverSendsDisallowed"},
		{"refused at once for the next minute, for requests with the same cookies", "TestRefusedRedirectIsRemembered"},
		{"You may call `Attach` again at any time", "TestAttachAgain"},
		{"It returns nil for a host whose robots.txt is unreachable or not known yet", "TestCheckLink"},
		{"The collector uses `http.DefaultTransport` as it is at the time of the request", "TestDefaultTransportStaysInTheChain"},
		{"A request that may bypass the check is not sent", "TestNoRequestBypassesTheGate"},
		{"Its error matches `robotsext.ErrDetached`", "TestRequestWithReplacedClientIsNotSent"},
		{"or a moment after the set-up, robotsext detects the new client", "TestReplacedClientIsLoggedWithoutRequest"},
		{"`Options.OnRefused` receives every refused request", "TestAttachNeverSendsDisallowed"},
		{"The robots.txt of that host counts too", "TestHostHeaderIsChecked"},
		{"These requests are not checked: robots.txt applies only to http, https and ftp", "TestOtherSchemesPass"},
		{"Clones of an attached collector are checked too", "TestAttachNeverSendsDisallowed"},
		{"Call it for each clone: clones have no callbacks", "TestObeyCrawlDelay"},
		{"Pages that colly reads from this directory are not checked", "TestLimitsOfAttach"},
		{"requests `/it's|a%2Fb` as `/it%27s%7Ca/b`", "TestCollyRespellsPath"},
		{"Pass links through `robotsext.CleanURL` to keep their spelling", "TestCollyRespellsPath"},
		{"With v2.2.0 and v2.3.0 it adds itself and httpsfv", "TestLightModule"},
		{"the collector's transport, client and proxy are not used, and a warning says so", "TestUnknownColly"},
	}
	text, err := os.ReadFile("README.md")
	wantOK(t, err)
	page := strings.Join(strings.Fields(string(text)), " ")
	tests := testFunctions(t)
	for _, h := range held {
		if !strings.Contains(page, h.statement) {
			t.Errorf("README.md no longer says %q, which %s shows", h.statement, h.test)
		}
		if !tests[h.test] {
			t.Errorf("%s, which shows that %q, is gone", h.test, h.statement)
		}
	}
}

// testFunctions returns the names of the package's tests.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	wantOK(t, err)
	names := make(map[string]bool)
	for _, file := range files {
		source, err := os.ReadFile(file)
		wantOK(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
			names[match[1]] = true
		}
	}
	return names
}

// What README.md says of colly's own check, where TestDiffersFromCollyCheck does not show it.
func TestCollysOwnCheck(t *testing.T) {
	newCollector := func(options ...colly.CollectorOption) *colly.Collector {
		c := colly.NewCollector(options...)
		c.IgnoreRobotsTxt = false
		return c
	}
	t.Run("no answer: every page fails", func(t *testing.T) {
		s := newSite(t, hangUp(""))
		c := newCollector()
		for _, path := range []string{"/a", "/b"} {
			if err := c.Visit(s.URL + path); err == nil {
				t.Errorf("%s: no error", path)
			}
		}
		s.wantPages(t)
	})
	t.Run("a line that makes no sense: every page fails", func(t *testing.T) {
		s := newSite(t, text("User-agent: *\nCrawl-delay: soon\nDisallow: /private\n"))
		c, ours := newCollector(), colly.NewCollector(newRobots(t, nil).Attach)
		for _, path := range []string{"/a", "/b"} {
			if err := c.Visit(s.URL + path); err == nil {
				t.Errorf("%s: colly has no error", path)
			}
			if err := ours.Visit(s.URL + path); err != nil {
				t.Errorf("%s: with robotsext %v", path, err)
			}
		}
		wantDisallowed(t, ours.Visit(s.URL+"/private"), 3)
	})
	t.Run("nine redirects", func(t *testing.T) {
		wantOK(t, newCollector().Visit(chain(t, 9, text(private)).URL+"/a"))
		if err := newCollector().Visit(chain(t, 10, text(private)).URL + "/a"); err == nil {
			t.Error("ten redirects: no error")
		}
	})
	t.Run("redirect to a domain that is not allowed", func(t *testing.T) {
		s := newSite(t, http.RedirectHandler("http://localhost:1/robots.txt", http.StatusFound).ServeHTTP)
		if err := newCollector(colly.AllowedDomains("127.0.0.1")).Visit(s.URL + "/a"); err == nil || len(s.pages()) != 0 {
			t.Errorf("error %v, pages sent %q", err, s.pages())
		}
	})
	t.Run("used for ever, fetched by each first request", func(t *testing.T) {
		const visits = 50
		var asked sync.WaitGroup
		asked.Add(visits)
		s := newSite(t, func(w http.ResponseWriter, req *http.Request) {
			asked.Done()
			asked.Wait() // until all have asked
			w.Header().Set("Cache-Control", "no-store")
			text(private)(w, req)
		})
		c := newCollector(colly.Async())
		var visitors sync.WaitGroup
		for i := range visits {
			visitors.Go(func() { _ = c.Visit(fmt.Sprintf("%s/%d", s.URL, i)) })
		}
		visitors.Wait()
		c.Wait()
		wantOK(t, c.Visit(s.URL+"/later"))
		c.Wait()
		if n := s.count(robotsLine); n != visits {
			t.Errorf("robots.txt was requested %d times, want %d", n, visits)
		}
	})
}

// Who learns of a refusal, and how often.
func TestErrorsReachCallers(t *testing.T) {
	for _, test := range []struct {
		name           string
		robots         http.HandlerFunc
		opts           robotsext.Options
		drive          drive
		visit, onError int
	}{
		{"disallowed", text(private), robotsext.Options{}, direct, 1, 1},
		{"disallowed, async", text(private), robotsext.Options{}, asynchronous, 0, 1},
		{"disallowed, queue", text(private), robotsext.Options{}, queued, 0, 1},
		{"later", status(500), robotsext.Options{}, direct, 1, 0},
		{"later, async", status(500), robotsext.Options{}, asynchronous, 1, 0},
		{"later, queue", status(500), robotsext.Options{}, queued, 0, 0},
		{"later, ReportInOnError", status(500), robotsext.Options{ReportInOnError: true}, direct, 1, 1},
		{"later, ReportInOnError, async", status(500), robotsext.Options{ReportInOnError: true}, asynchronous, 0, 1},
		{"later, ReportInOnError, queue", status(500), robotsext.Options{ReportInOnError: true}, queued, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, test.robots)
			c := colly.NewCollector(newRobots(t, &test.opts).Attach)
			var onError errorList
			c.OnError(func(_ *colly.Response, err error) { onError.add(err) })
			all := test.drive(t, c, action{"GET", s.URL + "/private"}) // from Visit and OnError
			if got := len(onError.errs); got != test.onError {
				t.Errorf("OnError was called %d times, want %d", got, test.onError)
			}
			if got := len(all) - len(onError.errs); got != test.visit {
				t.Errorf("Visit returned %d errors, want %d", got, test.visit)
			}
			for _, err := range all {
				if !errors.Is(err, colly.ErrRobotsTxtBlocked) {
					t.Errorf("error %v", err)
				}
			}
			s.wantPages(t)
		})
	}
}

// A guard at the dialer guards the way to a proxy too.
func TestControlAndProxy(t *testing.T) {
	s := newSite(t, text(""))
	for name, test := range map[string]struct {
		guard *guard.Guard
		sent  bool
	}{
		"not public": {guard.New(), false},
		"allowed":    {guard.New(netip.MustParsePrefix("127.0.0.0/8")), true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProxy(t)
			dialer := &net.Dialer{Control: test.guard.Control}
			transport := &http.Transport{DialContext: dialer.DialContext}
			defer transport.CloseIdleConnections()
			c := colly.NewCollector()
			c.WithTransport(transport)
			wantOK(t, c.SetProxy(p.URL))
			if err := c.Visit(s.URL + "/a"); errors.Is(err, guard.ErrRefused) == test.sent {
				t.Errorf("error %v", err)
			}
			if sent := len(p.seen()) != 0; sent != test.sent {
				t.Errorf("the proxy saw %q", p.seen())
			}
		})
	}
}
