package report

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Permissions say what may be done with the pages, by permissions.jsonl.
type Permissions struct {
	Pages        int `json:"pages"`         // pages with status 2xx or 304, and withheld pages
	Withheld     int `json:"withheld"`      // of these, pages that disallow a purpose of the crawl
	NotRequested int `json:"not_requested"` // URLs that disallow a purpose of the crawl beforehand
	Contradicted int `json:"contradicted"`  // of these pages, those with a contradiction

	TDMRepProblems int `json:"tdmrep_problems"` // of these pages, those whose tdmrep.json could not be used

	Purposes       []PurposeCounts     `json:"purposes"`       // in the order of [usage.Purposes]
	Statements     []StatementCounts   `json:"statements"`     // the most frequent first
	Contradictions List[Contradiction] `json:"contradictions"` // those of the most pages first

	// Caveats are reasons why the counts are too low, besides lost lines. It is empty if they
	// are complete.
	Caveats []string `json:"caveats"`
}

// PurposeCounts count pages by their value for one purpose.
type PurposeCounts struct {
	Purpose    usage.Purpose `json:"purpose"`
	Allowed    int           `json:"allowed"`
	Disallowed int           `json:"disallowed"`
	Unknown    int           `json:"unknown"`
}

// A StatementType is the kind of a statement, and where it is.
type StatementType struct {
	Kind   usage.Kind       `json:"kind"`
	Source usage.SourceKind `json:"source"`
}

// StatementCounts count the pages with statements of one type.
type StatementCounts struct {
	StatementType
	Pages    int             `json:"pages"`
	Purposes []PurposeCounts `json:"purposes"` // purposes with a value; of several values of a page the most restrictive
}

// A Contradiction is a purpose that statements of one type allow and those of another disallow.
type Contradiction struct {
	Purpose      usage.Purpose `json:"purpose"`
	AllowedBy    StatementType `json:"allowed_by"`
	DisallowedBy StatementType `json:"disallowed_by"`
	Pages        int           `json:"pages"`
	Examples     []string      `json:"examples"`
}

// topicPermissions is the tab of the page. It has no findings.
const topicPermissions = "permissions"

// maxStatementTypes limits the types of statements, which another program may have written. There
// are about a dozen. Others count as otherNames.
const maxStatementTypes = 20

// maxKnownTerms limits the bytes of the texts that permissions.known has.
const maxKnownTerms = 4 << 20

// values has a value for each purpose, in the order of [usage.Purposes].
type values [len(usage.Purposes)]usage.Value

// tally counts the values of each purpose.
type tally [len(usage.Purposes)][usage.Disallowed + 1]int

// conflict is a contradiction without its pages.
type conflict struct {
	purpose             int // in usage.Purposes
	allowed, disallowed StatementType
}

// terms are what a line says, except about which page.
type terms struct {
	merged    values
	types     map[StatementType]values
	conflicts []conflict
	withheld  bool
	problem   bool // of tdmrep.json
}

// statementType has the pages with statements of one type.
type statementType struct {
	pages  int
	values tally
}

// permissions counts what pages may be used for.
type permissions struct {
	rows        int
	result      Permissions
	linesOfPage int // lines of pages in pages.jsonl
	values      tally
	types       map[StatementType]*statementType
	conflicts   map[conflict]*topRows[string]

	known      map[termsText]*terms // as most pages of a site say the same
	knownBytes int
}

func newPermissions(rows int) *permissions {
	return &permissions{
		rows: rows, types: make(map[StatementType]*statementType), conflicts: make(map[conflict]*topRows[string]), known: make(map[termsText]*terms),
	}
}

// readPermissions reads permissions.jsonl.
func (m *model) readPermissions() error {
	latest := m.merger.latest[results.Permissions.Name()]
	return each(m.dirs, results.Permissions.Name(), func(s *workerDir, l *permissionLine) error {
		t, err := m.permissions.termsOf(l)
		if err != nil {
			return jsonlines.BadLine(err)
		}
		if !latest.counts(s, keyOf(l.URL)) {
			return nil
		}
		if m.facts.byURL[keyOf(l.URL)].status != 0 {
			m.permissions.linesOfPage++
		}
		m.permissions.add(l.URL, t)
		m.urls.addPermission(s, keyOf(l.URL))
		return nil
	})
}

// termsOf returns the terms of a line.
func (p *permissions) termsOf(l *permissionLine) (*terms, error) {
	if t, ok := p.known[l.termsText]; ok {
		return t, nil
	}
	var purposes usage.Verdicts
	var statements []usage.Statement
	if err := cmp.Or(l.Purposes.decode(&purposes), l.Statements.decode(&statements)); err != nil {
		return nil, err
	}
	t := &terms{types: make(map[StatementType]values), withheld: l.Withheld != "", problem: l.Problem != ""}
	for i, purpose := range usage.Purposes {
		t.merged[i] = purposes[purpose].Value
	}
	for i := range statements {
		s := &statements[i]
		st := p.typeOf(s)
		v := t.types[st]
		for i, purpose := range usage.Purposes {
			v[i] = max(v[i], s.Values[purpose])
		}
		t.types[st] = v
	}
	t.conflicts = conflicts(statements, p.typeOf)
	if p.knownBytes += l.size(); p.knownBytes > maxKnownTerms {
		clear(p.known)
		p.knownBytes = l.size()
	}
	p.known[l.termsText] = t
	return t, nil
}

// typeOf returns the type of a statement.
func (p *permissions) typeOf(s *usage.Statement) StatementType {
	st := StatementType{usage.Kind(clip(string(s.Kind))), usage.SourceKind(clip(string(s.Source.Kind)))}
	if p.types[st] == nil && len(p.types) >= maxStatementTypes {
		st = StatementType{otherNames, otherNames}
	}
	if p.types[st] == nil {
		p.types[st] = &statementType{}
	}
	return st
}

// conflicts returns the contradictions of the statements of a page, each once.
func conflicts(statements []usage.Statement, typeOf func(*usage.Statement) StatementType) []conflict {
	var all []conflict
	counting := usage.Counting(statements)
	for i, purpose := range usage.Purposes {
		for _, allow := range counting {
			for _, disallow := range counting {
				if allow.Values[purpose] != usage.Allowed || disallow.Values[purpose] != usage.Disallowed {
					continue
				}
				c := conflict{i, typeOf(allow), typeOf(disallow)}
				if c.allowed != c.disallowed && !slices.Contains(all, c) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// add counts a page.
func (p *permissions) add(url string, t *terms) {
	p.result.Pages++
	if t.withheld {
		p.result.Withheld++
	}
	if t.problem {
		p.result.TDMRepProblems++
	}
	p.values.add(t.merged)
	for st, v := range t.types {
		p.types[st].pages++
		p.types[st].values.add(v)
	}
	if len(t.conflicts) > 0 {
		p.result.Contradicted++
	}
	for _, c := range t.conflicts {
		if p.conflicts[c] == nil {
			p.conflicts[c] = newTopRows(maxExamples, strings.Compare)
		}
		p.conflicts[c].add(strings.Clone(url))
	}
}

func (c *tally) add(v values) {
	for i, value := range v {
		c[i][value]++
	}
}

// list returns the counts of the purposes for which want holds.
func (c *tally) list(want func(PurposeCounts) bool) []PurposeCounts {
	list := []PurposeCounts{}
	for i, purpose := range usage.Purposes {
		n := PurposeCounts{purpose, c[i][usage.Allowed], c[i][usage.Disallowed], c[i][usage.Unknown]}
		if want(n) {
			list = append(list, n)
		}
	}
	return list
}

// list returns the permissions. Refused counts the URLs that were skipped for [output.Usage];
// statuses has the numbers of pages.
func (p *permissions) list(refused int, statuses map[int]int) Permissions {
	r := p.result
	r.NotRequested = max(refused-r.Withheld, 0) // a withheld page is a skipped URL too
	r.Purposes = p.values.list(func(PurposeCounts) bool { return true })
	for st, n := range p.types {
		valued := n.values.list(func(c PurposeCounts) bool { return c.Allowed+c.Disallowed > 0 })
		r.Statements = append(r.Statements, StatementCounts{st, n.pages, valued})
	}
	r.Statements = listOf(len(r.Statements), r.Statements, func(a, b StatementCounts) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), a.compare(b.StatementType))
	}).Rows
	var rows []Contradiction
	for c, urls := range p.conflicts {
		examples := urls.list()
		rows = append(rows, Contradiction{usage.Purposes[c.purpose], c.allowed, c.disallowed, examples.Total, examples.Rows})
	}
	r.Contradictions = listOf(p.rows, rows, func(a, b Contradiction) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Purpose, b.Purpose), a.AllowedBy.compare(b.AllowedBy), a.DisallowedBy.compare(b.DisallowedBy))
	})
	missing := -p.linesOfPage
	for status, n := range statuses {
		if status/100 == 2 || status == http.StatusNotModified {
			missing += n
		}
	}
	r.Caveats = []string{}
	if missing > 0 {
		r.Caveats = append(r.Caveats, results.Permissions.Name()+" lacks "+quantity(missing, "page"))
	}
	return r
}

func (t StatementType) compare(other StatementType) int {
	return cmp.Or(cmp.Compare(t.Kind, other.Kind), cmp.Compare(t.Source, other.Source))
}
