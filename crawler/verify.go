package crawler

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

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Verification counts what [VerifyPermissions] has compared.
type Verification struct {
	Lines       int `json:"lines"`       // lines of permissions.jsonl
	Statements  int `json:"statements"`  // their statements
	Files       int `json:"files"`       // kept versions of robots.txt and tdmrep.json
	Differences int `json:"differences"` // calls of report

	// These could not be verified: lines with a file that the site forbade to keep (no-store), and
	// statements of a response whose text was cut at [usage.MaxRaw].
	NotKept int `json:"not_kept"`
	Cut     int `json:"cut"`
}

// PermissionDifference is a contradiction in the record of permissions.
type PermissionDifference struct {
	Line    int    `json:"line,omitempty"` // of permissions.jsonl; 0: a line is missing, or File is set
	URL     string `json:"url,omitempty"`  // of the page; empty if the line cannot be read
	File    string `json:"file,omitempty"` // path of the kept file
	Problem string `json:"problem"`
}

// VerifyPermissions computes the lines of permissions.jsonl of the crawl in dir again: from the
// kept versions of robots.txt and tdmrep.json, and from the raw texts of headers and meta elements.
// It compares the lines with pages.jsonl, rejected.jsonl and robots.jsonl too: whether each page has
// its line, and whether its robots.txt applied at its origin (unless the crawl is shared). It calls
// report for each difference, and for each kept file whose SHA-256 is not its name. An error of
// report ends it.
//
// The product token and the purposes are those of the configuration. The crawl must have ended: of
// one that runs or was killed, the last lines may differ. It cannot find a statement of a response
// that was removed, or whose text and values were changed together.
func VerifyPermissions(dir string, report func(PermissionDifference) error) (Verification, error) {
	s, err := loadState(dir)
	if err != nil {
		return Verification{}, err
	}
	cfg := s.Config
	v := &verifier{dir: dir, usage: cfg.Usage, options: robotsOptions(&cfg), report: report, files: map[string]*keptFile{}}
	if v.token, err = robotstxt.ProductToken(cfg.Fetch.UserAgent); err != nil {
		return v.Verification, err
	}
	if v.purposes, _, err = cfg.Usage.purposes(); err != nil {
		return v.Verification, err
	}
	if v.evidence, err = newEvidence(dir, s); err != nil {
		return v.Verification, err
	}
	if err := v.verifyFiles(); err != nil {
		return v.Verification, err
	}
	err = jsonlines.EachNumbered(filepath.Join(dir, crawldir.PermissionsFile), v.verifyLine)
	if damage, ok := errors.AsType[*output.DamagedError](err); ok {
		err = nil
		for _, number := range damage.Lines {
			err = errors.Join(err, v.differs(PermissionDifference{Line: number, Problem: "the line cannot be read"}))
		}
	}
	if err == nil {
		err = v.evidence.eachMissing(func(url, file string) error {
			return v.differs(PermissionDifference{URL: url, Problem: "permissions.jsonl has no line for this page of " + file})
		})
	}
	return v.Verification, err
}

// A verifier is one run of VerifyPermissions.
type verifier struct {
	Verification
	dir      string
	token    string
	usage    Usage
	purposes []usage.Purpose
	options  *robotstxt.Options
	report   func(PermissionDifference) error
	evidence *evidence

	files map[string]*keptFile // parsed files by kind and hash
	size  int                  // of files, in bytes
}

func (v *verifier) differs(d PermissionDifference) error {
	v.Differences++
	return v.report(d)
}

// verifyLine compares a line with what its files and texts say.
func (v *verifier) verifyLine(number int, p *output.Permission) error {
	v.Lines++
	v.Statements += len(p.Statements)
	l := &lineVerifier{verifier: v, line: p}
	if err := l.verify(); err != nil {
		return err
	}
	for _, problem := range l.problems {
		if err := v.differs(PermissionDifference{Line: number, URL: p.URL, Problem: problem}); err != nil {
			return err
		}
	}
	return nil
}

// A lineVerifier compares one line.
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
		f.robots = robotstxt.Parse(f.text, l.options)
		f.group = f.robots.Group(l.token)
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
		l.problem("%s: the file %s is missing", field, output.VersionPath(l.dir, hash))
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
			again, complete := reread(s, l.token, l.line.FetchedAt)
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
		file := crawldir.PagesFile
		if l.line.Withheld != "" {
			file = crawldir.RejectedFile
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
	l.usage.setVerdicts(&want, l.purposes)
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
