package pictures

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A browser is a tab of Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context // the tab
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("no Chromium to take pictures with; install it (on Debian: apt-get install chromium)")
	}
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"),
	}
	if os.Geteuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // Chromium refuses to make one for root
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // before its directory is removed
	return &browser{t, ctx}
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func run[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// show opens a page of this markup.
func (b *browser) show(markup string) {
	b.t.Helper()
	name := filepath.Join(b.t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(markup), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + name))
}

// prefer makes the browser one of a person who likes a scheme of colours.
func (b *browser) prefer(scheme string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// view is a picture of what the window shows.
func (b *browser) view() []byte {
	b.t.Helper()
	return run(b, chromedp.CaptureScreenshot())
}

// element is a picture of an element, so many times as large.
func (b *browser) element(selector string, scale float64) []byte {
	b.t.Helper()
	return run(b, chromedp.ScreenshotScale(chromedp.CSS(selector), scale))
}

// dashboard is a picture of the page that shows a crawl while it runs.
func (b *browser) dashboard() []byte {
	t := b.t
	t.Helper()
	site, err := demosite.Start(&demosite.Options{Port: 8080})
	if err != nil {
		if site, err = demosite.Start(nil); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = site.Close() }()
	server, err := monitor.Listen("127.0.0.1:0", &monitor.Options{Title: "the demo site"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	cfg := crawler.Default()
	cfg.URLs, cfg.Output = site.StartURLs(), filepath.Join(t.TempDir(), "crawl")
	cfg.Delay, cfg.RobotsRetry = 200*time.Millisecond, time.Second // slowly enough to be seen
	var c *crawler.Crawler
	c, err = crawler.New(cfg, &crawler.Options{
		Formats: []output.Format{server.Format()},
		Begun:   func() { server.Begin(c) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Run(ctx)
		ended <- err
	}()
	b.do(chromedp.Navigate(server.URL()), chromedp.Sleep(15*time.Second))
	shot := b.view()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return shot
}
