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
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

const (
	// maxHosts is how many hosts are remembered, maxHostRows how many of them are
	// shown with what the frontier knows of them.
	maxHosts    = 200
	maxHostRows = 25
)

// A host is what is remembered of an origin that was recently active.
type host struct {
	origin string
	heard  int // higher is later
	status int // of its last answer; 0: none
	at     time.Time
	robots *robotsRow // nil: not known
	asked  bool       // the frontier was asked for its robots.txt
}

// hosts are those that were heard of last.
type hosts struct {
	known map[string]*host
	heard int
}

// hear returns what is known of an origin, which is the one heard of last from now on.
func (h *hosts) hear(origin string) *host {
	one := h.known[origin]
	if one == nil {
		if len(h.known) == maxHosts {
			oldest := slices.MinFunc(slices.Collect(maps.Values(h.known)), func(a, b *host) int { return a.heard - b.heard })
			delete(h.known, oldest.origin)
		}
		one = &host{origin: origin}
		h.known[origin] = one
	}
	h.heard++
	one.heard = h.heard
	return one
}

// last returns copies of what is known, the one heard of last first.
func (h *hosts) last() []host {
	list := make([]host, 0, len(h.known))
	for _, one := range h.known {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b host) int { return b.heard - a.heard })
	return list
}

// refused is the outcome, for viewers and Prometheus, of a robots.txt that leads to an
// address which is not allowed.
const refused = "refused"

// isRefused tells whether a robots.txt is refused: nobody waits until it can be reached.
func isRefused(r *output.Robots) bool { return r.Outcome == unreachable && r.RetryAt.IsZero() }

// outcomeOf is what viewers and Prometheus are told that came of a robots.txt.
func outcomeOf(r *output.Robots) string {
	if isRefused(r) {
		return refused
	}
	return r.Outcome
}

// robotsError is why a robots.txt cannot be reached, where the status does not say it.
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
		At: r.FetchedAt, Host: addressOf(r.Origin), Outcome: escape.Text(outcomeOf(r)), Status: r.Status,
		Error: escape.Text(robotsError(r)), Until: r.ExpiresAt,
	}
	if r.Outcome == unreachable {
		row.Until = r.RetryAt
	}
	if r.Body != nil {
		group := robotstxt.Parse(r.Body, nil).Group(token)
		row.Group, row.Rules, row.Delay = group.Name(), len(group.Rules()), group.CrawlDelay().Seconds()
	}
	return row
}

// storedRobots describes the robots.txt of an origin that a frontier has kept from an earlier
// process. Nil: it has none.
func storedRobots(rec frontier.HostRecord, origin, token string) *robotsRow {
	robots, ok := rec.Robots[origin]
	if !ok {
		return nil
	}
	var stored robotsext.Record
	if err := json.Unmarshal(robots.Data, &stored); err != nil {
		return nil // the crawl will say so
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
			Host: name, Done: rec.Done, Waiting: rec.Pending + rec.Scheduled, Flying: rec.Leased,
			Delay: rec.Delay.Seconds(), Status: h.status, At: h.at,
		}
		due := rec.Due
		if rec.BlockedUntil.After(now) {
			row.Blocked = true
			if rec.BlockedUntil.After(due) {
				due = rec.BlockedUntil
			}
		}
		row.Due = seconds(max(due.Sub(now), 0))
		if due.IsZero() {
			row.Due = 0
		}
		if h.robots != nil {
			row.Robots = h.robots.Outcome
		}
		rows = append(rows, row)
	}
	return rows, records
}

// seconds is a time that moves, for a viewer, who need not know it more exactly than to a
// tenth.
func seconds(d time.Duration) float64 { return d.Round(100 * time.Millisecond).Seconds() }

// counts sorts numbers by size, the largest first, and joins what is beyond most.
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
