package browsertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// A Tab is a tab of Chromium, with the errors, requests and responses of its page. If a call fails, it ends
// the test with t.Fatal.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu        sync.Mutex // guards the fields below
	errors    []string
	requests  []string
	responses map[string]int // the status of each URL
}

// Open opens a page, and discards the errors, requests and responses of the previous one.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.mu.Lock()
	b.errors, b.requests, b.responses = nil, nil, make(map[string]int)
	b.mu.Unlock()
	b.do(chromedp.Navigate(url))
}

// Eval evaluates a JavaScript expression in the page and returns its value. It waits for the value
// of a promise.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Wait waits until a JavaScript expression is true in the page. After ten seconds it fails the test
// with a message that begins with what.
func (b *Tab) Wait(what, expression string) {
	b.t.Helper()
	for range 200 {
		if Eval[bool](b, expression) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: not within 10 seconds; the text of the page is %q", what, Eval[string](b, `document.body.innerText`))
}

// Click waits until the element is visible and clicks it.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// Type focuses the element and types keys.
func (b *Tab) Type(selector, keys string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), keys))
}

// Resize sets the size of the viewport, in pixels.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// PhoneWidth is the width of the viewport after [Tab.EmulatePhone], in pixels.
const PhoneWidth = 360

// EmulatePhone emulates a small phone in portrait orientation, with touch.
func (b *Tab) EmulatePhone() {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(PhoneWidth, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait))
}

// EmulateMedia sets the value of a CSS media feature, such as prefers-color-scheme to dark. It
// replaces the feature of the previous call.
func (b *Tab) EmulateMedia(feature, value string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})
}

// DisableScript disables JavaScript in pages that are opened later.
func (b *Tab) DisableScript() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Block blocks requests for URLs that match one of the patterns, in the syntax of URLPattern.
func (b *Tab) Block(urlPatterns ...string) {
	b.t.Helper()
	var patterns []*network.BlockPattern
	for _, u := range urlPatterns {
		patterns = append(patterns, &network.BlockPattern{URLPattern: u, Block: true})
	}
	call(b, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
}

// SaveDownloads saves the files that pages offer for download into a directory.
func (b *Tab) SaveDownloads(dir string) {
	b.t.Helper()
	call(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
}

// Screenshot returns a PNG image of the viewport.
func (b *Tab) Screenshot() []byte {
	b.t.Helper()
	return run(b, chromedp.CaptureScreenshot())
}

// PDF returns the page as it is printed.
func (b *Tab) PDF() []byte {
	b.t.Helper()
	var pdf []byte
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		result, err := chromedp.Call(ctx, page.PrintToPDF, page.PrintToPDFParams{})
		pdf = result.Data
		return err
	}))
	return pdf
}

func (b *Tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func run[T any](b *Tab, action chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// call executes a command of the Chrome DevTools Protocol.
func call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	}))
}

// Unwatch stops recording errors and requests. A page that loads many others takes half of the time
// then. Only Eval may follow.
func (b *Tab) Unwatch() {
	b.t.Helper()
	call(b, target.SetAutoAttach, target.SetAutoAttachParams{})
	for _, domain := range []cdp.Command[cdp.Empty, cdp.Empty]{css.Disable, dom.Disable, page.Disable, log.Disable, network.Disable, runtime.Disable} {
		call(b, domain, cdp.Empty{})
	}
}
