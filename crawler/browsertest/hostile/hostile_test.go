// Package hostile looks at what a crawl of a site of bad will shows, in a browser.
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

// TestHostileSite runs the test of this name of the program, which has the site and all
// else that is held of such a crawl. Each page that it names is opened here, while it
// waits: the live page of the crawl, and its report.
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

	test := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-run", "^TestHostileSite$", "./cmd/politecrawl")
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

// wantNothingRan holds that an open page runs nothing that a site wrote, and asks nobody
// else for anything.
func wantNothingRan(t *testing.T, b *browsertest.Tab, own string) {
	t.Helper()
	browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
	if got := browsertest.Eval[string](b, `typeof window.ran + document.querySelectorAll("[onerror], [onmouseover], img, iframe, base, a[href^='javascript']").length`); got != "undefined0" {
		t.Errorf("something of the site is markup: %s", got)
	}
	if text := browsertest.Eval[string](b, `document.body.innerText`); !strings.Contains(text, "<script>window.ran = 1</script>") {
		t.Errorf("the page does not show what the site wrote: %.1000s", text)
	}
	b.WantNoFault(own, "data:")
}
