package crawler

import (
	"github.com/politecrawl/politecrawl/crawler/internal/audit"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
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
	s, cfg, err := loadState(dir)
	if err != nil {
		return Verification{}, err
	}
	token, err := robotstxt.ProductToken(cfg.Fetch.UserAgent)
	if err != nil {
		return Verification{}, err
	}
	purposes, _, err := cfg.Usage.purposes()
	if err != nil {
		return Verification{}, err
	}
	counts, err := audit.Verify(audit.Crawl{
		Dir: dir, Token: token, Purposes: purposes, RefuseUnknown: cfg.Usage.Unknown == UnknownRefuse, Robots: robotsOptions(&cfg),
		Recrawls: s.Recrawls, Shared: s.Shared != "", Lost: s.Lost,
	}, func(d audit.Difference) error { return report(PermissionDifference(d)) })
	return Verification(counts), err
}
