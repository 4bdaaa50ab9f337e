package report_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
)

// pages is the directory of the pages that the tests of package report write.
var pages string

func TestMain(m *testing.M) { os.Exit(runWithPages(m)) }

func runWithPages(m *testing.M) int {
	var err error
	if pages, err = os.MkdirTemp("", "pages"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(pages) }()
	write := exec.Command("go", "test", "-vet=off", "-count=1", "-run", "^TestWritePages$", "./crawler/report", "-pages", pages)
	write.Dir = filepath.Join("..", "..", "..")
	if out, err := write.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", write, err, out)
		return 1
	}
	return m.Run()
}

// openReport opens one of the pages.
func openReport(t *testing.T, b *browsertest.Tab, name string) {
	t.Helper()
	page := filepath.Join(pages, name+".html")
	if _, err := os.Stat(page); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + page)
}

func TestPageShowsChartsAndCards(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	for _, id := range []string{"statuses", "depths", "histogram", "timeline", "rejected", "sitemaps"} {
		bars := browsertest.Eval[int](b, `[...document.querySelectorAll("#chart-`+id+` rect")].filter(r => {
			const box = r.getBoundingClientRect();
			return box.width > 0 && box.height > 0 && getComputedStyle(r).fill !== "rgb(0, 0, 0)";
		}).length`)
		if bars == 0 {
			t.Errorf("the chart of %s has no bar to be seen", id)
		}
	}
	if n := browsertest.Eval[int](b, `[...document.querySelectorAll("a.card")].filter(a => document.querySelector(a.getAttribute("href"))).length`); n != 4 {
		t.Errorf("%d cards that lead to their section", n)
	}
	if n := browsertest.Eval[int](b, `document.querySelectorAll("#kind-broken tbody tr").length`); n != 2 {
		t.Errorf("%d broken entries", n)
	}
	b.CheckNoProblems("file://", "data:")
}

// rows is the text of the cells in a column of a table that can be seen.
func rows(t *testing.T, b *browsertest.Tab, table string, column int) string {
	t.Helper()
	return strings.Join(browsertest.Eval[[]string](b, fmt.Sprintf(
		`[...document.querySelectorAll("#%s tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[%d].textContent.trim())`, table, column)), " ")
}

func TestTablesSortAndFilter(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	sort := func(column int) string {
		b.Click(fmt.Sprintf("#table-hosts th:nth-child(%d) button", column+1))
		return browsertest.Eval[string](b, fmt.Sprintf(`document.querySelector("#table-hosts th:nth-child(%d)").ariaSort`, column+1))
	}
	const up, down = "1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 28", "28 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 1"
	for _, step := range []struct {
		column            int
		direction, values string
	}{{1, "descending", down}, {1, "ascending", up}, {1, "descending", down}} {
		if got := sort(step.column); got != step.direction {
			t.Errorf("sorted %q, want %q", got, step.direction)
		}
		if got := rows(t, b, "table-hosts", step.column); got != step.values {
			t.Errorf("%s: %s", step.direction, got)
		}
	}
	if sort(0); !strings.HasPrefix(rows(t, b, "table-hosts", 0), "https://bare.example https://example.com https://host-00.example") {
		t.Errorf("by name: %s", rows(t, b, "table-hosts", 0))
	}
	const tools = `.tools:has(+ .table > #table-hosts) `
	b.Type(tools+"input", "HOST-0 .example")
	if got, status := rows(t, b, "table-hosts", 1), browsertest.Eval[string](b, `document.querySelector("`+tools+`[role=status]").textContent`); got != "1 2 3 4 5 6 7 8 9 10" || status != "10 of 22" {
		t.Errorf("filtered: %s; status %q", got, status)
	}
	b.CheckNoProblems("file://", "data:")
}

// A long table shows the first rows that match the filter, in the chosen order, until the user
// asks for all.
func TestLongTablesShowFirstRows(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "long")
	shown := func(want int, first string) {
		t.Helper()
		rows := browsertest.Eval[[]string](b, `[...document.querySelectorAll("#table-broken tbody tr")].filter(r => r.checkVisibility()).map(r => r.cells[0].textContent)`)
		if len(rows) != want || !strings.HasPrefix(rows[0], "https://example.com"+first) {
			t.Errorf("%d rows from %q on, want %d from %s", len(rows), rows[0], want, first)
		}
	}
	const head, filter = "#table-broken th:first-child button", ".tools:has(+ .table > #table-broken) input"
	const button = ".table:has(> #table-broken) + button.all"
	shown(25, "/gone") // by the pages that link there
	b.Click(head)
	shown(25, "/broken/00")
	b.Click(head)
	shown(25, "/gone")
	b.Type(filter, "broken/1")
	shown(10, "/broken/19")
	if browsertest.Eval[bool](b, `document.querySelector("`+button+`").checkVisibility()`) {
		t.Error("the button for all rows is visible, but all rows are shown")
	}
	b.Type(filter, "\b\b")
	shown(25, "/broken/59")
	b.Click(button)
	shown(60, "/broken/59")
	b.CheckNoProblems("file://", "data:")
}

func TestPageWithoutScriptShowsEverything(t *testing.T) {
	b := browsertest.New(t, nil)
	b.DisableScript()
	openReport(t, b, "big")
	if n := browsertest.Eval[int](b, `document.querySelectorAll(".tools").length`); n != 0 {
		t.Fatalf("the script ran: %d tools", n)
	}
	if got := rows(t, b, "table-broken", 0); !strings.Contains(got, "https://example.com/gone") {
		t.Errorf("broken URLs: %s", got)
	}
	b.CheckNoProblems("file://", "data:")
}

func TestHeaderListsWorkers(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "workers")
	if got, want := browsertest.Eval[string](b, `document.querySelector("header .workers summary").textContent`), "Directories of 4 workers"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := rows(t, b, "table-workers", 0); strings.Count(got, "/crawl") != 4 {
		t.Errorf("directories: %s", got)
	}
	states := rows(t, b, "table-workers", 1)
	if got := rows(t, b, "table-workers", 0); !strings.HasSuffix(got, "/crawl (laptop-1)") {
		t.Errorf("directories: %s", got)
	}
	for _, words := range []string{"finished", "stopped (<script>", "12 URLs remaining", "still running", "running or killed"} {
		if !strings.Contains(states, words) {
			t.Errorf("workers: %s; they do not say %q", states, words)
		}
	}
	b.CheckNoProblems("file://", "data:")
	openReport(t, b, "big")
	if browsertest.Eval[bool](b, `document.querySelector(".workers") !== null`) {
		t.Error("the report of one crawl has workers")
	}
}

// With all details open, nothing is wider than the screen of a phone.
func TestPageFitsAPhone(t *testing.T) {
	b := browsertest.New(t, nil)
	b.EmulatePhone()
	for _, name := range []string{"big", "hostile", "workers"} {
		openReport(t, b, name)
		browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
		if wide := b.Overflowing(); len(wide) > 0 {
			t.Errorf("%s: %d elements are wider than the screen, the first: %s", name, len(wide), wide[0])
		}
		if clipped := b.ClippedLabels(); len(clipped) > 0 {
			t.Errorf("%s: labels are cut off: %q", name, clipped)
		}
		if got := browsertest.Eval[string](b, `getComputedStyle(document.querySelector("#table-broken td:nth-child(2)"), "::before").content`); got != `attr(data-label)` && got != `"Status"` {
			t.Errorf("%s: a cell without its name: %s", name, got)
		}
	}
	b.CheckNoProblems("file://", "data:")
}

func TestTextIsLegibleInLightAndDark(t *testing.T) {
	b := browsertest.New(t, nil)
	seen := make(map[string]string)
	for _, scheme := range []string{"light", "dark"} {
		b.EmulateMedia("prefers-color-scheme", scheme)
		openReport(t, b, "workers")
		browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
		seen[browsertest.Eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = scheme
		if faint := b.LowContrast(); len(faint) > 0 {
			t.Errorf("%s: %d texts are hard to read, the first: %s", scheme, len(faint), faint[0])
		}
	}
	if len(seen) != 2 {
		t.Errorf("backgrounds: %v", seen)
	}
	b.CheckNoProblems("file://", "data:")
}

func TestHostileTextsDoNotRun(t *testing.T) {
	b := browsertest.New(t, nil)
	openReport(t, b, "hostile")
	browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
	if got := browsertest.Eval[string](b, `typeof window.ran + " " + document.baseURI.slice(0, 7)`); got != "undefined file://" {
		t.Errorf("something of the site ran: %s", got)
	}
	b.CheckNoProblems("file://", "data:")
}
