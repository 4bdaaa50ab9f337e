package pictures

import (
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// openBrowser starts Chromium so that it draws the same everywhere.
func openBrowser(t *testing.T, required bool) *browsertest.Tab {
	t.Helper()
	return browsertest.New(t, &browsertest.Options{
		Required: required,
		Flags:    map[string]any{"hide-scrollbars": true, "font-render-hinting": "none"},
	})
}

// openDashboard opens the page that shows a crawl while it runs.
func openDashboard(t *testing.T, b *browsertest.Tab) {
	t.Helper()
	demo := browsertest.StartDemo(t, 8080, 200*time.Millisecond) // slowly enough to be seen
	b.Open(demo.Server.URL())
	b.Wait("the tables have rows", `Number(document.getElementById("pages-count").textContent) > 60`)
}
