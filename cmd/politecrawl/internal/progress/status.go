package progress

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// A reading is the progress of a crawl at one moment.
type reading struct {
	*crawler.Status

	hosts hostCounts
	now   time.Time
	rate  float64 // recent pages per second
	limit int     // of pages; 0 if none
}

// lines returns the reading as text for people.
func (r *reading) lines() []string {
	pages := fmt.Sprintf("pages: %d, %.1f/s, %s known%s", r.Pages, r.rate, humanize.Count(r.Frontier.URLs, "URL"), r.toGo())
	if r.Paused {
		pages = fmt.Sprintf("paused: %s, %s known", humanize.Count(r.Pages, "page"), humanize.Count(r.Frontier.URLs, "URL"))
	}
	lines := []string{pages, r.hostLine()}
	if all := r.Shared; all != nil {
		lines = append(lines, fmt.Sprintf("crawl %s: %s by %s, %d running", all.Name, humanize.Count(all.Pages(), "page"), humanize.Count(len(all.Workers), "worker"), all.Running()))
	}
	if rejected := humanize.Sum(r.Rejected); rejected > 0 {
		lines = append(lines, fmt.Sprintf("skipped: %d%s", rejected, humanize.Counts(r.Rejected, "")))
	}
	if checks := humanize.Sum(r.Checks); checks > 0 {
		lines = append(lines, fmt.Sprintf("checks: %d, %d broken", checks, r.Checks[output.CheckBroken]))
	}
	if bad := failures(r.Statuses); len(bad) > 0 {
		lines = append(lines, fmt.Sprintf("errors: %d%s", humanize.Sum(bad), humanize.Counts(bad, "status ")))
	}
	return lines
}

// hostLine returns the line with the hosts by state, and the next request.
func (r *reading) hostLine() string {
	line := fmt.Sprintf("hosts: %d", r.Hosts)
	if h := r.hosts; h.known {
		line += fmt.Sprintf(", %d active, %d waiting", h.active, h.waiting)
	}
	if n := len(r.Waiting); n > 0 {
		line += fmt.Sprintf(", %d deferred (robots.txt unreachable)", n)
	}
	line += fmt.Sprintf(", %d in flight", r.Frontier.InFlight)
	wait := r.NextDue.Sub(r.now)
	if r.Frontier.InFlight > 0 || r.Paused || wait <= time.Second {
		return line
	}
	next := "next request"
	if h := r.hosts; h.next != "" && !h.due.After(r.NextDue.Add(time.Second)) {
		next = "next request to " + cli.Escape(string(h.next))
	}
	return line + ", " + next + " in " + humanize.Duration(wait)
}

// toGo estimates the time until all known URLs are fetched: at the recent rate, and not before
// the host with the most URLs is done. It ignores URLs that are not found yet.
func (r *reading) toGo() string {
	left, polite := r.Remaining, r.hosts.quiet
	if most := r.limit - r.Pages; r.limit > 0 && most < left {
		left, polite = most, 0 // whichever hosts have them
	}
	var long time.Duration
	if r.rate > 0 {
		long = time.Duration(float64(left) / r.rate * float64(time.Second))
	}
	switch {
	case left <= 0:
		return ""
	case polite > 0:
		return ", " + humanize.Duration(max(long, polite, time.Second)) + " remaining at this delay"
	case long > 0:
		return ", " + humanize.Duration(max(long, time.Second)) + " remaining at this rate"
	}
	return ""
}

// lineColour returns the color of a line. Lines that may need action stand out.
func lineColour(line string) cli.Color {
	switch {
	case strings.HasPrefix(line, "errors:"):
		return cli.Red
	case strings.HasPrefix(line, "paused:"):
		return cli.Yellow
	}
	return cli.Plain
}

// failures returns the counts of error statuses.
func failures(statuses map[int]int) map[int]int {
	bad := maps.Clone(statuses)
	maps.DeleteFunc(bad, func(status, _ int) bool { return status < 400 })
	return bad
}
