package report

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// tdmrep is a TDM reservation.
func tdmrep(source usage.SourceKind, value usage.Value) usage.Statement {
	return usage.Statement{Kind: usage.KindTDMRep, Source: usage.Source{Kind: source}, Values: map[usage.Purpose]usage.Value{usage.TDM: value, usage.TrainAI: value}}
}

var (
	signalInRobots = StatementType{usage.KindContentSignal, usage.InRobots}
	usageInRobots  = StatementType{usage.KindContentUsage, usage.InRobots}
	usageInHeader  = StatementType{usage.KindContentUsage, usage.InHeader}
	tdmInMeta      = StatementType{usage.KindTDMRep, usage.InMeta}
)

func TestPermissionsAreCountedByPurposeAndSource(t *testing.T) {
	c := &crawl{state: everything().state}
	for _, path := range []string{"/both", "/header", "/silent", "/unchanged", "/gone"} {
		c.page(path, output.Page{Source: "link"})
	}
	c.pages[3].Status, c.pages[3].Unchanged, c.pages[4].Status = 304, true, 404 // the last one has no line
	signal := inRobots(usage.KindContentSignal, "search=yes, ai-train=no")
	c.permission("/both", signal, inHeader("train-ai=n, ai-use=y"))
	c.permission("/header", inHeader("ai-use=n"), inHeader("ai-use=y"))
	c.permission("/silent")
	c.permission("/unchanged", signal, inRobots(usage.KindContentUsage, "other=y"))
	c.permission("/withheld", inHeader("train-ai=n"))
	c.permissions[4].Withheld = "train-ai"
	c.permissions[2].TDMRepProblem = "unreachable: status 503"
	c.reject("/withheld", output.Rejection{Reason: output.Usage, Source: "link"})
	c.reject("/before", output.Rejection{Reason: output.Usage, Source: "link"})
	want := Permissions{
		Pages: 5, Withheld: 1, NotRequested: 1, TDMRepProblems: 1, Caveats: []string{},
		Purposes: []PurposeCounts{{usage.Search, 2, 0, 3}, {usage.AIInput, 1, 1, 3}, {usage.TrainAI, 0, 3, 2}, {usage.TDM, 0, 0, 5}, {usage.Archive, 0, 0, 5}},
		Statements: []StatementCounts{
			{usageInHeader, 3, []PurposeCounts{{usage.AIInput, 1, 1, 1}, {usage.TrainAI, 0, 2, 1}}},
			{signalInRobots, 2, []PurposeCounts{{usage.Search, 2, 0, 0}, {usage.TrainAI, 0, 2, 0}}},
			{usageInRobots, 1, []PurposeCounts{}},
		},
		Contradictions: List[Contradiction]{Rows: []Contradiction{}},
	}
	r := c.make(t)
	if diff := cmp.Diff(want, r.Permissions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := (Highlight{topicPages, Info, 1, "1 page is withheld because of a purpose of the crawl"}); !slices.Contains(r.Highlights, want) {
		t.Errorf("highlights %+v", r.Highlights)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{
		`<a href="#permissions">Permissions</a>`, "<h3>What may be done with the pages</h3>", "1 URL was not requested, and 1 page is in no output", "AI training: 2 disallowed",
		"The tdmrep.json of 1 page could not be used.",
		"No page has statements that contradict each other.",
	} {
		if !strings.Contains(page.String(), words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}

func TestContradictionsAreGroupedByPurposeAndSources(t *testing.T) {
	trains, forbids := inRobots(usage.KindContentSignal, "ai-train=yes"), inRobots(usage.KindContentUsage, "train-ai=n")
	for name, tt := range map[string]struct {
		statements []usage.Statement
		want       []Contradiction // without pages
	}{
		"one statement":                 {[]usage.Statement{trains}, nil},
		"equal values":                  {[]usage.Statement{trains, inHeader("train-ai=y")}, nil},
		"different purposes":            {[]usage.Statement{trains, inHeader("search=n")}, nil},
		"two lines of one source":       {[]usage.Statement{inHeader("train-ai=y"), inHeader("train-ai=n")}, nil},
		"robots.txt and header":         {[]usage.Statement{trains, inHeader("train-ai=n")}, []Contradiction{{Purpose: usage.TrainAI, AllowedBy: signalInRobots, DisallowedBy: usageInHeader}}},
		"two kinds in robots.txt":       {[]usage.Statement{forbids, trains, trains}, []Contradiction{{Purpose: usage.TrainAI, AllowedBy: signalInRobots, DisallowedBy: usageInRobots}}},
		"TDMRep against Content-Signal": {[]usage.Statement{trains, tdmrep(usage.InMeta, usage.Disallowed)}, []Contradiction{{Purpose: usage.TrainAI, AllowedBy: signalInRobots, DisallowedBy: tdmInMeta}}},
		"TDMRep of page and site":       {[]usage.Statement{tdmrep(usage.InFile, usage.Disallowed), tdmrep(usage.InMeta, usage.Allowed)}, nil},
		"superseded TDMRep":             {[]usage.Statement{trains, tdmrep(usage.InFile, usage.Disallowed), tdmrep(usage.InMeta, usage.Allowed)}, nil},
		"invalid TDMRep supersedes nothing": {
			[]usage.Statement{forbids, tdmrep(usage.InMeta, usage.Allowed), {Kind: usage.KindTDMRep, Source: usage.Source{Kind: usage.InMeta}}},
			[]Contradiction{{Purpose: usage.TrainAI, AllowedBy: tdmInMeta, DisallowedBy: usageInRobots}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &crawl{state: everything().state}
			var urls []string
			for i := range maxExamples + 2 {
				path := "/" + string(rune('a'+i))
				c.page(path, output.Page{Source: "link"})
				c.permission(path, tt.statements...)
				urls = append(urls, example+path)
			}
			slices.Reverse(c.permissions)
			for i := range tt.want {
				tt.want[i].Pages, tt.want[i].Examples = len(urls), urls[:maxExamples]
			}
			r := c.make(t).Permissions
			if diff := cmp.Diff(append([]Contradiction{}, tt.want...), r.Contradictions.Rows); diff != "" || r.Contradictions.Total != len(tt.want) {
				t.Errorf("%d in all (-want +got):\n%s", r.Contradictions.Total, diff)
			}
			if want := len(tt.want) * len(urls); r.Contradicted != want {
				t.Errorf("%d pages, want %d", r.Contradicted, want)
			}
		})
	}
}

func TestPagesWithoutPermissionsAreACaveat(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	c.page("/a", output.Page{Source: "link"})
	c.page("/gone", output.Page{Source: "link", Status: 404})
	c.permission("/")
	c.permission("/withheld") // is no page of pages.jsonl
	if got, want := c.make(t).Permissions.Caveats, []string{"permissions.jsonl lacks 1 page"}; !slices.Equal(got, want) {
		t.Errorf("caveats %q, want %q", got, want)
	}
}

// Damaged lines are named, wherever the damage is. The others count.
func TestDamagedPermissionsAreReported(t *testing.T) {
	c := &crawl{state: everything().state}
	c.page("/", output.Page{Source: "start"})
	c.permission("/", inHeader("search=y"))
	dir := c.write(t)
	name := filepath.Join(dir, "permissions.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin = `{"url":"https://example.com/a","fetched_at":"2026-05-04T12:00:00Z"`
	bad := begin + `,"purposes":{"search":{"value":"maybe"}}}` + "\n" + begin + "]\n" + begin + "}}\n"
	put := append([]byte(bad), text...)
	if err := os.WriteFile(name, put, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Generate(t.Context(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Lost) != 1 || !strings.HasPrefix(r.Lost[0].Damage, "lines 1, 2, 3 cannot be read") || r.Permissions.Pages != 1 || r.Permissions.Purposes[0].Allowed != 1 {
		t.Errorf("lost %+v, permissions %+v", r.Lost, r.Permissions)
	}
}

func TestOtherStatementTypesCountAsOne(t *testing.T) {
	c := &crawl{state: everything().state}
	for i := range 2 * maxStatementTypes {
		s := inHeader("search=n")
		s.Kind = usage.Kind("kind-" + string(rune('A'+i)))
		c.permission("/"+string(rune('A'+i)), s)
	}
	r := c.make(t).Permissions
	if n := len(r.Statements); n != maxStatementTypes+1 || r.Statements[0].Kind != otherNames || r.Statements[0].Pages != maxStatementTypes {
		t.Errorf("%d types, first %+v", n, r.Statements[0])
	}
}

// A site whose every line differs does not fill the memory.
func TestKnownTermsAreLimited(t *testing.T) {
	p := newPermissions(1)
	long := strings.Repeat("x", maxKnownTerms/10)
	for i := range 25 {
		if _, err := p.termsOf(&permissionLine{termsText: termsText{Withheld: long[i:]}}); err != nil {
			t.Fatal(err)
		}
		n := 0
		for text := range p.known {
			n += text.size()
		}
		if n > maxKnownTerms || n == 0 {
			t.Fatalf("%d bytes after %d lines", n, i+1)
		}
	}
}

// The line of the last fetch counts, also if one worker withheld the page.
func TestLastFetchDecidesPermission(t *testing.T) {
	first, last := permission(example+"/twice", inHeader("search=y")), permission(example+"/twice", inHeader("search=n"))
	last.FetchedAt, last.Withheld = at(500), "search"
	early := worker(func(c *crawl) {
		c.page("/", output.Page{Source: "start"})
		c.page("/twice", output.Page{Source: "link"})
		c.permission("/")
		c.permissions = append(c.permissions, first)
	})
	late := worker(func(c *crawl) {
		c.permissions = append(c.permissions, last)
		c.reject("/twice", output.Rejection{Reason: output.Usage, Source: "link"})
	})
	inAnyOrder(t, []*crawl{early, late}, func(t *testing.T, r *Report) {
		p := r.Permissions
		if want := (PurposeCounts{usage.Search, 0, 1, 1}); p.Pages != 2 || p.Withheld != 1 || p.Purposes[0] != want || len(p.Caveats) > 0 {
			t.Errorf("%+v", p)
		}
	})
}
