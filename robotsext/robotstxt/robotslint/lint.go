package robotslint

import (
	"cmp"
	"slices"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Finding is one thing that is wrong with a robots.txt file, or good to know.
type Finding struct {
	Line     int      `json:"line"` // from 1
	Severity Severity `json:"severity"`
	Kind     Kind     `json:"kind"`
	Rule     string   `json:"id"`             // of the requirement in the specification, such as ROB-FMT-11
	Text     string   `json:"text"`           // the part of the line that is meant, as written; may be empty
	Message  string   `json:"message"`        // what is wrong
	Fix      string   `json:"fix"`            // what to do about it
	More     int      `json:"more,omitempty"` // so many findings of this kind and severity are not listed
}

// Options are what Lint has to know besides the file. The zero value, like a nil
// *Options, is all defaults.
type Options struct {
	// URL is where the file is, if that is known. Fixes of relative addresses
	// are then complete.
	URL string

	// Cut says that the body is the beginning of a file that goes on, as
	// robotsext.Record.Truncated does: the finding is then made without the rest.
	Cut bool

	// MaxPerKind bounds the findings of one kind and severity, of which a body of garbage has
	// hundreds of thousands. The last one that is listed tells in More how many
	// follow. Zero means DefaultMaxPerKind, negative no bound.
	MaxPerKind int
}

// DefaultMaxPerKind is Options.MaxPerKind where that is zero.
const DefaultMaxPerKind = 100

// Lint finds what is wrong with a robots.txt file. It is silent on a file that is
// clean, never fails, and takes time in proportion to the size of the file.
// Findings are sorted by line, those of one line by severity.
func Lint(body []byte, opts *Options) []Finding {
	if opts == nil {
		opts = &Options{}
	}
	l := &linter{opts: opts, found: map[class]int{}}
	if isUTF16(body) {
		l.utf16()
		return l.findings
	}
	l.source = read(body, robotstxt.DefaultMaxBytes, opts.Cut)
	l.file = robotstxt.Parse(body, &robotstxt.Options{MaxFindings: len(body) + 1000})
	l.encoding()
	l.parsed()
	l.fields()
	l.groups()
	l.paths()
	l.shadows()
	return l.done()
}

// linter carries the findings from check to check.
type linter struct {
	opts     *Options
	source   *source
	file     *robotstxt.File
	findings []Finding
	found    map[class]int // how many there are, listed or not
	spoilt   map[int]bool  // lines of which all has been said
}

// class is what a bound on the number of findings is for. Severity is a part of
// it, lest errors hide behind notes.
type class struct {
	kind     Kind
	severity Severity
}

// add adds a finding. What to say about it is made up only if it is listed.
func (l *linter) add(line int, kind Kind, text string, say func() (message, fix string)) {
	l.addAs(kind.Severity(), line, kind, text, say)
}

func (l *linter) addAs(severity Severity, line int, kind Kind, text string, say func() (message, fix string)) {
	limit := l.opts.MaxPerKind
	if limit == 0 {
		limit = DefaultMaxPerKind
	}
	of := class{kind, severity}
	if l.found[of]++; limit > 0 && l.found[of] > limit {
		return
	}
	f := Finding{Line: line, Severity: severity, Kind: kind, Rule: kind.Rule(), Text: text}
	f.Message, f.Fix = say()
	l.findings = append(l.findings, f)
}

// done returns the findings, sorted by line.
func (l *linter) done() []Finding {
	severities := []Severity{Error, Warning, Note}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), slices.Index(severities, a.Severity)-slices.Index(severities, b.Severity))
	})
	listed := map[class]int{}
	for _, f := range l.findings {
		listed[class{f.Kind, f.Severity}]++
	}
	for i, f := range slices.Backward(l.findings) {
		of := class{f.Kind, f.Severity}
		l.findings[i].More = l.found[of] - listed[of]
		listed[of] = l.found[of] // those before have 0
	}
	return l.findings
}
