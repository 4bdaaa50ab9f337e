package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// pageData has the data blocks of a page.
type pageData struct {
	Tables []struct {
		ID      string     `json:"id"`
		Columns [][]string `json:"columns"`
		Count   int        `json:"count"`
		Values  [][]any    `json:"values"`
	} `json:"tables"`
	Links struct {
		Count   int         `json:"count"`
		Omitted int         `json:"omitted"`
		Texts   [][3]string `json:"texts"`
	} `json:"links"`
	URLs []string `json:"urls"`

	graph []byte // the block of links
}

// dataOf returns the data blocks of the page of a report.
func dataOf(t *testing.T, r *Report) (data pageData) {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	block := func(id string) []byte {
		_, text, found := strings.Cut(page.String(), `<script type="text/plain" id="block-`+id+`">`)
		if !found {
			return nil
		}
		text, _, _ = strings.Cut(text, "</script>")
		plain, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		return plain
	}
	if err := json.Unmarshal(block("data"), &data); err != nil {
		t.Fatal(err)
	}
	data.graph = block("links")
	return data
}

// linksOf returns the links of the data block, sorted: "from to".
func linksOf(data pageData) (links []string) {
	rest := data.graph
	next := func() int {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		return int(v)
	}
	for len(rest) > 0 {
		from, n, to := next(), next(), 0
		for range n {
			to += next()
			links = append(links, data.URLs[from]+" "+data.URLs[to])
		}
		for range n {
			next() // the text
		}
	}
	slices.Sort(links)
	return links
}

// Each row has the URL of its finding.
func TestDataBlockHasEveryRow(t *testing.T) {
	r := hostileCrawl().make(t)
	data := dataOf(t, r)
	rows := make(map[string][]string)
	for _, table := range data.Tables {
		for i, column := range table.Values {
			if len(column) != table.Count {
				t.Errorf("%s: column %d has %d of %d rows", table.ID, i, len(column), table.Count)
			}
		}
		for _, v := range table.Values[0] {
			if i, ok := v.(float64); ok && i >= 0 && table.Columns[0][1] == "url" {
				rows[table.ID] = append(rows[table.ID], data.URLs[int(i)])
			}
		}
	}
	checked := 0
	for _, f := range r.Findings {
		var want []string
		for _, row := range f.Rows {
			want = append(want, strings.ToValidUTF8(row.URL, "\ufffd"))
		}
		if diff := cmp.Diff(want, rows[f.ID]); diff != "" {
			t.Errorf("%s (-findings +data):\n%s", f.ID, diff)
		}
		checked += len(want)
	}
	if checked < 100 {
		t.Errorf("only %d findings", checked)
	}
}

func TestDataBlockHasLinksAndAssets(t *testing.T) {
	r := &Report{links: newLinkGraph()}
	r.links.add(&linksLine{URL: "/a", To: links{{URL: "/c"}, {URL: "/b"}, {URL: "/c"}, {URL: "/a"}}, Resources: links{{URL: "/logo.png"}, {URL: "/b"}}})
	r.links.add(&linksLine{URL: "/b", To: links{{URL: "/a"}}})
	r.links.add(&linksLine{URL: "/none"})
	data := dataOf(t, r)
	if diff := cmp.Diff([]string{"/a /a", "/a /b", "/a /c", "/a /logo.png", "/b /a"}, linksOf(data)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if data.Links.Count != 5 || data.Links.Omitted != 0 {
		t.Errorf("%d links, %d omitted", data.Links.Count, data.Links.Omitted)
	}
}

// A graph stays below its bounds, and counts the links that it omits.
func TestLinkGraphIsBounded(t *testing.T) {
	line := func(i int) *linksLine {
		return &linksLine{URL: fmt.Sprint(i), To: links{{URL: "x"}, {URL: "y"}}}
	}
	for name, fill := range map[string]func(*linkGraph){
		"links": func(g *linkGraph) { g.count = maxGraphLinks - 3 },
		"bytes": func(g *linkGraph) { g.urls = make([]byte, maxGraphBytes) },
		"texts": func(g *linkGraph) { g.textBytes = maxGraphBytes },
	} {
		g := newLinkGraph()
		fill(g)
		before := g.count
		for i := range 3 {
			g.add(line(i))
		}
		g.add(&linksLine{URL: "small", To: links{{URL: "x"}}})
		if g.count != before+2 || g.omitted != 5 || len(g.ends) != 3 {
			t.Errorf("%s: %d more links, %d omitted, %d URLs", name, g.count-before, g.omitted, len(g.ends))
		}
		g = newLinkGraph()
		fill(g)
		g.unbounded = true
		for i := range 3 {
			g.add(line(i))
		}
		if g.count != before+6 || g.omitted != 0 {
			t.Errorf("%s: unbounded, %d more links, %d omitted", name, g.count-before, g.omitted)
		}
	}
}

func TestLinkGraphHasDescriptions(t *testing.T) {
	g := newLinkGraph()
	for _, text := range []string{
		`{"url":"/a","to":[{"url":"/c","text":"see","rel":"nofollow","kind":"a"},{"url":"/b","kind":"area"},{"url":"/c","text":"again","kind":"a"}],
			"resources":[{"url":"/i.png","text":"a picture","kind":"img"},{"url":"/b","text":"b","kind":"img"}]}`,
		`{"url":"/b","to":["/c","/b"]}`,
		`{"url":"/c","to":[{"url":"/c","text":"see","rel":"nofollow","kind":"a"}]}`,
	} {
		var line linksLine
		if err := jsonlines.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		g.add(&line)
	}
	of := func(url string) [][4]string {
		_, out, _ := g.linksOf(url, 0)
		return out
	}
	to := func(url string) [][4]string {
		all, _, total := g.linksOf(url, 10)
		if first, _, count := g.linksOf(url, 1); total != len(all) || count != total || len(first) != min(1, total) {
			t.Errorf("%s: %d links of %d, %d of %d with a limit of 1", url, len(all), total, len(first), count)
		}
		return all
	}
	for _, tt := range []struct {
		name      string
		got, want [][4]string
	}{
		{"each target once, the first link of to", of("/a"), [][4]string{{"/c", "see", "nofollow", "a"}, {"/b", "", "", "area"}, {"/i.png", "a picture", "", "img"}}},
		{"without descriptions", of("/b"), [][4]string{{"/c"}, {"/b"}}},
		{"page without links", of("/i.png"), nil},
		{"unknown page", of("/x"), nil},
		{"to a page, with its own link", to("/c"), [][4]string{{"/a", "see", "nofollow", "a"}, {"/b"}, {"/c", "see", "nofollow", "a"}}},
		{"to an asset", to("/i.png"), [][4]string{{"/a", "a picture", "", "img"}}},
		{"to a page that is not linked", to("/a"), nil},
		{"to an unknown URL", to("/x"), nil},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if diff := cmp.Diff([][3]string{{}, {"see", "nofollow", "a"}, {"", "", "area"}, {"a picture", "", "img"}}, dataOf(t, &Report{links: g}).Links.Texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// A report that was read from report.json has no links.
func TestPageOfDecodedReport(t *testing.T) {
	var r Report
	if err := json.Unmarshal([]byte(asJSON(t, everything().make(t))), &r); err != nil {
		t.Fatal(err)
	}
	data := dataOf(t, &r)
	if data.Links.Count != 0 || len(data.URLs) == 0 {
		t.Errorf("%d links, %d URLs", data.Links.Count, len(data.URLs))
	}
}
