package output

import (
	"time"

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
