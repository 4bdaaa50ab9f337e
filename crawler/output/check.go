package output

import "time"

// Check is a URL that was requested only to learn whether it works: one line of checks.jsonl.
type Check struct {
	URL         string      `json:"url"`
	Result      CheckResult `json:"result"`
	Kind        string      `json:"kind"`                   // how the first page uses it, such as a, img, stylesheet, css or canonical; see SCHEMA.md
	FoundOn     string      `json:"found_on"`               // the first page or stylesheet that uses it, or the redirect that led to it
	Status      int         `json:"status,omitempty"`       // 0 if no response
	Location    string      `json:"location,omitempty"`     // absolute target of a redirect
	Reason      Reason      `json:"reason,omitempty"`       // why it was not requested, or had no response
	Detail      string      `json:"detail,omitempty"`       // explanation for a person
	ContentType string      `json:"content_type,omitempty"` // as the site wrote it
	Bytes       int         `json:"bytes,omitempty"`        // size of the decoded body, if it was requested
	Noindex     string      `json:"noindex,omitempty"`      // the noindex directive of the page. Noindex, Canonical and Hreflang are set only if the page was read
	Canonical   string      `json:"canonical,omitempty"`
	Hreflang    []Hreflang  `json:"hreflang,omitempty"`
	FetchedAt   time.Time   `json:"fetched_at,omitzero"` // zero if not requested
	DurationMS  int64       `json:"duration_ms"`
}

// CheckResult is the outcome of a check.
type CheckResult string

// The outcomes. Scripts rely on their spelling.
const (
	CheckOK         CheckResult = "ok"         // status 2xx
	CheckRedirected CheckResult = "redirected" // to Location, which is checked too
	CheckBroken     CheckResult = "broken"     // another status, or no response
	CheckUnverified CheckResult = "unverified" // it may work: it was not requested, or its site rejects crawlers
)

// Anchors are the anchors of a page and the anchors that it links to: one line of
// anchors.jsonl. A page without a line has unknown anchors.
type Anchors struct {
	URL     string   `json:"url"`
	IDs     []string `json:"ids"`     // ids of elements and names of a elements, each once
	Targets []string `json:"targets"` // URLs with fragments that it links to in the crawl, each once
}
