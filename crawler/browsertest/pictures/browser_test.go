package pictures

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// openBrowser starts Chromium so that it draws the same everywhere.
func openBrowser(t *testing.T) *browsertest.Tab {
	t.Helper()
	return browsertest.New(t, &browsertest.Options{
		Required: true,
		Flags:    map[string]any{"hide-scrollbars": true, "font-render-hinting": "none"},
	})
}

// show opens a page of this markup.
func show(t *testing.T, b *browsertest.Tab, markup string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(markup), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + name)
}

// dashboard is a picture of the page that shows a crawl while it runs.
func dashboard(t *testing.T, b *browsertest.Tab) []byte {
	t.Helper()
	demo := browsertest.StartDemo(t, 8080, 200*time.Millisecond) // slowly enough to be seen
	b.Open(demo.Server.URL())
	b.Wait("the tables have rows", `Number(document.getElementById("pages-count").textContent) > 60`)
	return b.Screenshot()
}
