package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler/browsertest"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// values are what the files of a crawl say about its URLs. A test of package report computes them without
// the code of the report, but for the findings.
type values struct {
	Order    []string
	Rows     map[string]object               // by URL, its cells by the title of their column
	Details  map[string]object               // by URL, its lines
	Links    map[string]map[string][3]string // by page and URL: text, rel and kind
	Findings []report.Findings
}

type object = map[string]any

// A pageOfURL is what the page of a URL shows. The keys are headings.
type pageOfURL struct {
	Headings []string
	Terms    map[string]map[string][]string // by heading and term
	Items    map[string][]string            // of ordered lists
	Rows     map[string][]map[string]string // of tables, by the titles of columns
	Rules    []string                       // that are linked
}

// readPanel is a JavaScript expression for the open page of a URL. Each part belongs to the heading before it.
const readPanel = `(() => {
	dispatchEvent(new Event("beforeprint")); // draws all rows
	const page = { headings: [], terms: {}, items: {}, rows: {}, rules: [] };
	const texts = (nodes) => [...nodes].map((e) => e.textContent);
	for (const e of panel.children) {
		const heading = page.headings.at(-1) ?? "";
		if (e.tagName === "H3") page.headings.push(e.textContent);
		if (e.tagName === "DL") {
			let term = "";
			const terms = (page.terms[heading] ??= {});
			for (const of of e.children) {
				if (of.tagName === "DT") term = of.textContent;
				else (terms[term] ??= []).push(of.textContent);
			}
		}
		if (e.tagName === "OL") page.items[heading] = texts(e.children);
		if (e.className === "scroller") {
			const titles = texts(e.querySelectorAll("th"));
			page.rows[heading] = [...e.querySelectorAll("tbody tr:not([aria-hidden])")].map((row) => Object.fromEntries(titles.map((title, i) => [title, row.cells[i].textContent]).filter(([, text]) => text)));
		}
		for (const a of e.querySelectorAll("a[href^='#rule-']")) page.rules.push(a.hash.slice("#rule-".length));
	}
	dispatchEvent(new Event("afterprint"));
	return page;
})()`

// Every number and text of the page of a URL is true.
func TestValuesOfPagesOfURLs(t *testing.T) {
	for _, name := range []string{"demo", "sqlite3-doc"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(pages, name+".json"))
			if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
				t.Skip(`the site is not on this machine: run "make docs"`)
			}
			var v values
			if err := errors.Join(err, json.Unmarshal(text, &v)); err != nil {
				t.Fatal(err)
			}
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			b := browsertest.New(t, nil)
			b.Resize(1280, 900)
			openReport(t, b, name)
			random.Shuffle(len(v.Order), func(i, j int) { v.Order[i], v.Order[j] = v.Order[j], v.Order[i] })
			for _, u := range v.Order[:200] {
				got := browsertest.Eval[pageOfURL](b, fmt.Sprintf(`(async () => {
					location.hash = %s;
					for (let i = 0; i < 1000 && panel.querySelector("h2")?.textContent !== %s; i++) await new Promise((done) => setTimeout(done, 10));
					return %s;
				})()`, quoted("#urls?url="+url.QueryEscape(u)), quoted(visible(u)), readPanel))
				want := v.page(u)
				for _, p := range []*pageOfURL{&want, &got} {
					p.sort()
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-files +page):\n%.2000s", u, diff)
				}
			}
			b.CheckNoProblems("file://", "data:")
		})
	}
}

// The script writes numbers as the markup has them.
func TestNumbersAreRoundedAsInMarkup(t *testing.T) {
	b := browsertest.New(t, nil)
	openReport(t, b, "big")
	var numbers []int64
	for _, n := range []int64{0, 999, 1000, 1250, 1350, 1450, 1750, 5449, 5450, 12_250, 99_949, 99_950, 100_500, 101_500, 999_499, 999_500, 1_049_999, 1_250_000, 1e9 + 50_000_000, 1_250_000_000_000, 3_650_000_000_000_000} {
		numbers = append(numbers, n, n+1)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		numbers = append(numbers, random.Int64N(1000)*50, random.Int64N(1<<random.IntN(50)))
	}
	list := strings.ReplaceAll(fmt.Sprint(numbers), " ", ",")
	for name, function := range map[string]string{"bytes": "size", "duration_ms": "millis", "": "number"} {
		for i, got := range browsertest.Eval[[]string](b, list+`.map(`+function+`)`) {
			if want := numberText(name, float64(numbers[i])); got != want {
				t.Errorf("%s(%d) is %s, want %s", function, numbers[i], got, want)
			}
		}
	}
}

// sort brings what has no order into one. Members of objects in a text have none.
func (p *pageOfURL) sort() {
	slices.Sort(p.Headings)
	slices.Sort(p.Rules)
	p.Rules = slices.Compact(p.Rules)
	for _, terms := range p.Terms {
		for _, texts := range terms {
			for i, text := range texts {
				parts := regexp.MustCompile(`[,;:] `).Split(text, -1)
				slices.Sort(parts)
				texts[i] = strings.Join(parts, ", ")
			}
			slices.Sort(texts)
		}
	}
	for _, rows := range p.Rows {
		slices.SortFunc(rows, func(a, b map[string]string) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
}

// section adds terms to a section.
func (p *pageOfURL) section(heading string, more map[string][]string) {
	if !slices.Contains(p.Headings, heading) {
		p.Headings = append(p.Headings, heading)
		p.Terms[heading] = make(map[string][]string)
	}
	for term, texts := range more {
		p.Terms[heading][term] = append(p.Terms[heading][term], texts...)
	}
}

// page returns what the page of a URL should show.
func (v *values) page(u string) pageOfURL {
	p := pageOfURL{Terms: make(map[string]map[string][]string), Items: make(map[string][]string), Rows: make(map[string][]map[string]string)}
	details := v.Details[u]
	p.section("URL", rowTerms(v.Rows[u]))
	for heading, name := range map[string]string{"Page": "page", "Skipped": "rejection", "Check": "check", "Permission": "permission"} {
		if line, ok := details[name].(object); ok {
			p.section(heading, lineTerms(line, u))
		}
	}
	if verdict, ok := details["robots"].(object); ok {
		p.section("robots.txt", verdictTerms(verdict))
	}
	entries, _ := details["entries"].([]any)
	for _, entry := range entries {
		p.section(fmt.Sprint("Sitemap entries ", details["entry_count"]), lineTerms(entry.(object), u))
	}
	if steps := v.chain(u); len(steps) > 1 {
		p.Headings, p.Items["Redirects"] = append(p.Headings, "Redirects"), steps
	}
	v.addFindings(&p, u)
	v.addLinks(&p, u)
	maps.DeleteFunc(p.Terms, func(_ string, terms map[string][]string) bool { return len(terms) == 0 })
	return p
}

// rowTerms returns the cells of a row that have a value.
func rowTerms(row object) map[string][]string {
	terms := make(map[string][]string)
	for title, cell := range row {
		switch cell := cell.(type) {
		case string:
			if cell != "" && title != "URL" {
				terms[title] = []string{visible(cell)}
			}
		case []any:
			for _, text := range cell {
				terms[title] = append(terms[title], text.(string))
			}
		case float64:
			name := map[string]string{"Status": "status", "Size": "bytes", "Time": "duration_ms"}[title]
			terms[title] = []string{numberText(name, cell)}
			if title == "Status" && cell == 0 {
				terms[title] = []string{"no response"}
			}
		}
	}
	return terms
}

// lineTerms returns the members of a line.
func lineTerms(line object, u string) map[string][]string {
	terms := make(map[string][]string)
	for name, value := range line {
		if name == "url" && value == u {
			continue
		}
		title := strings.ReplaceAll(strings.TrimSuffix(name, "_ms"), "_", " ")
		title = strings.ToUpper(title[:1]) + title[1:]
		list := []any{value}
		switch value := value.(type) {
		case []any:
			list = value
		case object:
			list = nil
			for key, of := range value {
				list = append(list, object{key: of})
			}
		}
		for _, of := range list {
			if text := valueText(name, of); text != "" {
				terms[title] = append(terms[title], text)
			}
		}
	}
	return terms
}

func valueText(name string, value any) string {
	var parts []string
	switch value := value.(type) {
	case string:
		return visible(value)
	case float64:
		return numberText(name, value)
	case bool:
		return map[bool]string{true: "yes", false: "false"}[value]
	case []any:
		for _, of := range value {
			parts = append(parts, valueText(name, of))
		}
	case object:
		for key, of := range value {
			parts = append(parts, visible(key)+": "+valueText(key, of))
		}
	}
	return strings.Join(parts, ", ")
}

// numberText writes a number as the member of a line with this name.
func numberText(name string, n float64) string {
	switch {
	case name == "status":
		return fmt.Sprint(n)
	case strings.HasSuffix(name, "_ms") && n < 1000:
		return fmt.Sprint(n, " ms")
	case strings.HasSuffix(name, "_ms"):
		return strconv.FormatFloat(n/1000, 'f', 1, 64) + " s"
	case name == "bytes" && n < 1000:
		return fmt.Sprint(n, " B")
	case name == "bytes":
		for _, unit := range []string{" kB", " MB", " GB"} {
			switch n /= 1000; {
			case n < 100:
				return strconv.FormatFloat(n, 'f', 1, 64) + unit
			case n < 1000:
				return strconv.FormatFloat(n, 'f', 0, 64) + unit
			}
		}
		return strconv.FormatFloat(n/1000, 'f', 1, 64) + " TB"
	}
	digits := strconv.FormatFloat(n, 'f', -1, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// visible escapes characters that cannot be seen.
func visible(text string) string {
	return regexp.MustCompile(`[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]`).ReplaceAllStringFunc(text, func(c string) string {
		r, _ := utf8.DecodeRuneInString(c)
		return fmt.Sprintf(`\u{%x}`, r)
	})
}

func verdictTerms(verdict object) map[string][]string {
	said, rule, group := "disallowed", "none", verdict["group"].(string)
	if verdict["allowed"] == true {
		said = "allowed"
	}
	outcome, _ := verdict["outcome"].(string)
	if outcome != "" && outcome != "allow-all" {
		said = "unknown: robots.txt could not be fetched"
	}
	if text, ok := verdict["rule"].(string); ok {
		rule = fmt.Sprintf("%s, line %v", visible(text), verdict["line"])
	}
	switch {
	case outcome == "allow-all":
		rule = "none: there is no robots.txt"
	case rule == "none" && said == "allowed":
		rule = "no rule matches, so the URL is allowed"
	}
	if group == "" {
		group = "none"
	}
	terms := map[string][]string{"Verdict": {said}, "Rule": {rule}, "Group": {group}, "File": {verdict["url"].(string)}}
	if verdict["latest"] == true {
		terms["Note"] = []string{"This is the latest robots.txt: the crawl recorded none for this URL."}
	}
	return terms
}

// chain returns the redirects to a URL and from it.
func (v *values) chain(u string) (steps []string) {
	line := func(u string) object {
		if page, ok := v.Details[u]["page"].(object); ok {
			return page
		}
		check, _ := v.Details[u]["check"].(object)
		return check
	}
	seen := make(map[string]bool)
	step := func(u string) {
		seen[u] = true
		text := visible(u)
		if status, ok := line(u)["status"]; ok {
			text = fmt.Sprint(status, " ", text)
		}
		steps = append(steps, text)
	}
	before, _ := line(u)["redirects"].([]any)
	for _, of := range before {
		step(of.(string))
	}
	for len(steps) < 20 {
		again := seen[u]
		step(u)
		location, _ := line(u)["location"].(string)
		if location == "" || again {
			break
		}
		u, _, _ = strings.Cut(location, "#")
	}
	return steps
}

func (v *values) addFindings(p *pageOfURL, u string) {
	rows, terms := 0, make(map[string][]string)
	for _, f := range v.Findings {
		for _, row := range f.Rows {
			if row.URL != u {
				continue
			}
			rows++
			p.Rules = append(p.Rules, f.ID)
			add := func(term, text string, is bool) {
				if is {
					terms[term] = append(terms[term], text)
				}
			}
			has := func(of func(report.Finding) bool) bool { return slices.ContainsFunc(f.Rows, of) } // the table has the column
			add("Details", visible(row.Detail), row.Detail != "")
			add("Line", fmt.Sprint(row.Line), has(func(f report.Finding) bool { return f.Line > 0 }))
			add("Related URL", visible(row.Related), row.Related != "")
			add("Pages", numberText("", float64(row.Pages)), has(func(f report.Finding) bool { return f.Pages > 0 }))
			for _, page := range row.FoundOn {
				add("Found on", visible(page), true)
			}
			more := row.Pages - len(row.FoundOn)
			add("Found on", "and "+numberText("", float64(more))+" more in links.jsonl", more > 0 && has(func(f report.Finding) bool { return len(f.FoundOn) > 0 }))
		}
	}
	if rows > 0 {
		p.section(fmt.Sprint("Findings ", rows), terms)
	}
}

func (v *values) addLinks(p *pageOfURL, u string) {
	brief := func(text string, most int) string {
		if len(text) > most {
			return visible(text[:most]) + "…"
		}
		return visible(text)
	}
	row := func(url string, link [3]string, text string) map[string]string {
		cut := max(len(url)-16, 0)
		cells := map[string]string{"URL": brief(url[:cut], 300) + visible(url[cut:]), text: brief(link[0], 300)}
		if text == "Alternative text" && cells[text] == "" {
			cells[text] = "(none)"
		}
		if text == "Text" {
			cells["Rel"], cells["Kind"] = brief(link[1], 300), link[2]
		}
		maps.DeleteFunc(cells, func(_, text string) bool { return text == "" })
		return cells
	}
	lists := map[string][]map[string]string{"Pages that link to it": nil, "Links and files of this page": nil}
	for page, links := range v.Links {
		for to, link := range links {
			if to == u {
				lists["Pages that link to it"] = append(lists["Pages that link to it"], row(page, link, "Text"))
			}
			switch {
			case page != u:
			case link[2] == "img":
				lists["Images of this page"] = append(lists["Images of this page"], row(to, link, "Alternative text"))
			default:
				lists["Links and files of this page"] = append(lists["Links and files of this page"], row(to, link, "Text"))
			}
		}
	}
	for title, rows := range lists {
		heading := title + " " + numberText("", float64(len(rows)))
		p.Headings = append(p.Headings, heading)
		if len(rows) > 0 {
			p.Rows[heading] = rows
		}
	}
}
