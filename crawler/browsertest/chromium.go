// Package browsertest opens pages in Chromium, for tests. It returns the content of a page, and
// records errors and requests to other sites.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Options are for [New]. Nil is what a test wants that looks at a page.
type Options struct {
	// Needed fails the test where there is no Chromium. False: the test is skipped
	// there, but for continuous integration, which has to have it.
	Needed bool

	// Flags are for the command line of Chromium, without the hyphens: a flag is true
	// or has a text.
	Flags map[string]any
}

// lifetime is how long a tab is open at the most.
const lifetime = 2 * time.Minute

// New starts Chromium, with a profile of its own, until the test ends.
func New(t testing.TB, opts *Options) *Tab {
	t.Helper()
	if opts == nil {
		opts = new(Options)
	}
	path := executable()
	if path == "" {
		const missing = "no Chromium to look at pages with; install it (on Debian: apt-get install chromium)"
		if opts.Needed || os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	start := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
	}
	for name, value := range opts.Flags {
		start = append(start, chromedp.Flag(name, value))
	}
	if os.Geteuid() == 0 {
		start = append(start, chromedp.NoSandbox) // Chromium refuses to make one for root
	}
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, start...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // before its directory is removed
	return b
}

// executable is the path of Chromium; empty: there is none.
func executable() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
