package monitor

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A browser is a tab of Chromium, with all that went wrong in it and all that it
// asked for.
type browser struct {
	t   *testing.T
	ctx context.Context // the tab

	mu       sync.Mutex // guards both below
	errors   []string
	requests []string
}

// openBrowser starts Chromium. Where there is none the test is skipped, but for
// continuous integration, which has to have it.
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
		const missing = "no Chromium to look at the page with; install it (on Debian: apt-get install chromium)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	opts := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU,
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
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
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	})
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
		return err
	})
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // before its directory is removed
	return b
}

func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console.%s", ev.Type))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, ev.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, ev.Request.URL)
	}
}

func (b *browser) command(f func(ctx context.Context) error) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error { return f(ctx) }))
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns what an expression is in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression is true in the page.
func (b *browser) wait(what, expression string) {
	b.t.Helper()
	for range 200 {
		if eval[bool](b, expression) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: the page does not come to it; it says %q", what, eval[string](b, `document.body.innerText`))
}

// text is what an element says.
func (b *browser) text(id string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`document.getElementById(%q).textContent`, id))
}

func (b *browser) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// open opens a page, and forgets what was before.
func (b *browser) open(url string) {
	b.t.Helper()
	b.mu.Lock()
	b.errors, b.requests = nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate(url))
}

func (b *browser) prefer(name, value string) {
	b.t.Helper()
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}},
		})
		return err
	})
}

// wantNoFault holds that nothing went wrong since a page was opened, and that nothing
// was asked for elsewhere.
func (b *browser) wantNoFault(own string) {
	b.t.Helper()
	for _, f := range b.faults(own) {
		b.t.Error(f)
	}
}

func (b *browser) faults(own string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for _, e := range b.errors {
		found = append(found, "in the console: "+e)
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, own) {
			found = append(found, "a request for "+url)
		}
	}
	return found
}

// TestBrowserSeesFaults holds that the tests of the page can fail.
func TestBrowserSeesFaults(t *testing.T) {
	b := openBrowser(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer elsewhere.Close()
	for name, markup := range map[string]string{
		"a request": `<img src="` + elsewhere.URL + `/x.png">`,
		"an error":  `<script>throw new Error("x")</script>`,
		"a policy":  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>1</script>`,
		"a message": `<script>console.log("x")</script>`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>x</title>`+markup)
		}))
		b.open(server.URL)
		eval[int](b, "1") // what the page did has come by then
		if len(b.faults(server.URL)) == 0 {
			t.Errorf("%s went unseen", name)
		}
		server.Close()
	}
}
