package crawler

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/permission"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Usage says what the pages are fetched for. A site may disallow that; see package usage.
type Usage struct {
	// Purposes are purposes of the crawl, such as "train-ai"; see [usage.Purposes]. If
	// robots.txt or tdmrep.json disallows one of them for a page, the page is not fetched. If
	// the page itself does, it is left out of all output. Both have the reason
	// [output.Usage]. Default: none, which refuses nothing.
	Purposes []string `json:"purpose"`

	// Unknown says whether a page is used for a purpose about which nothing is said:
	// UnknownAllow (default) or UnknownRefuse.
	Unknown UnknownUsage `json:"unknown"`

	// Permissions requests the tdmrep.json of each origin for permissions.jsonl (default
	// false). The purpose "tdm" does that too.
	Permissions bool `json:"permissions"`
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

// onTDMRep keeps a tdmrep.json that was requested, before it is used.
func (c *Crawler) onTDMRep(rec *robotsext.Record) {
	c.lifecycle.WhileOpen(func() error { return c.record.KeepVersion(rec) })
	problem := rec.TDMRepProblem()
	if problem != "" {
		c.board.Showf("the tdmrep.json of %s says nothing about pages: %s", rec.Origin, secret.RedactText(problem))
	}
	c.log.Info("tdmrep.json read", "host", rec.Origin, "status", rec.Status, "outcome", rec.Outcome.String(), "error", rec.Err, "problem", problem)
}

// PageUsage returns what a response says about the use of its content: its header and, for HTML, its
// meta elements. Token is the product token of the crawler. At is the time of the request.
func PageUsage(header http.Header, body []byte, token string, at time.Time) []usage.Statement {
	if !extract.IsPage(header, body) {
		return permission.Statements(header, nil, token, at)
	}
	return permission.Statements(header, extract.Read(extract.Page{Header: header, Body: body}, nil), token, at)
}
