// Package robots explains robots.txt files: the command robots and those below it.
package robots

import (
	"context"
	"fmt"
	"io"
	"net/url"

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

// parseOptions is how this program reads robots.txt: as the specification says,
// and so that crawlers whose name is no product token can be asked about too.
func parseOptions() *robotstxt.Options { return &robotstxt.Options{WideTokens: true} }

// A ruling is the robots.txt that decides about a URL, and where it is from.
type ruling struct {
	from   string            // URL or name of the file
	file   *robotstxt.File   // nil: there are no rules
	record *robotsext.Record // nil: the file was given by the user
}

// later reports whether nobody knows yet what is allowed.
func (r ruling) later() bool {
	return r.record != nil && r.record.Outcome == robotsext.Unreachable
}

// cut reports whether the robots.txt goes on behind what is read of it.
func (r ruling) cut() bool {
	return r.file != nil && r.file.Truncated || r.record != nil && r.record.Truncated
}

// cutOff says so of it.
var cutOff = fmt.Sprintf("is longer than what is read of it, %d bytes; the rest has no effect", robotstxt.DefaultMaxBytes)

// missing says of a record that there is no robots.txt, and how that is known.
func missing(rec *robotsext.Record) string {
	from := rec.Origin.RobotsURL()
	if err := rec.RedirectError(); err != nil {
		return fmt.Sprintf("%s: %s (status %d), which counts as no robots.txt", from, cli.ErrorText(err), rec.Status)
	}
	return fmt.Sprintf("there is no %s (status %d)", from, rec.Status)
}

// A robotsSource finds the ruling of an origin.
type robotsSource func(ctx context.Context, origin *url.URL) (ruling, error)

// fromFile lets one robots.txt, read from a file or standard input, decide about
// every origin.
func fromFile(name string, stdin io.Reader) (robotsSource, error) {
	body, err := readRobots(name, stdin)
	if err != nil {
		return nil, err
	}
	r := ruling{from: name, file: robotstxt.Parse(body, parseOptions())}
	return func(context.Context, *url.URL) (ruling, error) { return r, nil }, nil
}

// fromSites fetches the robots.txt of each origin, once.
func fromSites(s *site.Flags) (robotsSource, error) {
	g, err := site.NewGuard(s.Allowed)
	if err != nil {
		return nil, err
	}
	robots, err := robotsext.New(s.UserAgent, &robotsext.Options{Fetch: robotsext.FetchOptions{Timeout: s.Timeout}, Guard: g, Parse: parseOptions()})
	if err != nil {
		return nil, cli.Misuse("--user-agent: %w", err)
	}
	return func(ctx context.Context, origin *url.URL) (ruling, error) {
		rec, err := robots.Record(ctx, origin)
		if err != nil {
			return ruling{}, err
		}
		return ruling{from: rec.Origin.RobotsURL(), file: rec.File, record: rec}, nil
	}, nil
}

// barred says of a ruling that the guard refused why, and how to allow it; empty: it is
// another one.
func (r ruling) barred() string { return site.RefusedRobots(r.record) }

// unread says of a robots.txt that it could not be read, why, and what to do about it, and
// has the exit code for that.
func (r ruling) unread() (text string, code int) {
	if why := r.barred(); why != "" {
		return "is refused: " + why, cli.ExitFailed
	}
	return fmt.Sprintf("is unreachable: %s; ask again after %s", r.reason(), humanize.Time(r.record.RetryAt)), cli.ExitLater
}
