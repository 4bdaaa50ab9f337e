package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

var (
	leftOut  = regexp.MustCompile(`(<summary>)?and ([\d,]+) more([^<]*)`)
	inFile   = regexp.MustCompile(`^ in (\w+\.jsonl)$`)
	withRows = regexp.MustCompile(`^; “politecrawl report DIR --rows (\d+)” lists them$`)
	byLint   = "; “politecrawl robots lint " + bare + "” lists them"
)

// Whatever the page leaves out, it says which file holds it or which command lists it.
func TestReportSaysWhereTheRestIs(t *testing.T) {
	c := everything()
	for i := range 30 {
		path := fmt.Sprintf("/copy/%02d", i)
		page := c.pages[0]
		page.URL, page.Directives = example+path, []output.Directive{{Rule: "noarchive", Source: "meta"}}
		c.pages = append(c.pages, page)
		c.links = append(c.links, output.Links{URL: example + path, To: []string{example + "/gone"}})
		c.reject(fmt.Sprintf("/private/more/%02d", i), output.Rejection{Reason: output.Disallowed, Rule: "Disallow: /private/", Line: 3, RobotsURL: example + "/robots.txt", Group: "*"})
		c.robots = append(c.robots, robotsLine{Origin: bare, Outcome: "rules", Status: 200, Hash: strconv.Itoa(i), FetchedAt: at(100 + i)})
	}
	c.texts[bare] = strings.Repeat("User-agent: *\nDisalow: /a\nUseragent: b\nAlow: /b\nSitmap: x\nCrawl-dely: 1\n", 5)
	dir := c.write(t)
	r, err := Make([]string{dir}, &Options{Rows: 1})
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := r.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	files, most := map[string]bool{}, 0
	for _, m := range leftOut.FindAllStringSubmatch(html.String(), -1) {
		opens, says := m[1] != "", m[3]
		file, rows := inFile.FindStringSubmatch(says), withRows.FindStringSubmatch(says)
		switch {
		case file != nil:
			files[file[1]] = true
		case rows != nil:
			n, err := strconv.Atoi(rows[1])
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, n)
		case !opens && says != byLint:
			t.Errorf("%q points nowhere", m[0])
		}
	}
	for _, file := range []string{"pages.jsonl", "links.jsonl", "rejected.jsonl", "robots.jsonl"} {
		if !files[file] {
			t.Errorf("nothing is said to be in %s", file)
		}
	}
	if r, err = Make([]string{dir}, &Options{Rows: most}); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]int{
		"hosts": r.Hosts.Total - len(r.Hosts.Rows), "broken": r.Broken.Total - len(r.Broken.Rows), "types": r.Types.Total - len(r.Types.Rows),
		"chains": r.Redirects.Chains.Total - len(r.Redirects.Chains.Rows), "rules": r.Rejected.Rules.Total - len(r.Rejected.Rules.Rows),
		"robots": r.Robots.Hosts.Total - len(r.Robots.Hosts.Rows),
	} {
		if more > 0 {
			t.Errorf("with --rows %d there are still %d more %s", most, more, name)
		}
	}
}

// A redirect to itself leads to no other URL.
func TestRedirectToItselfHasNoHops(t *testing.T) {
	c := &crawl{state: everything().state}
	redirect := func(from, to string) { c.page(from, output.Page{Status: 302, Source: "link", Location: to}) }
	redirect("/self", "/self")
	redirect("/before", "/then-self")
	redirect("/then-self", "/then-self")
	redirect("/there", "/back")
	redirect("/back", "/there")
	r := c.make(t).Redirects
	hops := map[string]int{}
	for _, chain := range r.Chains.Rows {
		if chain.End != endLoop {
			t.Errorf("%+v ends at %s", chain.Steps, chain.End)
		}
		hops[chain.Steps[0].URL] = chain.Hops
	}
	if hops[example+"/self"] != 0 || hops[example+"/before"] != 1 || hops[example+"/there"]+hops[example+"/back"] != 2 || r.Loops != 3 || r.Long != 0 {
		t.Errorf("hops %v of %+v", hops, r)
	}
}
