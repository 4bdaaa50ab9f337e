package report

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Version is the version of the form of report.json. It changes when a field
// changes its meaning or goes away, not when one is added.
const Version = 1

// The names of the two files of a report, in the directory of a crawl.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// A Report is what the directory of a crawl says, or those of all its workers together. The names and meanings of its
// fields in JSON are in SCHEMA.md.
type Report struct {
	Version int       `json:"version"`
	MadeAt  time.Time `json:"made_at"`

	Segments []Segment `json:"segments,omitempty"` // where several workers did the crawl: the directory of each

	Findings []Finding `json:"findings"` // what to know first, by topic, the worst first
	Notes    []string  `json:"notes"`    // what the report cannot say, and why
	Lost     []Loss    `json:"lost"`     // what files have lost of what the crawl wrote in them

	Summary  Summary     `json:"summary"`
	Statuses []Status    `json:"statuses"` // of pages, in ascending order
	Types    List[Count] `json:"content_types"`
	Hosts    List[Host]  `json:"hosts"`
	Depths   []Depth     `json:"depths"`
	Times    Times       `json:"times"`
	Slowest  List[Page]  `json:"slowest"`
	Largest  List[Page]  `json:"largest"`
	Cut      List[Page]  `json:"cut"`    // that a limit cut something off, the largest first
	CutBy    List[Count] `json:"cut_by"` // the same by limit; a page may have met several

	Broken     List[Broken] `json:"broken"`
	Redirects  Redirects    `json:"redirects"`
	Rejected   Rejected     `json:"rejected"`
	Robots     Robots       `json:"robots"`
	Sitemaps   Sitemaps     `json:"sitemaps"`
	Duplicates Duplicates   `json:"duplicates"`
	Directives Directives   `json:"directives"`
}

// A Loss is what a file of a crawl has lost since it was written.
type Loss struct {
	Dir string `json:"dir,omitempty"` // the directory of its worker, where several were read
	output.Loss
}

// Options are the choices of a report. Nil Options are its defaults.
type Options struct {
	// Rows is how many rows each list has at the most; the counts are exact
	// whatever it is. 0 is DefaultRows.
	Rows int

	// Ending says how the crawl in a directory ended, where the caller knows it better
	// than crawl.json does, or some of it; nil, and what returns nil: what crawl.json
	// says.
	Ending func(dir string) *Ending

	// Now tells the time that the report is made at; nil is time.Now.
	Now func() time.Time
}

// DefaultRows is how many rows a list has unless Options say otherwise.
const DefaultRows = 100

// An Ending is how a crawl ended. The files of lines do not tell: those of a crawl
// that was killed look like those of one that came to its end. In crawl.json it
// stands as "ended".
type Ending struct {
	End  string `json:"end"`  // a crawler.End, EndRunning, or empty: not known
	Left int    `json:"left"` // URLs that still wait in the frontier
}

// EndRunning stands in Ending.End for a crawl that is not over.
const EndRunning = "running"

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Rows <= 0 {
		all.Rows = DefaultRows
	}
	if all.Ending == nil {
		all.Ending = func(string) *Ending { return nil }
	}
	if all.Now == nil {
		all.Now = time.Now
	}
	return all
}
