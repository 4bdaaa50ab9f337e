// Package robots has the command robots, which explains robots.txt files.
package robots

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// Command returns the command "robots".
func Command(streams *cli.Streams) *cobra.Command {
	cmd := cli.Group(&cobra.Command{Use: "robots", Short: "Explain robots.txt files"})
	cmd.AddCommand(robotsAgentsCommand(streams), robotsCheckCommand(streams), robotsDiffCommand(streams), robotsLintCommand(streams), robotsShowCommand(streams))
	return cmd
}

// A ruling is the robots.txt that applies to a URL, and its source.
type ruling struct {
	from   string // URL or name of the file
	body   []byte
	file   *robotstxt.File   // nil if there are no rules
	record *robotsext.Record // nil if the user gave the file
}

// later reports whether robots.txt is unreachable, so that the verdict is later.
func (r ruling) later() bool {
	return r.record != nil && r.record.Outcome == robotsext.OutcomeUnreachable
}

// cut reports whether the robots.txt was cut off at the size limit.
func (r ruling) cut() bool {
	return r.file != nil && r.file.Truncated || r.record != nil && r.record.Truncated
}

// cutOff is the message for a file that was cut off.
var cutOff = fmt.Sprintf("is longer than %d bytes; the rest has no effect", robotstxt.DefaultMaxBytes)

// missing returns the message for a missing robots.txt.
func missing(rec *robotsext.Record) string {
	from := rec.Origin.RobotsURL()
	if err := rec.RedirectError(); err != nil {
		return fmt.Sprintf("%s: %s (status %d), treated as no robots.txt", from, cli.ErrorText(err), rec.Status)
	}
	return fmt.Sprintf("there is no %s (status %d)", from, rec.Status)
}

// blocked says why the guard refused the request, and how to allow it. It is empty if the
// request was not refused.
func (r ruling) blocked() string { return site.RefusedRobots(r.record) }

// unread returns the message for an unreachable or blocked robots.txt, and the exit code.
func (r ruling) unread() (text string, code int) {
	if why := r.blocked(); why != "" {
		return "is blocked: " + why, cli.ExitFailed
	}
	reason := cmp.Or(cli.ErrorText(r.record.Err), fmt.Sprintf("status %d", r.record.Status))
	return fmt.Sprintf("is unreachable: %s; retry after %s", reason, humanize.Time(r.record.RetryAt)), cli.ExitLater
}
