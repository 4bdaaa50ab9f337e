package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	// maxHosts is the number of hosts in memory, maxHostRows the number of hosts on the page.
	maxHosts    = 200
	maxHostRows = 25
)

// A host is a recently active origin.
type host struct {
	origin   string
	activity int // higher is more recent
	status   int // of its last response; 0 if none
	at       time.Time
	robots   *robotsRow // nil if unknown
	loaded   bool       // robots is known, or the frontier has none
}

// hosts are the most recently active hosts.
type hosts struct {
	known    map[string]*host
	activity int
}

// touch returns the host of an origin and makes it the most recently active one.
func (h *hosts) touch(origin string) *host {
	one := h.known[origin]
	if one == nil {
		if len(h.known) == maxHosts {
			oldest := slices.MinFunc(slices.Collect(maps.Values(h.known)), func(a, b *host) int { return a.activity - b.activity })
			delete(h.known, oldest.origin)
		}
		one = &host{origin: origin}
		h.known[origin] = one
	}
	h.activity++
	one.activity = h.activity
	return one
}

// byActivity returns copies of all hosts, the most recently active first.
func (h *hosts) byActivity() []host {
	list := make([]host, 0, len(h.known))
	for _, one := range h.known {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b host) int { return b.activity - a.activity })
	return list
}

// refused is the outcome of a robots.txt at a blocked address.
const refused = "blocked-address"

// isRefused reports whether a robots.txt is at a blocked address, so that it has no retry time.
func isRefused(r *output.Robots) bool { return r.Outcome == unreachable && r.RetryAt.IsZero() }

// outcomeOf returns the outcome for the page and metrics.
func outcomeOf(r *output.Robots) string {
	if isRefused(r) {
		return refused
	}
	return r.Outcome
}

// robotsError returns the error of a robots.txt, unless it only repeats the status.
func robotsError(r *output.Robots) string {
	why := r.Error
	if why == fmt.Sprintf("status %d", r.Status) {
		return ""
	}
	return why
}

// robotsRowOf describes a robots.txt for a crawler of this product token.
func robotsRowOf(r *output.Robots, token string) *robotsRow {
	row := &robotsRow{
		FetchedAt: r.FetchedAt, Host: addressOf(r.Origin), Outcome: escape.Text(outcomeOf(r)), Status: r.Status,
		Error: escape.Text(robotsError(r)), NextFetchAt: r.ExpiresAt,
	}
	if r.Outcome == unreachable {
		row.NextFetchAt = r.RetryAt
	}
	if r.Body != nil {
		group := robotstxt.Parse(r.Body, nil).Group(token)
		row.Group, row.Rules, row.CrawlDelay = group.Name(), len(group.Rules()), plan.Millis(group.CrawlDelay())
	}
	return row
}

// storedRobots returns the robots.txt of an origin that an earlier process stored in the
// frontier, or nil.
func storedRobots(rec frontier.HostRecord, origin, token string) *robotsRow {
	robots, ok := rec.Robots[origin]
	if !ok {
		return nil
	}
	var stored robotsext.Record
	if err := json.Unmarshal(robots.Data, &stored); err != nil {
		return nil // the crawl reports the error
	}
	found := output.Robots{
		Origin: string(stored.Origin), Outcome: stored.Outcome.String(), Status: stored.Status,
		FetchedAt: stored.FetchedAt, ExpiresAt: stored.ExpiresAt, RetryAt: stored.RetryAt, Body: stored.Body,
	}
	if stored.Err != nil {
		found.Error = stored.Err.Error()
	}
	return robotsRowOf(&found, token)
}

// hostRows returns one row for each server of the hosts in list, with the last response of
// its most recently active origin. It skips hosts that the crawl does not know. The records
// are by origin.
func hostRows(ctx context.Context, c Crawl, list []host, now time.Time) (rows []hostRow, records map[string]frontier.HostRecord) {
	rows, records = []hostRow{}, make(map[string]frontier.HostRecord)
	servers := make(map[frontier.Host]frontier.HostRecord)
	for _, h := range list[:min(len(list), maxHostRows)] {
		server, err := frontier.HostOf(h.origin)
		if err != nil {
			continue
		}
		if rec, known := servers[server]; known {
			records[h.origin] = rec
			continue
		}
		rec, err := c.Host(ctx, server)
		if err != nil {
			continue
		}
		servers[server], records[h.origin] = rec, rec
		name := addressOf(h.origin)
		name.Text = escape.Text(string(server))
		row := hostRow{
			Host: name, Done: rec.Done, Waiting: rec.Pending + rec.Scheduled, InFlight: rec.InFlight,
			Delay: plan.Millis(rec.Delay), Status: h.status, LastResponseAt: h.at,
		}
		due := rec.Due
		if rec.BlockedUntil.After(now) {
			row.Blocked = true
			if rec.BlockedUntil.After(due) {
				due = rec.BlockedUntil
			}
		}
		row.Due = rounded(max(due.Sub(now), 0)) // 0 for the zero time
		if h.robots != nil {
			row.Robots = h.robots.Outcome
		}
		rows = append(rows, row)
	}
	return rows, records
}

// rounded returns a duration that changes all the time, in tenths of a second.
func rounded(d time.Duration) plan.Millis { return plan.Millis(d.Round(100 * time.Millisecond)) }

// counts sorts numbers in descending order, and adds up those after the first most.
func counts[K cmp.Ordered](numbers map[K]int, name func(K) string, most int) []count {
	keys := slices.SortedFunc(maps.Keys(numbers), func(a, b K) int {
		return cmp.Or(numbers[b]-numbers[a], cmp.Compare(a, b))
	})
	list := make([]count, 0, min(len(keys), most+1))
	for i, key := range keys {
		if i > most {
			list[most].Count += numbers[key]
			continue
		}
		c := count{Name: name(key), Count: numbers[key]}
		if i == most && len(keys) > most+1 {
			c.Name = other
		}
		list = append(list, c)
	}
	return list
}
