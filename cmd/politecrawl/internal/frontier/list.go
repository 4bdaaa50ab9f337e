package frontier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/robotsext"
)

// A frontierList is one run of "frontier ls" or "frontier export".
type frontierList struct {
	*cli.Streams
	command string
	urls    bool // list URLs, not hosts
	filter  urlFilter
	order   hostOrder
	limit   int // 0 if none
	format  cli.Format

	now   time.Time
	out   *cli.Streams // buffered: there may be millions of URLs
	paint cli.Painter
}

// hostOrder is the value of --sort.
type hostOrder string

const (
	byRemaining hostOrder = "remaining"
	byDue       hostOrder = "due"
	byName      hostOrder = "name"
)

func frontierListCommand(streams *cli.Streams) *cobra.Command {
	l := &frontierList{Streams: streams, command: "frontier ls"}
	cmd := &cobra.Command{
		Use:   "ls DIR",
		Short: "List the hosts of a stopped crawl, or their URLs",
		Long: `List the hosts in the frontier of a stopped crawl, those with the most remaining URLs
first. Each line has the number of URLs in each state, the delay, the time until the next
request, the time until a Retry-After ends, and the state of robots.txt.

--urls lists URLs: pending URLs by host in the order of their requests, scheduled URLs by
time, and then URLs that are done or dropped. A URL that is not requested as a page ends in a
number sign and its kind, as in "frontier export --help", and its owner.

DIR is the output directory of the crawl, or the folder frontier in it. The command changes
nothing.

--format json writes an object on each line. A URL has the fields of "frontier export". A
host has these fields:

    host
    urls, pending, scheduled, done, dropped
                    number of URLs, and of URLs in each state
    delay_ms        delay between two requests
    max_in_flight   number of requests allowed at a time
    due_at          earliest time of the next request
    blocked_until   end of a Retry-After
    robots          list of objects, one for each origin of the host: origin, state (known
                    or failing), outcome, status, failing_since`,
		Example: `  politecrawl frontier ls example
  politecrawl frontier ls example --sort due --limit 0
  politecrawl frontier ls example --urls --host example.com --state pending`,
		Args: cli.Args(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	l.format.AddFlag(cmd)
	flags.BoolVar(&l.urls, "urls", false, "list URLs, not hosts")
	l.filter.flags(cmd)
	cli.Choice(cmd, &l.order, "sort", "sort hosts by remaining URLs, next request or name", byRemaining, byDue, byName)
	flags.IntVar(&l.limit, "limit", 50, "list at most `N` lines; 0: all")
	return cmd
}

func (l *frontierList) run(dir string) error {
	switch {
	case l.limit < 0:
		return cli.Misuse("%s: --limit: %d is less than 0", l.command, l.limit)
	case l.filter.state != anyState && !l.urls:
		return cli.Misuse("%s: --state needs --urls", l.command)
	case l.order != byRemaining && l.urls:
		return cli.Misuse("%s: --sort and --urls exclude each other", l.command)
	}
	if err := l.filter.prepare(l.command); err != nil {
		return err
	}
	var flush func() error
	l.out, flush = l.Buffered()
	l.now, l.paint = time.Now(), l.Painter()
	list := l.listHosts
	if l.urls {
		list = l.listURLs
	}
	return viewFrontier(l.command, dir, func(view *logstore.ReadOnlyStore) error {
		return cmp.Or(list(view), flush()) // also what precedes damage
	})
}

// listURLs lists the selected URLs.
func (l *frontierList) listURLs(view *logstore.ReadOnlyStore) error {
	n := 0
	for u, err := range l.filter.urls(l.command, view) {
		if err != nil {
			return err
		}
		if n++; n > l.limit && l.limit > 0 {
			l.Notice(fmt.Sprintf("there are more than %d URLs; --limit 0 lists all", l.limit))
			_, err = view.Counts() // the states may have changed after damage
			return err
		}
		if l.format == cli.JSON {
			err = l.out.PrintJSON(urlOutputOf(u))
		} else {
			err = l.out.Print(l.urlText(u, n == 1))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *frontierList) urlText(u logstore.URL, first bool) string {
	head := ""
	if first {
		head = l.paint(cli.Faint, fmt.Sprintf("%-9s  %8s  %8s  %-9s  %s", "state", "priority", "attempts", "due", "url")) + "\n"
	}
	due := ""
	if u.State == logstore.Pending || u.State == logstore.Scheduled {
		due = fromNow(u.NotBefore, l.now)
	}
	return head + fmt.Sprintf("%-9s  %8d  %8d  %-9s  %s\n", u.State, u.Priority, u.Attempts, due, cli.Escape(u.Key().String()))
}

// listHosts lists the selected hosts, those before damage too. It keeps only as many as it shows.
func (l *frontierList) listHosts(view *logstore.ReadOnlyStore) error {
	var hosts []hostOutput
	var broken error
	found := 0
	for h, err := range view.Hosts() {
		if err != nil {
			broken = err
			break
		}
		if !l.filter.has(h.Host) {
			continue
		}
		found++
		if hosts = append(hosts, hostOutputOf(h)); l.limit > 0 && len(hosts) >= 2*l.limit {
			hosts = l.first(hosts)
		}
	}
	if found == 0 && broken == nil {
		return l.filter.known(l.command, view)
	}
	hosts = l.first(hosts)
	for i, h := range hosts {
		if err := l.out.PrintAs(l.format, h, l.hostText(h, i == 0)); err != nil {
			return err
		}
	}
	if found > len(hosts) {
		l.Notice(fmt.Sprintf("%d of %d hosts; --limit 0 lists all", len(hosts), found))
	}
	return broken
}

// first sorts hosts and returns the first ones, up to the limit.
func (l *frontierList) first(hosts []hostOutput) []hostOutput {
	left := func(h hostOutput) int { return h.Pending + h.Scheduled }
	// Hosts without pending URLs are not due, and come last.
	idle := func(h hostOutput) int {
		if h.Pending == 0 {
			return 1
		}
		return 0
	}
	slices.SortFunc(hosts, func(a, b hostOutput) int {
		order := 0
		switch l.order {
		case byRemaining:
			order = cmp.Compare(left(b), left(a))
		case byDue:
			order = cmp.Or(idle(a)-idle(b), a.Due.Compare(b.Due))
		case byName:
		}
		return cmp.Or(order, cmp.Compare(a.Host, b.Host))
	})
	if l.limit > 0 && len(hosts) > l.limit {
		hosts = hosts[:l.limit]
	}
	return hosts
}

// A hostOutput is a host of a frontier as JSON.
type hostOutput struct {
	Host         string    `json:"host"`
	URLs         int       `json:"urls"`
	Pending      int       `json:"pending"`
	Scheduled    int       `json:"scheduled"`
	Done         int       `json:"done"`
	Dropped      int       `json:"dropped"`
	DelayMS      int64     `json:"delay_ms"`
	MaxInFlight  int       `json:"max_in_flight"`
	Due          time.Time `json:"due_at,omitzero"`
	BlockedUntil time.Time `json:"blocked_until,omitzero"`

	Robots []recordOutput `json:"robots,omitempty"` // of its origins, by name
}

// A recordOutput is the state of a robots.txt as JSON.
type recordOutput struct {
	Origin       string    `json:"origin"`
	State        string    `json:"state"` // known or failing
	Outcome      string    `json:"outcome,omitempty"`
	Status       int       `json:"status,omitempty"`
	FailingSince time.Time `json:"failing_since,omitzero"`
}

func hostOutputOf(h frontier.HostRecord) hostOutput {
	s := hostOutput{
		Host: string(h.Host), URLs: h.URLs, Pending: h.Pending, Scheduled: h.Scheduled, Done: h.Done, Dropped: h.Dropped,
		DelayMS: h.Delay.Milliseconds(), MaxInFlight: h.MaxInFlight, Due: h.Due.UTC(), BlockedUntil: h.BlockedUntil.UTC(),
	}
	for _, origin := range slices.Sorted(maps.Keys(h.Robots)) {
		s.Robots = append(s.Robots, recordOutputOf(origin, h.Robots[origin]))
	}
	return s
}

func recordOutputOf(origin string, robots frontier.Robots) recordOutput {
	s := recordOutput{Origin: origin, State: "known"}
	if !robots.FailingSince.IsZero() {
		s.State, s.FailingSince = "failing", robots.FailingSince.UTC()
	}
	var rec robotsext.Record // as the crawler writes it; other users of the store may write other data
	if err := json.Unmarshal(robots.Data, &rec); err == nil {
		s.Outcome, s.Status = rec.Outcome.String(), rec.Status
	}
	return s
}

// robotsText summarizes the robots.txt files of a host, and reports whether one is failing.
func (l *frontierList) robotsText(records []recordOutput) (text string, failing bool) {
	const rulesApply = "rules apply"
	text = "not known"
	for i, r := range records {
		switch {
		case r.State == "failing":
			return "failing " + humanize.ShortDuration(max(l.now.Sub(r.FailingSince), 0)), true
		case i > 0 && text == rulesApply:
		case r.Outcome == robotsext.OutcomeRules.String():
			text = rulesApply
		case r.Outcome == robotsext.OutcomeAllowAll.String() && r.Status != 0:
			text = fmt.Sprintf("none, %d", r.Status)
		default:
			text = cmp.Or(r.Outcome, r.State)
		}
	}
	return text, false
}

func (l *frontierList) hostText(h hostOutput, first bool) string {
	head := ""
	if first {
		head = l.paint(cli.Faint, fmt.Sprintf("%9s  %9s  %9s  %9s  %6s  %-9s  %-8s  %-15s  %s",
			"pending", "scheduled", "done", "dropped", "delay", "due", "retry in", "robots.txt", "host")) + "\n"
	}
	due, blocked, tint := "", "", cli.Plain
	if h.Pending > 0 {
		due = fromNow(h.Due, l.now)
	}
	if h.BlockedUntil.After(l.now) {
		blocked = humanize.ShortDuration(h.BlockedUntil.Sub(l.now))
	}
	robots, failing := l.robotsText(h.Robots)
	if failing {
		tint = cli.Yellow
	}
	return head + fmt.Sprintf("%9d  %9d  %9d  %9d  %6s  %-9s  %s  %s  %s\n", h.Pending, h.Scheduled, h.Done, h.Dropped,
		humanize.Delay(h.DelayMS), due, l.paint(cli.Yellow, fmt.Sprintf("%-8s", blocked)), l.paint(tint, fmt.Sprintf("%-15s", robots)), cli.Escape(h.Host))
}

func frontierExportCommand(streams *cli.Streams) *cobra.Command {
	l := &frontierList{Streams: streams, command: "frontier export", urls: true, order: byRemaining, format: cli.JSON}
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write every URL of a stopped crawl as JSON lines",
		Long: `Write every URL in the frontier of a stopped crawl as a JSON object on a line of its own.
The order is the same as in "frontier ls --urls". The fields are:

    url, host
    kind            sitemap, check-head, check-get or check-read, redirect (a target that is
                    requested as it is), listing (a robots.txt, for its sitemaps);
                    omitted: a page
    owner           tells URLs of one kind apart: the number of the recrawl of a check, and
                    again-… if redirects that set cookies led back to the URL; mostly omitted
    state           pending, scheduled, done or dropped; see "frontier stats --help"
    priority        0 is fetched first
    attempts        number of failed requests
    not_before      earliest time of the next request; omitted: no wait, or no request
    etag, last_modified, body_hash
                    of the last successful response; body_hash is the base64 of the
                    8-byte hash of the body, followed by the media type of the
                    response
    meta            data of the crawler, base64

DIR is the output directory of the crawl, or the folder frontier in it. The command changes
nothing.`,
		Example: `  politecrawl frontier export example > urls.jsonl
  politecrawl frontier export example --host example.com > host.jsonl
  politecrawl frontier export example --state pending | jq -r .url`,
		Args: cli.Args(1, 1, "the output directory of a crawl"),
		RunE: func(_ *cobra.Command, args []string) error { return l.run(args[0]) },
	}
	l.filter.flags(cmd)
	return cmd
}
