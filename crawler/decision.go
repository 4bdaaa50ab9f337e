package crawler

import (
	"errors"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A verdict is what a step decides about a URL.
type verdict uint8

const (
	proceed verdict = iota // to the next step
	skip                   // the URL, with a line in rejected.jsonl
	wait                   // until the URL is due again: it returns to the frontier unchanged
	retry                  // the request, later
	done                   // the URL is finished
)

// A decision is what a step decides about a URL. Steps only decide; worker.act acts.
type decision struct {
	verdict verdict

	// For skip: the reason and its details. The worker adds the URL and its provenance.
	skipped output.Rejection

	// For wait and retry: when the URL is due again. Zero: with the next request slot of
	// its host.
	until time.Time

	// For retry, and for wait because of robots.txt: the error, or the status of the response.
	cause  error
	status int

	// For skip of a page that was fetched and must not be used: its line, which counts for the
	// limits only. Nil: none.
	withheld *output.Page

	// For done: the page, the sitemap or the check, if any.
	page    *reading
	sitemap *output.Sitemap
	check   *output.Check

	// For done, and for skip in favor of another URL: the URLs found. Nil: none.
	found *discoveries

	// Whether robots.txt was reached or, for wait, why not. Nil: the URL waits for another
	// reason.
	reached     bool
	unreachable *output.Rejection

	// hostUntil is until when the whole host must not be requested. Zero: its delay applies.
	hostUntil time.Time
}

// skipFor skips a URL for a reason; detail may be nil.
func skipFor(reason output.Reason, detail error) decision {
	d := decision{verdict: skip, skipped: output.Rejection{Reason: reason}}
	if detail != nil {
		d.skipped.Detail = escape.Detail(detail.Error())
	}
	return d
}

// skipWith skips a URL for a reason with our own text.
func skipWith(reason output.Reason, detail string) decision {
	return skipFor(reason, errors.New(detail))
}

// waitUntil has a URL wait; the zero time: for the next request slot of its host.
func waitUntil(t time.Time) decision { return decision{verdict: wait, until: t} }
