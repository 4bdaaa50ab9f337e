package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A site records the requests that it receives.
type site struct {
	*httptest.Server
	port  string
	pages map[string]string // by path; others are empty

	mu   sync.Mutex
	seen []string // host and path
}

func newSite(t *testing.T, robots http.HandlerFunc, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		s.mu.Lock()
		s.seen = append(s.seen, host+r.URL.Path)
		s.mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		switch {
		case r.URL.Path == "/robots.txt":
			robots(w, r)
			return
		case strings.HasSuffix(r.URL.Path, ".js"):
			w.Header().Set("Content-Type", "text/javascript")
		case strings.HasSuffix(r.URL.Path, ".css"):
			w.Header().Set("Content-Type", "text/css")
		default:
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, strings.ReplaceAll(s.pages[r.URL.Path], "PORT", s.port))
	}))
	t.Cleanup(s.Close)
	s.port = s.URL[strings.LastIndex(s.URL, ":")+1:]
	return s
}

// received returns the requests that the site has received.
func (s *site) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func disallowPrivate(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "User-agent: examplebot\nDisallow: /private/\n")
}

// wantStarted ends the test at an error. If Chromium is not installed, it skips the test, unless the
// environment variable CI is set.
func wantStarted(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skip("Chromium is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open starts a browser.
func open(t *testing.T) context.Context {
	t.Helper()
	robots, err := robotsext.New(userAgent, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(robots.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	tab, stop, err := newBrowser(ctx, robots)
	wantStarted(t, err)
	t.Cleanup(stop)
	return tab
}

// kinds requests something in an area in each line.
const kinds = `<!doctype html>
<link rel="stylesheet" href="AREA/style.css">
<link rel="icon" href="AREA/icon.png">
<link rel="manifest" href="AREA/manifest.json">
<link rel="preload" as="image" href="AREA/preload.png">
<link rel="modulepreload" href="AREA/module.js">
<link rel="prefetch" href="AREA/prefetch.html">
<style>@import "AREA/import.css";
@font-face { font-family: f; src: url(AREA/font.woff2) } p { font-family: f }</style><p>text</p>
<img src="AREA/image.png">
<img src="/moved?to=AREA/moved.png">
<img src="/moved?to=/moved%3Fto%3DAREA/twice.png">
<svg><image href="AREA/svg.png"/></svg>
<script src="AREA/script.js"></script>
<object data="AREA/object.html"></object>
<iframe src="AREA/frame.html"></iframe>
<iframe src="/moved?to=AREA/moved.html"></iframe>
<iframe srcdoc="<img src='AREA/srcdoc.png'>"></iframe>
<form method="post" action="AREA/form" target="w"></form><iframe name="w"></iframe>
<a ping="AREA/ping" href="#x">x</a>
<a download href="AREA/download">x</a>
<script>
document.forms[0].submit();
document.querySelectorAll("a").forEach(a => a.click());
fetch("AREA/fetch");
fetch("AREA/keepalive", {keepalive: true});
fetch("AREA/post", {method: "POST", body: "x"});
fetch("http://localhost:PORTAREA/cors", {method: "PUT"}).catch(() => {});
navigator.sendBeacon("AREA/beacon");
let x = new XMLHttpRequest(); x.open("GET", "AREA/xhr"); x.send();
new EventSource("AREA/events").onerror = e => e.target.close();
new Worker("AREA/worker.js");
new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.1:PORTAREA/blob')"])));
new SharedWorker("AREA/shared.js");
window.open("AREA/popup.html");
</script>`

// both returns text that requests a path in /public and in /private.
func both(element string) string {
	return strings.ReplaceAll(element, "AREA", "/public") + strings.ReplaceAll(element, "AREA", "/private")
}

// pages are two pages with all kinds, one with a frame of another site, workers and a tab, and one
// that preloads pages.
var pages = map[string]string{
	"/": `<!doctype html><title>home</title>
<iframe src="http://localhost:PORT/other-site.html"></iframe>
<script>
new Worker("/work.js?of-worker");
new SharedWorker("/work.js?of-shared-worker");
navigator.serviceWorker.register("/work.js?of-service-worker");
window.open("/tab.html");
</script>`,
	"/preload.html": `<script type="speculationrules">{
	"prefetch": [{"urls": ["/private/prefetched.html"], "eagerness": "immediate"}],
	"prerender": [{"urls": ["/private/prerendered.html"], "eagerness": "immediate"}]
}</script>`,
	"/public.html":     strings.ReplaceAll(kinds, "AREA", "/public"),
	"/private.html":    strings.ReplaceAll(kinds, "AREA", "/private"),
	"/other-site.html": both(`<img src="AREA/other-site.png">`),
	"/tab.html":        both(`<img src="AREA/tab.png">`),
	"/work.js":         both(`fetch("AREA/fetch-" + location.search.slice(1)); try { importScripts("AREA/import-" + location.search.slice(1)) } catch {};`),
}

// TestEveryRequestIsChecked opens pages whose frames, workers and tabs send requests of all kinds.
// The site receives those that robots.txt allows, and no other.
func TestEveryRequestIsChecked(t *testing.T) {
	tab := open(t)
	refused := logged(t)
	s := newSite(t, disallowPrivate, pages)
	// visit opens a page and waits until it has requested the paths in the areas.
	visit := func(page string, paths []string, areas ...string) {
		t.Helper()
		if err := chromedp.Do(tab, chromedp.Navigate(s.URL+page)); err != nil {
			t.Fatal(err)
		}
		var missing []string
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			seen := strings.Join(s.received(), "\n") + "\n" + strings.ReplaceAll(refused.String(), " is disallowed", "\n")
			missing = nil
			for _, area := range areas {
				for _, path := range paths {
					if !strings.Contains(seen, area+path+"\n") {
						missing = append(missing, area+path)
					}
				}
			}
			if len(missing) == 0 {
				return
			}
		}
		t.Errorf("%s: not requested: %q", page, missing)
	}
	var all []string
	for _, m := range regexp.MustCompile(`AREA(/[\w.]+)`).FindAllStringSubmatch(kinds, -1) {
		all = append(all, m[1])
	}
	visit("/preload.html", nil)
	time.Sleep(time.Second) // until Chromium would have preloaded the pages
	visit("/public.html", all, "/public")
	visit("/private.html", all, "/private")
	below := []string{"/other-site.png", "/tab.png"}
	for _, worker := range []string{"of-worker", "of-shared-worker", "of-service-worker"} {
		below = append(below, "/fetch-"+worker, "/import-"+worker)
	}
	visit("/", below, "/public", "/private")
	for _, r := range s.received() {
		if strings.Contains(r, "/private/") {
			t.Errorf("received %s", r)
		}
	}
}

// A navigation fails if robots.txt disallows the page or a redirect, or is unreachable.
func TestNavigationIsChecked(t *testing.T) {
	tab := open(t)
	logged(t)
	s := newSite(t, disallowPrivate, nil)
	down := newSite(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, nil)
	for _, blocked := range []string{s.URL + "/private/page", s.URL + "/moved?to=/private/page", s.URL + "/moved?to=" + down.URL + "/page", down.URL + "/page"} {
		if err := chromedp.Do(tab, chromedp.Navigate(blocked)); err == nil || !strings.Contains(err.Error(), "ERR_BLOCKED_BY_CLIENT") {
			t.Errorf("%s: error %v", blocked, err)
		}
	}
	if err := chromedp.Do(tab, chromedp.Navigate(s.URL+"/page")); err != nil {
		t.Error(err)
	}
	want := []string{"127.0.0.1/robots.txt", "127.0.0.1/moved", "127.0.0.1/moved", "127.0.0.1/page"}
	if got := s.received()[:4]; !slices.Equal(got, want) { // the icon may follow
		t.Errorf("received %q, want %q", got, want)
	}
	if got := down.received(); !slices.Equal(got, want[:1]) {
		t.Errorf("received %q, want %q", got, want[:1])
	}
}

func TestRun(t *testing.T) {
	out := logged(t)
	s := newSite(t, disallowPrivate, map[string]string{"/": `<title>a page</title><img src="/private/image.png">`})
	wantStarted(t, run(s.URL))
	for _, want := range []string{s.URL + `/private/image.png is disallowed by "Disallow: /private/"`, `title "a page"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q: %s", want, out)
		}
	}
}

// A buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// logged returns the log output of the test.
func logged(t *testing.T) *buffer {
	t.Helper()
	out := new(buffer)
	log.SetOutput(out)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	return out
}
