package report

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
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

// open opens a page on the disk, and forgets what was before.
func (b *browser) open(path string) {
	b.t.Helper()
	b.mu.Lock()
	b.errors, b.requests = nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate("file://" + path))
}

// openReport opens the report of a crawl.
func (b *browser) openReport(c *crawl) {
	b.t.Helper()
	dir := c.write(b.t)
	if _, err := Write(dir, nil); err != nil {
		b.t.Fatal(err)
	}
	b.open(filepath.Join(dir, HTMLFile))
}

func (b *browser) prefer(scheme string) {
	b.t.Helper()
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// faults are what went wrong since a page was opened, and what was asked for that
// is not the page itself.
func (b *browser) faults() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []string
	for _, e := range b.errors {
		found = append(found, "in the console: "+e)
	}
	for _, url := range b.requests {
		if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") {
			found = append(found, "a request for "+url)
		}
	}
	return found
}

func (b *browser) wantNoFault() {
	b.t.Helper()
	for _, f := range b.faults() {
		b.t.Error(f)
	}
}

// TestBrowserSeesFaults holds that the tests below can fail.
func TestBrowserSeesFaults(t *testing.T) {
	b := openBrowser(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for name, markup := range map[string]string{
		"a request": `<img src="` + server.URL + `/x.png">`,
		"an error":  `<script>throw new Error("x")</script>`,
		"a policy":  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>1</script>`,
		"a message": `<script>console.log("x")</script>`,
	} {
		path := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(path, []byte("<!doctype html><title>x</title>"+markup), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open(path)
		eval[int](b, "1") // what the page did has come by then
		if len(b.faults()) == 0 {
			t.Errorf("%s went unseen", name)
		}
	}
}

// bigCrawl is everything, with more rows in some tables.
func bigCrawl() *crawl {
	c := everything()
	for i := range 20 {
		host := fmt.Sprintf("https://host-%02d.example", i)
		for page := range i + 1 {
			p := c.pages[0]
			p.URL = fmt.Sprintf("%s/%d/%s", host, page, strings.Repeat("long", 60))
			c.pages = append(c.pages, p)
		}
	}
	return c
}

func TestPageInBrowser(t *testing.T) {
	b := openBrowser(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.openReport(bigCrawl())
	for _, id := range []string{"statuses", "depths", "spread", "course", "rejected", "sitemaps"} {
		bars := eval[int](b, `[...document.querySelectorAll("#chart-`+id+` rect")].filter(r => {
			const box = r.getBoundingClientRect();
			return box.width > 0 && box.height > 0 && getComputedStyle(r).fill !== "rgb(0, 0, 0)";
		}).length`)
		if bars == 0 {
			t.Errorf("the chart of %s has no bar to be seen", id)
		}
	}
	if n := eval[int](b, `[...document.querySelectorAll("a.card")].filter(a => document.querySelector(a.getAttribute("href"))).length`); n != 4 {
		t.Errorf("%d cards that lead to their section", n)
	}
	if n := eval[int](b, `document.querySelectorAll("#kind-broken tbody tr").length`); n != 2 {
		t.Errorf("%d broken entries", n)
	}
	b.wantNoFault()
}

// rows is the text of the cells in a column of a table that can be seen.
func (b *browser) rows(table string, column int) string {
	b.t.Helper()
	return strings.Join(eval[[]string](b, fmt.Sprintf(
		`[...document.querySelectorAll("#%s tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[%d].textContent.trim())`, table, column)), " ")
}

func TestTablesSortAndFilter(t *testing.T) {
	b := openBrowser(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	b.openReport(bigCrawl())
	sort := func(column int) string {
		b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#table-hosts th:nth-child(%d) button", column+1))))
		return eval[string](b, fmt.Sprintf(`document.querySelector("#table-hosts th:nth-child(%d)").ariaSort`, column+1))
	}
	const up, down = "1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 28", "28 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 1"
	for _, step := range []struct {
		column            int
		direction, values string
	}{{1, "descending", down}, {1, "ascending", up}, {1, "descending", down}} {
		if got := sort(step.column); got != step.direction {
			t.Errorf("sorted %q, want %q", got, step.direction)
		}
		if got := b.rows("table-hosts", step.column); got != step.values {
			t.Errorf("%s: %s", step.direction, got)
		}
	}
	if sort(0); !strings.HasPrefix(b.rows("table-hosts", 0), "https://bare.example https://example.com https://host-00.example") {
		t.Errorf("by name: %s", b.rows("table-hosts", 0))
	}
	const tools = `.tools:has(+ .table > #table-hosts) `
	b.do(chromedp.SendKeys(chromedp.CSS(tools+"input"), "HOST-0 .example"))
	if got, told := b.rows("table-hosts", 1), eval[string](b, `document.querySelector("`+tools+`[role=status]").textContent`); got != "1 2 3 4 5 6 7 8 9 10" || told != "10 of 22" {
		t.Errorf("filtered: %s; told %q", got, told)
	}
	b.wantNoFault()
}

// TestLongTables holds that of a long table the first rows are shown, of those that
// the filter leaves and in the order that was chosen, until one asks for all.
func TestLongTables(t *testing.T) {
	b := openBrowser(t)
	b.do(chromedp.EmulateViewport(1280, 900))
	c := bigCrawl()
	for i := range 60 {
		p := c.pages[0]
		p.URL, p.Status = fmt.Sprintf("%s/broken/%02d", example, i), 404
		c.pages = append(c.pages, p)
	}
	b.openReport(c)
	shown := func(want int, first string) {
		t.Helper()
		rows := eval[[]string](b, `[...document.querySelectorAll("#table-broken tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[0].textContent)`)
		if len(rows) != want || !strings.HasPrefix(rows[0], example+first) {
			t.Errorf("%d rows from %q on, want %d from %s", len(rows), rows[0], want, first)
		}
	}
	const head, filter = "#table-broken th:first-child button", ".tools:has(+ .table > #table-broken) input"
	const button = ".table:has(> #table-broken) + button.all"
	shown(25, "/gone") // by the pages that link there
	b.do(chromedp.Click(chromedp.CSS(head)))
	shown(25, "/broken/00")
	b.do(chromedp.Click(chromedp.CSS(head)))
	shown(25, "/gone")
	b.do(chromedp.SendKeys(chromedp.CSS(filter), "broken/1"))
	shown(10, "/broken/19")
	if eval[bool](b, `document.querySelector("`+button+`").checkVisibility()`) {
		t.Error("there is a button for more than there is")
	}
	b.do(chromedp.SendKeys(chromedp.CSS(filter), "\b\b"))
	shown(25, "/broken/59")
	b.do(chromedp.Click(chromedp.CSS(button)))
	shown(60, "/broken/59")
	b.wantNoFault()
}

// TestWithoutScript holds that nothing is hidden from who runs none.
func TestWithoutScript(t *testing.T) {
	b := openBrowser(t)
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	b.openReport(bigCrawl())
	if n := eval[int](b, `document.querySelectorAll(".tools").length`); n != 0 {
		t.Fatalf("the script ran: %d tools", n)
	}
	if got := b.rows("table-broken", 0); !strings.Contains(got, "https://example.com/gone") {
		t.Errorf("broken URLs: %s", got)
	}
	b.wantNoFault()
}

// TestOnAPhone holds that nothing is wider than the screen, with all that can be
// opened open.
func TestOnAPhone(t *testing.T) {
	b := openBrowser(t)
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait))
	for name, c := range map[string]*crawl{"all": bigCrawl(), "hostile": hostileCrawl()} {
		b.openReport(c)
		eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
		if wide := eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 360.5 && e.checkVisibility() && !e.closest("thead")).map(e => e.outerHTML.slice(0, 200))`); len(wide) > 0 {
			t.Errorf("%s: %d elements are wider than the screen, the first: %s", name, len(wide), wide[0])
		}
		if got := eval[int](b, `document.documentElement.scrollWidth`); got > 360 {
			t.Errorf("%s: the page is %d wide", name, got)
		}
		if got := eval[string](b, `getComputedStyle(document.querySelector("#table-broken td:nth-child(2)"), "::before").content`); got != `attr(data-label)` && got != `"Status"` {
			t.Errorf("%s: a cell without its name: %s", name, got)
		}
	}
	b.wantNoFault()
}

// contrasts lists texts that do not stand out from what is behind them
// (WCAG 2 asks for 4.5).
const contrasts = `(() => {
	const parts = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parts(c).slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((parts(c)[3] ?? 1) === 1) return c; } return "rgb(0, 255, 0)"; };
	const faint = [];
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), [a, b] = [light(e instanceof SVGElement ? style.fill : style.color), light(behind(e))];
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) faint.push(ratio.toFixed(2) + " " + e.outerHTML.slice(0, 120));
	}
	return faint;
})()`

func TestLightAndDark(t *testing.T) {
	b := openBrowser(t)
	seen := make(map[string]string)
	for _, scheme := range []string{"light", "dark"} {
		b.prefer(scheme)
		b.openReport(bigCrawl())
		eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
		seen[eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = scheme
		if faint := eval[[]string](b, contrasts); len(faint) > 0 {
			t.Errorf("%s: %d texts are hard to read, the first: %s", scheme, len(faint), faint[0])
		}
	}
	if len(seen) != 2 {
		t.Errorf("backgrounds: %v", seen)
	}
	b.wantNoFault()
}

func TestHostileTextsInBrowser(t *testing.T) {
	b := openBrowser(t)
	b.openReport(hostileCrawl())
	eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
	if got := eval[string](b, `typeof window.ran + " " + document.baseURI.slice(0, 7)`); got != "undefined file://" {
		t.Errorf("something of the site ran: %s", got)
	}
	b.wantNoFault()
}
