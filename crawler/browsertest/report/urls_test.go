package report_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// openAddress shows an address of the page that is open.
func openAddress(b *browsertest.Tab, hash string) {
	browsertest.Eval[int](b, `new Promise((done) => {
		addEventListener("popstate", () => done(1), { once: true });
		location.hash = `+quoted(hash)+`;
	})`)
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

const urlStatus = `document.querySelector("[data-table=urls] [role=status]").textContent`

// Each filter shows as many rows as its list says, and a row of the table of that kind.
func TestFiltersOfURLs(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	total := browsertest.Eval[int](b, `tableOf("urls").count`)
	var choices map[string][]struct {
		Name  string
		Count int
	}
	if err := json.Unmarshal([]byte(browsertest.Eval[string](b, `JSON.stringify(tableOf("urls").choices)`)), &choices); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, values := range choices {
		for _, v := range values {
			openAddress(b, fmt.Sprintf("urls?%s=%s", name, strings.ReplaceAll(v.Name, " ", "+")))
			if got, want := browsertest.Eval[string](b, urlStatus), fmt.Sprintf("%d of %d rows", v.Count, total); got != want {
				t.Errorf("%s %s: %s, want %s", name, v.Name, got, want)
			}
			if got := browsertest.Eval[string](b, `document.querySelector("[data-table=urls] [name=`+name+`]").value`); got != v.Name {
				t.Errorf("the list of %s has %q, want %q", name, got, v.Name)
			}
			checked++
		}
	}
	if checked < 15 {
		t.Errorf("%d filters", checked)
	}
	b.CheckNoProblems("file://", "data:")
}

// What the reader sets is in the address, so that a link shows the same view.
func TestViewOfURLsIsInTheAddress(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	hash := func(want string) {
		t.Helper()
		b.Wait("the address is "+want, `location.hash === `+quoted(want))
	}
	b.Click(`.topics a[href="#urls"]`)
	all := cells(b, "urls", 0)
	const status, search = "[data-table=urls] [name=status]", "[data-table=urls] [name=text]"
	browsertest.Eval[int](b, `(() => { const e = document.querySelector("`+status+`"); e.value = "3xx"; e.dispatchEvent(new Event("change")); return 1; })()`)
	hash("#urls?status=3xx")
	b.Click("[data-table=urls] th:nth-child(1) button")
	b.Click("[data-table=urls] th:nth-child(1) button")
	hash("#urls?status=3xx&sort=-url")
	broken := cells(b, "urls", 0)
	if len(broken) < 2 || !slices.IsSortedFunc(broken, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("sorted down: %q", broken)
	}
	if statuses := cells(b, "urls", 1); slices.ContainsFunc(statuses, func(s string) bool { return !strings.HasPrefix(s, "3") }) {
		t.Errorf("statuses: %q", statuses)
	}
	b.Type(search, "example.com MOVED")
	hash("#urls?status=3xx&sort=-url&text=example.com+MOVED")
	if got := cells(b, "urls", 0); !slices.Equal(got, []string{"https://example.com/moved"}) {
		t.Errorf("found: %q", got)
	}
	link := browsertest.Eval[string](b, `location.href`)
	for _, want := range []struct {
		hash string
		rows []string
	}{{"#urls?status=3xx&sort=url", nil}, {"#urls?status=3xx", nil}, {"#urls", all}} {
		browsertest.Eval[int](b, `history.back(), 1`)
		hash(want.hash)
		if got := cells(b, "urls", 0); want.rows != nil && !slices.Equal(got, want.rows) {
			t.Errorf("%s: %q, want %q", want.hash, got, want.rows)
		}
	}
	b.Open("about:blank")
	b.Open(link)
	b.Wait("the row is drawn", drawn("urls")+`.length === 1`)
	if got := browsertest.Eval[string](b, `document.querySelector("`+search+`").value + " " + document.querySelector("`+status+`").value + " " + document.querySelector("[data-table=urls] th").ariaSort`); got != "example.com MOVED 3xx descending" {
		t.Errorf("the tools of the link: %s", got)
	}
	b.CheckNoProblems("file://", "about:", "data:")
}

const panelText = `document.querySelector("dialog").innerText`

// A link opens the page of a URL. Back, Forward and the keyboard go through the pages.
func TestPageOfAURLHasAnAddress(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	is := func(url string) {
		t.Helper()
		b.Wait("the panel shows "+url, `document.querySelector("dialog").open && document.querySelector("dialog h2").textContent === "`+url+`"`)
	}
	b.Open(browsertest.Eval[string](b, `location.href`) + "#links?url=https%3A%2F%2Fexample.com%2Fmoved")
	is("https://example.com/moved")
	text := browsertest.Eval[string](b, panelText)
	for _, want := range []string{"Redirects\n", "301 https://example.com/moved", "200 https://example.com/fine", "Location\nhttps://example.com/fine", "Links to URLs that redirect permanently"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	browsertest.Eval[int](b, `[...document.querySelectorAll("dialog ol button")].find(e => e.textContent === "https://example.com/fine").click(), 1`)
	is("https://example.com/fine")
	b.Click("dialog .tools button") // Back
	is("https://example.com/moved")
	browsertest.Eval[int](b, `history.forward(), 1`)
	is("https://example.com/fine")
	b.Type("dialog h2", kb.Escape)
	b.Wait("the panel is closed", `!document.querySelector("dialog").open && location.hash === "#links"`)
	browsertest.Eval[int](b, `history.back(), 1`)
	is("https://example.com/fine")
	b.Click(`dialog a[href^="#rule-"]`)
	b.Wait("the rule is shown", `!document.querySelector("dialog").open && document.querySelector(location.hash).checkVisibility()`)
	b.CheckNoProblems("file://", "data:")
}

// Nothing that the files have about a URL is hidden.
func TestPageOfAURLShowsEveryMember(t *testing.T) {
	b := browsertest.New(t, nil)
	openReport(t, b, "workers")
	missing := browsertest.Eval[[]string](b, `(async () => {
		const missing = [];
		let checked = 0;
		const texts = (v) => v && typeof v === "object" ? Object.values(v).flatMap(texts) : typeof v === "string" && v ? [visible(v)] : [];
		for (let i = 0; i < tableOf("urls").count; i += 7) {
			const url = urlText(tableOf("urls").values[0][i]), { row, robots, ...lines } = await details(url);
			await showPanel({ url });
			const shown = panel.textContent;
			for (const text of texts(lines)) {
				checked++;
				if (!shown.includes(text)) missing.push(url + ": " + text);
			}
			if (robots && !shown.includes(visible(robots.rule ?? "Ruleno rule matches, so the URL is allowed"))) missing.push(url + ": the rule of robots.txt");
		}
		return checked < 500 ? ["only " + checked] : missing;
	})()`)
	if len(missing) > 0 {
		t.Errorf("%d texts are not shown: %.300q", len(missing), missing[0])
	}
	b.CheckNoProblems("file://", "data:")
}

// The tree shows each directory of the table once, below the one that it is in.
func TestTreeOfDirectories(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	b.Click(`.topics a[href="#tree"]`)
	b.Type(`.tree .toggle`, kb.Enter)
	if n := browsertest.Eval[int](b, `document.querySelectorAll(".tree .toggle[aria-expanded=true]").length`); n != 1 {
		t.Errorf("Enter opened %d directories", n)
	}
	b.Type(`.tree .toggle[aria-expanded=true]`, kb.Enter)
	shown := func() []string {
		return browsertest.Eval[[]string](b, `[...document.querySelectorAll(".tree tbody tr")].map(r => decodeURIComponent(r.querySelector("a").hash.split("=")[1]) + " " + [...r.cells].slice(1).map(c => c.textContent).join(" "))`)
	}
	closed := shown()
	browsertest.Eval[int](b, `(() => { for (let e; (e = document.querySelector(".tree .toggle[aria-expanded=false]")); ) e.click(); return 1; })()`)
	want := browsertest.Eval[[]string](b, `(() => { const { columns, count, values } = tableOf("directories");
		return Array.from({ length: count }, (_, i) => columns.map(([, kind], c) => kinds[kind].texts(values[c][i]).join("")).join(" ")); })()`)
	if diff := cmp.Diff(want, shown()); diff != "" || len(want) <= len(closed) {
		t.Errorf("%d directories, %d at first (-table +tree):\n%s", len(want), len(closed), diff)
	}
	browsertest.Eval[int](b, `(() => { for (const e of document.querySelectorAll(".tree tr[data-level='0'] .toggle")) e.click(); return 1; })()`)
	if diff := cmp.Diff(closed, shown()); diff != "" {
		t.Errorf("closed again (-before +after):\n%s", diff)
	}
	b.Click(`.tree a`)
	directory := strings.Fields(closed[0])[0]
	b.Wait("the URLs of the directory are shown", drawn("urls")+`.length > 0 && document.querySelector("#urls").checkVisibility()`)
	if got := cells(b, "urls", 0); slices.ContainsFunc(got, func(url string) bool { return !strings.HasPrefix(url, directory) }) {
		t.Errorf("URLs of %s: %q", directory, got)
	}
	b.CheckNoProblems("file://", "data:")
}

// openServed opens the report "big" from its server, and returns the address.
func openServed(t *testing.T, b *browsertest.Tab) string {
	t.Helper()
	r, err := report.Generate(t.Context(), []string{filepath.Join(pages, "big")}, &report.Options{Rows: 100_000, AllURLs: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r.Handler())
	t.Cleanup(server.Close)
	b.Open(server.URL)
	b.Wait("the data is read", `data !== null`)
	return server.URL
}

// A report that is served shows what one file shows.
func TestServedReportShowsTheSame(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	dir := t.TempDir()
	b.SaveDownloads(dir)
	type view struct {
		Rows   []string
		Status string
	}
	addresses := []string{
		"urls?status=2xx&sort=-size", "urls?kind=skipped", "urls?indexable=no&sort=title", "urls?text=fine+200", "urls?text=KB+12", "urls?finding=title-missing",
		"urls?directory=https%3A%2F%2Fexample.com%2F&sort=-url", "urls?text=nowhere",
	}
	urls := []string{"https://example.com/", "https://example.com/gone", "https://example.com/moved", "https://example.com/private/1", "https://example.com/"}
	read := func() (views map[string]view, panels []string, records [][]string, objects string, printed int) {
		views = make(map[string]view)
		for _, a := range addresses {
			openAddress(b, a)
			b.Wait("the rows of "+a+" are read", urlStatus+`.includes("of") && !document.querySelector("[data-table=urls] [aria-busy]") && (`+drawn("urls")+`.length > 0 || `+urlStatus+`.startsWith("0 of"))`)
			views[a] = view{browsertest.Eval[[]string](b, drawn("urls")+`.map(r => [...r.cells].map(c => c.textContent).join("|"))`), browsertest.Eval[string](b, urlStatus)}
		}
		for _, u := range urls {
			panels = append(panels, browsertest.Eval[string](b, `showPanel({ url: `+quoted(u)+` }).then(() => panel.innerText)`))
		}
		browsertest.Eval[int](b, `hidePanel(), 1`)
		openAddress(b, "urls")
		b.Wait("all rows are counted", `document.querySelector("[data-table=urls] .grid").ariaRowCount > 200`)
		records = export(t, b, dir, "urls")
		objects = string(download(t, b, dir, "urls", "json"))
		browsertest.Eval[int](b, `addEventListener("beforeprint", () => { window.printed = `+drawn("urls")+`.filter(r => !r.ariaBusy).length; }, {once: true}), 1`)
		b.PDF()
		return views, panels, records, objects, browsertest.Eval[int](b, `window.printed`)
	}
	openReport(t, b, "big")
	views, panels, records, objects, printed := read()
	b.CheckNoProblems("file://", "data:", "blob:")
	address := openServed(t, b)
	servedViews, servedPanels, servedRecords, servedObjects, servedPrinted := read()
	b.CheckNoProblems(address, "data:", "blob:")
	for i, diff := range []string{
		cmp.Diff(views, servedViews), cmp.Diff(panels, servedPanels), cmp.Diff(records, servedRecords), cmp.Diff(objects, servedObjects), cmp.Diff(printed, servedPrinted),
	} {
		if diff != "" {
			t.Errorf("%d (-file +served):\n%.2000s", i, diff)
		}
	}
	if len(records) < 200 || printed != len(records)-1 || !strings.Contains(panels[1], "status 404") {
		t.Errorf("%d records, %d printed rows, panel: %s", len(records), printed, panels[1])
	}
}

// A failed request is shown as a failure, not as an unknown URL, and is repeated.
func TestFailedRequestsAreShownAndRepeated(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	address := openServed(t, b)
	openAddress(b, "urls")
	b.Wait("rows are drawn", drawn("urls")+`.length > 10 && !document.querySelector("[data-table=urls] [aria-busy]")`)
	const scroll = `document.querySelector("[data-table=urls] .scroller").scrollTop = `
	const gone = "The server does not answer: gone"
	browsertest.Eval[int](b, `window.answers = fetch, window.fetch = async () => { throw new Error("gone"); }, `+scroll+`1e9, 1`)
	b.Wait("the table says it", urlStatus+` === "`+gone+`"`)
	if text := browsertest.Eval[string](b, `showPanel({ url: "https://example.com/" }).then(() => panel.innerText)`); !strings.Contains(text, gone) || strings.Contains(text, "link to it") {
		t.Errorf("the page of a URL: %s", text)
	}
	browsertest.Eval[int](b, `hidePanel(), window.fetch = window.answers, `+scroll+`1e9 - 1, document.querySelector("[data-table=urls] .scroller").dispatchEvent(new Event("scroll")), 1`)
	b.Wait("the rows are drawn", urlStatus+` === "" && !document.querySelector("[data-table=urls] [aria-busy]")`)
	text := browsertest.Eval[string](b, `(() => { panel.replaceChildren(...linkTables({ inlinks: [["https://example.com/", "", "", ""]], inlink_count: 20_000 })); return panel.textContent; })()`)
	if !strings.HasPrefix(text, "Pages that link to it 20,000The first 1 are listed. “politecrawl report DIR --links-to URL” prints all.") {
		t.Errorf("many links: %s", text)
	}
	b.CheckNoProblems(address, "data:")
}

// A browser limits the height of an element. A table may be higher.
func TestEveryRowOfMillionsIsReached(t *testing.T) {
	b := browsertest.New(t, nil)
	b.Resize(1280, 900)
	openReport(t, b, "big")
	b.Click(`.topics a[href="#urls"]`)
	browsertest.Eval[int](b, `(() => {
		const length = 3_000_000, row = (i) => ["row " + i];
		const shown = table("many", "Many", { columns: [["Row", "text"]], count: length, query: () => ({ length, row, loadAll: () => {} }) });
		document.querySelector("[data-table=urls]").replaceChildren(...shown.elements);
		return 1;
	})()`)
	const grid = "[data-table=urls] .grid"
	press := func(key, want string) {
		t.Helper()
		b.Type(grid, key)
		b.Wait("the active row is "+want, strings.ReplaceAll(active, "broken-link", "urls")+` === "`+want+`"`)
	}
	press(kb.End, "row 2999999")
	press(kb.ArrowUp, "row 2999998")
	press(kb.Home, "row 0")
	press(kb.ArrowDown, "row 1")
	for i := 1; i < 30; i++ {
		b.Type(grid, kb.ArrowDown)
	}
	press(kb.ArrowDown, "row 31")
	browsertest.Eval[int](b, `document.querySelector("[data-table=urls] .scroller").scrollTop = 1e9, 1`)
	b.Wait("the last row can be seen", `(() => {
		const last = `+drawn("urls")+`.at(-1), scroller = document.querySelector("[data-table=urls] .scroller");
		return last.cells[0].textContent === "row 2999999" && Math.abs(last.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom) < 3;
	})()`)
	b.CheckNoProblems("file://", "data:")
}
