package runner

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// SummaryText returns the summary of a crawl as text.
func SummaryText(s *Summary) string {
	p := cli.Page{Names: 10}
	p.Printf("%s\n", endText(s.Summary))
	p.Field("pages", "%d%s", s.Pages, humanize.Counts(s.Statuses, "status "))
	p.Field("skipped", "%d%s", humanize.Sum(s.Rejected), humanize.Counts(s.Rejected, ""))
	if len(s.Checks) > 0 {
		redirected := ""
		if n := s.Checks[output.CheckRedirected]; n > 0 { // not a count of findings
			redirected = fmt.Sprintf(", %d redirected (the report says where these end)", n)
		}
		p.Field("checks", "%d: %d broken, %d unverified%s", humanize.Sum(s.Checks), s.Checks[output.CheckBroken], s.Checks[output.CheckUnverified], redirected)
	}
	if all := s.Shared; all != nil {
		p.Field("crawl", "%s by %s; this is worker %s of %s", humanize.Count(all.Pages(), "page"), humanize.Count(len(all.Workers), "worker"), all.Worker, all.Name)
	}
	// Hosts at blocked addresses, and hosts that were not due before the end of the crawl,
	// have no robots.txt request.
	p.Field("robots.txt", "%d requested, for %s", s.Robots, humanize.Count(min(s.Robots, s.Hosts), "host"))
	p.Field("sitemaps", "%d read, with %s", s.Sitemaps, humanize.Count(s.Entries, "entry"))
	if len(s.AddedHosts) > 0 {
		p.Field("joined", "%s (start URLs redirect there)", strings.Join(s.AddedHosts, " "))
	}
	if s.Unchanged > 0 {
		p.Field("unchanged", "%s since the last crawl", humanize.Count(s.Unchanged, "page"))
	}
	if s.Truncated.Pages > 0 {
		p.Field("truncated", "%s%s: %s", humanize.Count(s.Truncated.Pages, "page"), humanize.Counts(s.Truncated.Limits, ""), truncatedText(&s.Truncated))
	}
	if s.Duplicates > 0 {
		p.Field("duplicates", "%s with the same content as another page", humanize.Count(s.Duplicates, "page"))
	}
	if s.Found != nil {
		for _, f := range s.Found.Findings {
			if f.ID == needsJavaScript && f.Total > 0 {
				sites := "the site of "
				if f.Total > 1 {
					sites = humanize.Count(f.Total, "site") + ", such as the site of "
				}
				p.Field("JavaScript", "needed by %s%s: what was found is what a client without scripts sees", sites, cli.Escape(f.Rows[0].URL))
			}
		}
	}
	for i, l := range s.Lost {
		label := "lost"
		if i > 0 {
			label = ""
		}
		p.Field(label, "%s", cli.Escape(l.String()))
	}
	if s.RejectedIncomplete {
		p.Field("incomplete", "rejected.jsonl does not list all skipped URLs")
	}
	p.Field("files", "%s and robots/ in %s", strings.Join(filesIn(s.Output), ", "), cli.Escape(s.Output))
	if s.Report != "" {
		p.Field("report", "%s", cli.Escape(s.Report))
	}
	return p.String()
}

// needsJavaScript is the rule of the report for sites that show nothing without scripts.
const needsJavaScript = "needs-javascript"

// maxTruncatedShown is the number of truncated pages that the summary names.
const maxTruncatedShown = 3

// truncatedText names truncated pages.
func truncatedText(c *crawler.Truncated) string {
	var urls []string
	for _, page := range c.First[:min(len(c.First), maxTruncatedShown)] {
		urls = append(urls, cli.Escape(page.URL))
	}
	text := strings.Join(urls, ", ")
	if more := c.Pages - len(urls); more > 0 {
		text += fmt.Sprintf(" and %d more; see limits_reached in pages.jsonl", more)
	}
	return text
}

// filesIn names the most important files in the directory of a crawl, and the files of
// additional formats.
func filesIn(dir string) []string {
	names := []string{"pages.jsonl", "rejected.jsonl"}
	for shown, file := range map[string]string{"checks.jsonl": "checks.jsonl", "anchors.jsonl": "anchors.jsonl", "*.csv": csvout.PagesFile, sqlite.File: sqlite.File} {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && info.Size() > 0 {
			names = append(names, shown)
		}
	}
	if found, _ := fs.Glob(os.DirFS(dir), "*.warc.gz"); len(found) > 0 { // the pattern is valid
		names = append(names, "*.warc.gz")
	}
	slices.Sort(names[2:])
	return names
}

// endText says why the crawl ended, and how many URLs remain.
func endText(s *crawler.Summary) string {
	took := time.Duration(s.Duration).Round(100 * time.Millisecond)
	left := humanize.Count(s.Remaining, "URL") + " remaining"
	how := "failed"
	switch s.End {
	case crawler.EndFinished:
		if len(s.BlockedStartURLs) > 0 && s.Pages == 0 {
			return fmt.Sprintf("failed after %v", took)
		}
		return fmt.Sprintf("finished after %v", took)
	case crawler.EndDeferred:
		return fmt.Sprintf("ended after %v, %s; the next one may be requested at %s: resume then, or wait longer with --max-wait",
			took, left, humanize.Time(s.NextDue))
	case crawler.EndMaxPages, crawler.EndMaxBytes, crawler.EndMaxTime:
		how = "stopped at --" + string(s.End)
	case crawler.EndStopped:
		how = "stopped"
	case crawler.EndInterrupted:
		how = "interrupted"
	default:
		if s.Remaining == 0 { // not that all is done
			return fmt.Sprintf("failed after %v", took)
		}
	}
	return fmt.Sprintf("%s after %v, %s", how, took, left)
}

// A Summary is a [crawler.Summary] as JSON for scripts.
type Summary struct {
	*crawler.Summary

	Report        string `json:"report,omitempty"`         // path of report.html; report.json is beside it
	ResumeCommand string `json:"resume_command,omitempty"` // the command that resumes the crawl

	Found *report.Report `json:"-"` // the report
}

// NewSummary returns the summary of a crawl for scripts.
func NewSummary(s *crawler.Summary) *Summary {
	return &Summary{Summary: s, ResumeCommand: resumeCommand(s)}
}

// MaxListed is the number of waiting hosts that a text names.
const MaxListed = 5

// WaitingText names the hosts with remaining URLs and an unreachable robots.txt, one line
// for each reason. It returns an empty string if there are none.
func WaitingText(s *crawler.Summary) string {
	why := make(map[string][]string) // hosts by reason
	var reasons []string             // in the order of their first hosts
	for i, host := range s.Waiting {
		reason := ""
		if i < len(s.WaitingReasons) {
			reason = s.WaitingReasons[i]
		}
		if why[reason] == nil {
			reasons = append(reasons, reason)
		}
		why[reason] = append(why[reason], host)
	}
	p := cli.Page{Names: 10}
	label, named, told := "waiting", 0, 0
	for _, reason := range reasons {
		if named == MaxListed {
			break
		}
		hosts := why[reason]
		shown := min(len(hosts), MaxListed-named)
		text := humanize.List(hosts, shown)
		if reason != "" {
			text += ": " + cli.Escape(reason)
		}
		p.Field(label, "for robots.txt of %s", text)
		label, named, told = "", named+shown, told+len(hosts)
	}
	if more := len(s.Waiting) - told; more > 0 {
		p.Field("", "for robots.txt of %s for other reasons", humanize.Count(more, "more host"))
	}
	return p.String()
}

// LaterLine says on one line why a crawl ended with exit code 4 and how to resume it, for users
// who see no summary.
func LaterLine(s *crawler.Summary) string {
	parts := []string{endText(s)}
	for line := range strings.Lines(WaitingText(s)) {
		parts = append(parts, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(append(parts, strings.TrimSpace(ResumeText(s))), "; ") // the command as it is
}

// resumeCommand returns the command that resumes a crawl, or an empty string if it is
// complete. A failed crawl without remaining URLs still has results to write.
func resumeCommand(s *crawler.Summary) string {
	if s.Remaining == 0 && s.End != crawler.EndFailed {
		return ""
	}
	command := "politecrawl crawl --resume " + cli.ShellWord(s.Output)
	switch s.End {
	case crawler.EndMaxPages:
		return command + " --max-pages N"
	case crawler.EndMaxBytes:
		return command + " --max-bytes N"
	}
	return command
}

// ResumeText returns the line with the command that resumes the crawl, or an empty string
// if there is nothing to resume.
func ResumeText(s *crawler.Summary) string {
	if command := resumeCommand(s); command != "" {
		return "to resume: " + command + "\n"
	}
	return ""
}
