package visit

import (
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/discover"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A verdict is what a stage decides about a URL.
type verdict uint8

const (
	proceed verdict = iota // to the next stage
	skip                   // the URL, with a line in rejected.jsonl
	wait                   // until the URL is due again: it returns to the frontier unchanged
	retry                  // the request, later
	done                   // the URL is finished
)

// An outcome is what a stage decides about a URL, and what it has found. Commit acts on it.
type outcome struct {
	verdict verdict

	// For skip: the reason and its details. For wait because of robots.txt: why it is unreachable. Commit adds
	// the URL and its provenance.
	rejection output.Rejection

	// For wait and retry: when the URL is due again, zero: at the next request slot of its host; and the error or
	// the status because of which it waits.
	until time.Time
	cause error

	host hostOutcome

	response *fetch.Response // to a request for the URL; nil: none was sent
	granted  bool            // a page was taken from the limits

	page    *reading        // that was read, also if it must not be used; nil: none
	entries *sitemapFile    // of a sitemap that was read, at least in part; nil: none
	found   *discover.Found // the URLs found; nil: none
	lines   results.Batch   // for files of the crawl, unless the URL is leased again
}

// hostOutcome is what the requests for a URL mean for its host.
type hostOutcome struct {
	delay  time.Duration // how long it waits at least; 0: no request was made
	until  time.Time     // until when it must not be requested; zero: its delay applies
	status int           // of the response, to which its delay adapts; 0: none
}

// statusError is a temporary status for which a URL is retried.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// skipFor skips a URL for a reason; detail may be nil.
func skipFor(reason output.Reason, detail error) outcome {
	out := outcome{verdict: skip, rejection: output.Rejection{Reason: reason}}
	if detail != nil {
		out.rejection.Detail = escape.Detail(detail.Error())
	}
	return out
}

// skipWith skips a URL for a reason with our own text.
func skipWith(reason output.Reason, detail string) outcome {
	return skipFor(reason, errors.New(detail))
}

// waitUntil has a URL wait; the zero time: for the next request slot of its host.
func waitUntil(t time.Time) outcome { return outcome{verdict: wait, until: t} }

// leave makes an outcome that of a URL whose lease was lost. Another process may have the URL: nothing is recorded.
func (o *outcome) leave() {
	*o = outcome{verdict: wait, host: o.host, granted: o.granted, entries: o.entries}
}
