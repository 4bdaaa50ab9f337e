package ci

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// ruleOf returns a rule of the report, as far as places need it.
func ruleOf(id string) report.Rule {
	topic, _, _ := strings.Cut(id, "-")
	if topic == "sitemap" {
		topic = "sitemaps"
	}
	return report.Rule{ID: id, Topic: topic}
}

// Each finding leads to the line that has to be corrected.
func TestPlacesOfFindings(t *testing.T) {
	const page = "https://www.example.com/docs/page.html"
	onPage := func(url string) report.Finding { return report.Finding{URL: url, FoundOn: []string{page}} }
	for _, tt := range []struct {
		name, rule string
		finding    report.Finding
		html       string
		want       int
	}{
		{"link", "broken-link", onPage("https://www.example.com/docs/a"), "<p>\n<a href=b>b</a>\n<a\nhref='a'>a</a>", 3},
		{"link with a fragment", "broken-link", onPage("https://www.example.com/a"), "\n<a href='/a#x'>", 2},
		{"link to a fragment", "broken-fragment", onPage("https://www.example.com/a#y"), "<a href='/a#x'>\n<a href='/a#y'>", 2},
		{"other spelling", "broken-link", onPage("https://www.example.com/a%20b?c=1&d=2"), "\n<a href='/a b?c=1&amp;d=2'>", 2},
		{"base element", "broken-link", onPage("https://www.example.com/other/a"), "<base href='/other/'>\n<a href=a>", 2},
		{"image", "broken-asset", onPage("https://www.example.com/i.png"), "\n\n<img src='../i.png'>", 3},
		{"srcset", "broken-asset", onPage("https://www.example.com/i2.png"), "\n<img srcset='/i.png 1x, /i2.png 2x'>", 2},
		{"SVG", "broken-asset", onPage("https://www.example.com/s.svg"), "\n<svg><use xlink:href='/s.svg#a'>", 2},
		{"poster", "broken-asset", onPage("https://www.example.com/p.jpg"), "\n<video poster=/p.jpg>", 2},
		{"refresh", "broken-link", onPage("https://www.example.com/New"), "\n<meta http-equiv=refresh content=\"0; URL='/New'\">", 2},
		{"invalid URL", "invalid-url", onPage("http://<x>/"), "\n<a href='http://<x>/#a'>", 2},
		{"invalid URL with a space", "invalid-url", onPage("https:///trac er/"), "<a href=https:///trac>\n<img src='https:///trac er/'>", 2},
		{"style", "broken-asset", onPage("https://www.example.com/bg.png"), "<style>\nbody { background: url(/bg.png) }", 2},
		{"style after its name in a comment", "broken-asset", onPage("https://www.example.com/bg.png"), "<!-- bg.png -->\n<style>\nbody { background: url(/bg.png) }", 3},
		{"style in escapes", "broken-asset", onPage("https://www.example.com/bg.png"), "<style>\nbody { background: url(/\\62g.png) }</style>", 2},
		{"tracking parameter", "broken-link", onPage("https://www.example.com/docs/a"), "<p>\n<a href='a?utm_source=x'>", 2},
		{"fragment in other letters", "broken-fragment", onPage("https://www.example.com/a#é"), "<a href='/a'>\n<a href='/a#é'>", 2},
		{"not found", "broken-link", onPage("https://www.example.com/nowhere"), "<p>\n<head>\n<a href=x>", 2},
		{"text in a comment", "broken-link", onPage("https://www.example.com/docs/a"), "<!-- \n<a href=a> -->\n<a href=a>", 3},
		{"title", "title-long", report.Finding{URL: page}, "<head>\n<title>T", 2},
		{"no title", "title-missing", report.Finding{URL: page}, "<html>\n<head>\n<meta>", 2},
		{"description", "description-long", report.Finding{URL: page}, "<head>\n<meta name=Description content=x>", 2},
		{"h1", "h1-multiple", report.Finding{URL: page}, "<head>\n<p>\n<h1>", 3},
		{"canonical", "canonical-broken", report.Finding{URL: page, Related: "https://www.example.com/c"}, "<link rel=next href=/c>\n<link rel='x Canonical' href=/c>", 2},
		{"hreflang", "hreflang-broken", report.Finding{URL: page, Related: "https://www.example.com/de/"}, "<link rel=alternate hreflang=fr href=/fr/>\n<link rel=alternate hreflang=de href=/de/>", 2},
		{"nothing to find", "page-large", report.Finding{URL: page}, "<p>", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := sourcesOf(t, build{"docs/page.html": tt.html})
			places := s.places(ruleOf(tt.rule), tt.finding)
			if len(places) != 1 || places[0].Line != tt.want || !strings.HasSuffix(places[0].File, "page.html") {
				t.Errorf("%+v, want line %d", places, tt.want)
			}
		})
	}
	pair := sourcesOf(t, build{"docs/page.html": "<link rel=alternate hreflang=de href=/de.html>", "de.html": "<html>\n<head>"})
	both := pair.places(ruleOf("hreflang-no-return"), report.Finding{URL: page, Related: "https://www.example.com/de.html"})
	if len(both) != 2 || both[0].Line != 1 || both[1].Line != 2 || !strings.HasSuffix(both[1].File, "de.html") {
		t.Errorf("hreflang without a return link: %+v", both)
	}
	sitemap := build{"sitemap.xml": "<urlset>\n<url><loc>https://www.example.com/a/b</loc></url>\n<url><loc>https://www.example.com/a?b&amp;c</loc></url>\n<url><loc>https://www.example.com/a</loc></url></urlset>"}
	for u, want := range map[string]int{"https://www.example.com/a": 4, "https://www.example.com/a?b&c": 3, "https://www.example.com/x": 0} {
		p := sourcesOf(t, sitemap).places(ruleOf("sitemap-broken"), report.Finding{URL: u, Related: "https://www.example.com/sitemap.xml"})
		if len(p) != 1 || p[0].Line != want {
			t.Errorf("%s: %+v, want line %d", u, p, want)
		}
	}
	style := sourcesOf(t, build{"s.css": "a{}\nb{background:url('bg.png')}"}).places(ruleOf("broken-asset"), report.Finding{URL: "https://www.example.com/bg.png", FoundOn: []string{"https://www.example.com/s.css"}})
	if len(style) != 1 || style[0].Line != 2 {
		t.Errorf("stylesheet: %+v", style)
	}
	const other = "https://other.example/robots.txt"
	for id, want := range map[string]string{"canonical-disallowed": other, "hreflang-disallowed": other, "page-disallowed": "https://www.example.com/robots.txt"} {
		f := report.Finding{URL: page, Related: "https://other.example/x", Line: 3}
		if got := new(sources).places(ruleOf(id), f); fmt.Sprint(got) != "["+want+":3]" {
			t.Errorf("%s: %v, want line 3 of %s", id, got, want)
		}
	}
	outside := sourcesOf(t, build{"a.html": ""}).places(ruleOf("broken-external"), report.Finding{URL: "https://other.example/", FoundOn: []string{"https://third.example/"}})
	if fmt.Sprint(outside) != "[https://third.example/]" {
		t.Errorf("another site: %v", outside)
	}
}

// A page with thousands of findings is read once, not once a finding.
func TestPlacesOfManyFindingsReadPageOnce(t *testing.T) {
	const page, links = "https://www.example.com/", 2000
	var b strings.Builder
	for i := range links {
		fmt.Fprintf(&b, "<a href=/%d>x</a>\n", i)
	}
	s := sourcesOf(t, build{"index.html": b.String()})
	find := func(i int) []place {
		return s.places(report.Rule{ID: "broken-link"}, report.Finding{URL: fmt.Sprint(page, i), FoundOn: []string{page}})
	}
	if first, last := find(0), find(links-1); first[0].Line != 1 || last[0].Line != links {
		t.Fatalf("%+v, %+v", first, last)
	}
	if allocs := testing.AllocsPerRun(10, func() { find(links / 2) }); allocs > links/10 {
		t.Errorf("%v allocations for one more finding of a page with %d links", allocs, links)
	}
}

// sourcesOf opens a build as the site of the tests.
func sourcesOf(t *testing.T, b build) *sources {
	t.Helper()
	base, err := url.Parse(origin + "/")
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(b.write(t), base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	return &sources{folder: f}
}

// A line is one of the file, whatever is in it.
func FuzzLineOf(f *testing.F) {
	f.Add("<p>\n<a href=b>b</a>\n<a\nhref='a'>a</a>", "https://www.example.com/a")
	f.Add("<base href='://'>\n<img srcset=', ,x 1x,'>\n<meta content='URL='>", "https://www.example.com/#x")
	f.Add("<script>\n</script\n><a href=\n", "%")
	f.Add("<a href='caf\xe9'>\n<a href='caf%E9'>", "https://www.example.com/caf%E9")
	f.Fuzz(func(t *testing.T, text, target string) {
		most := 1 + strings.Count(text, "\n")
		d := newDocument(extract.Page{URL: "https://www.example.com/", Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(text)})
		if line := d.lineOfReference(target); line < 0 || line > most {
			t.Errorf("line %d of %d", line, most)
		}
		if line := lineOfPath([]byte(text), target); line < 0 || line > most {
			t.Errorf("line %d of %d", line, most)
		}
	})
}
