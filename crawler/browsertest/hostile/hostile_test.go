// Package hostile tests in a browser that the report and the live page of a crawl of a hostile site
// are safe.
package hostile

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// TestHostileSite runs the test of this name in cmd/politecrawl/e2e, which crawls the site. That test
// sends the URLs of the live page and the report, and waits while each is opened here.
func TestHostileSite(t *testing.T) {
	b := browsertest.New(t, nil)
	pages, looked := make(chan string), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		select {
		case pages <- string(page):
		case <-t.Context().Done():
			return
		}
		select {
		case <-looked:
			w.WriteHeader(http.StatusNoContent)
		case <-t.Context().Done():
		}
	}))
	t.Cleanup(server.Close)

	test := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-run", "^TestHostileSite$", "./cmd/politecrawl/e2e")
	test.Dir = filepath.Join("..", "..", "..")
	test.Env = append(os.Environ(), "BROWSER_URL="+server.URL)
	ended := make(chan error, 1)
	go func() {
		out, err := test.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		ended <- err
	}()
	var opened []string
	for {
		select {
		case page := <-pages:
			b.Open(page)
			own, _, live := strings.Cut(page, "?token=")
			if live {
				b.Wait("pages are listed", `document.querySelectorAll("#pages tbody tr").length > 5`)
			} else {
				own = "file://"
				b.Wait("the data are read", `data !== null`) // and the tree is there
			}
			wantNothingRan(t, b, own)
			opened = append(opened, own)
			looked <- true
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			if len(opened) != 2 || !strings.HasPrefix(opened[0], "http://") || opened[1] != "file://" {
				t.Errorf("pages opened: %q", opened)
			}
			return
		}
	}
}

// wantNothingRan checks that an open page has run no script of the site, and requested nothing from
// other hosts.
func wantNothingRan(t *testing.T, b *browsertest.Tab, own string) {
	t.Helper()
	browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
	if got := browsertest.Eval[string](b, `typeof window.ran + document.querySelectorAll("[onerror], [onmouseover], img, iframe, base, a[href^='javascript']").length`); got != "undefined0" {
		t.Errorf("something of the site is markup: %s", got)
	}
	text := browsertest.Eval[string](b, `document.body.innerText`)
	for _, topic := range browsertest.Eval[[]string](b, `[...document.querySelectorAll(".topics a")].map(a => a.hash)`) { // of the report
		browsertest.Eval[int](b, `location.hash = "`+topic+`", 1`)
		b.Wait(topic+" is drawn", `document.querySelector("`+topic+`").checkVisibility() && [...document.querySelectorAll("`+topic+` .scroller")].every(s => s.querySelector("td"))`)
		text += browsertest.Eval[string](b, `document.querySelector("`+topic+`").innerText`)
	}
	// The page of each URL of the report.
	shown := browsertest.Eval[struct {
		Text  string
		Found []string
	}](b, `(async () => {
		const shown = { text: "", found: [] };
		for (const v of document.querySelector(".topics") ? tableOf("urls").values[0] : []) {
			await showPanel({ url: urlText(v) });
			shown.text += panel.textContent;
			shown.found.push(...[...panel.querySelectorAll("*")].filter((e) => e.matches("img, iframe, base, script, link, style, meta") || [...e.attributes].some((a) => a.name.startsWith("on"))).map((e) => e.outerHTML));
		}
		return shown;
	})()`)
	if len(shown.Found) > 0 || strings.ContainsAny(shown.Text, "\u202e\x1b\u2028") {
		t.Errorf("the page of a URL has markup or characters that do not show: %q", shown.Found)
	}
	for _, section := range []string{"heading: ", "x-note: ", "Rel", "Alternative text", "robots.txt"} {
		if own == "file://" && !strings.Contains(shown.Text, section) {
			t.Errorf("no page of a URL has %q", section)
		}
	}
	if !strings.Contains(text, "<script>window.ran = 1</script>") {
		t.Errorf("the page does not show what the site wrote: %.1000s", text)
	}
	b.CheckNoProblems(own, "data:")
}
