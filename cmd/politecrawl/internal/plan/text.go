package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/plan"
)

// How much of a plan is shown to a person. JSON has all of it.
const (
	maxPlanHosts = 40
	maxPlanRules = 20
	maxPlanFiles = 10
)

// A planPage is the text for a person that a plan becomes.
type planPage struct {
	*plan.Plan
	cli.Page
	cfg *crawler.Config
}

func planText(plan *plan.Plan, cfg *crawler.Config, paint cli.Painter) string {
	p := &planPage{Plan: plan, Page: cli.Page{Paint: paint, Names: 12}, cfg: cfg}
	p.headline()
	p.Printf("\n")
	p.hosts()
	p.Printf("\n")
	p.rejected()
	p.rules()
	p.failures()
	p.needs()
	p.Printf("\nnot included\n")
	p.notIncluded()
	return p.String()
}

// headline writes how many pages the crawl would fetch, and in which time.
func (p *planPage) headline() {
	switch p.End {
	case crawler.EndInterrupted:
		p.Printf("interrupted; from what was read so far,\n")
	case crawler.EndFailed:
		p.Printf("failed; from what was read so far,\n")
	}
	of := ""
	if slices.ContainsFunc(p.Origins, func(h *plan.Origin) bool { return !isBlocked(h) }) {
		of = " of " + humanize.Count(len(p.Origins), "origin")
	}
	p.Printf("a crawl would fetch %s%s in %s", humanize.Count(p.Pages, "page"), of, aboutTime(p.CrawlDuration))
	switch p.CrawlEnd {
	case crawler.EndMaxPages, crawler.EndMaxTime:
		p.Printf(", and stop at --%s with %s remaining", p.CrawlEnd, humanize.Count(p.PagesBeyondLimit, "page"))
	case crawler.EndDeferred:
		p.Printf(", without hosts that allow no request yet")
	}
	p.Printf("\n")
}

// hosts writes the table of the hosts of the crawl.
func (p *planPage) hosts() {
	rows := [][]string{{"origin", "pages", "skipped", "requests", "delay", "time"}}
	for _, h := range p.Origins[:min(len(p.Origins), maxPlanHosts)] {
		rows = append(rows, []string{
			cli.Escape(h.Origin), fmt.Sprint(h.Pages), fmt.Sprint(humanize.Sum(h.Rejected)), fmt.Sprint(h.Requests), p.delay(h), aboutTime(h.Duration),
		})
	}
	others := humanize.Sum(p.Rejected)
	for _, h := range p.Origins {
		others -= humanize.Sum(h.Rejected)
	}
	if others > 0 {
		requests := 0
		for _, h := range p.Others {
			requests += h.Requests
		}
		rows = append(rows, []string{"others", "0", fmt.Sprint(others), fmt.Sprint(requests), "", ""})
	}
	p.table(rows, 1, 2, 3)
	if more := len(p.Origins) - maxPlanHosts; more > 0 {
		p.Printf("  and %s\n", humanize.Count(more, "more origin"))
	}
}

// table writes rows in columns. The columns in right are aligned to the right.
func (p *planPage) table(rows [][]string, right ...int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if slices.Contains(right, i) {
				cell, pad = pad+cell, ""
			}
			line.WriteString("  " + cell + pad)
		}
		text := strings.TrimRight(line.String(), " ")
		if n == 0 {
			text = p.Paint(cli.Faint, text)
		}
		p.Printf("%s\n", text)
	}
}

// delay returns the delay of a host, and whether robots.txt set it.
func (p *planPage) delay(h *plan.Origin) string {
	text := time.Duration(h.Delay).String()
	switch {
	case h.CrawlDelay > h.Delay:
		text += fmt.Sprintf(" (Crawl-delay %v, cut)", h.CrawlDelay)
	case h.CrawlDelay > 0 && time.Duration(h.Delay) > p.cfg.Politeness.Delay:
		text += " (Crawl-delay)"
	}
	return text
}

// rejected writes the numbers of skipped URLs by reason.
func (p *planPage) rejected() {
	if n := humanize.Sum(p.Rejected); n > 0 {
		p.Field("skipped", "%d of %s%s", n, humanize.Count(p.URLs, "URL"), humanize.Counts(p.Rejected, ""))
	}
	if p.Rejected[output.BeforeSince] > 0 {
		p.Field("", "unchanged: according to sitemaps, not changed since %s", p.cfg.Sitemaps.Since)
	}
}

// rules lists the lines of robots.txt that disallow URLs.
func (p *planPage) rules() {
	for _, r := range p.Disallowed[:min(len(p.Disallowed), maxPlanRules)] {
		p.Field("disallowed", "%s by line %d of %s, %q: %s", humanize.Count(r.URLs, "URL"), r.Line, cli.Escape(r.RobotsURL), cli.Escape(r.Rule), p.examples(r))
	}
	if more := len(p.Disallowed) - maxPlanRules; more > 0 {
		p.Field("", "and by %s", humanize.Count(more, "more line"))
	}
}

func (p *planPage) examples(r *plan.Rule) string {
	list := make([]string, len(r.Examples))
	for i, url := range r.Examples {
		list[i] = cli.Escape(strings.TrimPrefix(url, r.Origin))
	}
	text := strings.Join(list, " ")
	if r.URLs > len(list) {
		text += " …"
	}
	return text
}

// failures lists robots.txt files and sitemaps that were not read.
func (p *planPage) failures() {
	for _, h := range slices.Concat(p.Origins, p.Others) {
		switch {
		case isBlocked(h):
			p.Field("blocked", "%s", p.Paint(cli.Yellow, fmt.Sprintf("%s is not requested: %s", cli.Escape(h.RobotsURL), cli.Escape(h.RobotsError))))
		case h.Robots == "unreachable":
			why := cmp.Or(h.RobotsError, fmt.Sprintf("status %d", h.RobotsStatus))
			p.Field("unreachable", "%s", p.Paint(cli.Yellow, fmt.Sprintf("%s is unreachable: %s; retry at %s", cli.Escape(h.RobotsURL), cli.Escape(why), humanize.Time(h.RetryAt))))
		}
		if len(h.VisitTimes) > 0 {
			text := fmt.Sprintf("%s allows visits at %s UTC", cli.Escape(h.Origin), strings.Join(h.VisitTimes, ", "))
			if h.OpensAt != "" {
				text = p.Paint(cli.Yellow, text+", not now")
			}
			p.Field("hours", "%s", text)
		}
		if h.SitemapsUnread > 0 {
			p.Field("sitemaps", "%s lists %d, and %d of them are not read (--max-sitemaps)", cli.Escape(h.Origin), h.Sitemaps, h.SitemapsUnread)
		}
	}
	unread := slices.DeleteFunc(slices.Clone(p.Files), func(f *plan.Sitemap) bool { return f.Unread == "" })
	for _, f := range unread[:min(len(unread), maxPlanFiles)] {
		p.Field("sitemap", "%s: %s", cli.Escape(f.URL), cli.Escape(f.Unread))
	}
	if more := len(unread) - maxPlanFiles; more > 0 {
		p.Field("", "and %s", humanize.Count(more, "more sitemap"))
	}
}

// needs writes the resources and the time of the crawl.
func (p *planPage) needs() {
	p.Field("sitemaps", "%d read, with %s", p.Sitemaps, humanize.Count(p.Entries, "entry"))
	p.Field("requests", "%d, %d of them for robots.txt and sitemaps", p.Requests, p.Requests-p.Pages)
	time := aboutTime(p.CrawlDuration)
	switch p.Bottleneck {
	case plan.BottleneckConcurrency:
		time += fmt.Sprintf(", limited to %s at a time (--concurrency)", humanize.Count(p.cfg.Limits.Concurrency, "URL"))
	case plan.BottleneckPerIP:
		time += fmt.Sprintf(", limited to %s per IP address (--per-ip)", humanize.Count(p.cfg.Politeness.PerIP, "request"))
	case plan.BottleneckHost:
		if p.Slowest != "" && len(p.Origins) > 1 {
			time += ", limited by " + cli.Escape(p.Slowest)
		}
	}
	p.Field("time", "%s", time)
	p.Field("frontier", "at most %s on disk and %s in memory (60 MB for any crawl)", bytesText(p.FrontierBytes), bytesText(p.MemoryBytes))
}

// notIncluded lists what a plan cannot know.
func (p *planPage) notIncluded() {
	if p.cfg.Sitemaps.Only {
		p.Printf("  pages that are found by redirects\n")
	} else {
		p.Printf("  pages that are found only by links\n")
	}
	p.Printf("  the responses of pages: redirects, retries, slow responses that make the delay longer\n")
	if p.cfg.Limits.MaxBytes > 0 {
		p.Printf("  the size of pages: --max-bytes may stop the crawl earlier\n")
	}
	if names := p.unasked(); len(names) > 0 {
		p.Printf("  the URLs on %s\n", strings.Join(names, " "))
	}
}

// isBlocked reports whether the address of a host, or of the target of its robots.txt
// redirect, is blocked.
func isBlocked(h *plan.Origin) bool {
	return (h.Robots == "" || h.Robots == "unreachable") && h.RobotsError != "" && h.RetryAt.IsZero()
}

// unasked returns the hosts whose robots.txt is unknown.
func (p *planPage) unasked() []string {
	var list []string
	for _, h := range p.Origins {
		if (h.Robots == "" || h.Robots == "unreachable") && !isBlocked(h) {
			list = append(list, cli.Escape(h.Origin))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if more := len(list) - runner.MaxListed; more > 0 {
		list = append(list[:runner.MaxListed], fmt.Sprintf("and %d more", more))
	}
	return list
}

// aboutTime formats an estimated duration.
func aboutTime(s plan.Millis) string {
	if d := time.Duration(s); d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return humanize.Duration(time.Duration(s))
}

// bytesText formats an estimated size.
func bytesText(n int64) string {
	size := float64(n)
	for _, unit := range []string{"B", "kB", "MB"} {
		if size < 1000 {
			return fmt.Sprintf("%.0f %s", size, unit)
		}
		size /= 1000
	}
	return fmt.Sprintf("%.1f GB", size)
}
