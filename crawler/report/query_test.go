package report

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// servedRows is the response to a query.
type servedRows struct {
	Total int
	Rows  [][]any
}

// queriedRows are URLs for queries, below example.
func queriedRows() *urlTable {
	t := newURLTable(100, nil, nil, nil)
	for _, row := range []urlRow{
		{url: "/", kind: kindPage, indexable: "yes", title: "Straße Ünder", status: 200, depth: 0, words: 1234, bytes: 12_345, millis: 1500, inlinks: 3},
		{url: "/a/1", kind: kindPage, indexable: "noindex", title: "\U0001f600", status: 200, depth: 2, words: 7, bytes: 99, millis: 20, findings: []string{"title-missing", "broken-link"}},
		{url: "/a/2", kind: kindRedirect, indexable: "redirect", status: 301, depth: 1, words: -1, bytes: 0, millis: 20, canonical: example + "/A"},
		{url: "/ab", kind: kindPage, indexable: "error", title: "\uffee", status: 404, depth: 1, words: 7, bytes: 99, millis: 999, findings: []string{"broken-link"}},
		{url: "/skipped", kind: kindSkipped, reason: output.Disallowed, rule: "Disallow: /skipped, line 2", status: -1, depth: 1, words: -1, bytes: -1, millis: -1},
		{url: "/down", kind: kindSkipped, reason: output.Failed, title: "a", status: 0, depth: -1, words: -1, bytes: -1, millis: -1, sitemap: example + "/sitemap.xml"},
	} {
		row.url = example + row.url
		t.place[keyOf(row.url)] = int32(len(t.rows))
		t.rows = append(t.rows, row)
	}
	return t
}

func TestQuery(t *testing.T) {
	address := serve(t, &Report{urls: queriedRows()})
	for query, want := range map[string]string{
		"":                             "/ /a/1 /a/2 /ab /skipped /down",
		"text=&status=&sort=":          "/ /a/1 /a/2 /ab /skipped /down",
		"text=STRASSE":                 "",
		"text=+%C3%9Cnder%09STRA":      "/", // in a cell, in any case
		"text=A%2F1+missing":           "/a/1",
		"text=com%2Fa":                 "/a/1 /a/2 /ab",
		"text=title-missingbroken":     "",
		"text=1%2C234":                 "", // numbers are not searched
		"text=response":                "/down",
		"text=301":                     "/a/2",
		"text=disallow":                "/skipped",
		"text=-1":                      "",
		"status=2xx":                   "/ /a/1",
		"status=3xx":                   "/a/2",
		"status=none":                  "/down",
		"status=nonsense":              "",
		"kind=skipped":                 "/skipped /down",
		"kind=page&status=4xx":         "/ab",
		"indexable=yes":                "/",
		"indexable=no":                 "/a/1 /a/2 /ab",
		"indexable=noindex":            "/a/1",
		"finding=broken-link":          "/a/1 /ab",
		"finding=broken":               "",
		"directory=" + example + "/a/": "/a/1 /a/2",
		"sort=url":                     "/ /a/1 /a/2 /ab /down /skipped",
		"sort=-url":                    "/skipped /down /ab /a/2 /a/1 /",
		"sort=title":                   "/a/2 /skipped / /down /a/1 /ab", // by code units, of which an emoji has two
		"sort=-title":                  "/ab /a/1 /down / /a/2 /skipped",
		"sort=status":                  "/skipped /down / /a/1 /a/2 /ab",
		"sort=-status":                 "/ab /a/2 / /a/1 /down /skipped",
		"sort=depth":                   "/down / /a/2 /ab /skipped /a/1",
		"sort=-depth":                  "/a/1 /a/2 /ab /skipped / /down",
		"sort=inlinks":                 "/a/1 /a/2 /ab /skipped /down /",
		"sort=words":                   "/a/2 /skipped /down /a/1 /ab /",
		"sort=size":                    "/skipped /down /a/2 /a/1 /ab /",
		"sort=-time":                   "/ /ab /a/1 /a/2 /skipped /down",
		"sort=kind":                    "/ /a/1 /ab /a/2 /skipped /down",
		"sort=indexable":               "/skipped /down /ab /a/1 /a/2 /",
		"sort=-canonical":              "/a/2 / /a/1 /ab /skipped /down",
		"sort=-sitemap":                "/down / /a/1 /a/2 /ab /skipped",
		"sort=skipped":                 "/ /a/1 /a/2 /ab /skipped /down",
		"sort=-rule":                   "/skipped / /a/1 /a/2 /ab /down",
		"sort=-findings":               "/a/1 /ab / /a/2 /skipped /down",
		"sort=-size&text=a&kind=page":  "/ /a/1 /ab",
		"rows=2":                       "/ /a/1 (of 6)",
		"from=4&rows=10000":            "/skipped /down (of 6)",
		"from=1&rows=2&sort=-url":      "/down /ab (of 6)",
		"from=99999999999&rows=1":      " (of 6)",
		"rows=0":                       " (of 6)",
		"rows=10001":                   "/ /a/1 /a/2 /ab /skipped /down", // the maximum
		"from=-1&rows=1e3":             "/ /a/1 /a/2 /ab /skipped /down",
		"rows=99999999999999999999":    "/ /a/1 /a/2 /ab /skipped /down",
		"Kind=page&sort=colour":        "/ /a/1 /a/2 /ab /skipped /down",
		"sort=--url&text=%zz":          "/ /a/1 /a/2 /ab /skipped /down",
		"kind=skipped&kind=page":       "/skipped /down",
	} {
		var got []string
		found := askJSON[servedRows](t, address+"/urls?"+query)
		for _, row := range found.Rows {
			got = append(got, strings.TrimPrefix(row[0].(string), example))
		}
		text := strings.Join(got, " ")
		if found.Total != len(got) {
			text += fmt.Sprintf(" (of %d)", found.Total)
		}
		if text != want {
			t.Errorf("%s: %q, want %q", query, text, want)
		}
	}
}

func TestServedCells(t *testing.T) {
	_, body := ask(t, serve(t, &Report{urls: queriedRows()})+"/urls?rows=2")
	const want = `{"total":6,"rows":[` +
		`["https://example.com/",200,"page","yes","Straße Ünder",0,3,1234,12345,1500,"","","","",[]],` +
		`["https://example.com/a/1",200,"page","noindex","😀",2,0,7,99,20,"","","","",["title-missing","broken-link"]]]}` + "\n"
	if body != want {
		t.Errorf("%s, want %s", body, want)
	}
	if _, body := ask(t, serve(t, &Report{urls: queriedRows()})+"/urls?from=4&rows=1"); !strings.Contains(body, `["https://example.com/skipped",null,"skipped","","",1,0,null,null,null,`) {
		t.Errorf("what is not known is not null: %s", body)
	}
}

// Whatever the parameters are, a response has rows of the table, each once.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"text=a+b&sort=-title&from=1&rows=2", "indexable=no&finding=broken-link&directory=https://", "text=%ff%00", "rows=-1"} {
		f.Add(seed)
	}
	all := queriedRows().rows
	f.Fuzz(func(t *testing.T, text string) {
		values, _ := url.ParseQuery(text) // as a request has them
		q, from, rows := parseQuery(values)
		found := q.run(all)
		slices.Sort(found)
		if n := len(slices.Compact(slices.Clone(found))); n != len(found) || n > 0 && (found[0] < 0 || int(found[n-1]) >= len(all)) || from < 0 || rows < 0 || rows > maxResponseRows {
			t.Errorf("%q: rows %v, from %d, %d of them", text, found, from, rows)
		}
	})
}

// BenchmarkQuery answers the first and the next page of queries of a million URLs.
func BenchmarkQuery(b *testing.B) {
	const pages = 1_000_000
	t := newURLTable(pages, nil, nil, nil)
	for i := range pages {
		at := fmt.Sprintf("https://www.example.com/directory-%d/page-%d.html", i%977, i*7919%pages)
		row := t.row(keyOf(at), at, kindPage)
		row.title, row.canonical, row.sitemap, row.indexable = fmt.Sprintf("The title of page %d, which is long", i), at, "https://www.example.com/sitemap.xml", "yes"
		row.status, row.depth, row.words, row.bytes, row.millis = 200, int32(i%12), int32(i%3000), int64(i*977%100_000), int64(i%1500)
	}
	for _, text := range []string{"", "text=page-123", "sort=url", "sort=-size", "status=4xx", "sort=title&text=page+77&directory=https://www.example.com/directory-9"} {
		for _, next := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/next=%v", url.QueryEscape(text), next), func(b *testing.B) {
				handler := (&Report{urls: t}).Handler()
				query := func(from int) {
					r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1/urls?%s&from=%d&rows=100", text, from), http.NoBody)
					w := httptest.NewRecorder()
					if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
						b.Fatal(w.Body)
					}
				}
				if query(0); next {
					for i := 0; b.Loop(); i++ {
						query(i % 1000 * 100)
					}
					return
				}
				for b.Loop() {
					handler = (&Report{urls: t}).Handler()
					query(0)
				}
			})
		}
	}
}
