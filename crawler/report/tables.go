package report

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// tablesOf returns all tables of the page, in its order.
func tablesOf(r *Report) []*table {
	workers := List[Worker]{len(r.Workers), r.Workers}
	depths := List[Depth]{len(r.Depths), r.Depths}
	tables := []*table{
		tableOf("workers", "Directories", workers,
			textField("Directory", workerTitle),
			textField("Worker", workerState),
			numberField("Pages", kindNumber, func(w *Worker) int { return w.Pages }),
			numberField("Skipped", kindNumber, func(w *Worker) int { return w.Rejected }),
			textField("First page", func(w *Worker) string { return moment(w.StartedAt) }),
			textField("Last page", func(w *Worker) string { return moment(w.EndedAt) })),
		tableOf("origins", "Origins", r.Origins,
			urlField("Origin", func(o *Origin) string { return o.Origin }),
			numberField("Pages", kindNumber, func(o *Origin) int { return o.Pages }),
			numberField("OK", kindNumber, func(o *Origin) int { return o.OK }),
			numberField("Redirects", kindNumber, func(o *Origin) int { return o.Redirects }),
			numberField("Errors", kindFault, func(o *Origin) int { return o.Broken }),
			numberField("No response", kindFault, func(o *Origin) int { return o.Failed }),
			numberField("Disallowed", kindNumber, func(o *Origin) int { return o.Disallowed }),
			numberField("Deferred", kindFault, func(o *Origin) int { return o.Deferred }),
			numberField("Size", kindSize, func(o *Origin) int64 { return o.Bytes }),
			numberField("Response", kindMillis, func(o *Origin) int64 { return o.DurationMS })),
		tableOf("depths", "Pages by depth", depths,
			numberField("Depth", kindNumber, func(d *Depth) int { return d.Depth }),
			numberField("Pages", kindNumber, func(d *Depth) int { return d.Pages }),
			numberField("OK", kindNumber, func(d *Depth) int { return d.OK }),
			numberField("Redirects", kindNumber, func(d *Depth) int { return d.Redirects }),
			numberField("Errors", kindFault, func(d *Depth) int { return d.Broken }),
			numberField("Skipped", kindNumber, func(d *Depth) int { return d.Rejected })),
		tableOf("truncated", "Truncated pages", r.Truncated,
			urlField("URL", func(p *Page) string { return p.URL }),
			textField("Title", func(p *Page) string { return p.Title }),
			numberField("Status", kindStatus, func(p *Page) int { return p.Status }),
			numberField("Size", kindSize, func(p *Page) int64 { return int64(p.Bytes) }),
			numberField("Response time", kindMillis, func(p *Page) int64 { return p.DurationMS }),
			textField("Limits reached", pageLimits)),
		tableOf("types", "Content types", r.Types,
			textField("Content type", func(c *Count) string { return c.Name }),
			numberField("Pages", kindNumber, func(c *Count) int { return c.Count })),
		tableOf("duplicates", "Duplicates", r.Duplicates.Groups,
			urlField("Page", func(g *DuplicateGroup) string { return g.URL }),
			numberField("Copies", kindNumber, func(g *DuplicateGroup) int { return g.Copies }),
			numberField("With canonical link", kindNumber, func(g *DuplicateGroup) int { return g.Declared }),
			urlsField("Examples", "pages.jsonl", func(g *DuplicateGroup) (int, []string) { return g.Copies, g.Examples })),
		tableOf("directives", "Robots directives in pages", r.Directives.Rules,
			textField("Directive", func(d *Directive) string { return d.Rule }),
			numberField("Pages", kindNumber, func(d *Directive) int { return d.Pages }),
			numberField("In headers", kindNumber, func(d *Directive) int { return d.Header }),
			numberField("In meta elements", kindNumber, func(d *Directive) int { return d.Meta }),
			urlsField("Examples", "pages.jsonl", func(d *Directive) (int, []string) { return d.Pages, d.Examples })),
		tableOf("redirects", "Redirect chains", r.Redirects.Chains,
			urlField("URL", func(c *Chain) string { return c.Steps[0].URL }),
			numberField("Redirects", kindNumber, func(c *Chain) int { return c.Hops }),
			textField("End", chainEnd),
			urlField("Last URL", func(c *Chain) string { return c.Steps[len(c.Steps)-1].URL }),
			linesField("Chain", chainSteps)),
		tableOf("rules", "Lines that disallow URLs", r.Rejected.Rules,
			textField("Rule", func(l *RobotsRule) string { return cmp.Or(l.Text, l.Rule) }),
			numberField("URLs", kindNumber, func(l *RobotsRule) int { return l.URLs }),
			numberField("Line", kindNumber, func(l *RobotsRule) int { return l.Line }),
			textField("Group", func(l *RobotsRule) string { return l.Group }),
			urlField("File", func(l *RobotsRule) string { return l.RobotsURL }),
			urlsField("Examples", "rejected.jsonl", func(l *RobotsRule) (int, []string) { return l.URLs, l.Examples })),
		tableOf("robots", "robots.txt by origin", r.Robots.Origins,
			urlField("Origin", func(o *RobotsOrigin) string { return o.Origin }),
			textField("Outcome", robotsOutcome),
			numberField("Allowed", kindNumber, func(o *RobotsOrigin) int { return o.Allowed }),
			numberField("Disallowed", kindNumber, func(o *RobotsOrigin) int { return o.Disallowed }),
			numberField("Unreachable", kindFault, func(o *RobotsOrigin) int { return o.Unreachable }),
			linesField("Content", robotsContent),
			linesField("History", robotsEvents)),
	}
	tables = append(tables, permissionTables(&r.Permissions)...)
	for i, g := range r.Rejected.Reasons {
		tables = append(tables, tableOf(skippedID(i), "Skipped URLs: "+string(g.Reason), g.URLs,
			urlField("URL", func(u *RejectedURL) string { return u.URL }),
			textField("Source", func(u *RejectedURL) string { return sourceLabel(u.Source, u.FoundOn) }),
			urlField("Found on", func(u *RejectedURL) string { return u.FoundOn }),
			textField("Details", skippedDetail)))
	}
	tables = append(tables,
		tableOf("sitemaps", "Sitemap files", r.Sitemaps.Files,
			urlField("File", func(f *SitemapFile) string { return f.URL }),
			numberField("Status", kindStatus, func(f *SitemapFile) int { return f.Status }),
			numberField("Pages", kindNumber, func(f *SitemapFile) int { return f.Pages }),
			numberField("Sitemaps", kindNumber, func(f *SitemapFile) int { return f.Sitemaps }),
			numberField("Discrepancies", kindNumber, func(f *SitemapFile) int { return f.DiscrepantEntries }),
			urlField("Listed in", func(f *SitemapFile) string { return f.FoundOn }),
			textField("Details", sitemapDetail)),
		tableOf("without-entries", "Origins without sitemap entries", r.Sitemaps.OriginsWithoutEntries,
			urlField("Origin", func(origin *string) string { return *origin })))
	all := r.Findings
	if r.Changes != nil {
		all = slices.Concat(all, r.Changes.Findings)
	}
	for i := range all {
		tables = append(tables, findingsTable(&all[i]))
	}
	if r.urls != nil {
		tables = append(tables, r.urls.table())
	}
	tables = append(tables, tableOf("directories", "Directories", r.Directories,
		urlField("Directory", func(d *Directory) string { return d.URL }),
		numberField("Pages", kindNumber, func(d *Directory) int { return d.Pages }),
		numberField("Errors", kindFault, func(d *Directory) int { return d.Errors }),
		numberField("Noindex", kindNumber, func(d *Directory) int { return d.Noindex }),
		numberField("Size", kindSize, func(d *Directory) int64 { return d.Bytes })))
	return tables
}

func permissionTables(p *Permissions) []*table {
	return []*table{
		tableOf("permissions", "Permissions by purpose", List[PurposeCounts]{len(p.Purposes), p.Purposes},
			textField("Purpose", func(c *PurposeCounts) string { return purposeLabel(c.Purpose) }),
			numberField("Allowed", kindNumber, func(c *PurposeCounts) int { return c.Allowed }),
			numberField("Disallowed", kindNumber, func(c *PurposeCounts) int { return c.Disallowed }),
			numberField("Unknown", kindNumber, func(c *PurposeCounts) int { return c.Unknown })),
		tableOf("statements", "Statements by source", List[StatementCounts]{len(p.Statements), p.Statements},
			textField("Statement", func(c *StatementCounts) string { return statementLabel(c.Kind) }),
			textField("Source", func(c *StatementCounts) string { return string(c.Source) }),
			numberField("Pages", kindNumber, func(c *StatementCounts) int { return c.Pages }),
			linesField("Values", statementValues)),
		tableOf("contradictions", "Contradicting statements", p.Contradictions,
			textField("Purpose", func(c *Contradiction) string { return purposeLabel(c.Purpose) }),
			textField("Allowed by", func(c *Contradiction) string { return c.AllowedBy.label() }),
			textField("Disallowed by", func(c *Contradiction) string { return c.DisallowedBy.label() }),
			numberField("Pages", kindFault, func(c *Contradiction) int { return c.Pages }),
			urlsField("Examples", results.Permissions.Name(), func(c *Contradiction) (int, []string) { return c.Pages, c.Examples })),
	}
}

var purposeLabels = map[usage.Purpose]string{
	usage.Search:  "Search",
	usage.AIInput: "AI input (answers, summaries)",
	usage.TrainAI: "AI training",
	usage.TDM:     "Text and data mining",
	usage.Archive: "Archiving",
}

func purposeLabel(p usage.Purpose) string { return cmp.Or(purposeLabels[p], string(p)) }

var statementLabels = map[usage.Kind]string{
	usage.KindContentUsage:  "Content-Usage",
	usage.KindContentSignal: "Content-Signal",
	usage.KindXRobotsTag:    "X-Robots-Tag",
	usage.KindRobotsTag:     "Robots-Tag",
	usage.KindRobotsMeta:    "Robots meta element",
	usage.KindTDMRep:        "TDM reservation",
	usage.KindRSL:           "RSL license",
}

func statementLabel(k usage.Kind) string { return cmp.Or(statementLabels[k], string(k)) }

func (t StatementType) label() string { return statementLabel(t.Kind) + " (" + string(t.Source) + ")" }

func statementValues(c *StatementCounts) []string {
	var lines []string
	for _, p := range c.Purposes {
		var parts []string
		if p.Allowed > 0 {
			parts = append(parts, thousands(p.Allowed)+" allowed")
		}
		if p.Disallowed > 0 {
			parts = append(parts, thousands(p.Disallowed)+" disallowed")
		}
		lines = append(lines, purposeLabel(p.Purpose)+": "+strings.Join(parts, ", "))
	}
	return lines
}

func skippedID(reason int) string { return fmt.Sprintf("skipped-%d", reason) }

// findingsTable has only the columns that have a value.
func findingsTable(f *Findings) *table {
	fields := []field[Finding]{urlField("URL", func(f *Finding) string { return f.URL })}
	add := func(field field[Finding], has func(Finding) bool) {
		if slices.ContainsFunc(f.Rows, has) {
			fields = append(fields, field)
		}
	}
	add(textField("Details", func(f *Finding) string { return f.Detail }), func(f Finding) bool { return f.Detail != "" })
	add(numberField("Line", kindNumber, func(f *Finding) int { return f.Line }), func(f Finding) bool { return f.Line > 0 })
	add(urlField("Related URL", func(f *Finding) string { return f.Related }), func(f Finding) bool { return f.Related != "" })
	add(numberField("Pages", kindNumber, func(f *Finding) int { return f.Pages }), func(f Finding) bool { return f.Pages > 0 })
	add(urlsField("Found on", "links.jsonl", func(f *Finding) (int, []string) { return max(f.Pages, len(f.FoundOn)), f.FoundOn }),
		func(f Finding) bool { return len(f.FoundOn) > 0 })
	return tableOf(f.ID, f.Title, List[Finding]{f.Total, f.Rows}, fields...)
}

func pageLimits(p *Page) string {
	limits := strings.Join(p.LimitsReached, ", ")
	if p.LinksSkipped > 0 {
		limits += ": " + quantity(p.LinksSkipped, "link") + " skipped"
	}
	return limits
}

func workerTitle(w *Worker) string {
	if w.Name != "" {
		return fmt.Sprintf("%s (%s)", w.Dir, w.Name)
	}
	return w.Dir
}

func workerState(w *Worker) string {
	switch w.State {
	case Finished:
		return "finished"
	case Running:
		return "still running"
	case Stopped:
		end := ""
		if w.End != "" {
			end = " (" + w.End + ")"
		}
		return "stopped" + end + ", " + quantity(w.Remaining, "URL") + " remaining"
	default:
		return "running or killed"
	}
}

func chainEnd(c *Chain) string {
	switch c.End {
	case endTooLong:
		return "too long"
	case endNoLocation:
		return "no Location"
	case endSkipped:
		return "skipped: " + c.Reason
	case endNotFetched:
		return "not fetched yet"
	default:
		return c.End
	}
}

func chainSteps(c *Chain) []string {
	var steps []string
	for _, s := range c.Steps {
		step := s.URL
		if s.Status != 0 {
			step = fmt.Sprintf("%d %s", s.Status, s.URL)
		}
		steps = append(steps, step)
	}
	return steps
}

func robotsOutcome(o *RobotsOrigin) string {
	text := o.Outcome
	switch text {
	case "rules":
		text = "rules apply"
	case "allow-all":
		text = "everything is allowed"
	}
	if o.Status != 0 {
		text = fmt.Sprintf("status %d: %s", o.Status, text)
	}
	if o.Error != "" {
		text += ": " + o.Error
	}
	return text
}

// robotsContent sums up a robots.txt.
func robotsContent(o *RobotsOrigin) []string {
	var lines []string
	switch {
	case o.Group != "":
		lines = append(lines, quantity(o.Rules, "rule")+" in group "+o.Group)
	case o.Outcome == "rules":
		lines = append(lines, "no group for this crawl")
	case o.Outcome == "allow-all":
		lines = append(lines, "no robots.txt")
	}
	if o.CrawlDelayMS > 0 {
		lines = append(lines, "Crawl-delay "+millis(o.CrawlDelayMS))
	}
	if o.Sitemaps > 0 {
		lines = append(lines, quantity(o.Sitemaps, "sitemap"))
	}
	for _, l := range o.Lint.Rows {
		lines = append(lines, fmt.Sprintf("problem in line %d: %s", l.Line, l.Message))
	}
	if more := o.Lint.Total - len(o.Lint.Rows); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more; “politecrawl robots lint %s” lists them", thousands(more), o.Origin))
	}
	return lines
}

// robotsEvents says what happened to a robots.txt during the crawl.
func robotsEvents(o *RobotsOrigin) []string {
	lines := []string{"fetched " + times(o.Fetches)}
	for _, e := range o.Outages.Rows {
		end, cause := "the end", e.Error
		if !e.EndedAt.IsZero() {
			end = clockTime(e.EndedAt)
		}
		if e.Status != 0 {
			cause = fmt.Sprintf("status %d", e.Status)
		}
		lines = append(lines, fmt.Sprintf("outage %s to %s, %s", clockTime(e.StartedAt), end, cause))
	}
	for _, e := range o.Changes.Rows {
		line := clockTime(e.FetchedAt) + ": " + e.Field + " changed"
		if e.Field != "text" {
			line += fmt.Sprintf(" from %s to %s", e.From, e.To)
		}
		lines = append(lines, line)
	}
	if more := o.Outages.Total - len(o.Outages.Rows) + o.Changes.Total - len(o.Changes.Rows); more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more in robots.jsonl", thousands(more)))
	}
	if hops := len(o.Chain) - 1; hops > 0 {
		lines = append(lines, quantity(hops, "redirect")+" to "+o.Chain[hops])
	}
	return lines
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return thousands(n) + " times"
}

// sourceLabel says how a URL was found; the URL on which it was found follows.
func sourceLabel(source, foundOn string) string {
	switch {
	case source == "start":
		return "start URL"
	case foundOn == "":
		return source
	case source == "redirect":
		return "redirect from"
	case source == "sitemap" && foundOn == originOf(foundOn)+"/robots.txt":
		return "Sitemap line in"
	case source == "sitemap":
		return "entry in"
	default:
		return source + " in"
	}
}

func skippedDetail(u *RejectedURL) string {
	var parts []string
	if u.Rule != "" {
		parts = append(parts, fmt.Sprintf("%s, line %d", u.Rule, u.Line))
	}
	if u.Detail != "" {
		parts = append(parts, u.Detail)
	}
	if u.RetryAt.After(time.Time{}) {
		parts = append(parts, "not before "+moment(u.RetryAt))
	}
	return strings.Join(parts, ", ")
}

func sitemapDetail(f *SitemapFile) string {
	switch {
	case f.Detail != "":
		return f.Detail
	case f.Status >= http.StatusBadRequest:
		return "not found"
	case f.Status >= http.StatusMultipleChoices:
		return "redirect"
	}
	return ""
}
