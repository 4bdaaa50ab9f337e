// Package browsertest opens pages in headless Chromium for tests. A test can evaluate JavaScript
// in a page, click and type, take screenshots, and check the layout. Each tab records the errors,
// console messages and requests of its page.
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

// Options configure [New].
type Options struct {
	// Required makes the test fail if Chromium is not installed. Otherwise it is skipped,
	// but it fails if the environment variable CI is set.
	Required bool

	// Flags are additional command-line flags of Chromium, without the hyphens. A value is
	// a bool or a string.
	Flags map[string]any
}

// lifetime is the maximum time for which a tab is open, on a busy machine too.
const lifetime = 10 * time.Minute

// New starts Chromium with an empty profile and opens a tab. Chromium is stopped when the test
// ends, or after lifetime. Nil options are the defaults.
func New(t testing.TB, opts *Options) *Tab {
	t.Helper()
	if opts == nil {
		opts = new(Options)
	}
	path := executable()
	if path == "" {
		const missing = "Chromium is not installed; install it (on Debian: apt-get install chromium)"
		if opts.Required {
			t.Fatal(missing)
		}
		Missing(t, missing)
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
		start = append(start, chromedp.NoSandbox) // Chromium has no sandbox for root
	}
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, start...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Tab{t: t, ctx: ctx, responses: make(map[string]int)}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // before its directory is removed
	return b
}

// Missing skips the test because a program or file is missing, but fails it if the environment variable CI is set.
func Missing(t testing.TB, message string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(message)
	}
	t.Skip(message)
}

// executable returns the path of Chromium, or "" if it is not installed.
func executable() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
