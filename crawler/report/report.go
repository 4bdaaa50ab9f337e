package report

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Version is the version of report.json. It goes up when a field changes its meaning or is
// removed, not when one is added.
const Version = 3

// The names of the two files of a report, in the directory of a crawl.
const (
	JSONFile = "report.json"
	HTMLFile = "report.html"
)

// A Report describes a crawl, by one worker or several. SCHEMA.md explains its fields.
type Report struct {
	Version     int       `json:"version"`
	GeneratedAt time.Time `json:"generated_at"`

	Workers []Worker `json:"workers,omitempty"` // workers of a shared crawl

	Highlights []Highlight `json:"highlights"` // the main results by topic, the most severe first
	Findings   []Findings  `json:"findings"`   // faults by rule, in the order of [Rules]
	Notes      []string    `json:"notes"`      // limitations of this report
	Lost       []Loss      `json:"lost"`       // data that files have lost

	Summary       Summary      `json:"summary"`
	Statuses      []Status     `json:"statuses"` // pages by HTTP status, in ascending order
	Types         List[Count]  `json:"content_types"`
	Origins       List[Origin] `json:"origins"`
	Depths        []Depth      `json:"depths"`
	Times         Times        `json:"times"`
	Truncated     List[Page]   `json:"truncated"`      // pages truncated by a limit, the largest first
	LimitsReached List[Count]  `json:"limits_reached"` // these pages by limit; several limits may apply to one page

	Redirects  Redirects  `json:"redirects"`
	Rejected   Rejected   `json:"rejected"`
	Robots     Robots     `json:"robots"`
	Sitemaps   Sitemaps   `json:"sitemaps"`
	Duplicates Duplicates `json:"duplicates"`
	Directives Directives `json:"directives"`

	Permissions Permissions `json:"permissions"`

	Directories List[Directory] `json:"directories"` // in the order of their URLs

	Changes *Changes `json:"-"` // since a baseline, if it was compared; only the page shows them

	links *linkGraph // nil if not known
	urls  *urlTable  // likewise
}

// Changes are what changed since a baseline, as package compare finds it.
type Changes struct {
	Baseline  string     // its path
	Unchanged string     // that nothing changed, and what was compared; empty if something did
	Notes     []string   // what could not be compared, and why
	Findings  []Findings // by rule
}

// A Loss is data that a file of a crawl has lost since it was written.
type Loss struct {
	Dir string `json:"dir,omitempty"` // directory of the file, if there are several
	output.Loss
}

// Options configure a report. Nil means the zero value.
type Options struct {
	// Rows is the maximum number of rows of each list (default [DefaultRows]). It does not
	// affect counts.
	Rows int

	// AllURLs keeps all URLs and links in memory for [Report.Handler], more than Rows.
	AllURLs bool

	// CrawlEnd returns how the crawl in a directory ended, if the caller knows it better
	// than crawl.json. If it is nil or returns nil, crawl.json is used.
	CrawlEnd func(dir string) *CrawlEnd
}

// DefaultRows is the default of Options.Rows.
const DefaultRows = 100_000

// A CrawlEnd says how a crawl ended, like the field "ended" of crawl.json.
type CrawlEnd struct {
	End       string `json:"end"`       // a crawler.End, or EndRunning; empty if not known
	Remaining int    `json:"remaining"` // URLs still to be fetched
}

// EndRunning is the CrawlEnd.End of a running crawl.
const EndRunning = "running"

// Generate reads the directory of a crawl, or the directories of all its workers. The error
// matches [output.ErrNoCrawl] if a directory has no crawl, and [ErrNotOneCrawl] if the directories
// belong to different crawls (errors.Is). Report.Notes names missing files and unreadable lines.
//
// If the crawl is still running, the report describes its results so far. If ctx ends, Generate stops
// reading and returns the error of ctx.
func Generate(ctx context.Context, dirs []string, opts *Options) (*Report, error) {
	m, err := newModel(ctx, dirs, opts)
	if err != nil {
		return nil, err
	}
	if err := m.load(); err != nil {
		return nil, err
	}
	if err := m.find(); err != nil {
		return nil, err
	}
	return m.report(), nil
}

func (m *model) report() *Report {
	c := m.counters
	r := &Report{
		Version: Version, GeneratedAt: time.Now().UTC(), Workers: m.dirs.list(),
		Statuses: c.statusList(), Types: c.types.list(m.rows), Origins: c.originList(), Depths: c.depthList(), Times: c.times(),
		Truncated: c.truncated.list(), LimitsReached: c.limits.list(m.rows),
		Findings: m.findings(), Redirects: m.redirects.list(), Rejected: m.rejections.list(),
		Robots: m.robots.list(), Sitemaps: m.sitemapResult(),
		Duplicates: m.duplicates.list(), Directives: m.directives.list(),
		Permissions: m.permissions.list(m.rejections.total(output.Usage), c.statuses),
		Notes:       m.notes(), Lost: m.dirs.lost(), links: m.graph,
		Directories: m.directories.list(), urls: m.urls,
	}
	r.Rejected.Caveats = m.rejectedIncomplete()
	r.Summary = m.summary()
	r.Highlights = highlights(r)
	return r
}
