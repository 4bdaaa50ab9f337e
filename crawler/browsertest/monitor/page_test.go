package monitor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/hostiletest"
	"github.com/politecrawl/politecrawl/crawler/internal/monitortest"
	"github.com/politecrawl/politecrawl/crawler/monitor"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// serveHostile serves a crawl that found nothing good, and did much.
func serveHostile(t *testing.T) *monitor.Server {
	t.Helper()
	s, f := serve(t, &monitor.Options{Title: hostiletest.Markup})
	f.Change(func(s *monitortest.State) {
		s.Status = monitortest.AtWork()
		s.Status.Pages, s.Status.Bytes, s.Status.Frontier.URLs, s.Status.Remaining, s.Status.Duration = 123_456_789, 9e15, 1e10, 987_654_321, plan.Millis(1e6*time.Second)
		s.Status.Rejected = map[output.Reason]int{output.Reason(hostiletest.Markup): 1e9, output.Failed: 2}
		s.Status.Statuses = map[int]int{}
		for i := range 1000 {
			s.Status.Statuses[i] = i
		}
		for range 100 {
			s.Status.Waiting = append(s.Status.Waiting, hostiletest.Markup)
		}
		for i := range 7 {
			s.Hosts[frontier.Host(fmt.Sprint(i)+"<")] = frontier.HostRecord{Delay: time.Hour, BlockedUntil: time.Now().Add(1000 * time.Hour), Counts: frontier.Counts{Done: 1e9}}
		}
	})
	hand(t, s, hostiletest.Found())
	return s
}

const allDrawn = `["hosts", "pages", "rejections", "errors", "robots"].every(id => document.querySelectorAll("#" + id + " tbody tr").length > 5)`

func TestHostileTextsInBrowser(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	s := serveHostile(t)
	b.Open(s.URL())
	b.Wait("all is shown", allDrawn)
	if got := browsertest.Eval[string](b, `typeof window.ran + " " + document.querySelectorAll("script, img, base, iframe").length + " " + document.baseURI`); got != "undefined 1 "+s.URL() {
		t.Errorf("something of the site is part of the page: %s", got)
	}
	if got := browsertest.Eval[string](b, `document.querySelector("h1").textContent`); got != escape.Text(hostiletest.Markup) {
		t.Errorf("the title is %q", got)
	}
	if bad := browsertest.Eval[[]string](b, `[...document.links].map(a => a.href).filter(u => !/^http:\/\/h\.example\//.test(u) && u !== location.origin + "/metrics")`); len(bad) > 0 {
		t.Errorf("links to %q", bad)
	}
	if bad := browsertest.Eval[string](b, `document.body.textContent.match(/[\u0000-\u0008\u202e]/) ? "yes" : ""`); bad != "" {
		t.Error("characters that a person cannot see are written as they are")
	}
	if got := browsertest.Eval[string](b, `document.getElementById("state").textContent`); got != "running" {
		t.Errorf("a text of the site was taken for an event: %q", got)
	}
	b.CheckNoProblems(s.URL())
}

// No label of the chart is cut off, on a phone, a tablet, or a desk.
func TestLabelsFitIntoTheChart(t *testing.T) {
	b := browsertest.New(t, nil)
	s := serveHostile(t)
	b.Open(s.URL())
	b.Wait("all is shown", allDrawn)
	for _, width := range []int64{320, browsertest.PhoneWidth, 390, 700, 701, 1280} {
		b.Resize(width, 844)
		if labels := browsertest.Eval[int](b, `[...document.querySelectorAll("#chart text")].filter(e => e.textContent).length`); labels != 3 {
			t.Errorf("%d labels, want 3", labels)
		}
		if clipped := b.ClippedLabels(); len(clipped) > 0 {
			t.Errorf("%d pixels wide: %q are cut off", width, clipped)
		}
	}
}

// A time below a second is told in milliseconds: --delay 50ms is not 0.1 s.
func TestTimesBelowASecond(t *testing.T) {
	b := browsertest.New(t, nil)
	s, f := serve(t, nil)
	want := map[string]string{}
	f.Change(func(s *monitortest.State) {
		s.Status = monitortest.AtWork()
		for shown, delay := range map[string]time.Duration{
			"0 s": 0, "1 ms": time.Millisecond, "50 ms": 50 * time.Millisecond, "250 ms": 250 * time.Millisecond, "999 ms": 999 * time.Millisecond,
			"1.0 s": time.Second, "1.5 s": 1500 * time.Millisecond, "30 s": 30 * time.Second,
		} {
			host := fmt.Sprintf("h%d", delay)
			s.Hosts[frontier.Host(host)], want[host] = frontier.HostRecord{Delay: delay, Counts: frontier.Counts{Done: 1}}, shown
		}
	})
	var found output.Results
	for host := range want {
		found.Pages = append(found.Pages, &output.Page{URL: "http://" + host + "/", Status: 200, DurationMS: 40})
	}
	hand(t, s, &found)
	b.Open(s.URL())
	b.Wait("all hosts are shown", fmt.Sprintf(`document.querySelectorAll("#hosts tbody tr").length === %d`, len(want)))
	got := browsertest.Eval[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("#hosts tbody tr")].map(r => [r.cells[0].textContent, r.querySelector("[data-label=Delay]").textContent]))`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := browsertest.Eval[string](b, `document.querySelector("#pages [data-label=Duration]").textContent`); got != "40 ms" {
		t.Errorf("a page took %q", got)
	}
}

// TestOnAPhone holds that nothing is wider than the screen.
func TestOnAPhone(t *testing.T) {
	b := browsertest.New(t, nil)
	b.EmulatePhone()
	s := serveHostile(t)
	b.Open(s.URL())
	b.Wait("all is shown", allDrawn)
	if wide := b.Overflowing(); len(wide) > 0 {
		t.Errorf("%d elements are wider than the screen, the first: %s", len(wide), wide[0])
	}
	if got := browsertest.Eval[string](b, `getComputedStyle(document.querySelector("#pages td:nth-child(2)"), "::before").content`); got != `attr(data-label)` && got != `"Status"` {
		t.Errorf("a cell without its name: %s", got)
	}
	b.Click("#stop")
	if wide := browsertest.Eval[float64](b, `document.getElementById("confirm").getBoundingClientRect().right`); wide > browsertest.PhoneWidth {
		t.Errorf("the question is %v wide", wide)
	}
	b.CheckNoProblems(s.URL())
}

func TestLightAndDark(t *testing.T) {
	b := browsertest.New(t, nil)
	s := serveHostile(t)
	seen := make(map[string]string)
	for _, scheme := range []string{"light", "dark"} {
		b.EmulateMedia("prefers-color-scheme", scheme)
		b.Open(s.URL())
		b.Wait("all is shown", allDrawn)
		b.Click("#stop") // its question too
		seen[browsertest.Eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = scheme
		if faint := b.LowContrast(); len(faint) > 0 {
			t.Errorf("%s: %d texts are hard to read, the first: %s", scheme, len(faint), faint[0])
		}
	}
	if len(seen) != 2 {
		t.Errorf("backgrounds: %v", seen)
	}
	const moving = `document.getAnimations().length`
	for preference, want := range map[string]int{"no-preference": 1, "reduce": 0} {
		b.EmulateMedia("prefers-reduced-motion", preference)
		b.Open(s.URL())
		b.Wait("it runs", `document.getElementById("state").textContent === "running"`)
		if got := browsertest.Eval[int](b, moving); got != want {
			t.Errorf("with motion %s, %d things move", preference, got)
		}
	}
	b.CheckNoProblems(s.URL())
}

// TestNames holds that who does not see the page is told what is what.
func TestNames(t *testing.T) {
	b := browsertest.New(t, nil)
	s := serveHostile(t)
	b.Open(s.URL())
	b.Wait("all is shown", allDrawn)
	for what, expression := range map[string]string{
		"what has no name":            `[...document.querySelectorAll("section, button, [role=region], [role=img], dialog")].filter(e => !e.ariaLabel && !e.getAttribute("aria-labelledby") && !e.textContent.trim())`,
		"a name that is not there":    `[...document.querySelectorAll("[aria-labelledby]")].filter(e => !e.getAttribute("aria-labelledby").split(" ").every(id => document.getElementById(id)))`,
		"an id that is there twice":   `[...document.querySelectorAll("[id]")].filter(e => document.querySelectorAll("#" + e.id).length > 1)`,
		"a list that no key reaches":  `[...document.querySelectorAll(".table")].filter(e => e.tabIndex !== 0)`,
		"a page without a language":   `[document.documentElement].filter(e => !e.lang)`,
		"a heading without one above": `[...document.querySelectorAll("h2")].filter(() => document.querySelectorAll("h1").length !== 1)`,
	} {
		if bad := browsertest.Eval[[]string](b, expression+`.map(e => e.outerHTML.slice(0, 200))`); len(bad) > 0 {
			t.Errorf("%s: %s", what, bad[0])
		}
	}
	if live := browsertest.Eval[string](b, `document.querySelector("[role=status]").id + document.querySelectorAll("[role=status], [aria-live]").length`); live != "state1" {
		t.Errorf("what is read out when it changes: %s", live)
	}
}

// TestListsStandStill holds that a list does not move under the pointer, and goes on
// after it.
func TestListsStandStill(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	add := func(n int) {
		hand(t, s, &output.Results{Pages: []*output.Page{{URL: fmt.Sprintf("http://h/%d", n), Status: 200}}})
		f.Change(func(s *monitortest.State) { s.Status.Pages = n })
	}
	add(1)
	b.Open(s.URL())
	const first = `document.querySelector("#pages tbody tr")?.cells[0].textContent`
	b.Wait("the first", first+` === "http://h/1"`)
	browsertest.Eval[int](b, `document.querySelector("#pages a").focus(), 1`)
	add(2)
	b.Wait("the numbers move", `document.getElementById("pages-count").textContent === "2"`)
	if got := browsertest.Eval[string](b, first); got != "http://h/1" {
		t.Errorf("the list has moved: %s", got)
	}
	browsertest.Eval[int](b, `document.activeElement.blur(), 1`)
	b.Wait("the list moves again", first+` === "http://h/2"`)
	b.CheckNoProblems(s.URL())
}

const secret = "a-token-that-is-hard-to-guess"

// TestTokenInBrowser comes in with the token in the address, and has the page stop the
// crawl.
func TestTokenInBrowser(t *testing.T) {
	b := browsertest.New(t, nil)
	s, f := serve(t, &monitor.Options{Token: secret})
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	b.Open(s.URL() + "?token=" + secret)
	b.Wait("it runs", `document.getElementById("state").textContent === "running"`)
	if got := browsertest.Eval[string](b, `location.href + document.cookie`); got != s.URL() {
		t.Errorf("the page is at %s", got)
	}
	b.Click("#pause")
	b.Wait("it pauses", `document.getElementById("state").textContent.startsWith("pausing")`)
	if f.Called() != "pause" {
		t.Errorf("the crawl was told %q", f.Called())
	}
	b.CheckNoProblems(s.URL())
}

// TestPageOfAnotherOrigin has a page of somebody else try all that a browser lets it.
func TestPageOfAnotherOrigin(t *testing.T) {
	b := browsertest.New(t, nil)
	s, f := serve(t, nil)
	f.Change(func(s *monitortest.State) { s.Status = monitortest.AtWork() })
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>x</title><iframe name="f" src="%[1]s"></iframe>
<form method="post" action="%[1]sstop" target="f"></form><script>
window.said = [];
(async () => {
	for (const [path, how] of [["stop", {method: "POST", mode: "no-cors"}], ["stop", {method: "POST", headers: {"%[2]s": "x"}}], ["events", {}], ["", {}]]) {
		try { const r = await fetch("%[1]s" + path, how); said.push(r.type + r.status); } catch (e) { said.push("refused"); }
	}
	document.forms[0].submit();
	await new Promise(r => document.querySelector("iframe").onload = r);
	said.push("sent");
})();
</script>`, s.URL(), "X-Politecrawl-Change")
	}))
	defer evil.Close()
	b.Open(evil.URL)
	b.Wait("it has tried", `window.said.length === 5`)
	if got := browsertest.Eval[string](b, `said.join(" ")`); got != "refused refused refused refused sent" {
		t.Errorf("it was told %s", got)
	}
	if f.Called() != "" {
		t.Errorf("the crawl was told %q", f.Called())
	}
}
