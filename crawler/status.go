package crawler

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/crawler/shared"
)

// End is the reason why a crawl ended.
type End = plan.End

// The ends. Scripts rely on their spelling.
const (
	EndFinished    = plan.Finished    // no URL remained
	EndMaxPages    = plan.MaxPages    // the limit was reached
	EndMaxBytes    = plan.MaxBytes    // the limit was reached
	EndMaxTime     = plan.MaxTime     // the limit was reached
	EndDeferred    = plan.Deferred    // every remaining URL is on a host that cannot be requested yet
	EndInterrupted = plan.Interrupted // the context of Run ended
	EndStopped     = plan.Stopped     // [Crawler.Stop], or all workers of the shared crawl were stopped
	EndFailed      = plan.Failed      // Run returned an error
)

// Summary is the result of a crawl in numbers. After a resume the numbers include the
// earlier runs, except StartedAt and Duration.
type Summary struct {
	End                End                        `json:"end"`
	Pages              int                        `json:"pages"`                         // lines of pages.jsonl
	Statuses           map[int]int                `json:"statuses"`                      // pages by HTTP status
	Rejected           map[output.Reason]int      `json:"rejected"`                      // skipped URLs by reason
	Robots             int                        `json:"robots"`                        // fetches of robots.txt files
	Sitemaps           int                        `json:"sitemaps"`                      // sitemap files read
	Entries            int                        `json:"entries"`                       // pages that sitemaps list
	Hosts              int                        `json:"hosts"`                         // number of hosts with URLs of the crawl
	AddedHosts         []string                   `json:"added_hosts,omitempty"`         // hosts (directories, with ScopePath) that start URLs redirect to
	Checks             map[output.CheckResult]int `json:"checks,omitempty"`              // URLs that were only checked, by result
	Remaining          int                        `json:"remaining"`                     // URLs still to be fetched
	NextDue            time.Time                  `json:"next_due_at,omitzero"`          // time of the next possible request to a host with remaining URLs
	Bytes              int64                      `json:"bytes"`                         // decoded size of all pages, and of what checks read
	Truncated          Truncated                  `json:"truncated,omitzero"`            // pages that a limit truncated
	Duplicates         int                        `json:"duplicates"`                    // pages with the same body as an earlier page
	Unchanged          int                        `json:"unchanged"`                     // pages that have not changed since the previous fetch
	Waiting            []string                   `json:"waiting,omitempty"`             // origins with an unreachable robots.txt; their URLs remain
	WaitingReasons     []string                   `json:"waiting_reasons,omitempty"`     // the reasons, in the order of Waiting; empty in a Status
	Lost               []output.Loss              `json:"lost,omitempty"`                // data that files have lost
	RejectedIncomplete bool                       `json:"rejected_incomplete,omitempty"` // rejected.jsonl lists fewer URLs than were skipped
	BlockedStartURLs   []BlockedStart             `json:"blocked_start_urls,omitempty"`  // start URLs at blocked addresses
	StartedAt          time.Time                  `json:"started_at"`
	Duration           plan.Millis                `json:"duration_ms"`
	Output             string                     `json:"output"`
	Shared             *shared.Crawl              `json:"shared,omitempty"` // nil if the crawl is not shared
}

// BlockedStart is a start URL at a non-public address that [Fetch.AllowAddr] does not list. The address
// belongs to its host, or to a redirect target of its robots.txt.
type BlockedStart = plan.BlockedStart

// Truncated counts pages that are incomplete because of a limit.
type Truncated struct {
	Pages  int             `json:"pages"`
	Limits map[string]int  `json:"limits"` // pages by limit, as in limits_reached of pages.jsonl; a page may have several
	First  []TruncatedPage `json:"first"`  // the first hundred pages
}

// TruncatedPage is a page that is incomplete because of a limit.
type TruncatedPage struct {
	URL    string   `json:"url"`
	Limits []string `json:"limits"`
}

// maxTruncatedPages is the number of such pages that a Summary lists.
const maxTruncatedPages = 100

// page counts a page if a limit truncated it.
func (c *Truncated) page(p *output.Page) {
	limits := p.LimitsReached
	if len(limits) == 0 {
		return
	}
	if c.Pages++; c.Limits == nil {
		c.Limits = make(map[string]int)
	}
	for _, limit := range limits {
		c.Limits[limit]++
	}
	if len(c.First) < maxTruncatedPages {
		c.First = append(c.First, TruncatedPage{p.URL, limits})
	}
}

// tally collects the numbers of a Summary from all workers.
type tally struct {
	mu  sync.Mutex // guards sum
	sum Summary
}

func newTally(out string) *tally {
	return &tally{sum: Summary{
		Statuses: make(map[int]int), Rejected: make(map[output.Reason]int),
		StartedAt: time.Now(), Output: out,
	}}
}

// Add implements run.Tally.
func (t *tally) Add(page *output.Page, lines *output.Results) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.sum
	if page != nil {
		s.countPage(page)
	}
	for _, r := range lines.Rejected {
		s.Rejected[r.Reason]++
		if r.Reason == output.BlockedAddress && r.Source == provenance.Start.String() {
			s.BlockedStartURLs = append(s.BlockedStartURLs, BlockedStart{URL: r.URL, Addr: r.Addr, Reason: r.Detail})
		}
	}
	for _, l := range lines.Checks {
		s.addChecks(l.Result, 1)
		s.Bytes += int64(l.Bytes)
	}
	for _, m := range lines.Sitemaps {
		if m.Status/100 == 2 {
			s.Sitemaps, s.Entries = s.Sitemaps+1, s.Entries+m.Pages
		}
	}
}

// AddRobots implements run.Tally.
func (t *tally) AddRobots() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum.Robots++
}

// AddListed implements run.Tally.
func (t *tally) AddListed(l *results.Listed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for reason, n := range l.Rejected {
		t.sum.Rejected[reason] += n
	}
	for result, n := range l.Checks {
		t.sum.addChecks(result, n)
	}
}

// Progress implements run.Tally.
func (t *tally) Progress() (pages int, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum.Pages, t.sum.Bytes
}

func (s *Summary) countPage(p *output.Page) {
	s.Pages++
	s.Statuses[p.Status]++
	s.Bytes += int64(p.BytesRead())
	s.Truncated.page(p)
	if p.DuplicateOf != "" {
		s.Duplicates++
	}
	if p.Unchanged {
		s.Unchanged++
	}
}

func (s *Summary) addChecks(result output.CheckResult, n int) {
	if s.Checks == nil {
		s.Checks = make(map[output.CheckResult]int)
	}
	s.Checks[result] += n
}

// summary returns a copy of the current numbers.
func (t *tally) summary() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sum
	s.Checks = maps.Clone(s.Checks)
	s.Statuses, s.Rejected, s.BlockedStartURLs = maps.Clone(s.Statuses), maps.Clone(s.Rejected), slices.Clone(s.BlockedStartURLs)
	s.Truncated.Limits, s.Truncated.First = maps.Clone(s.Truncated.Limits), slices.Clone(s.Truncated.First)
	s.Duration = plan.Millis(time.Since(s.StartedAt))
	return s
}

// summary returns the numbers so far, with what the run knows: URLs that are skipped for now, hosts that joined, and
// damaged files.
func (c *Crawler) summary() *Summary {
	s := c.tally.summary()
	now := c.run.Status()
	for reason, n := range now.Skipped {
		s.Rejected[reason] += n
	}
	s.AddedHosts, s.RejectedIncomplete, s.Lost = now.Added, now.RejectedIncomplete, now.Lost
	s.Shared = sharedBy(&c.cfg, c.cfg.Sharing.WorkerName, now.Peers)
	return &s
}

// Status is the current state of a crawl.
type Status struct {
	// Summary contains the results so far. Its End is empty while the crawl runs.
	Summary
	// Frontier counts the known URLs by state.
	Frontier frontier.Stats
	// Paused is true between [Crawler.Pause] and [Crawler.Resume].
	Paused bool
}

// Status returns the current state of the crawl. It can be called concurrently, from the call of
// [Options.OnStart] until Run returns. It fails if the frontier has failed or is closed.
func (c *Crawler) Status() (*Status, error) {
	end, _, _ := c.lifecycle.Ending()
	stats, err := c.run.Counts()
	if err != nil {
		return nil, err
	}
	s := &Status{Summary: *c.summary(), Frontier: stats, Paused: c.run.Paused()}
	s.End = end
	s.Remaining, s.Hosts, s.NextDue = stats.Pending+stats.Scheduled+stats.InFlight, stats.Hosts, time.Time{}
	if s.Remaining > 0 {
		s.NextDue = stats.NextDue
	}
	s.Waiting = c.run.Waiting()
	return s, nil
}

// Host returns the record of a host: its queue, the time of its next request, and the robots.txt
// files of its origins. See [frontier.HostOf]. Host can be called whenever Status can, and fails
// in the same cases.
func (c *Crawler) Host(ctx context.Context, host frontier.Host) (frontier.HostRecord, error) {
	return c.run.Host(ctx, host)
}
