// How does a browser that chromedp drives obey robots.txt? This example checks every request of
// Chromium: pages, redirects, images, scripts, frames, workers and new tabs.
//
//	cd crawler/browsertest && go run ./examples/chromedp https://example.com/
//
// It prints the title of the page, and the requests that robots.txt disallows.
package main

import (
	"context"
	"log"
	"net/url"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/politecrawl/politecrawl/robotsext"
)

const userAgent = "examplebot/1.0 (+https://example.com/bot)"

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: chromedp URL")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(page string) error {
	robots, err := robotsext.New(userAgent, nil)
	if err != nil {
		return err
	}
	defer robots.CloseIdleConnections()
	ctx, stop, err := newBrowser(context.Background(), robots)
	if err != nil {
		return err
	}
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate(page)); err != nil {
		return err
	}
	title, err := chromedp.Run(ctx, chromedp.Title())
	log.Printf("title %q", title)
	return err
}

// newBrowser starts Chromium. It returns the context of a tab. The requests of all tabs are
// checked.
func newBrowser(ctx context.Context, robots *robotsext.Robots) (tab context.Context, stop func(), err error) {
	profile, err := newProfile()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserAgent(userAgent), chromedp.UserDataDir(profile))...)
	tab, _ = chromedp.NewContext(ctx) // stop cancels it
	stop = func() {
		_ = chromedp.Cancel(tab)
		cancel()
		_ = os.RemoveAll(profile)
	}
	if err := checkRequests(tab, robots); err != nil {
		stop()
		return nil, nil, err
	}
	return tab, stop, nil
}

// newProfile returns the directory of a profile without preloading. Chromium does not pause
// the requests for pages that a site's speculation rules preload.
func newProfile() (string, error) {
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		return "", err
	}
	err = os.Mkdir(filepath.Join(dir, "Default"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "Default", "Preferences"), []byte(`{"net": {"network_prediction_options": 2}}`), 0o600)
	}
	return dir, err
}

// checkRequests starts the browser of ctx and checks its requests. It calls Fetch.enable for the
// browser: for a tab, it would not pause the requests of other tabs, of frames of other sites, and of
// shared and service workers. Chromium pauses no WebSockets.
func checkRequests(ctx context.Context, robots *robotsext.Robots) error {
	paused := chromedp.BrowserEvents(ctx, fetch.RequestPaused)
	go func() {
		for ev, err := range paused {
			if err != nil {
				return // the browser has ended
			}
			go check(ctx, robots, ev) // which may wait for robots.txt
		}
	}()
	_, err := chromedp.CallBrowser(ctx, fetch.Enable, fetch.EnableParams{
		Patterns: []*fetch.RequestPattern{{URLPattern: "http*"}}, // http and https
	})
	return err
}

// check continues a paused request if robots.txt allows it. A request that cannot be checked fails.
func check(ctx context.Context, robots *robotsext.Robots, ev fetch.EventRequestPaused) {
	u, err := url.Parse(ev.Request.URL)
	if err == nil {
		err = robots.Check(ctx, u)
	}
	if err == nil {
		_, err = chromedp.CallBrowser(ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
	} else {
		log.Print(err)
		_, err = chromedp.CallBrowser(ctx, fetch.FailRequest, fetch.FailRequestParams{
			RequestID: ev.RequestID, ErrorReason: network.ErrorReasonBlockedByClient,
		})
	}
	if err != nil && ctx.Err() == nil {
		log.Print(err) // the page no longer needs the request
	}
}
