package robotsext_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/guard/guardtest"
)

// newSiteAt is newSite at another address of loopback.
func newSiteAt(t *testing.T, addr string, robots http.HandlerFunc) *site {
	t.Helper()
	s := newSite(t, robots)
	l, err := net.Listen("tcp4", addr+":0")
	if err != nil {
		t.Fatalf("cannot listen on %s: %v", addr, err)
	}
	handler := s.Config.Handler
	s.Close()
	s.Server = httptest.NewUnstartedServer(handler)
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// wantGuarded holds that err is that of a site that may not be connected to.
func wantGuarded(t *testing.T, err error, kind guard.Kind) {
	t.Helper()
	blocked, ok := errors.AsType[*robotsext.BlockedError](err)
	if !ok || blocked.Reason != robotsext.Later || !errors.Is(err, guard.ErrRefused) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "is unreachable") || !strings.Contains(err.Error(), "is not allowed ("+string(kind)+")") {
		t.Errorf("error %q does not say why", err)
	}
	if e, ok := errors.AsType[*guard.AddressError](err); !ok || e.Kind != kind {
		t.Errorf("error %#v", e)
	}
}

// only allows one address.
func only(addr string) *robotsext.Options {
	return &robotsext.Options{Guard: guard.New(netip.MustParsePrefix(addr + "/32")), Sitemaps: robotsext.SitemapOptions{Delay: -1}}
}

// TestGuard: nothing that a Robots sends goes to an address that is not allowed, not even
// for robots.txt.
func TestGuard(t *testing.T) {
	s := newSite(t, text("Sitemap: /s.xml"))
	u := s.url("/page")
	for name, request := range map[string]func(r *robotsext.Robots) error{
		"Check":     func(r *robotsext.Robots) error { return r.Check(t.Context(), u) },
		"Transport": func(r *robotsext.Robots) error { return get(t, r.Transport(nil), u.String()) },
		"Attach":    func(r *robotsext.Robots) error { return colly.NewCollector(r.Attach).Visit(u.String()) },
		"Sitemaps": func(r *robotsext.Robots) error {
			_, errs := gather(r.Sitemaps(t.Context(), u))
			return errors.Join(errs...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRobots(t, only("127.0.0.2"))
			wantGuarded(t, request(r), guard.Loopback)
			if rec := recordFor(t, r, u); rec.Outcome != robotsext.OutcomeUnreachable || !errors.Is(rec.Err, guard.ErrRefused) {
				t.Errorf("%+v", rec)
			}
		})
	}
	t.Run("user fetch", func(t *testing.T) { // which needs no robots.txt
		req := newRequest(t, "GET", u.String(), "").WithContext(robotsext.WithUserFetch(t.Context()))
		if _, err := send(t, newRobots(t, only("127.0.0.2")), req); !errors.Is(err, guard.ErrRefused) {
			t.Errorf("error %v", err)
		}
	})
	s.wantAsked(t)
}

// TestGuardOfRedirects: a robots.txt, a page and a sitemap at an address that is allowed
// redirect to one that is not.
func TestGuardOfRedirects(t *testing.T) {
	inside := newSite(t, text(""))
	t.Run("robots.txt", func(t *testing.T) {
		for target, kind := range map[string]guard.Kind{
			inside.URL + "/robots.txt": guard.Loopback, "http://169.254.169.254/robots.txt": guard.Metadata, "http://[::ffff:10.0.0.1]/": guard.Private,
		} {
			outside := newSiteAt(t, "127.0.0.2", http.RedirectHandler(target, http.StatusFound).ServeHTTP)
			wantGuarded(t, newRobots(t, only("127.0.0.2")).Check(t.Context(), outside.url("/page")), kind)
			outside.wantAsked(t, robotsLine)
		}
	})
	t.Run("page", func(t *testing.T) {
		outside := newSiteAt(t, "127.0.0.2", text(""))
		c := colly.NewCollector(newRobots(t, only("127.0.0.2")).Attach)
		wantGuarded(t, c.Visit(outside.URL+"/to?"+inside.URL+"/page"), guard.Loopback)
		outside.wantAsked(t, robotsLine, "GET /to?"+inside.URL+"/page")
	})
	t.Run("sitemaps", func(t *testing.T) { // which are not asked for again
		outside := newSiteAt(t, "127.0.0.2", text(""))
		lines := text("Sitemap: " + outside.URL + "/to?" + inside.URL + "/s.xml\nSitemap: " + inside.URL + "/t.xml\n")
		listing := newSiteAt(t, "127.0.0.2", lines)
		began := time.Now()
		_, errs := gather(newRobots(t, only("127.0.0.2")).Sitemaps(t.Context(), listing.url("/")))
		if len(errs) != 2 || time.Since(began) > 10*time.Second {
			t.Fatalf("errors %v after %v", errs, time.Since(began))
		}
		for _, err := range errs {
			if !errors.Is(err, guard.ErrRefused) {
				t.Errorf("error %v", err)
			}
		}
		listing.wantAsked(t, robotsLine)
	})
	inside.wantAsked(t)
}

// TestGuardOfSitemapRebound: a sitemap whose host has another address than for its
// robots.txt is given up at once: asking again would not change the address.
func TestGuardOfSitemapRebound(t *testing.T) {
	s := newSiteAt(t, "127.0.0.2", func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Connection", "close")
		fmt.Fprintf(w, "Sitemap: http://%s/s.xml\n", req.Host)
	})
	dialer := &net.Dialer{Resolver: guardtest.Resolver(netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1"))}
	opts := &robotsext.Options{Transport: guard.New(netip.MustParsePrefix("127.0.0.2/32")).Transport(&http.Transport{}, dialer), Sitemaps: robotsext.SitemapOptions{Delay: -1}, Outage: robotsext.OutageOptions{RetryMin: time.Millisecond}}
	attempts := 0
	opts.Sitemaps.OnFile = func(f robotsext.SitemapFile) { attempts += f.Attempts }
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	wantOK(t, err)
	_, errs := gather(newRobots(t, opts).Sitemaps(t.Context(), mustParse(t, "http://rebind.example:"+port+"/")))
	if len(errs) != 1 || !errors.Is(errs[0], guard.ErrRefused) || attempts != 1 {
		t.Errorf("errors %v after %d attempts", errs, attempts)
	}
	s.wantAsked(t, robotsLine)
}

// TestGuardAndProxy: a collector's proxy is its user's choice, on loopback too; the sites
// behind it are not.
func TestGuardAndProxy(t *testing.T) {
	s := newSite(t, text(""))
	p := newProxy(t)
	r := newRobots(t, &robotsext.Options{Guard: guard.New()})
	c := colly.NewCollector(r.Attach)
	wantOK(t, c.SetProxy(p.URL))
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "169.254.169.254", "2130706433"} {
		if err := c.Visit("http://" + host + "/page"); !errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
	p.wantSeen(t, 0)
	if err := c.Visit("http://name.invalid/page"); errors.Is(err, guard.ErrRefused) || len(p.seen()) == 0 {
		t.Errorf("a name: %v, and the proxy saw %q", err, p.seen())
	}
	wantGuarded(t, colly.NewCollector(r.Attach).Visit(s.URL+"/"), guard.Loopback) // without the proxy
	wantGuarded(t, colly.NewCollector(r.Attach).Visit(p.URL+"/"), guard.Loopback)
	s.wantAsked(t)
}

// TestGuardAndTransport: a transport of the caller's own is not guarded behind his back,
// and a guard is not ignored.
func TestGuardAndTransport(t *testing.T) {
	_, err := robotsext.New(agent, &robotsext.Options{Guard: guard.New(), Transport: &http.Transport{}})
	if err == nil || !strings.Contains(err.Error(), "Guard.Transport") {
		t.Errorf("error %v", err)
	}
	s := newSite(t, text(""))
	r := newRobots(t, &robotsext.Options{Transport: guard.New().Transport(&http.Transport{}, nil)})
	wantGuarded(t, r.Check(t.Context(), s.url("/page")), guard.Loopback)
	s.wantAsked(t)
}
