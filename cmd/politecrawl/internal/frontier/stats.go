package frontier

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
)

// frontierTotals is the output of "frontier stats".
type frontierTotals struct {
	URLs      int `json:"urls"`
	Pending   int `json:"pending"`
	Scheduled int `json:"scheduled"`
	Done      int `json:"done"`
	Dropped   int `json:"dropped"`

	Hosts     int  `json:"hosts"`
	Remaining int  `json:"hosts_remaining"` // with URLs that are pending or scheduled
	Blocked   int  `json:"hosts_blocked"`
	Failing   int  `json:"robots_failing"`
	Known     int  `json:"robots_known"` // and not failing
	Finished  bool `json:"finished"`

	// NextDue is when the first URL may be leased, or zero if there is none.
	NextDue time.Time `json:"next_due_at,omitzero"`
}

func frontierStatsCommand(streams *cli.Streams) *cobra.Command {
	var format cli.Format
	cmd := &cobra.Command{
		Use:   "stats DIR",
		Short: "Count the URLs and hosts of a stopped crawl",
		Long: `Count the URLs and hosts in the frontier of a stopped crawl. DIR is the output directory
of the crawl, or the folder frontier in it. The command changes nothing. The frontier of a
running crawl is locked.

Each URL has one state:

    pending      waits for the delay of its host
    scheduled    waits for its own time, such as the time of a retry
    done         has been fetched
    dropped      was skipped after it was queued

Sitemaps count too, so "done" is greater than the number of pages. URLs that were in flight when
the crawl stopped are pending. rejected.jsonl lists all skipped URLs, also those that were
never queued.`,
		Example: `  politecrawl frontier stats example
  politecrawl frontier stats example --format json`,
		Args: cli.Args(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error {
			return viewFrontier("frontier stats", args[0], func(view *logstore.ReadOnlyStore) error {
				now := time.Now()
				totals, err := countFrontier(view, now)
				if err != nil {
					return err
				}
				return streams.PrintAs(format, totals, totals.text(now))
			})
		},
	}
	format.AddFlag(cmd)
	return cmd
}

func countFrontier(view *logstore.ReadOnlyStore, now time.Time) (*frontierTotals, error) {
	var t frontierTotals
	for h, err := range view.Hosts() {
		if err != nil {
			return nil, err
		}
		t.add(h, now)
	}
	t.Finished = t.Pending+t.Scheduled == 0
	if t.Scheduled > 0 && (t.NextDue.IsZero() || t.NextDue.After(now)) {
		// Scheduled URLs come after the pending ones, in the order of their times.
		for u, err := range view.URLs() {
			if err != nil {
				return nil, err
			}
			if u.State == logstore.Scheduled {
				t.due(u.NotBefore)
				break
			}
		}
	}
	t.NextDue = t.NextDue.UTC()
	return &t, nil
}

func (t *frontierTotals) add(h frontier.HostRecord, now time.Time) {
	t.URLs += h.URLs
	t.Pending += h.Pending
	t.Scheduled += h.Scheduled
	t.Done += h.Done
	t.Dropped += h.Dropped
	if h.URLs > 0 {
		t.Hosts++
	}
	if h.Pending+h.Scheduled > 0 {
		t.Remaining++
	}
	if h.BlockedUntil.After(now) {
		t.Blocked++
	}
	failing := false
	for _, robots := range h.Robots {
		failing = failing || !robots.FailingSince.IsZero()
	}
	switch {
	case failing:
		t.Failing++
	case len(h.Robots) > 0:
		t.Known++
	}
	if h.Pending > 0 {
		due := h.Due
		if due.Before(now) {
			due = now
		}
		t.due(due)
	}
}

// due sets NextDue to a time at which a URL is due, if it is earlier.
func (t *frontierTotals) due(at time.Time) {
	if t.NextDue.IsZero() || at.Before(t.NextDue) {
		t.NextDue = at
	}
}

// text returns the totals as text.
func (t *frontierTotals) text(now time.Time) string {
	var b strings.Builder
	line := func(name string, n int, more ...string) {
		fmt.Fprintf(&b, "%-11s %9d", name, n)
		for i, m := range more {
			b.WriteString([]string{"  ", ", "}[min(i, 1)] + m)
		}
		b.WriteByte('\n')
	}
	line("URLs", t.URLs)
	line("  pending", t.Pending)
	line("  scheduled", t.Scheduled)
	line("  done", t.Done)
	line("  dropped", t.Dropped)
	hosts := []string{fmt.Sprintf("%d with URLs remaining", t.Remaining)}
	for _, part := range []struct {
		n    int
		what string
	}{
		{t.Blocked, "that sent Retry-After"},
		{t.Known, "with known robots.txt"},
		{t.Failing, "with unreachable robots.txt"},
	} {
		if part.n > 0 {
			hosts = append(hosts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	line("hosts", t.Hosts, hosts...)
	if t.Finished {
		b.WriteString("no URLs remaining\n")
	} else {
		fmt.Fprintf(&b, "next due     %s\n", fromNow(t.NextDue, now))
	}
	return b.String()
}
