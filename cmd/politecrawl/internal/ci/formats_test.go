package ci

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/joshdk/go-junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// hostileVerdict has texts of a site that mean something in XML, JSON, workflow commands and URIs.
func hostileVerdict() *verdict {
	rule := reportRules()[0]
	hostile := "https://www.example.com/a?b=<i>&c=\"'%0A]]>::error::x,line=1\u202e\x01"
	places := []place{
		{File: filepath.Join("public", "a b,c:d%#?.html"), URL: hostile, Line: 12}, {File: "public/b.html", URL: hostile}, {URL: hostile, Line: 3},
	}
	return &verdict{
		Problems: []problem{
			{Rule: rule.ID, Finding: report.Finding{URL: hostile, Detail: "status\n404", Related: hostile, Pages: 4}, Severity: rule.Severity, Places: places, rule: rule},
			{Rule: rule.ID, Finding: report.Finding{URL: "https://www.example.com/b"}, Severity: rule.Severity, Places: places[2:], rule: rule},
			{Rule: startRule.ID, Finding: report.Finding{URL: "https://www.example.com/"}, Severity: report.SeverityWarning, Places: places[1:], rule: startRule},
		},
		rules:  append(reportRules(), startRule),
		totals: map[string]int{rule.ID: 7, startRule.ID: 1},
	}
}

// reportRules are some rules of the report.
func reportRules() []report.Rule {
	return []report.Rule{
		{ID: "broken-link", Severity: report.SeverityError, Topic: "links", Title: "Broken links", Fix: "Correct or remove the links."},
		{ID: "title-missing", Severity: report.SeverityWarning, Topic: "pages", Title: "Pages without title", Fix: "Add a title."},
	}
}

// Another program reads the JUnit XML: one test for each rule, which counts problems, not places.
func TestJUnitIsReadByAnotherParser(t *testing.T) {
	var b bytes.Buffer
	v := hostileVerdict()
	if err := writeJUnit(&b, v, &report.Report{Summary: report.Summary{DurationMS: 1500}}); err != nil {
		t.Fatal(err)
	}
	suites, err := junit.Ingest(b.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, &b)
	}
	if len(suites) != 1 || suites[0].Totals.Tests != len(v.rules) || suites[0].Totals.Failed != 2 || suites[0].Totals.Passed != len(v.rules)-2 {
		t.Fatalf("%+v", suites)
	}
	for _, c := range suites[0].Tests {
		failed := c.Name == "Broken links (broken-link)" || strings.HasSuffix(c.Name, "("+startRule.ID+")")
		if (c.Status == junit.StatusFailed) != failed || c.Duration != 0*time.Second {
			t.Errorf("%s: %s", c.Name, c.Status)
		}
		if c.Name == "Broken links (broken-link)" {
			if !strings.Contains(b.String(), `message="7 problems; Correct`) {
				t.Errorf("number of problems in\n%s", &b)
			}
			if text := c.Error.Error(); !strings.Contains(text, "a b,c:d%#?.html:12: Broken links: https://www.example.com/a?b=<i>&c=") || strings.Count(text, "\n") != 3 {
				t.Errorf("%q", text)
			}
		}
	}
}

// The SARIF log is valid by the schema of OASIS, which go-sarif has.
func TestSARIFIsValid(t *testing.T) {
	for name, v := range map[string]*verdict{"problems": hostileVerdict(), "none": {rules: reportRules()}} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := writeSARIF(&b, v); err != nil {
				t.Fatal(err)
			}
			log, err := sarif.FromBytes(b.Bytes())
			if err == nil {
				err = log.Validate()
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, &b)
			}
			if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != len(v.Problems) || len(log.Runs[0].Tool.Driver.Rules) != len(v.rules) {
				t.Fatalf("%s", &b)
			}
			if got := log.Runs[0].Tool.Driver.Version; got == nil || *got != cli.ReadBuild().Version {
				t.Errorf("no version of the tool in\n%s", &b)
			}
			if found := regexp.MustCompile(`-1\b|\[\]`).FindString(strings.ReplaceAll(b.String(), `"results": []`, "")); found != "" {
				t.Errorf("the placeholder %s in\n%s", found, &b)
			}
			for i, r := range log.Runs[0].Results {
				at := r.Locations[0].PhysicalLocation
				p := v.Problems[i]
				if *r.RuleID != p.Rule || *log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != p.Rule || *at.ArtifactLocation.URI != p.Places[0].uri() {
					t.Errorf("%+v at %+v", r, at)
				}
			}
		})
	}
}

// A file below the working directory has its path from there, any other one a URI with a scheme.
func TestURIsOfFiles(t *testing.T) {
	dir := build{"a b.html": ""}.write(t)
	elsewhere := t.TempDir()
	base, err := url.Parse(origin + "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ from, folder, want string }{
		{filepath.Dir(dir), "public", "public/a%20b.html"},
		{filepath.Dir(dir), dir, "public/a%20b.html"},
		{dir, "../public", "a%20b.html"},
		{elsewhere, dir, "file://" + filepath.ToSlash(dir) + "/a%20b.html"},
	} {
		t.Chdir(tt.from)
		f, err := openFolder(tt.folder, base)
		if err != nil {
			t.Fatal(err)
		}
		got := (&sources{folder: f}).at(origin+"/a%20b.html", nil).uri()
		if err := f.close(); got != tt.want || err != nil {
			t.Errorf("%s from %s: %q, want %q; %v", tt.folder, tt.from, got, tt.want, err)
		}
	}
}

func TestAnnotations(t *testing.T) {
	var b bytes.Buffer
	if err := writeAnnotations(&b, hostileVerdict()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%q", lines)
	}
	for i, want := range []string{
		"::error file=public/a b%2Cc%3Ad%25#?.html,line=12,title=Broken links::Broken links: https://www.example.com/a?b=<i>&c=\"'%250A]]>::error::x,line=1",
		"::warning file=public/b.html,title=Start URLs that were not fetched::",
		"::error title=Broken links::Broken links: https://www.example.com/b. Correct",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("%q, want %q", lines[i], want)
		}
	}
}

// GitHub shows ten annotations of a level. Each rule has one of them, and a notice counts the others.
func TestAnnotationsBeyondTheLimit(t *testing.T) {
	rules := reportRules()
	v := &verdict{Counts: map[report.Severity]int{report.SeverityError: 24, report.SeverityWarning: 1}}
	add := func(rule report.Rule, severity report.Severity, n int) {
		for i := range n {
			v.Problems = append(v.Problems, problem{Rule: rule.ID, Severity: severity, Finding: report.Finding{URL: fmt.Sprint(i)}, Places: []place{{}}, rule: rule})
		}
	}
	add(rules[0], report.SeverityError, 22)
	add(startRule, report.SeverityError, 2)
	add(rules[1], report.SeverityWarning, 1)
	var b bytes.Buffer
	if err := writeAnnotations(&b, v); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if errors := strings.Count(text, "::error "); errors != maxAnnotations || !strings.Contains(text, "title="+startRule.Title) || strings.Count(text, "::warning ") != 1 {
		t.Errorf("%d errors in\n%s", errors, text)
	}
	if !strings.HasSuffix(text, "\n::notice title=politecrawl::GitHub shows 10 annotations of a level: the report has 14 more errors\n") {
		t.Errorf("%s", text)
	}
}

// FINDINGS.md documents the rules that only the gate has.
func TestRulesOfTheGateAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "crawler", "report", "FINDINGS.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## politecrawl ci")
	for _, rule := range []report.Rule{startRule, incompleteRule, unlinkedRule} {
		if !strings.Contains(section, "\n| `"+rule.ID+"` | "+string(rule.Severity)+" | ") || !strings.Contains(section, ". | "+rule.Fix+" |\n") {
			t.Errorf("FINDINGS.md does not document %+v", rule)
		}
	}
	if strings.Count(section, "\n| `") != 3 {
		t.Error("FINDINGS.md has other rules of the gate")
	}
}
