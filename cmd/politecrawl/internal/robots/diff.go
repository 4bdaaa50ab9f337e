package robots

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotsdiff"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A fileDiff is one run of "robots diff".
type fileDiff struct {
	*cli.Streams
	input  robotsInput
	format cli.Format
	limit  int
	quiet  bool
}

func robotsDiffCommand(streams *cli.Streams) *cobra.Command {
	d := &fileDiff{Streams: streams, input: newInput(streams, "robots diff")}
	d.input.options.MaxCrawlDelay = -1 // compare the delays as written
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare what two robots.txt files allow",
		Long: `Compare the meaning of two robots.txt files: which URLs have a different verdict, for which
agents, and by which lines. The order of groups and rules, comments, percent-encoding and
rules without effect make no difference. OLD and NEW are files or URLs. For a URL, the
command fetches the robots.txt of its origin. A file of - means standard input.

Each change is a URL pattern, with * and $ as in the rules of robots.txt. The verdict differs
for all URLs that match the pattern, except the listed exceptions. "any other agent" is an
agent that neither file names. Changed Crawl-delay and Sitemap lines are listed too. The last
line has the number of changes.

--format json writes one object with all changes, whatever --limit is:

    old, new        URLs or names of the files
    changed         true if anything changed
    agents          list of objects: agents (product tokens; * is any other agent),
                    changes, crawl_delay
    sitemaps        object: added, removed
    complete        false if the files are too complex to compare completely

Exit code: 0 nothing changed, 1 something changed, 2 usage error, 3 failed or blocked
address, 4 robots.txt unreachable. --quiet prints no changes.`,
		Example: `  politecrawl robots diff robots.txt robots-new.txt
  politecrawl robots diff https://example.com/ robots-new.txt
  git show HEAD:robots.txt | politecrawl robots diff - robots.txt`,
		Args: cli.Args(2, 2, "two files or URLs"),
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().SortFlags = false
	d.format.AddFlag(cmd)
	d.input.site.Add(cmd.Flags(), site.RobotsTimeout)
	cmd.Flags().IntVar(&d.limit, "limit", 100, "list at most `N` changes; 0: all")
	cmd.Flags().BoolVarP(&d.quiet, "quiet", "q", false, "print no changes; use the exit code")
	return cmd
}

func (d *fileDiff) run(ctx context.Context, oldName, newName string) error {
	if oldName == cli.Stdin && newName == cli.Stdin {
		return cli.Misuse("robots diff: standard input cannot be both files; name one of them")
	}
	if d.limit < 0 {
		return cli.Misuse("robots diff: --limit: %d is negative", d.limit)
	}
	if err := d.input.site.Check(d.input.command); err != nil {
		return err
	}
	was, err := d.read(ctx, oldName)
	if err != nil {
		return err
	}
	is, err := d.read(ctx, newName)
	if err != nil {
		return err
	}
	diff := robotsdiff.Compare(was.file, is.file, nil)
	if !diff.Complete {
		const why = "the files have too many differences, rules or wildcards to be compared completely"
		if !diff.Changed() {
			return cli.Failed("robots diff: %s; no change was found", why)
		}
		d.remark(why + "; there may be more changes and exceptions")
	}
	shown := diffOutputOf(was.from, is.from, diff)
	for _, name := range slices.Concat(was.file.Agents(), is.file.Agents()) {
		shown.named = shown.named || name != "*"
	}
	if !d.quiet {
		if err := d.PrintAs(d.format, shown, shown.text(d.Painter(), d.limit)); err != nil {
			return err
		}
	}
	if diff.Changed() {
		return cli.ExitWith(cli.ExitFindings)
	}
	return nil
}

// read reads one of the files.
func (d *fileDiff) read(ctx context.Context, name string) (ruling, error) {
	r, err := d.input.read(ctx, name)
	if err == nil && r.record != nil && r.record.Outcome == robotsext.OutcomeAllowAll {
		d.remark(missing(r.record) + ": everything is allowed")
	}
	if err == nil && r.cut() {
		d.remark(cli.InputName(r.from) + " " + cutOff)
	}
	if err == nil && slices.ContainsFunc(r.file.Findings, func(f robotstxt.Finding) bool { return f.Kind == robotstxt.KindHTML }) {
		d.remark(cli.InputName(r.from) + " is an HTML page, not a robots.txt; lines that look like rules still apply")
	}
	return r, err
}

// remark writes a notice that is no error, unless --quiet is set.
func (d *fileDiff) remark(line string) {
	if !d.quiet {
		d.Notice(line)
	}
}

// A diffOutput has the differences of two files.
type diffOutput struct {
	Old      string            `json:"old"` // URL, file name or -
	New      string            `json:"new"`
	Changed  bool              `json:"changed"`
	Agents   []agentDiffOutput `json:"agents"`
	Sitemaps struct {
		Added   []robotstxt.Sitemap `json:"added"`
		Removed []robotstxt.Sitemap `json:"removed"`
	} `json:"sitemaps"`
	Complete bool `json:"complete"`

	named bool // some agent is named, so that "*" is any other
}

type agentDiffOutput struct {
	Agents     []string         `json:"agents"` // "*" for any that is not named
	Changes    []changeOutput   `json:"changes"`
	CrawlDelay *delayDiffOutput `json:"crawl_delay,omitempty"`
}

type changeOutput struct {
	Pattern string         `json:"pattern"`
	Except  []string       `json:"except,omitempty"`
	Example string         `json:"example"`
	Old     decisionOutput `json:"old"`
	New     decisionOutput `json:"new"`
}

type decisionOutput struct {
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"` // empty if none matches
	Lines   []int  `json:"lines"`
}

type delayDiffOutput struct {
	OldMS int64 `json:"old_ms"`
	NewMS int64 `json:"new_ms"`
}

func diffOutputOf(was, is string, d *robotsdiff.Diff) diffOutput {
	s := diffOutput{Old: was, New: is, Changed: d.Changed(), Agents: []agentDiffOutput{}, Complete: d.Complete}
	for _, a := range d.Agents {
		shown := agentDiffOutput{Agents: a.Agents, Changes: []changeOutput{}}
		for _, c := range a.Changes {
			change := changeOutput{secret.RedactText(c.Pattern), slices.Clone(c.Except), secret.RedactText(c.Example), decisionOutputOf(c.Old), decisionOutputOf(c.New)}
			for i := range change.Except {
				change.Except[i] = secret.RedactText(change.Except[i])
			}
			shown.Changes = append(shown.Changes, change)
		}
		if a.OldDelay != a.NewDelay {
			shown.CrawlDelay = &delayDiffOutput{a.OldDelay.Milliseconds(), a.NewDelay.Milliseconds()}
		}
		s.Agents = append(s.Agents, shown)
	}
	s.Sitemaps.Added, s.Sitemaps.Removed = sitemapsOutput(d.Added), sitemapsOutput(d.Removed)
	return s
}

func decisionOutputOf(d robotsdiff.Decision) decisionOutput {
	s := decisionOutput{Verdict: disallowed, Lines: []int{}}
	if d.Allowed {
		s.Verdict = allowed
	}
	if d.Rule != nil {
		s.Rule, s.Lines = secret.RedactText(d.Rule.String()), d.Lines
	}
	return s
}
