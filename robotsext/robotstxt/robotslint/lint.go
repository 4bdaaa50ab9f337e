package robotslint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Finding is one mistake in a robots.txt file, or a note about it.
type Finding struct {
	Line     int      `json:"line"` // from 1
	Severity Severity `json:"severity"`
	Kind     Kind     `json:"kind"`
	SpecID   string   `json:"id"`                // of the requirement in ../testdata/spec.md, such as ROB-FMT-11
	Text     string   `json:"text"`              // the part of the line concerned, as written; may be empty
	Message  string   `json:"message"`           // what is wrong
	Fix      string   `json:"fix"`               // how to correct it; empty if the line may be right
	Omitted  int      `json:"omitted,omitempty"` // number of findings of this kind and severity that are not listed
}

// Options configure Lint. The zero value and nil use all defaults.
type Options struct {
	// URL is the address of the file. If it is set, fixes of relative sitemap addresses
	// contain the absolute URL.
	URL string

	// Truncated says that the body is only the beginning of a larger file, for example
	// because robotsext.Record.Truncated is true. Lint then reports too-large.
	Truncated bool

	// MaxPerKind limits the findings of one kind and severity; a hostile body has hundreds
	// of thousands. Omitted of the last listed finding counts the others. Zero means
	// DefaultMaxPerKind, negative no limit.
	MaxPerKind int
}

// DefaultMaxPerKind is the default of Options.MaxPerKind.
const DefaultMaxPerKind = 100

// Lint returns the mistakes in a robots.txt file, sorted by line and then by severity.
// A clean file has no findings. Lint never fails, and its time is proportional to the
// size of the file.
func Lint(body []byte, opts *Options) []Finding {
	if opts == nil {
		opts = &Options{}
	}
	l := &linter{opts: opts, found: map[class]int{}, steps: mostSteps}
	if isUTF16(body) {
		l.utf16()
		return l.findings
	}
	l.source = read(body, robotstxt.DefaultMaxBytes, opts.Truncated)
	l.file = robotstxt.Parse(body, &robotstxt.Options{MaxFindings: len(body) + 1000})
	l.encoding()
	l.parsed()
	l.fields()
	l.groups()
	l.usage()
	l.paths()
	l.shadows()
	return l.done()
}

// linter collects the findings of all checks.
type linter struct {
	opts     *Options
	source   *source
	file     *robotstxt.File
	findings []Finding
	found    map[class]int // how many there are, listed or not
	reported map[int]bool  // lines that need no further findings
	steps    int           // that remain for the search for redundant rules

	// The first lines that only some crawlers read: a rule, and one that begins or ends a group.
	unclearRule, unclearGroup int
}

// class identifies findings that share one limit. It includes the severity, so that
// notes cannot displace errors.
type class struct {
	kind     Kind
	severity Severity
}

// add adds a finding. It calls explain only if the finding is listed.
func (l *linter) add(line int, kind Kind, text string, explain func() (message, fix string)) {
	l.addAs(kind.Severity(), line, kind, text, explain)
}

func (l *linter) addAs(severity Severity, line int, kind Kind, text string, explain func() (message, fix string)) {
	limit := cmp.Or(l.opts.MaxPerKind, DefaultMaxPerKind)
	of := class{kind, severity}
	if l.found[of]++; limit > 0 && l.found[of] > limit {
		return
	}
	f := Finding{Line: line, Severity: severity, Kind: kind, SpecID: kind.SpecID(), Text: text}
	f.Message, f.Fix = explain()
	l.findings = append(l.findings, f)
}

// done returns the findings, sorted by line.
func (l *linter) done() []Finding {
	severities := []Severity{Error, Warning, Note}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity))
	})
	for i := range l.findings {
		f := &l.findings[i]
		r := l.source.at(f.Line)
		if r == nil || !r.field.isRule() && r.field != agentField || !strings.HasPrefix(f.Fix, "remove") {
			continue
		}
		unclear := l.unclearGroup
		if r.field != disallowField {
			unclear = cmp.Or(unclear, l.unclearRule)
		}
		if unclear > 0 {
			f.Fix = fmt.Sprintf("check line %d first: only some crawlers read it as a rule or a User-agent line", unclear)
		}
	}
	listed := map[class]int{}
	for _, f := range l.findings {
		listed[class{f.Kind, f.Severity}]++
	}
	for i, f := range slices.Backward(l.findings) {
		of := class{f.Kind, f.Severity}
		l.findings[i].Omitted = l.found[of] - listed[of]
		listed[of] = l.found[of] // those before have 0
	}
	return l.findings
}
