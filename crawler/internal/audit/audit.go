// Package audit verifies the record of permissions of a crawl: whether its lines follow from the kept
// files and texts, and agree with the other files of the crawl.
package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A Crawl is what the record of permissions of a crawl is computed from.
type Crawl struct {
	Dir           string
	Token         string // the product token
	Purposes      []usage.Purpose
	RefuseUnknown bool // a page must not be used for a purpose about which nothing is said
	Robots        *robotstxt.Options
	Recrawls      int
	Shared        bool          // other workers may have requested a robots.txt
	Lost          []output.Loss // what the files have lost
}

// Counts says what was compared.
type Counts struct {
	Lines       int // lines of permissions.jsonl
	Statements  int // their statements
	Files       int // kept versions of robots.txt and tdmrep.json
	Differences int // calls of report

	// NotKept counts what could not be verified: lines with a file that the site forbade to keep
	// (no-store), and statements of a response with a text that was cut at [usage.MaxRaw].
	NotKept int
	Cut     int
}

// A Difference is a contradiction in the record of permissions.
type Difference struct {
	Line    int    // of permissions.jsonl; 0 if a line is missing, or File is set
	URL     string // of the page; empty if the line cannot be read
	File    string // path of the kept file
	Problem string
}

// Verify computes the lines of permissions.jsonl again, and calls report for each difference. An error
// of report ends it.
func Verify(c Crawl, report func(Difference) error) (Counts, error) {
	v := &verifier{Crawl: c, files: map[string]*keptFile{}}
	differs := func(d Difference) error {
		v.Differences++
		return report(d)
	}
	var err error
	if v.evidence, err = newEvidence(&c); err != nil {
		return v.Counts, err
	}
	if err := v.verifyFiles(differs); err != nil {
		return v.Counts, err
	}
	err = jsonlines.EachNumbered(filepath.Join(c.Dir, results.Permissions.Name()), func(number int, p *output.Permission) error {
		v.Lines++
		v.Statements += len(p.Statements)
		l := &lineVerifier{verifier: v, line: p}
		err := l.verify()
		for i := 0; i < len(l.problems) && err == nil; i++ {
			err = differs(Difference{Line: number, URL: p.URL, Problem: l.problems[i]})
		}
		return err
	})
	if damage, ok := errors.AsType[*output.DamagedError](err); ok {
		err = nil
		for _, number := range damage.Lines {
			err = errors.Join(err, differs(Difference{Line: number, Problem: "the line cannot be read"}))
		}
	}
	if err == nil {
		err = v.evidence.eachMissing(func(url, file string) error {
			return differs(Difference{URL: url, Problem: "permissions.jsonl has no line for this page of " + file})
		})
	}
	return v.Counts, err
}

// A verifier is one run of Verify.
type verifier struct {
	Crawl
	Counts
	evidence *evidence

	files map[string]*keptFile // parsed files by kind and hash
	size  int                  // of files, in bytes
}

// A lineVerifier compares one line with what its files and texts say.
type lineVerifier struct {
	*verifier
	line     *output.Permission
	problems []string
}

func (l *lineVerifier) problem(format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func (l *lineVerifier) verify() error {
	u, err := url.Parse(l.line.URL)
	if err == nil {
		u, err = robotsext.CleanURL(u)
	}
	if err != nil {
		l.problem("url is not a URL")
		return nil
	}
	path := u.RequestURI()
	robots, err := l.fileOf("robots", l.line.Robots, func(f *keptFile) {
		f.robots = robotstxt.Parse(f.text, l.Robots)
		f.group = f.robots.Group(l.Token)
	})
	if err != nil {
		return err
	}
	tdmrep, err := l.fileOf("tdmrep", l.line.TDMRep, func(f *keptFile) {
		if f.tdmrep, err = usage.ParseTDMRep(f.text); err != nil {
			f.problem = err.Error()
		}
	})
	if err != nil {
		return err
	}
	var want []usage.Statement
	if robots.robots != nil {
		want = usage.FromRobots(robots.robots, robots.group, l.line.Robots, path)
	}
	if tdmrep.tdmrep != nil {
		if s, ok := tdmrep.tdmrep.Match(path); ok {
			want = append(want, s)
		}
	}
	usage.Redact(want)
	l.compareFiles(want, map[usage.SourceKind]bool{usage.InRobots: robots.absent == "", usage.InFile: tdmrep.absent == ""})
	l.compareTexts()
	l.compareVerdicts()
	if l.line.TDMRep != "" && tdmrep.absent == "" && l.line.TDMRepProblem != tdmrep.problem {
		l.problem("tdmrep_problem is %q, but of the file it is %q", l.line.TDMRepProblem, tdmrep.problem)
	}
	l.compareEvidence(u, robots)
	if robots.absent == absentNoStore || tdmrep.absent == absentNoStore {
		l.NotKept++
	}
	return nil
}

// fileOf returns the file with the hash in a field; an empty hash: a file that says nothing.
func (l *lineVerifier) fileOf(field, hash string, parse func(*keptFile)) (*keptFile, error) {
	switch {
	case hash == "":
		return &keptFile{}, nil
	case !versionName.MatchString(hash):
		l.problem("%s is not a SHA-256", field)
		return &keptFile{absent: absentMissing}, nil
	}
	f, err := l.file(field, hash, parse)
	if err == nil && f.absent == absentMissing {
		l.problem("%s: the file %s is missing", field, output.VersionPath(l.Dir, hash))
	}
	return f, err
}

// compareFiles compares the statements of files, of those kinds that are available.
func (l *lineVerifier) compareFiles(want []usage.Statement, available map[usage.SourceKind]bool) {
	got := slices.Clone(l.line.Statements)
	got = slices.DeleteFunc(got, func(s usage.Statement) bool { return !available[s.Source.Kind] })
	for i := range want {
		at := slices.IndexFunc(got, func(s usage.Statement) bool { return s.Source == want[i].Source })
		if at < 0 {
			l.problem("a statement is missing: %s, %q", want[i].Source, want[i].Raw)
			continue
		}
		l.compare(&got[at], &want[i])
		got = slices.Delete(got, at, at+1)
	}
	for i := range got {
		l.problem("the file does not have a statement: %s, %q", got[i].Source, got[i].Raw)
	}
}

// compareTexts compares the statements of the response with their own texts.
func (l *lineVerifier) compareTexts() {
	for i := range l.line.Statements {
		s := &l.line.Statements[i]
		switch s.Source.Kind {
		case usage.InRobots, usage.InFile:
		case usage.InHeader, usage.InMeta:
			again, complete := permission.Reread(s, l.Token, l.line.FetchedAt)
			if !complete {
				l.Cut++
				continue
			}
			l.compare(s, &again)
		default:
			l.problem("statement %d has the unknown source %q", i+1, s.Source.Kind)
		}
	}
}

// compare compares a statement of the line with what it must be.
func (l *lineVerifier) compare(got, want *usage.Statement) {
	if equal(got, want) {
		return
	}
	var written usage.Statement // JSON replaces invalid UTF-8
	text, err := json.Marshal(want)
	if err == nil && json.Unmarshal(text, &written) == nil && equal(got, &written) {
		return
	}
	for _, field := range []struct {
		name, got, want string
	}{
		{"kind", string(got.Kind), string(want.Kind)},
		{"source", got.Source.String(), want.Source.String()},
		{"hash", got.Source.Hash, want.Source.Hash},
		{"raw", got.Raw, want.Raw},
		{"url", got.URL, want.URL},
		{"values", plain(got.Values), plain(want.Values)},
		{"labels", plain(got.Labels), plain(want.Labels)},
	} {
		if field.got != field.want {
			l.problem("%s: %s is %q, but the text says %q", want.Source, field.name, field.got, field.want)
		}
	}
}

// plain returns a map as text.
func plain[K ~string, V any](m map[K]V) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s: %v", key, m[key]))
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

func equal(a, b *usage.Statement) bool {
	return a.Kind == b.Kind && a.Source == b.Source && a.Raw == b.Raw && a.URL == b.URL && maps.Equal(a.Values, b.Values) && maps.Equal(a.Labels, b.Labels)
}

// compareEvidence compares the line with the other files of the crawl.
func (l *lineVerifier) compareEvidence(u *url.URL, robots *keptFile) {
	if !l.evidence.has(l.line) {
		file := results.Pages.Name()
		if l.line.Withheld != "" {
			file = results.Rejected.Name()
		}
		l.problem("%s does not list such a page", file)
	}
	if l.line.Robots == "" && u.RequestURI() == "/robots.txt" { // it does not apply to itself
		return
	}
	origin, err := robotsext.OriginOf(u)
	if err == nil && !l.evidence.applied(string(origin), l.line.Robots, robots.absent == absentNoStore) {
		l.problem("robots is %q, but robots.jsonl does not say that this applied at %s", cmp.Or(l.line.Robots, "nothing"), origin)
	}
}

// compareVerdicts compares the merged values, and whether the page was withheld.
func (l *lineVerifier) compareVerdicts() {
	want := *l.line
	permission.SetVerdicts(&want, l.Purposes, l.RefuseUnknown)
	for _, p := range usage.Purposes {
		if got, want := l.line.Purposes[p], want.Purposes[p]; got != want {
			l.problem("%s is %s by statement %d, but the statements say %s by statement %d", p, got.Value, got.Statement, want.Value, want.Statement)
		}
	}
	for p := range l.line.Purposes {
		if !slices.Contains(usage.Purposes[:], p) {
			l.problem("unknown purpose %q", p)
		}
	}
	if l.line.Withheld != want.Withheld {
		l.problem("withheld is %q, but by the purposes of the crawl %q", l.line.Withheld, cmp.Or(want.Withheld, "nothing"))
	}
}
