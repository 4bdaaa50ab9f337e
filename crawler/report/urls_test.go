package report_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/demosite"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// shown is what the data blocks of a page have of the URLs, in the form of an oracle.
type shown struct {
	columns     []string // of the table of URLs
	order       []string
	rows        map[string]fields
	details     map[string]fields
	links       map[string]map[string][3]string
	directories map[string]fields
	choices     map[string]map[string]int
	findings    map[string][]string // rules, by URL
}

// blocksOf decodes the data blocks of a page.
func blocksOf(t *testing.T, page []byte) map[string][]byte {
	t.Helper()
	blocks := make(map[string][]byte)
	for _, m := range regexp.MustCompile(`<script type="text/plain" id="block-([^"]+)">([^<]*)</script>`).FindAllSubmatch(page, -1) {
		plain, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(m[2]))))
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		blocks[string(m[1])] = plain
	}
	return blocks
}

// shownBy reads the page of a report.
func shownBy(t *testing.T, r *report.Report) *shown {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	var data struct {
		URLs   []string
		Links  struct{ Texts [][3]string }
		Lines  struct{ Size int }
		Tables []struct {
			ID      string
			Columns [][]string
			Count   int
			Values  [][]any
			Choices map[string][]report.Count
		}
	}
	blocks := blocksOf(t, page.Bytes())
	if err := json.Unmarshal(blocks["data"], &data); err != nil {
		t.Fatal(err)
	}
	s := &shown{
		rows: make(map[string]fields), details: make(map[string]fields), links: make(map[string]map[string][3]string),
		directories: make(map[string]fields), choices: make(map[string]map[string]int), findings: make(map[string][]string),
	}
	for _, table := range data.Tables {
		isFinding := slices.ContainsFunc(r.Findings, func(f report.Findings) bool { return f.ID == table.ID })
		for _, column := range table.Columns {
			if table.ID == "urls" {
				s.columns = append(s.columns, column[0])
			}
		}
		for i := range table.Count {
			row := make(fields)
			for j, column := range table.Columns {
				row[column[0]] = cellOf(data.URLs, column[1], table.Values[j][i])
			}
			switch url := row.text(table.Columns[0][0]); {
			case table.ID == "urls":
				s.order, s.rows[url] = append(s.order, url), row
			case table.ID == "directories":
				s.directories[url] = row
			case isFinding && !slices.Contains(s.findings[url], table.ID):
				s.findings[url] = append(s.findings[url], table.ID)
			}
		}
		for name, values := range table.Choices {
			s.choices[name] = make(map[string]int)
			for _, v := range values {
				s.choices[name][v.Name] = v.Count
			}
		}
	}
	for i := 0; i < len(s.order); i += data.Lines.Size {
		var block []fields
		if err := json.Unmarshal(blocks[fmt.Sprintf("lines-%d", i/data.Lines.Size)], &block); err != nil {
			t.Fatal(err)
		}
		for j, details := range block {
			s.details[s.order[i+j]] = details
		}
	}
	s.readLinks(data.URLs, data.Links.Texts, blocks["links"])
	return s
}

// cellOf returns the value of a cell.
func cellOf(urls []string, kind string, value any) any {
	switch n, _ := value.(float64); {
	case kind == "url" && n < 0:
		return ""
	case kind == "url":
		return urls[int(n)]
	case kind == "lines":
		lines := []string{}
		for _, line := range value.([]any) {
			lines = append(lines, line.(string))
		}
		return lines
	}
	return value
}

func (s *shown) readLinks(urls []string, texts [][3]string, block []byte) {
	next := func() int {
		v, n := binary.Uvarint(block)
		block = block[n:]
		return int(v)
	}
	for len(block) > 0 {
		from, targets, to := urls[next()], make([]string, next()), 0
		if s.links[from] == nil {
			s.links[from] = make(map[string][3]string)
		}
		for i := range targets {
			to += next()
			targets[i] = urls[to]
		}
		for _, to := range targets {
			s.links[from][to] = texts[next()]
		}
	}
}

// An answer of the server about a URL.
type answer struct {
	Details           fields
	Inlinks, Outlinks [][4]string
}

// served asks the server for all rows, and for what is known of some URLs.
func served(t *testing.T, r *report.Report, columns, urls []string) (rows map[string]fields, known map[string]answer) {
	t.Helper()
	handler := r.Handler()
	ask := func(path string, v any) {
		request, response := httptest.NewRequest(http.MethodGet, path, http.NoBody), httptest.NewRecorder()
		request.Host = "127.0.0.1"
		handler.ServeHTTP(response, request)
		if err := json.Unmarshal(response.Body.Bytes(), v); err != nil {
			t.Fatalf("%s: status %d, %v", path, response.Code, err)
		}
	}
	var all struct{ Rows [][]any }
	ask("/urls?from=0&rows=10000", &all)
	rows, known = make(map[string]fields), make(map[string]answer)
	for _, cells := range all.Rows {
		row := make(fields)
		for i, title := range columns {
			row[title] = cells[i]
			if list, ok := cells[i].([]any); ok {
				row[title] = cellOf(nil, "lines", list)
			}
		}
		rows[row.text("URL")] = row
	}
	for _, u := range urls {
		var a answer
		path := "/url?url=" + url.QueryEscape(u)
		ask(path, &a)
		ask(path, &a.Details)
		for _, name := range []string{"row", "inlinks", "inlink_count", "outlinks"} {
			delete(a.Details, name)
		}
		known[u] = a
	}
	return rows, known
}

// answers returns what the server should say about some URLs. Links are in the order of their URLs.
func (o *oracle) answers(urls []string) map[string]answer {
	known := make(map[string]answer)
	for _, u := range urls {
		a := answer{Details: o.Details[u]}
		for page, links := range o.Links {
			for to, text := range links {
				if page == u {
					a.Outlinks = append(a.Outlinks, [4]string{to, text[0], text[1], text[2]})
				}
				if to == u {
					a.Inlinks = append(a.Inlinks, [4]string{page, text[0], text[1], text[2]})
				}
			}
		}
		known[u] = a
	}
	return known
}

// wantTrueValues checks every value that the page of a crawl has of its URLs, as a file and served.
func wantTrueValues(t *testing.T, dirs ...string) (*report.Report, *oracle) {
	t.Helper()
	r, err := report.Generate(t.Context(), dirs, &report.Options{AllURLs: true})
	if err != nil {
		t.Fatal(err)
	}
	got := shownBy(t, r)
	want := newOracle(t, dirs, got.findings)
	var some []string
	for i := 0; i < len(want.Order); i += 1 + len(want.Order)/50 {
		some = append(some, want.Order[i])
	}
	rows, answers := served(t, r, got.columns, some)
	for name, values := range map[string][2]any{
		"order": {want.Order, got.order}, "rows": {want.Rows, got.rows}, "details": {want.Details, got.details}, "links": {want.Links, got.links},
		"directories": {want.Directories, got.directories}, "choices": {want.choices(), got.choices},
		"served rows": {want.Rows, rows}, "served details": {want.answers(some), answers},
	} {
		t.Run(name, func(t *testing.T) {
			byURL := cmpopts.SortSlices(func(a, b [4]string) bool { return a[0] < b[0] })
			if diff := cmp.Diff(values[0], values[1], byURL, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-files +page):\n%.5000s", diff)
			}
		})
	}
	if len(want.Order) < 10 || len(want.Links) < 2 {
		t.Errorf("only %d URLs, and links of %d pages", len(want.Order), len(want.Links))
	}
	return r, want
}

// Every value of the table of URLs, of the page of each URL and of the tree is what the files of the crawl say.
// With -pages, the pages of real crawls and their values are written for the tests in a browser.
func TestValuesOfURLsAreThoseOfTheFiles(t *testing.T) {
	for name, dirs := range report.WriteCrawlsOfWorkers(t) {
		t.Run(name, func(t *testing.T) { wantTrueValues(t, dirs...) })
	}
	for name, crawl := range map[string]func(*testing.T) string{"demo": crawlDemo, "sqlite3-doc": crawlDocumentation} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("it crawls a site")
			}
			r, values := wantTrueValues(t, crawl(t))
			to := flag.Lookup("pages").Value.String()
			if to == "" {
				return
			}
			var page bytes.Buffer
			text, err := json.Marshal(struct {
				*oracle
				Findings []report.Findings
			}{values, r.Findings})
			if err := errors.Join(err, r.WriteHTML(&page)); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(to, name+".html"), page.Bytes())
			put(t, filepath.Join(to, name+".json"), text)
		})
	}
}

// crawlDemo crawls the demo site.
func crawlDemo(t *testing.T) string {
	t.Helper()
	site, err := demosite.Start(&demosite.Options{CrawlDelay: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return crawlInFull(t, site.StartURLs()...)
}

// crawlDocumentation crawls a site that is not made for tests.
func crawlDocumentation(t *testing.T) string {
	t.Helper()
	const root = "/usr/share/doc/sqlite3"
	if _, err := os.Stat(filepath.Join(root, "index.html")); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err, "; run \"make docs\"")
	}
	site := httptest.NewServer(http.FileServer(http.Dir(root)))
	t.Cleanup(site.Close)
	return crawlInFull(t, site.URL+"/index.html")
}

// crawlInFull runs a crawl with the texts of links, and all checks on the machine itself.
func crawlInFull(t *testing.T, urls ...string) string {
	t.Helper()
	cfg := crawler.Default()
	cfg.Fetch.AllowAddr, cfg.Output.Links, cfg.Scope.Check = []string{"127.0.0.0/8"}, "full", []string{"assets"}
	cfg.URLs, cfg.Output.Dir = urls, filepath.Join(t.TempDir(), "crawl")
	cfg.Politeness.Delay, cfg.Robots.Retry = 0, 20*time.Millisecond
	crawl(t, cfg, nil)
	return cfg.Output.Dir
}
