package robots

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotslint"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A lint is one run of "robots lint".
type lint struct {
	*cli.Streams
	input  robotsInput
	format cli.Format
	limit  int
	quiet  bool

	counts map[robotslint.Severity]int
	code   int
}

// A lintFinding is a finding with the name of its file.
type lintFinding struct {
	File string `json:"file"` // URL, file name or -
	robotslint.Finding
}

func robotsLintCommand(streams *cli.Streams) *cobra.Command {
	l := &lint{Streams: streams, input: newInput(streams, "robots lint"), counts: map[robotslint.Severity]int{}}
	cmd := &cobra.Command{
		Use:   "lint FILE|URL|-…",
		Short: "Find mistakes in a robots.txt, with fixes",
		Long: `Find mistakes in a robots.txt: lines that crawlers ignore, misleading rules, redundant
rules. Each finding has the line, the problem, the requirement of the specification and a
fix, unless the line may be right. For a file without findings, the command prints nothing.
For a URL, it fetches the robots.txt of the origin. A FILE of - means standard input.

An error is a line that does not work. A warning is a line that works for some crawlers
only, or has no effect. A note is information.

--format json writes an object for each finding on a line of its own:

    file            URL or name of the file
    line            line number
    severity        error, warning or note
    kind            kind of the mistake
    id              id of the requirement in the specification
    text            the text of the line
    message         the problem
    fix             how to correct it; empty if the line may be right. A fix that begins
                    with write "…" or remove disallows nothing that any crawler allows now
    omitted         number of findings of this kind that --limit omits

Exit code: 0 no errors or warnings, 1 errors or warnings, 2 usage error, 3 failed or
blocked address, 4 robots.txt unreachable. --quiet prints no findings.`,
		Example: `  politecrawl robots lint robots.txt
  politecrawl robots lint https://example.com/
  politecrawl robots lint --format json robots.txt | jq -r .kind | sort | uniq -c`,
		Args: cli.Args(1, -1, "file names, URLs or -"),
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) },
	}
	l.format.AddFlag(cmd)
	flags := cmd.Flags()
	flags.SortFlags = false
	l.input.site.Add(flags, site.RobotsTimeout)
	flags.BoolVarP(&l.quiet, "quiet", "q", false, "print no findings; use the exit code")
	flags.IntVar(&l.limit, "limit", robotslint.DefaultMaxPerKind, "list at most `N` findings of a kind per file; 0: all")
	return cmd
}

func (l *lint) run(ctx context.Context, args []string) error {
	if err := l.input.site.Check(l.input.command); err != nil {
		return err
	}
	if l.limit < 0 {
		return cli.Misuse("robots lint: --limit: %d is negative", l.limit)
	}
	for _, arg := range args {
		if err := l.one(ctx, arg); err != nil {
			return err
		}
	}
	if err := l.summary(); err != nil {
		return err
	}
	return cli.ExitWith(l.code)
}

// one lints the file of one argument. It reports a file that cannot be read, and the
// command continues.
func (l *lint) one(ctx context.Context, arg string) error {
	r, err := l.input.read(ctx, arg)
	opts := robotslint.Options{}
	switch rec := r.record; {
	case err != nil:
		l.Complain(err)
		l.code = cli.Worse(l.code, cli.ExitCode(err))
		return nil
	case rec == nil:
	case rec.RedirectError() != nil:
		return l.astray(rec)
	case rec.Outcome == robotsext.OutcomeAllowAll:
		if !l.quiet {
			l.Notice(missing(rec) + ": everything is allowed")
		}
		return nil
	default:
		opts = robotslint.Options{URL: r.from, Truncated: rec.Truncated}
	}
	return l.body(r.from, r.body, opts)
}

// astray reports redirects without an end as a finding in line 1, since there is no file.
func (l *lint) astray(rec *robotsext.Record) error {
	f := robotslint.Finding{
		Line: 1, Severity: robotslint.Error, Kind: "redirect-loop", SpecID: "ROB-FET-07",
		Text:    strings.Join(rec.RedirectChain, " → "),
		Message: cli.ErrorText(rec.RedirectError()) + ": crawlers treat the file as missing, and everything is allowed",
		Fix:     "respond with the file itself, or with one redirect to it",
	}
	if errors.Is(rec.RedirectError(), robotsext.ErrTooManyRedirects) {
		f.Kind, f.SpecID = "too-many-redirects", "ROB-FET-05"
	}
	return l.report(rec.Origin.RobotsURL(), f)
}

// report counts and writes a finding.
func (l *lint) report(file string, f robotslint.Finding) error {
	l.counts[f.Severity] += 1 + f.Omitted
	if f.Severity != robotslint.Note {
		l.code = cli.Worse(l.code, cli.ExitFindings)
	}
	if l.quiet {
		return nil
	}
	found := lintFinding{file, f}
	return l.PrintAs(l.format, found, found.text(l.Painter()))
}

// body writes the findings of one robots.txt.
func (l *lint) body(name string, body []byte, opts robotslint.Options) error {
	opts.MaxPerKind = l.limit
	if l.limit == 0 {
		opts.MaxPerKind = -1
	}
	tame, shown := secret.RedactRobots(body)
	for _, f := range robotslint.Lint(tame, &opts) {
		f.Text, f.Message, f.Fix = shown(f.Text), shown(f.Message), shown(f.Fix)
		if err := l.report(name, f); err != nil {
			return err
		}
	}
	return nil
}

// text returns the finding as text in the format of compilers, with file and line first.
func (f lintFinding) text(paint cli.Painter) string {
	tint := map[robotslint.Severity]cli.Color{robotslint.Error: cli.Red, robotslint.Warning: cli.Yellow}[f.Severity]
	text := fmt.Sprintf("%s:%d: %s: %s [%s %s]\n", cli.Escape(cli.InputName(f.File)), f.Line, paint(tint, string(f.Severity)),
		cli.Escape(f.Message), f.Kind, f.SpecID)
	if f.Fix != "" {
		text += "    fix: " + cli.Escape(f.Fix) + "\n"
	}
	if f.Omitted > 0 {
		text += paint(cli.Faint, fmt.Sprintf("    and %d more; --limit 0 lists all", f.Omitted)) + "\n"
	}
	return text
}

// summary prints the number of findings, if there are any.
func (l *lint) summary() error {
	var parts []string
	for _, s := range []robotslint.Severity{robotslint.Error, robotslint.Warning, robotslint.Note} {
		if n := l.counts[s]; n > 0 {
			parts = append(parts, humanize.Count(n, string(s)))
		}
	}
	if len(parts) == 0 || l.quiet || l.format == cli.JSON {
		return nil
	}
	return l.Print(strings.Join(parts, ", ") + "\n")
}
