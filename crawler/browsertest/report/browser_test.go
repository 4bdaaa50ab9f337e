package report_test

import (
	"bytes"
	"compress/zlib"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
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
	write := exec.Command("go", "test", "-vet=off", "-count=1", "-run", "^TestWritePages$|^TestValuesOfURLsAreThoseOfTheFiles$/^(demo|sqlite3-doc)$", "./crawler/report", "-pages", pages)
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
	b.Wait("the data is read", `typeof data === "undefined" || data !== null`) // without the script it is not defined
}

func TestOverviewShowsChartsAndCards(t *testing.T) {
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
	if n := browsertest.Eval[int](b, `[...document.querySelectorAll("a.card")].filter(a => document.querySelector("section" + a.hash)).length`); n != 4 {
		t.Errorf("%d cards that lead to their topic", n)
	}
	b.CheckNoProblems("file://", "data:")
}

// The page shows one topic at a time: the one in the address.
func TestTopicsAreTabs(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	shows := func(topic string) {
		t.Helper()
		b.Wait(topic+" is the only topic", `[...document.querySelectorAll("main > section")].filter(s => s.checkVisibility()).map(s => s.id).join() === "`+topic+`"`)
		if got := browsertest.Eval[string](b, `[...document.querySelectorAll(".topics a[aria-current=page]")].map(a => a.hash).join()`); got != "#"+topic {
			t.Errorf("%s: the current topic is %s", topic, got)
		}
	}
	shows("overview")
	b.Click(`.topics a[href="#sitemaps"]`)
	shows("sitemaps")
	browsertest.Eval[int](b, `history.back(), 1`)
	shows("overview")
	b.Click(`a.card[href="#links"]`)
	shows("links")
	browsertest.Eval[int](b, `location.hash = "#rule-sitemap-broken", 1`)
	shows("sitemaps")
	if rows := cells(b, "sitemap-broken", 0); len(rows) != 2 {
		t.Errorf("broken entries: %q", rows)
	}
	if counts := browsertest.Eval[string](b, `document.querySelector(".topics a[href='#sitemaps']").textContent`); counts != "Sitemaps 11 errors 4 warnings 1 notice" {
		t.Errorf("counts: %q", counts)
	}
	b.CheckNoProblems("file://", "data:")
}

// drawn is a JavaScript expression for the rows of a table that are elements.
func drawn(table string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("[data-table='%s'] tbody tr:not([aria-hidden])")]`, table)
}

// cells returns the texts of a column, of the rows that are elements.
func cells(b *browsertest.Tab, table string, column int) []string {
	return browsertest.Eval[[]string](b, fmt.Sprintf(`%s.map(r => r.cells[%d].textContent)`, drawn(table), column))
}

func TestTablesSortAndSearch(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	b.Click(`.topics a[href="#pages"]`)
	b.Wait("rows are drawn", drawn("origins")+`.length > 0`)
	sort := func(column int) string {
		b.Click(fmt.Sprintf("[data-table=origins] th:nth-child(%d) button", column+1))
		return browsertest.Eval[string](b, fmt.Sprintf(`document.querySelector("[data-table=origins] th:nth-child(%d)").ariaSort`, column+1))
	}
	pages := func() string { return strings.Join(cells(b, "origins", 1), " ") }
	const up, down = "1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 28", "28 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 1"
	for _, want := range []struct{ direction, values string }{{"descending", down}, {"ascending", up}, {"descending", down}} {
		if got := sort(1); got != want.direction {
			t.Errorf("sorted %q, want %q", got, want.direction)
		}
		if got := pages(); got != want.values {
			t.Errorf("%s: %s", want.direction, got)
		}
	}
	if sort(0); !strings.HasPrefix(strings.Join(cells(b, "origins", 0), " "), "https://bare.example https://example.com https://host-00.example") {
		t.Errorf("by name: %s", cells(b, "origins", 0))
	}
	for text, want := range map[string]string{"HOST-0 .example": "1 2 3 4 5 6 7 8 9 10", "host-1 Example": "11 12 13 14 15 16 17 18 19 20"} {
		browsertest.Eval[int](b, `document.querySelector("[data-table=origins] input").value = "", 1`)
		b.Type("[data-table=origins] input", text)
		b.Wait(text+" is found", drawn("origins")+`.map(r => r.cells[1].textContent).join(" ") === "`+want+`"`)
	}
	if status := browsertest.Eval[string](b, `document.querySelector("[data-table=origins] [role=status]").textContent`); status != "10 of 22 rows" {
		t.Errorf("status %q", status)
	}
	b.CheckNoProblems("file://", "data:")
}

// openHuge opens the table with 100,000 findings.
func openHuge(t *testing.T, b *browsertest.Tab) {
	t.Helper()
	openReport(t, b, "huge")
	browsertest.Eval[int](b, `location.hash = "#rule-broken-link", 1`)
	b.Wait("rows are drawn", drawn("broken-link")+`.length > 10`)
}

const (
	hugeRows  = 100_000
	hugeFirst = "https://example.com/section-00/broken/000000"
	hugeLast  = "https://example.com/section-99/broken/099999"
)

// active is the text of the active row's first cell, if the row can be seen between the head and
// the lower end of the table.
const active = `(() => {
	const grid = document.querySelector("[data-table='broken-link'] .grid"), row = document.getElementById(grid.getAttribute("aria-activedescendant"));
	const box = row?.getBoundingClientRect();
	return box && box.top >= grid.tHead.getBoundingClientRect().bottom - 1 && box.bottom <= grid.parentElement.getBoundingClientRect().bottom + 1 ? row.cells[0].textContent : "";
})()`

func TestKeyboardReachesEveryRow(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openHuge(t, b)
	const grid = "[data-table='broken-link'] .grid"
	press := func(key, want string) {
		t.Helper()
		b.Type(grid, key)
		b.Wait("the active row is "+want, active+`.endsWith("`+want+`")`)
	}
	press(kb.End, hugeLast)
	if row := browsertest.Eval[string](b, `document.activeElement.getAttribute("aria-rowcount") + " " + document.querySelector(".active").getAttribute("aria-rowindex")`); row != "100001 100001" {
		t.Errorf("the last row is %s", row)
	}
	if n := browsertest.Eval[int](b, drawn("broken-link")+`.length`); n > 100 {
		t.Errorf("%d rows are elements", n)
	}
	press(kb.ArrowUp, "section-99/broken/099899") // the rows are sorted by URL
	press(kb.Home, hugeFirst)
	press(kb.ArrowDown, "section-00/broken/000100")
	press(kb.ArrowUp, hugeFirst)

	// Page after page, every row can be seen.
	seen := browsertest.Eval[int](b, `(() => {
		const seen = new Set(), grid = document.querySelector("`+grid+`");
		for (let before = ""; grid.getAttribute("aria-activedescendant") !== before;) {
			before = grid.getAttribute("aria-activedescendant");
			`+drawn("broken-link")+`.forEach(r => seen.add(r.cells[0].textContent));
			grid.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown" }));
		}
		return seen.size;
	})()`)
	if seen != hugeRows {
		t.Errorf("%d rows were drawn", seen)
	}

	press(kb.Home, hugeFirst)
	b.Type(grid, kb.Enter)
	b.Wait("the panel is open", `document.querySelector("dialog").open`)
	if got := browsertest.Eval[string](b, `document.querySelector("dialog h2").textContent`); got != hugeFirst {
		t.Errorf("the panel shows %s", got)
	}
	b.Type("dialog h2", kb.Escape)
	b.Wait("the panel is closed", `!document.querySelector("dialog").open`)
	if !browsertest.Eval[bool](b, `document.activeElement === document.querySelector("`+grid+`")`) {
		t.Error("the table has lost the focus")
	}
	b.CheckNoProblems("file://", "data:")
}

func TestScrollingReachesTheLastRow(t *testing.T) {
	b := browsertest.New(t, nil)
	for _, phone := range []bool{false, true} {
		b.Resize(1280, 900)
		if phone {
			b.EmulatePhone()
		}
		openHuge(t, b)
		browsertest.Eval[int](b, `document.querySelector("[data-table='broken-link'] .scroller").scrollTop = 1e9, 1`)
		b.Wait("the last row can be seen", `(() => {
			const last = `+drawn("broken-link")+`.at(-1), scroller = document.querySelector("[data-table='broken-link'] .scroller");
			return last.cells[0].textContent === "`+hugeLast+`" && Math.abs(last.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom) < 3;
		})()`)
	}
	b.CheckNoProblems("file://", "data:")
}

func TestSearchFindsEveryRow(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openHuge(t, b)
	const input = "[data-table='broken-link'] input"
	for text, want := range map[string][]string{
		"broken/099999":        {hugeLast},
		"SECTION-99 9999 404 ": {"https://example.com/section-99/broken/009999", "https://example.com/section-99/broken/019999"},
		"no such text":         {},
	} {
		browsertest.Eval[int](b, `document.querySelector("`+input+`").value = "", 1`)
		b.Type(input, text)
		b.Wait(text+" is found", fmt.Sprintf(`%s.slice(0, %d).map(r => r.cells[0].textContent).join(" ") === %q`, drawn("broken-link"), max(len(want), 1), strings.Join(want, " ")))
	}
	b.CheckNoProblems("file://", "data:")
}

// export clicks the button of a table, and returns the records of the file.
func export(t *testing.T, b *browsertest.Tab, dir, table string) [][]string {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(download(t, b, dir, table, "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// download clicks the button of a table for a type of files, and returns the file.
func download(t *testing.T, b *browsertest.Tab, dir, table, fileType string) []byte {
	t.Helper()
	name := filepath.Join(dir, table+"."+fileType)
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	browsertest.Eval[int](b, `[...document.querySelectorAll("[data-table='`+table+`'] .save")].find(e => e.textContent.endsWith("`+strings.ToUpper(fileType)+`")).click(), 1`)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s was not saved", name)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestExportHasEveryRow(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	dir := t.TempDir()
	b.SaveDownloads(dir)
	openHuge(t, b)
	records := export(t, b, dir, "broken-link")
	if want := []string{"URL", "Details", "Pages", "Found on"}; !slices.Equal(records[0], want) {
		t.Errorf("columns %q, want %q", records[0], want)
	}
	seen := make(map[string]bool)
	for _, r := range records[1:] {
		seen[r[0]] = true
		if r[1] != "status 404" || r[2] != "10" || strings.Count(r[3], "https://example.com/page/") != 10 {
			t.Fatalf("%q", r)
		}
	}
	if len(seen) != hugeRows || len(records) != hugeRows+1 || records[1][0] != hugeFirst || records[hugeRows][0] != hugeLast {
		t.Errorf("%d records of %d URLs, from %q to %q", len(records), len(seen), records[1], records[len(records)-1])
	}
	var objects []struct {
		URL, Details string
		Pages        int
		FoundOn      []string `json:"Found on"`
	}
	if err := json.Unmarshal(download(t, b, dir, "broken-link", "json"), &objects); err != nil {
		t.Fatal(err)
	}
	for i, o := range objects {
		if want := records[i+1]; o.URL != want[0] || o.Details != want[1] || strconv.Itoa(o.Pages) != want[2] || strings.Join(o.FoundOn, " ") != want[3] {
			t.Fatalf("JSON has %v, CSV %q", o, want)
		}
	}
	if len(objects) != hugeRows {
		t.Errorf("%d objects", len(objects))
	}
	b.CheckNoProblems("file://", "data:", "blob:")
}

// The cells of a file are safe for spreadsheets, as those of package csvout are.
func TestExportHasNoFormulas(t *testing.T) {
	b := browsertest.New(t, nil)
	dir := t.TempDir()
	b.SaveDownloads(dir)
	openReport(t, b, "hostile")
	for _, table := range []string{"urls", "rules"} {
		column := 0 // of the text
		if table == "urls" {
			column = 4
		}
		var values, got []string
		for _, text := range browsertest.Eval[[]string](b, fmt.Sprintf(`data.tables.find(t => t.id === %q).values[%d]`, table, column)) {
			values = append(values, csvout.Cell(text))
		}
		for _, r := range export(t, b, dir, table)[1:] {
			got = append(got, r[column])
		}
		if diff := cmp.Diff(values, got); diff != "" || len(got) < 5 {
			t.Errorf("%s (-csvout +page):\n%s", table, diff)
		}
	}
	cases := []string{"=1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\u00a0=1", "＝1", "＋1", "－1", "＠1", "'=1", "\"=1", "x;=cmd|' /C calc'!A0;y", "x; \"=1", "=1;;@2;3=4;", "a;b", "'tis", "a=1", "a\x00b\x7fc\u0085d", "\r\n=1", "Zoë — 茶", ""}
	for _, text := range cases {
		record, err := csv.NewReader(strings.NewReader("x," + browsertest.Eval[string](b, "csvCell("+strconv.QuoteToASCII(text)+")"))).Read()
		if err != nil || record[1] != csvout.Cell(text) {
			t.Errorf("%q: %q, want %q; %v", text, record, csvout.Cell(text), err)
		}
	}
	b.CheckNoProblems("file://", "data:", "blob:")
}

const panelDrawn = `document.querySelector("dialog").open && [...document.querySelectorAll("dialog .scroller")].every(s => s.querySelector("td"))`

func TestPanelShowsLinksOfAURL(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	browsertest.Eval[int](b, `location.hash = "#rule-broken-link", 1`)
	b.Click("[data-table='broken-link'] tbody .open")
	panel := func(table string) []string { // which has this label
		return browsertest.Eval[[]string](b, `[...document.querySelectorAll("dialog [aria-label='`+table+`'] tbody tr:not([aria-hidden])")].map(r => r.textContent)`)
	}
	title := func() string { return browsertest.Eval[string](b, `document.querySelector("dialog h2").textContent`) }
	const inlinks, outlinks = "Pages that link to it", "Links and files of this page"
	b.Wait("the links are drawn", panelDrawn)
	if got, want := panel(inlinks), []string{"https://example.com/", "https://example.com/fine"}; title() != "https://example.com/gone" || !slices.Equal(got, want) {
		t.Errorf("inlinks of %s: %q, want %q", title(), got, want)
	}
	if got := panel(outlinks); len(got) > 0 {
		t.Errorf("outlinks of a broken URL: %q", got)
	}
	if state := browsertest.Eval[string](b, `JSON.stringify(history.state.values)`); !strings.HasPrefix(state, `["https://example.com/gone",`) {
		t.Errorf("the state of the address depends on the report: %s", state)
	}
	if text := browsertest.Eval[string](b, `document.querySelector("dialog dl").textContent`); !strings.Contains(text, "status 404") {
		t.Errorf("the panel lacks the row: %q", text)
	}
	b.Click(`dialog [aria-label="` + inlinks + `"] tbody .open`)
	b.Wait("the links are drawn", panelDrawn)
	if title() != "https://example.com/" || !slices.Contains(panel(outlinks), "https://example.com/gone") {
		t.Errorf("outlinks of %s: %q", title(), panel(outlinks))
	}
	if href := browsertest.Eval[string](b, `document.querySelector("dialog a").href`); href != "https://example.com/" {
		t.Errorf("the panel leads to %s", href)
	}
	const home, unknown = "https://example.com/", "https://unknown.example/"
	for _, tt := range []struct{ change, url, want string }{
		{`data.links.omitted = 5000`, home, "links.jsonl has 5,000 more."},
		{`data.links.images = false`, home, "The crawl recorded no images."},
		{`data.links.images = true`, unknown, "This URL is not in the table of URLs"},
		{`tableOf("urls").total++`, unknown, "are not in this file"},
		{`data.links.count = data.links.omitted = 0`, home, "The crawl recorded no links."},
	} {
		browsertest.Eval[int](b, tt.change+`, showPanel({ url: "`+tt.url+`", depth: 1 }).then(() => 1)`)
		if text := browsertest.Eval[string](b, `document.querySelector("dialog").textContent`); !strings.Contains(text, tt.want) {
			t.Errorf("%s: the panel does not say %q: %q", tt.change, tt.want, text)
		}
	}
	b.Click("dialog button") // Back
	if title() != "https://example.com/gone" {
		t.Errorf("back at %s", title())
	}
	b.CheckNoProblems("file://", "data:")
}

func TestPageWithoutScriptShowsEveryTopic(t *testing.T) {
	b := browsertest.New(t, nil)
	b.DisableScript()
	for _, tt := range []struct {
		name string
		want int
	}{{"big", 2}, {"huge", 50}} {
		openReport(t, b, tt.name)
		if hidden := browsertest.Eval[int](b, `[...document.querySelectorAll("main > section")].filter(s => !s.checkVisibility()).length`); hidden > 0 {
			t.Errorf("%s: %d topics are hidden", tt.name, hidden)
		}
		browsertest.Eval[int](b, `document.querySelector("#rule-broken-link").open = true, 1`)
		if rows := cells(b, "broken-link", 0); len(rows) != tt.want || !strings.HasPrefix(rows[0], "https://example.com/") {
			t.Errorf("%s: broken links %q", tt.name, rows)
		}
	}
	if text := browsertest.Eval[string](b, `document.querySelector("#rule-broken-link .more").textContent`); text != "and 99,950 more rows, which need JavaScript" {
		t.Errorf("%q", text)
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
	if got := strings.Join(cells(b, "workers", 0), " "); strings.Count(got, "/crawl") != 4 {
		t.Errorf("directories: %s", got)
	}
	states := strings.Join(cells(b, "workers", 1), " ")
	if got := strings.Join(cells(b, "workers", 0), " "); !strings.HasSuffix(got, "/crawl (laptop-1)") {
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

// states calls check with each topic of a page, and then with an open panel. All details are open.
func states(b *browsertest.Tab, check func(topic string)) {
	browsertest.Eval[int](b, `document.querySelectorAll("details").forEach(d => d.open = true), 1`)
	topics := browsertest.Eval[[]string](b, `[...document.querySelectorAll("main > section")].map(s => s.id)`)
	for _, topic := range topics {
		browsertest.Eval[int](b, `location.hash = "#`+topic+`", 1`)
		b.Wait("the topic "+topic+" is drawn", `document.querySelector("#`+topic+`").checkVisibility() && [...document.querySelectorAll("#`+topic+` .scroller")].every(s => s.querySelector("td"))`)
		check(topic)
	}
	browsertest.Eval[int](b, `location.hash = "#links", 1`)
	b.Wait("links are shown", `document.querySelector("#links").checkVisibility()`)
	browsertest.Eval[int](b, `document.querySelector("[data-table='broken-link'] tbody .open").click(), 1`)
	b.Wait("the panel is drawn", panelDrawn)
	check("panel")
	browsertest.Eval[int](b, `document.querySelector("dialog").close(), 1`)
}

// The end of each URL can be seen, since the URLs of a site begin alike. No title of a column breaks
// inside a word.
func TestColumnsAreWideEnough(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(800, 900)
	openHuge(t, b)
	if got := browsertest.Eval[string](b, drawn("broken-link")+`[0].cells[3].querySelector(".end").textContent`); !regexp.MustCompile(`^\S{16} and [\d,]+ more$`).MatchString(got) {
		t.Errorf("the end of a cell with several URLs is %q", got)
	}
	for _, column := range []int{0, 3} { // URL and Found on
		hidden := browsertest.Eval[[]string](b, fmt.Sprintf(`%s.map(r => r.cells[%d]).filter(td => {
			const text = document.createTreeWalker(td, NodeFilter.SHOW_TEXT), end = document.createRange();
			let last;
			while (text.nextNode()) last = text.currentNode;
			end.setStart(last, last.length - 6);
			end.setEnd(last, last.length);
			return end.getBoundingClientRect().right > td.getBoundingClientRect().right || last.parentElement.scrollWidth > last.parentElement.clientWidth + 1;
		}).map(td => td.textContent)`, drawn("broken-link"), column))
		if len(hidden) > 0 {
			t.Errorf("column %d: %d cells hide the end of their URL, such as %s", column, len(hidden), hidden[0])
		}
	}
	b.Resize(1280, 900)
	openReport(t, b, "big")
	states(b, func(topic string) {
		broken := browsertest.Eval[[]string](b, `[...document.querySelectorAll(".grid th button")].filter(e => e.checkVisibility()).flatMap(e => e.textContent.split(" ").filter(word => {
			const range = document.createRange(), at = e.textContent.indexOf(word);
			range.setStart(e.firstChild, at);
			range.setEnd(e.firstChild, at + word.length);
			return range.getClientRects().length > 1;
		}))`)
		if len(broken) > 0 {
			t.Errorf("%s: broken titles %q", topic, broken)
		}
	})
	b.CheckNoProblems("file://", "data:")
}

// The open topic is printed with all rows of its tables, and no sheet is empty.
func TestPrintHasAllRows(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	for _, topic := range []string{"overview", "urls", "tree", "pages", "sitemaps", "robots"} {
		browsertest.Eval[int](b, `location.hash = "#`+topic+`", 1`)
		b.Wait("the topic is shown", `document.querySelector("#`+topic+`").checkVisibility()`)
		browsertest.Eval[int](b, `addEventListener("beforeprint", () => {
			window.printed = [...document.querySelectorAll("#`+topic+` .grid")].map(g => (g.ariaRowCount - 1) - g.querySelectorAll("tbody tr:not([aria-hidden])").length);
			window.hidden = [...document.querySelectorAll("#`+topic+` .grid")].filter(g => !g.checkVisibility()).length;
		}, {once: true}), 1`)
		closed := `document.querySelectorAll("#` + topic + ` details:not([open])").length`
		before := browsertest.Eval[int](b, closed)
		sheets := textOfSheets(t, b.PDF())
		if missing := browsertest.Eval[[]int](b, `window.printed`); slices.ContainsFunc(missing, func(n int) bool { return n != 0 }) || browsertest.Eval[int](b, `window.hidden`) > 0 {
			t.Errorf("%s: rows that are missing, by table: %v", topic, missing)
		}
		if len(sheets) == 0 || slices.Contains(sheets, 0) {
			t.Errorf("%s: texts on the sheets: %v", topic, sheets)
		}
		if after := browsertest.Eval[int](b, closed); after != before {
			t.Errorf("%s: %d closed lists, %d after printing", topic, before, after)
		}
	}
	// An open page of a URL is printed alone.
	browsertest.Eval[int](b, `location.hash = "#urls?url=https%3A%2F%2Fexample.com%2F", 1`)
	b.Wait("the panel is drawn", panelDrawn)
	browsertest.Eval[int](b, `addEventListener("beforeprint", () => { window.printed = [getComputedStyle(document.querySelector("main")).display === "none" ? 0 : 1]; }, {once: true}), 1`)
	sheets := textOfSheets(t, b.PDF())
	if len(sheets) < 2 || slices.Contains(sheets, 0) {
		t.Errorf("page of a URL: texts on the sheets: %v", sheets)
	}
	b.CheckNoProblems("file://", "data:")
}

// textOfSheets returns how many texts each sheet of a PDF file has.
func textOfSheets(t *testing.T, pdf []byte) []int {
	t.Helper()
	var sheets []int
	for _, sheet := range regexp.MustCompile(`(?s)/Type /Page\b.*?/Contents (\d+) 0 R`).FindAllSubmatch(pdf, -1) {
		_, content, ok := bytes.Cut(pdf, []byte("\n"+string(sheet[1])+" 0 obj\n"))
		_, content, found := bytes.Cut(content, []byte("stream\n"))
		r, err := zlib.NewReader(bytes.NewReader(content))
		if !ok || !found || err != nil {
			t.Fatalf("content %s: %v", sheet[1], err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		sheets = append(sheets, bytes.Count(text, []byte("Tj")))
	}
	return sheets
}

// Nothing is wider than the screen of a phone.
func TestPageFitsAPhone(t *testing.T) {
	b := browsertest.New(t, nil)
	b.EmulatePhone()
	for _, name := range []string{"big", "hostile", "workers"} {
		openReport(t, b, name)
		states(b, func(topic string) {
			if wide := b.Overflowing(); len(wide) > 0 {
				t.Errorf("%s, %s: %d elements are wider than the screen, the first: %s", name, topic, len(wide), wide[0])
			}
			if clipped := b.ClippedLabels(); len(clipped) > 0 {
				t.Errorf("%s, %s: labels are cut off: %q", name, topic, clipped)
			}
		})
		if got := browsertest.Eval[string](b, `getComputedStyle(document.querySelector("[data-table='broken-link'] td:nth-child(2)"), "::before").content`); got != `attr(data-label)` && got != `"Details"` {
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
		seen[browsertest.Eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = scheme
		states(b, func(topic string) {
			if faint := b.LowContrast(); len(faint) > 0 {
				t.Errorf("%s, %s: %d texts are hard to read, the first: %s", scheme, topic, len(faint), faint[0])
			}
		})
	}
	if len(seen) != 2 {
		t.Errorf("backgrounds: %v", seen)
	}
	b.CheckNoProblems("file://", "data:")
}

func TestPageIsAccessible(t *testing.T) {
	b := browsertest.New(t, nil)
	for _, scheme := range []string{"light", "dark"} { // dark on a phone
		b.Resize(1280, 900)
		if scheme == "dark" {
			b.EmulatePhone()
		}
		b.EmulateMedia("prefers-color-scheme", scheme)
		openReport(t, b, "workers")
		b.LoadAxe()
		states(b, func(topic string) {
			for _, v := range b.Violations() {
				t.Errorf("%s, %s: %s", scheme, topic, v)
			}
		})
	}
}

// unsafe returns a JavaScript expression for what a site may have put into a part of the page.
func unsafe(root string) string {
	return `((root) => [
		...(typeof window.ran === "undefined" ? [] : ["a script ran"]), ...(document.baseURI.startsWith("file:") ? [] : [document.baseURI]),
		...[...root.querySelectorAll("*")].filter((e) => e.matches("img, iframe, base, object, embed, form, script, link, style, meta") ||
			[...e.attributes].some((a) => a.name.startsWith("on")) || (e.hasAttribute("href") && !/^(https?:|#)/.test(e.getAttribute("href")))).map((e) => e.outerHTML.slice(0, 200)),
		...(/[\u202e\u0000\x1b\u2028]/.test(root.textContent) ? ["characters that do not show"] : []),
	])(` + root + `)`
}

func TestHostileTextsDoNotRun(t *testing.T) {
	b := browsertest.New(t, nil)
	openReport(t, b, "hostile")
	wantSafe := func(what string, found []string) {
		t.Helper()
		if len(found) > 0 {
			t.Errorf("%s: %q", what, found)
		}
	}
	states(b, func(topic string) {
		wantSafe(topic, browsertest.Eval[[]string](b, unsafe(`document.querySelector("main")`)))
	})

	browsertest.Eval[int](b, `(() => { location.hash = "#tree"; for (let e; (e = document.querySelector(".tree .toggle[aria-expanded=false]")); ) e.click(); return 1; })()`)
	wantSafe("the tree", browsertest.Eval[[]string](b, unsafe(`document.querySelector("#tree")`)))

	// Every row of every table in the panel, with the page of its URL.
	shown := browsertest.Eval[struct {
		Rows  int
		Found []string
	}](b, `(async () => {
		const shown = { rows: 0, found: [] };
		for (const { columns, count, values } of data.tables) {
			for (let i = 0; i < count && !shown.found.length; i++, shown.rows++) {
				const row = values.map((column) => column[i]);
				await showPanel({ url: columns[0][1] === "url" ? urlText(row[0]) : "", columns, values: row });
				shown.found.push(...`+unsafe("panel")+`);
			}
		}
		return shown;
	})()`)
	if wantSafe("panel", shown.Found); shown.Rows < 500 {
		t.Errorf("%d rows", shown.Rows)
	}

	// A link to the page may have them too.
	texts := browsertest.Eval[[]string](b, `tableOf("urls").values[0].map(urlText).filter((u) => /^(?!http).*(ran|evil).*[^a-z0-9]/.test(u) && u.length < 150 && !/\/(no|404|301|unlisted|gone|nowhere|logo.png)\b/.test(u))`)
	if len(texts) < 5 {
		t.Errorf("only %d texts: %q", len(texts), texts)
	}
	for _, text := range texts {
		for _, hash := range []string{text, "urls?" + text, "urls?url=" + url.QueryEscape(text), "urls?text=" + url.QueryEscape(text) + "&directory=" + url.QueryEscape(text), "urls?sort=" + url.QueryEscape(text) + "&kind=" + url.QueryEscape(text)} {
			wantSafe(hash, browsertest.Eval[[]string](b, `(async () => {
				location.hash = `+quoted(hash)+`;
				await new Promise((done) => setTimeout(done, 30));
				return `+unsafe(`document.querySelector("#urls")`)+`.concat(`+unsafe("panel")+`);
			})()`))
		}
	}
	b.CheckNoProblems("file://", "data:")
}

// BenchmarkOpen opens a report with 100,000 findings and a million links, and its table.
func BenchmarkOpen(b *testing.B) {
	tab := browsertest.New(b, nil)
	for b.Loop() {
		tab.Open("about:blank") // else the browser keeps the page, and only scrolls
		tab.Open("file://" + filepath.Join(pages, "huge.html") + "#rule-broken-link")
		tab.Wait("rows are drawn", drawn("broken-link")+`.length > 10`)
	}
}

// BenchmarkURLs opens the table of 100,000 URLs and scrolls it.
func BenchmarkURLs(b *testing.B) {
	tab := browsertest.New(b, nil)
	tab.Resize(1280, 900)
	var first, frames, slowest, heap float64
	for b.Loop() {
		tab.Open("about:blank")
		tab.Open("file://" + filepath.Join(pages, "huge.html") + "#urls")
		first += browsertest.Eval[float64](tab, `new Promise((done) => {
			const look = () => `+drawn("urls")+`.length > 10 && data ? done(performance.now()) : requestAnimationFrame(look);
			look();
		})`)
		times := browsertest.Eval[[]float64](tab, `new Promise((done) => {
			const scroller = document.querySelector("[data-table=urls] .scroller"), times = [];
			let last = performance.now(), n = 0;
			const step = (now) => {
				times.push(now - last);
				last = now;
				scroller.scrollTop += 300;
				if (++n < 300) requestAnimationFrame(step);
				else done(times.slice(1).sort((a, b) => a - b));
			};
			requestAnimationFrame(step);
		})`)
		frames += times[len(times)/2]
		slowest += times[len(times)-1]
		heap += browsertest.Eval[float64](tab, `performance.memory.usedJSHeapSize`)
	}
	n := float64(b.N)
	b.ReportMetric(first/n, "ms/first-row")
	b.ReportMetric(frames/n, "ms/frame-median")
	b.ReportMetric(slowest/n, "ms/frame-slowest")
	b.ReportMetric(heap/n/1e6, "MB-heap")
}
