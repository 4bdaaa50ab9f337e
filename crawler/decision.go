package crawler

import (
	"errors"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A verdict is what a step on the way of a URL decides.
type verdict uint8

const (
	proceed verdict = iota // to the next step
	skip                   // the URL, with a line in rejected.jsonl
	wait                   // until the URL is due again: the frontier gets it back as it was
	retry                  // the request, later
	done                   // nothing is left to do for the URL
)

// A decision is what a step decides about a URL. Steps only decide; worker.act acts.
type decision struct {
	verdict verdict

	// Of skip: the reason and its details. The worker adds the URL and its provenance.
	skipped output.Rejection

	// Of wait and retry: when the URL is due again. Zero: with the next request slot of
	// its host.
	until time.Time

	// Of retry: what went wrong, an error or the status of the response.
	cause  error
	status int

	// Of done: the page, or the sitemap. Nil: the URL brought none.
	page    *reading
	sitemap *output.Sitemap

	// Of done, and of skip in favor of another URL: what the URL leads to. Nil: nothing.
	found *discoveries

	// What was learned of the robots.txt of the URL: that it was reached, or, of wait, why it
	// was not. Nil: it was not that.
	reached     bool
	unreachable *output.Rejection

	// hostUntil is before when the whole host wants no request. Zero: its delay holds.
	hostUntil time.Time
}

// skipFor skips a URL for a reason; detail may be nil.
func skipFor(reason output.Reason, detail error) decision {
	d := decision{verdict: skip, skipped: output.Rejection{Reason: reason}}
	if detail != nil {
		d.skipped.Detail = escape.Clip(secret.RedactText(detail.Error()), maxDetail)
	}
	return d
}

// skipWith skips a URL for a reason that is told in our own words.
func skipWith(reason output.Reason, detail string) decision {
	return skipFor(reason, errors.New(detail))
}

// waitUntil has a URL wait; the zero time: for the next request slot of its host.
func waitUntil(t time.Time) decision { return decision{verdict: wait, until: t} }
