package output

import (
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Permission says what a page may be used for, and which statements say so: one line of
// permissions.jsonl.
type Permission struct {
	URL       string    `json:"url"`
	FetchedAt time.Time `json:"fetched_at"`

	// Robots and TDMRep are the SHA-256 of the robots.txt and tdmrep.json that applied, in hexadecimal;
	// see [VersionPath]. They are empty if there is none, or tdmrep.json was not requested.
	Robots string `json:"robots,omitempty"`
	TDMRep string `json:"tdmrep,omitempty"`

	// Purposes has the merged value for each purpose, with the deciding statement. A purpose
	// without an entry is unknown.
	Purposes   usage.Verdicts    `json:"purposes,omitempty"`
	Statements []usage.Statement `json:"statements,omitempty"`

	Withheld string `json:"withheld,omitempty"` // why the page is in no other output: a purpose of the crawl, and what disallows it

	// TDMRepProblem says why tdmrep.json states nothing, such as "unreachable: status 503". It is
	// empty if tdmrep.json has been read, does not exist, or was not requested.
	TDMRepProblem string `json:"tdmrep_problem,omitempty"`
}

// AppendJSON appends the line of permissions.jsonl to dst, without the line end, as encoding/json
// encodes it. Most pages have no statements, and their lines need no reflection.
func (p *Permission) AppendJSON(dst []byte) []byte {
	dst = jsonlines.AppendString(append(dst, `{"url":`...), p.URL)
	dst, _ = p.FetchedAt.AppendText(append(dst, `,"fetched_at":"`...)) // fails only after the year 9999
	dst = append(dst, '"')
	text := func(name, value string) {
		if value != "" {
			dst = jsonlines.AppendString(append(dst, name...), value)
		}
	}
	text(`,"robots":`, p.Robots)
	text(`,"tdmrep":`, p.TDMRep)
	if len(p.Purposes) > 0 {
		dst = jsonlines.AppendValue(append(dst, `,"purposes":`...), p.Purposes)
	}
	if len(p.Statements) > 0 {
		dst = jsonlines.AppendValue(append(dst, `,"statements":`...), p.Statements)
	}
	text(`,"withheld":`, p.Withheld)
	text(`,"tdmrep_problem":`, p.TDMRepProblem)
	return append(dst, '}')
}
