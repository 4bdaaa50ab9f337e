package robotsext_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// The corners of attaching to a collector by its public API, one test each. What
// they show is said in the comment of Attach.

func TestClonesSendNothingAfterNewClient(t *testing.T) {
	transport := &http.Transport{DisableKeepAlives: true}
	for name, replace := range map[string]func(c *colly.Collector){
		"SetClient":                func(c *colly.Collector) { c.SetClient(&http.Client{Transport: transport}) },
		"cookie jar and transport": func(c *colly.Collector) { c.DisableCookies(); c.WithTransport(transport) },
	} {
		for how, drive := range map[string]drive{"clone": cloned, "clone async": clonedAsync} {
			t.Run(name+"/"+how, func(t *testing.T) {
				s := newSite(t, text(private))
				r, log := newLogged(t)
				c := colly.NewCollector(r.Attach)
				wantOK(t, c.Visit(s.URL+"/before"))
				replace(c)
				errs := drive(t, c, action{"GET", s.URL + "/get"}, action{"HEAD", s.URL + "/head"}, action{"POST", s.URL + "/post"})
				s.wantAsked(t, robotsLine, "GET /before")
				if len(errs) < 3 {
					t.Errorf("errors %v, want one for each request", errs)
				}
				for _, err := range errs {
					if !errors.Is(err, robotsext.ErrDetached) {
						t.Errorf("error %v, want ErrDetached", err)
					}
				}
				wantLogged(t, log, logReplaced, 1)
				wantOK(t, c.Visit(s.URL+"/parent"))
				if errs := drive(t, c, action{"GET", s.URL + "/after"}, action{"HEAD", s.URL + "/private"}); len(errs) == 0 {
					t.Error("no error for a disallowed page")
				}
				s.wantAsked(t, robotsLine, "GET /before", "GET /parent", "GET /after")
			})
		}
	}
}

// A transport that leads through the gate is no loss of it.
func TestGateWrapped(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	c := colly.NewCollector(r.Attach)
	gate := r.Transport(nil)
	through := 0
	c.WithTransport(roundTripper(func(req *http.Request) (*http.Response, error) {
		through++
		return gate.RoundTrip(req)
	}))
	wantOK(t, c.Visit(s.URL+"/a"))
	wantDisallowed(t, c.Head(s.URL+"/private"), 2)
	if through != 2 {
		t.Errorf("through the wrapper went %d requests", through)
	}
	s.wantPages(t, "GET /a")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestContextBeforeAttach(t *testing.T) {
	type key struct{}
	var seen []any
	r := newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		seen = append(seen, req.Context().Value(key{}))
		return robotsReply.RoundTrip(req)
	})})
	c := colly.NewCollector(colly.StdlibContext(context.WithValue(t.Context(), key{}, "mine")), r.Attach)
	wantOK(t, c.Visit(siteA+"/a"))
	if !slices.Equal(seen, []any{"mine", "mine"}) {
		t.Errorf("Options.Transport saw the values %v, want mine for robots.txt and page", seen)
	}
}

func TestAttachSecondRobots(t *testing.T) {
	s := newSite(t, text("User-agent: first\nDisallow: /a\n\nUser-agent: second\nDisallow: /b\n"))
	p := newProxy(t)
	first, err := robotsext.New("first/1.0", nil)
	wantOK(t, err)
	second, err := robotsext.New("second/1.0", nil)
	wantOK(t, err)
	c := colly.NewCollector(first.Attach)
	wantOK(t, c.SetProxy(p.URL))
	second.Attach(c)
	wantOK(t, c.Visit(s.URL+"/a"))
	wantDisallowed(t, c.Visit(s.URL+"/b"), 5)
	if len(p.seen()) != 2 {
		t.Errorf("the proxy saw %q: it was lost", p.seen())
	}
	transport := &http.Transport{DisableKeepAlives: true}
	for name, change := range map[string]func(){ // upon which the second puts its gate back, not the first
		"DisableCookies": c.DisableCookies,
		"SetClient":      func() { c.SetClient(&http.Client{Transport: transport}) },
	} {
		change()
		for range 2 {
			if err := c.Head(s.URL + "/a"); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantDisallowed(t, c.Head(s.URL+"/b"), 5)
	}
}

func TestAttachToClone(t *testing.T) {
	s := newSite(t, text(private))
	r := newRobots(t, nil)
	parent := colly.NewCollector()
	clone := parent.Clone()
	r.Attach(clone)
	wantOK(t, clone.Visit(s.URL+"/clone"))
	wantDisallowed(t, parent.Visit(s.URL+"/private/parent"), 2)
	r.Attach(parent)
	wantOK(t, parent.Visit(s.URL+"/parent"))
	wantDisallowed(t, parent.Visit(s.URL+"/private"), 2)
	s.wantAsked(t, robotsLine, "GET /clone", "GET /parent")
}

// colly asks once for each host, without regard to the scheme.
func TestSchemesOfOneHost(t *testing.T) {
	var seen []string
	c := colly.NewCollector(newRobots(t, &robotsext.Options{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
		seen = append(seen, req.URL.String())
		return reply{status: 200, body: "User-agent: *\nDisallow: /" + req.URL.Scheme + "/\n"}.RoundTrip(req)
	})}).Attach)
	wantDisallowed(t, c.Visit("http://h.example/http/"), 2)
	wantDisallowed(t, c.Visit("https://h.example/https/"), 2)
	if err := errors.Join(c.Visit("http://h.example/https/"), c.Visit("https://h.example/http/")); err != nil {
		t.Error("ROB-LOC-04:", err)
	}
	if len(seen) != 4 {
		t.Errorf("sent %q, want a robots.txt and a page for each scheme", seen)
	}
}

func TestUserAgentOfCollector(t *testing.T) {
	s := newSite(t, text(private))
	r, log := newLogged(t)
	c := colly.NewCollector(r.Attach)
	if c.UserAgent != agent {
		t.Errorf("user agent %q", c.UserAgent)
	}
	wantOK(t, c.Visit(s.URL+"/a"))
	if log.String() != "" {
		t.Errorf("logged %s", log)
	}
	own := colly.NewCollector(colly.UserAgent("other/2.0"), r.Attach)
	if own.UserAgent != "other/2.0" {
		t.Errorf("user agent %q was replaced", own.UserAgent)
	}
	for _, path := range []string{"/b", "/c"} {
		wantOK(t, own.Visit(s.URL+path))
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "other/2.0") {
		t.Errorf("ROB-FET-04: %d warnings: %s", n, log)
	}
}

// A request that is sent to one site and asks for another needs the leave of
// both.
func TestHostHeaderIsChecked(t *testing.T) {
	s := newSite(t, text(private))
	other := newSite(t, text("User-agent: *\n\nDisallow: /other\n"))
	host := other.Listener.Addr().String()
	c := colly.NewCollector(newRobots(t, nil).Attach, colly.Headers(map[string]string{"Host": host}))
	t.Run("ROB-GEN-04/by the URL", func(t *testing.T) { wantDisallowed(t, c.Visit(s.URL+"/private"), 2) })
	t.Run("ROB-GEN-04/by the field", func(t *testing.T) {
		err := c.Visit(s.URL + "/other")
		wantDisallowed(t, err, 3)
		if b, _ := errors.AsType[*robotsext.BlockedError](err); b != nil && (b.URL != s.URL+"/other" || string(b.Origin) != other.URL) {
			t.Errorf("%s refused by %s, want the URL as it was asked for and the origin that refused", b.URL, b.Origin)
		}
	})
	wantOK(t, c.Visit(s.URL+"/a"))
	s.wantAsked(t, robotsLine, "GET /a")
	other.wantAsked(t, robotsLine)
	for name, robots := range map[string][2]http.HandlerFunc{
		"URL unknown":   {status(500), text("")},
		"field unknown": {text(""), status(500)},
	} {
		t.Run("ROB-STA-02/"+name, func(t *testing.T) {
			s, other := newSite(t, robots[0]), newSite(t, robots[1])
			c := colly.NewCollector(newRobots(t, nil).Attach, colly.Headers(map[string]string{"Host": other.Listener.Addr().String()}))
			wantLater(t, c.Visit(s.URL+"/a"))
			wantLater(t, c.Head(s.URL+"/a"))
			if pages := append(s.pages(), other.pages()...); len(pages) != 0 {
				t.Errorf("pages sent: %q", pages)
			}
		})
	}
}

// net/http takes https requests with an Upgrade field past registered protocols,
// and so past the gate. They end at the shell.
func TestUpgradeDoesNotPassTheGate(t *testing.T) {
	asked := false
	tls := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer tls.Close()
	r := newRobots(t, &robotsext.Options{Transport: tls.Client().Transport})
	upgrade := http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}
	c := colly.NewCollector(r.Attach)
	if err := c.Request("HEAD", tls.URL+"/", nil, nil, upgrade.Clone()); !errors.Is(err, robotsext.ErrUncheckable) {
		t.Errorf("error %v, want ErrUncheckable", err)
	}
	c.Context = context.Background()
	if err := c.Request("HEAD", tls.URL+"/", nil, nil, upgrade.Clone()); !errors.Is(err, robotsext.ErrUncheckable) {
		t.Errorf("without the seal: error %v, want ErrUncheckable", err)
	}
	if asked {
		t.Error("something was sent")
	}
}

// The program may use its client elsewhere: there it is not checked.
func TestClientOfTheProgramIsNotChanged(t *testing.T) {
	s := newSite(t, text(private))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	c := colly.NewCollector()
	c.SetClient(client)
	newRobots(t, nil).Attach(c)
	wantDisallowed(t, c.Visit(s.URL+"/private"), 2)
	c.SetClient(client)
	wantDisallowed(t, c.Visit(s.URL+"/private/after"), 2)
	if client.Transport != transport || client.Jar != nil {
		t.Errorf("the client was changed: %+v", client)
	}
	resp, err := client.Get(s.URL + "/private/api")
	wantOK(t, err)
	_ = resp.Body.Close()
	client.Transport = roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("not by this") })
	if err := c.Visit(s.URL + "/changed"); err != nil {
		t.Errorf("a change of the client reached the collector: %v", err)
	}
	s.wantAsked(t, robotsLine, "GET /private/api", "GET /changed")
}

// What a collector sends along with its pages is nothing for robots.txt.
func TestRobotsRequestOfCollectorIsBare(t *testing.T) {
	s := newSite(t, text(private))
	c := colly.NewCollector(newRobots(t, nil).Attach, colly.Headers(map[string]string{"Authorization": "Basic c2VjcmV0", "Range": "bytes=0-9"}))
	wantOK(t, c.SetCookies(s.URL, []*http.Cookie{{Name: "a", Value: "b"}}))
	wantOK(t, c.Visit(s.URL+"/a"))
	s.wantAsked(t, robotsLine, "GET /a")
	for name, id := range map[string]string{"Cookie": "ROB-FET-18", "Authorization": "ROB-GEN-06", "Range": "ROB-FET-01"} {
		t.Run(id, func(t *testing.T) {
			if s.seen[0].Header.Get(name) != "" || s.seen[1].Header.Get(name) == "" {
				t.Errorf("%s: %q for robots.txt, %q for the page", name, s.seen[0].Header.Get(name), s.seen[1].Header.Get(name))
			}
		})
	}
}

// A refusal is the end of it: no second attempt under another name or by another
// way.
func TestRefusalIsNotRetriedInAnotherWay(t *testing.T) {
	s := newSite(t, text("User-agent: testbot\nDisallow: /\n\nUser-agent: *\nAllow: /\n"))
	c := colly.NewCollector(newRobots(t, nil).Attach)
	t.Run("ROB-GEN-06", func(t *testing.T) {
		for _, visit := range []func(string) error{c.Visit, c.Head} {
			wantDisallowed(t, visit(s.URL+"/a"), 2)
		}
		s.wantAsked(t, robotsLine)
	})
}
