package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/audit"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Usage says what the pages are fetched for. A site may disallow that; see package usage.
type Usage struct {
	// Purposes are purposes of the crawl, such as "train-ai"; see [usage.Purposes]. If
	// robots.txt or tdmrep.json disallows one of them for a page, the page is not fetched. If
	// the page itself does, it is left out of all output. Both have the reason
	// [output.Usage]. Default: none, which refuses nothing.
	Purposes []string

	// Unknown says whether a page is used for a purpose about which nothing is said:
	// UnknownAllow (default) or UnknownRefuse.
	Unknown UnknownUsage

	// Permissions requests the tdmrep.json of each origin for permissions.jsonl (default
	// false). The purpose "tdm" does that too.
	Permissions bool
}

// UnknownUsage is a value of Usage.Unknown.
type UnknownUsage string

// The values.
const (
	UnknownAllow  UnknownUsage = "allow"
	UnknownRefuse UnknownUsage = "refuse"
)

// purposes returns the purposes of a crawl in the order of [usage.Purposes], and those for which
// files of a site are requested.
func (u *Usage) purposes() (purposes, files []usage.Purpose, err error) {
	for _, name := range u.Purposes {
		if _, err := usage.ParsePurpose(name); err != nil {
			return nil, nil, err
		}
	}
	for _, p := range usage.Purposes {
		if slices.Contains(u.Purposes, string(p)) {
			purposes = append(purposes, p)
		}
	}
	files = purposes
	if u.Permissions {
		files = append(slices.Clone(purposes), usage.TDM)
	}
	return purposes, files, nil
}

// text returns the purposes and the value of Unknown for messages.
func (u *Usage) text() string {
	purposes, _, _ := u.purposes() // they are valid
	if len(purposes) == 0 {
		return "without a purpose"
	}
	names := make([]string, len(purposes))
	for i, p := range purposes {
		names[i] = string(p)
	}
	return fmt.Sprintf("with purpose %s, unknown %s", strings.Join(names, ","), u.Unknown)
}

// checkResumed returns an error if a resumed crawl has other purposes than before. Its record could
// not say for which ones a page was judged.
func (u *Usage) checkResumed(before *Usage) error {
	if u.text() == before.text() {
		return nil
	}
	return &ConfigError{Key: "purpose", Problem: fmt.Errorf("the crawl was started %s, and can only be resumed so; omit both to resume it, or apply others with a recrawl or in a new directory", before.text())}
}

// PageUsage returns what a response says about the use of its content: its header and, for HTML, its
// meta elements. Token is the product token of the crawler. At is the time of the request.
func PageUsage(header http.Header, body []byte, token string, at time.Time) []usage.Statement {
	if !extract.IsPage(header, body) {
		return permission.Statements(header, nil, token, at)
	}
	return permission.Statements(header, extract.Read(extract.Page{Header: header, Body: body}, nil), token, at)
}

// Verification counts what [VerifyPermissions] has compared.
type Verification struct {
	Lines       int `json:"lines"`       // lines of permissions.jsonl
	Statements  int `json:"statements"`  // their statements
	Files       int `json:"files"`       // kept versions of robots.txt and tdmrep.json
	Differences int `json:"differences"` // calls of report

	// NotKept counts what could not be verified: lines with a file that the site forbade to keep
	// (no-store), and statements of a response with a text that was cut at [usage.MaxRaw].
	NotKept int `json:"not_kept"`
	Cut     int `json:"cut"`
}

// PermissionDifference is a contradiction in the record of permissions.
type PermissionDifference struct {
	Line    int    `json:"line,omitempty"` // of permissions.jsonl; 0 if a line is missing, or File is set
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
// The product token and the purposes are those of the configuration. The crawl must have ended: if
// it runs or was killed, the last lines may differ. It does not find that a statement of a response
// was removed, or that its text and values were changed together.
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
