package browsertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A Tab is a tab of Chromium, with all that went wrong in it and all that it asked
// for. What it cannot do ends its test.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex // guards both below
	errors   []string
	requests []string
}

// Open opens a page, and forgets what was before.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.mu.Lock()
	b.errors, b.requests = nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate(url))
}

// Eval returns what an expression of JavaScript is in the page.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Wait waits until an expression is true in the page, ten seconds at the most.
func (b *Tab) Wait(what, expression string) {
	b.t.Helper()
	for range 200 {
		if Eval[bool](b, expression) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: the page does not come to it; it says %q", what, Eval[string](b, `document.body.innerText`))
}

// Click clicks on an element, once it can be seen.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// Type presses keys with an element in focus.
func (b *Tab) Type(selector, keys string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), keys))
}

// Resize gives the window a size, in pixels.
func (b *Tab) Resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// PhoneWidth is how wide the screen is after [Tab.BePhone], in pixels.
const PhoneWidth = 360

// BePhone makes the browser one of a small phone that is held upright.
func (b *Tab) BePhone() {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(PhoneWidth, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait))
}

// Prefer makes the browser one of a person with a preference that style sheets ask
// for, as in prefers-color-scheme and dark. It takes the place of the one before.
func (b *Tab) Prefer(feature, value string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})
}

// DisableScript has pages that are opened from here on run no script.
func (b *Tab) DisableScript() {
	b.t.Helper()
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Picture is what the window shows, as PNG.
func (b *Tab) Picture() []byte {
	b.t.Helper()
	return run(b, chromedp.CaptureScreenshot())
}

// PictureOf is an element so many times as large, as PNG.
func (b *Tab) PictureOf(selector string, scale float64) []byte {
	b.t.Helper()
	return run(b, chromedp.ScreenshotScale(chromedp.CSS(selector), scale))
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

// call gives a command of the protocol of Chromium's tools.
func call[P, R any](b *Tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	}))
}
