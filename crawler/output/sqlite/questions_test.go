package sqlite

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// answered is a crawl with an answer to each question, and with similar rows that are no answers.
func answered() *output.Results {
	const text = "text/html; charset=utf-8"
	noindex := []output.Directive{{Rule: "noindex", Source: "1st robots meta element"}, {Rule: "nofollow", Source: "1st robots meta element"}}
	signal := usage.Statement{
		Kind: usage.KindContentSignal, Source: usage.Source{Kind: usage.InRobots, Name: "Content-Signal", Line: 3}, Raw: "search=yes, ai-train=yes",
		Values: map[usage.Purpose]usage.Value{usage.Search: usage.Allowed, usage.TrainAI: usage.Allowed},
	}
	refusal := usage.Statement{
		Kind: usage.KindContentUsage, Source: usage.Source{Kind: usage.InHeader, Name: "Content-Usage"}, Raw: "train-ai=n",
		Values: map[usage.Purpose]usage.Value{usage.TrainAI: usage.Disallowed},
	}
	f := &output.Results{
		Pages: []*output.Page{
			{URL: "/", Status: 200, Title: "Home", Source: "start", ContentType: text},
			{URL: "/one", Status: 200, Title: "One", Source: "link", FoundOn: "/", ContentType: text, Fields: map[string]any{"heading": "The one"}},
			{URL: "/two", Status: 200, Title: "Two", Source: "link", FoundOn: "/", ContentType: "application/xhtml+xml", DuplicateOf: "/one", Canonical: "/one"},
			{URL: "/three", Status: 200, Title: "Two", Source: "link", FoundOn: "/", ContentType: text, DuplicateOf: "/one", Fields: map[string]any{"price": 3}},
			{URL: "/untitled", Status: 200, Source: "link", FoundOn: "/", ContentType: text},
			{URL: "/withheld", Status: 200, Source: "link", FoundOn: "/", ContentType: text, Directives: noindex, Withheld: "noindex"},
			{URL: "/one.pdf", Status: 200, Source: "link", FoundOn: "/", ContentType: "application/pdf"},
			{URL: "/old", Status: 301, Location: "/new", Source: "link", FoundOn: "/", ContentType: text},
			{URL: "/older", Status: 302, Location: "/new", Source: "sitemap", FoundOn: "/map.xml"},
			{URL: "/moved", Status: 308, Location: "/new", Source: "link", FoundOn: "/", ContentType: text},
			{URL: "/new", Status: 200, Title: "New", Source: "redirect", FoundOn: "/old", ContentType: text},
			{URL: "/orphan", Status: 200, Title: "Orphan", Source: "sitemap", FoundOn: "/map.xml", ContentType: text},
			{URL: "/gone", Status: 404, Source: "link", FoundOn: "/", ContentType: text},
			{URL: "/error", Status: 500, Source: "sitemap", FoundOn: "/map.xml", ContentType: text},
		},
		Rejected: []*output.Rejection{
			{URL: "/private/1", Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2, RobotsURL: "/robots.txt", Group: "*", Source: "link"},
			{URL: "/private/2", Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 2, RobotsURL: "/robots.txt", Group: "*", Source: "sitemap"},
			{URL: "/secret", Reason: output.Disallowed, Rule: "Disallow: /secret", Line: 3, RobotsURL: "/robots.txt", Group: "*", Source: "link"},
			{URL: "/silent", Reason: output.Failed, Detail: "no answer", Source: "link"},
			{URL: "/deep", Reason: output.MaxDepth, Source: "link"},
		},
		Links: []*output.Links{
			{URL: "/", To: []output.Link{{URL: "/one"}, {URL: "/two"}, {URL: "/old"}, {URL: "/moved"}, {URL: "/gone"}, {URL: "/private/1"}, {URL: "/secret"}, {URL: "/silent"}, {URL: "/deep"}, {URL: "/"}}},
			{URL: "/one", To: []output.Link{{URL: "/"}, {URL: "/gone"}, {URL: "/old"}, {URL: "/private/1"}, {URL: "/three"}}},
			{URL: "/two", To: []output.Link{{URL: "/"}, {URL: "/one"}}, Resources: []output.Link{{URL: "/1.png", Kind: "img"}, {URL: "/2.png", Kind: "img"}}},
			{URL: "/1.css", To: []output.Link{}, Resources: []output.Link{{URL: "/1.png", Kind: "css"}}},
			{URL: "/three", To: []output.Link{{URL: "/"}}},
			{URL: "/orphan", To: []output.Link{{URL: "/orphan"}}},
			{URL: "/gone", To: []output.Link{{URL: "/gone"}, {URL: "/one"}}},
		},
		Checks: []*output.Check{
			{URL: "/1.png", Result: output.CheckBroken, Kind: "img", FoundOn: "/two", Status: 404}, {URL: "/2.png", Result: output.CheckOK, Kind: "img", FoundOn: "/two", Status: 200},
		},
		Sitemaps:    []*output.Sitemap{{URL: "/map.xml", Status: 200, Pages: 8}},
		Permissions: []*output.Permission{permission("/one", signal, refusal), permission("/two", signal), permission("/three", refusal), permission("/new")},
		Robots: []*output.Robots{
			{Origin: "http://a.test", Outcome: "rules", Status: 200}, {Origin: "http://b.test", Outcome: "unreachable", Status: 503},
			{Origin: "http://b.test", Outcome: "allow-all", Status: 404},
		},
	}
	for _, url := range []string{"/", "/one", "/three", "/orphan", "/older", "/error", "/private/2", "/never"} {
		f.Entries = append(f.Entries, &output.Entry{URL: url, Sitemap: "/map.xml"})
	}
	return f
}

func permission(url string, statements ...usage.Statement) *output.Permission {
	return &output.Permission{URL: url, Purposes: usage.Merge(statements), Statements: statements}
}

// testdata/answers.txt has the answers to questions.sql.
func TestQuestionsHaveAnswers(t *testing.T) {
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, answered())
	sinktest.Close(t, s)
	questions, err := os.ReadFile("questions.sql")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i, question := range strings.Split(string(questions), "\n\n")[1:] {
		words, query, _ := strings.Cut(question, "\n")
		answer := askDir(t, dir, query)
		if len(answer) == 0 {
			t.Errorf("%s The crawl has nothing to show for it", words)
		}
		fmt.Fprintf(&got, "%d. %s\n%s\n\n", i+1, strings.TrimPrefix(words, "-- "), strings.Join(answer, "\n"))
	}
	const name = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v; write it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("not what %s holds (-want +got):\n%s", name, diff)
	}
}
