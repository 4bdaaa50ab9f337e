package robots

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A check is one run of "robots check".
type check struct {
	*cli.Streams
	robots  string   // --robots
	agents  []string // --agent
	input   robotsInput
	format  cli.Format
	quiet   bool
	explain bool

	given  *ruling // of --robots
	groups lineFinder
	asked  []agent
	code   int
}

// The three verdicts in the output.
const (
	allowed    = "allowed"
	disallowed = "disallowed"
	later      = "later"
)

// An answer is the result for one URL and one agent.
type answer struct {
	URL       string    `json:"url"`
	Agent     string    `json:"agent"`
	Verdict   string    `json:"verdict"`
	Group     string    `json:"group"` // product token of the group in force, "*", or empty if none
	Rule      string    `json:"rule"`  // empty if no rule applies
	Line      int       `json:"line"`
	RobotsURL string    `json:"robots_url"`
	Status    int       `json:"status,omitempty"`
	Error     string    `json:"error,omitempty"`
	RetryAt   time.Time `json:"retry_at,omitzero"`

	Explain *explanation `json:"explain,omitempty"`
}

func robotsCheckCommand(streams *cli.Streams) *cobra.Command {
	c := &check{Streams: streams, input: newInput(streams, "robots check"), groups: lineFinder{}}
	cmd := &cobra.Command{
		Use:   "check URL…",
		Short: "Check whether robots.txt allows URLs, and by which line",
		Long: `Check whether robots.txt allows each URL, and name the line that decides. The command
fetches the robots.txt of each URL's origin. --robots reads a file instead; paths such as
/private/ can then replace URLs. A URL of - means standard input, one URL per line. A URL is
normalized first, as a crawl sends it: /a\b to /a/b, /100% to /100%25.

--agent names crawlers by their product tokens or User-Agent headers. A,B checks for two crawlers. A+B is one
crawler with two tokens: the first token that has a group in the file decides. * is a
crawler that no file names.

--explain prints the group and why it was chosen, every rule in it that matches, the rule
that decides and why, and how robots.txt was fetched. It takes a few microseconds per URL,
and up to a millisecond for files with thousands of wildcard rules.

--format json writes an object for each verdict on a line of its own:

    url, agent
    verdict         allowed, disallowed or later (robots.txt unreachable or blocked)
    group           product token of the group that applies, or *; empty if none
    rule, line      the rule that decides; empty and 0 if none
    robots_url      URL or name of the file
    status, error, retry_at
                    of the request for robots.txt, if there was one
    explain         object, with --explain:
      path          the path as it is compared with the rules
      token         product token that chose the group, or *
      group_lines   line numbers of the User-agent lines that name the group
      rules         number of rules in the group
      matches       list of objects, the deciding rule first: line, length, rule, pattern
      reason        longest: the longest matching rule decides
                    tie: an Allow and a Disallow rule are the longest, and Allow wins
                    only: one rule matches
                    no-rule: no rule of the group matches
                    no-group: no group applies
                    no-file: there is no robots.txt
                    robots.txt: /robots.txt itself is always allowed
                    unreachable: robots.txt is unreachable or blocked
      fetch         how robots.txt was fetched, as in "robots show --help"
      age_ms        time since the fetch
      truncated     true if the file was cut off at the size limit

Exit code: 0 all allowed, 1 some disallowed, 2 usage error, 3 failed or blocked address, 4
some robots.txt unreachable. --quiet prints no verdicts.`,
		Example: `  politecrawl robots check https://example.com/private/ --agent Googlebot,Bingbot
  politecrawl robots check --robots robots.txt /private/ /public/
  politecrawl robots check https://example.com/private/ --explain
  politecrawl robots check - --format json < urls.txt`,
		Args: cli.Args(1, -1, "URLs, or - to read them from standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), args) },
	}
	c.format.AddFlag(cmd)
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&c.robots, "robots", "", "check against `FILE` instead of the sites' robots.txt; -: standard input")
	flags.StringSliceVar(&c.agents, "agent", []string{"politecrawl"}, "check for the crawlers with the product tokens `A,B` (default politecrawl)")
	flags.Lookup("agent").DefValue = "[]" // the usage has the default
	c.input.site.Add(flags, site.RobotsTimeout)
	flags.BoolVar(&c.explain, "explain", false, "explain each verdict")
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "print no verdicts; use the exit code")
	return cmd
}

func (c *check) run(ctx context.Context, args []string) error {
	if err := c.prepare(args); err != nil {
		return err
	}
	asked := 0
	for u, err := range c.urls(args) {
		if err != nil {
			return cli.Failed("robots check: standard input: %w", err)
		}
		asked++
		if err := c.ask(ctx, u); err != nil {
			return err
		}
	}
	if asked == 0 {
		return cli.Misuse("robots check: standard input has no URL; write one URL per line")
	}
	return cli.ExitWith(c.code)
}

// prepare checks the command line before any request.
func (c *check) prepare(args []string) error {
	if c.robots == cli.Stdin && slices.Contains(args, cli.Stdin) {
		return cli.Misuse("robots check: standard input cannot be both robots.txt and URLs; give one of them as a file")
	}
	if err := c.input.site.Check(c.input.command); err != nil {
		return err
	}
	for _, text := range c.agents {
		a, err := site.ParseAgent(text)
		if err != nil {
			return cli.Misuse("robots check: --agent: %w", err)
		}
		c.asked = append(c.asked, a)
	}
	if len(c.asked) == 0 {
		return cli.Misuse("robots check: --agent: name at least one product token")
	}
	if c.robots == "" {
		return nil
	}
	given, err := c.input.file(c.robots)
	if err != nil {
		return fmt.Errorf("robots check: --robots: %w", err)
	}
	c.given = &given
	return nil
}

// ruling returns the robots.txt that applies to an origin.
func (c *check) ruling(ctx context.Context, origin *url.URL) (ruling, error) {
	if c.given != nil {
		return *c.given, nil
	}
	return c.input.fetch(ctx, origin)
}

// urls yields the URLs of the arguments, as lines without a number. It replaces - with the
// lines of standard input.
func (c *check) urls(args []string) iter.Seq2[cli.Line, error] {
	return func(yield func(cli.Line, error) bool) {
		for _, arg := range args {
			if arg != cli.Stdin {
				if !yield(cli.Line{Text: arg}, nil) {
					return
				}
				continue
			}
			for line, err := range cli.Lines(c.In) {
				if !yield(line, err) {
					return
				}
			}
		}
	}
}

// ask checks one URL. It reports an invalid URL, and the command continues.
func (c *check) ask(ctx context.Context, u cli.Line) error {
	target, origin, err := site.Target(u.Text, c.robots != "")
	if err != nil {
		if u.Number > 0 {
			err = fmt.Errorf("standard input, line %d: %w", u.Number, err)
		}
		c.Complain(fmt.Errorf("robots check: %w", err))
		c.code = cli.Worse(c.code, cli.ExitMisuse)
		return nil
	}
	ruling, err := c.ruling(ctx, origin)
	if err != nil {
		return err
	}
	for _, a := range c.asked {
		ans := ruling.answer(target, a)
		ans.URL = secret.RedactURL(u.Text)
		if c.explain && !c.quiet {
			ans.Explain = ruling.explain(target, a, c.groups)
		}
		if err := c.write(ans, a); err != nil {
			return err
		}
		switch ans.Verdict {
		case disallowed:
			c.code = cli.Worse(c.code, cli.ExitFindings)
		case later:
			_, code := ruling.unread()
			c.code = cli.Worse(c.code, code)
		}
	}
	return nil
}

// answer returns the verdict about one URL for one agent.
func (r ruling) answer(rawURL string, a agent) answer {
	ans := answer{Agent: a.String(), Verdict: allowed, RobotsURL: r.from}
	if rec := r.record; rec != nil {
		ans.Status = rec.Status
		if r.later() {
			ans.Verdict = later
			if ans.Error = r.blocked(); ans.Error == "" {
				ans.RetryAt = rec.RetryAt
				if rec.Err != nil {
					ans.Error = cli.ErrorText(rec.Err)
				}
			}
		}
		if err := rec.RedirectError(); err != nil {
			ans.Error = cli.ErrorText(err)
		}
	}
	if r.file == nil {
		return ans
	}
	v := r.file.Check(rawURL, a.names()...)
	ans.Group = v.Group.Name()
	if !v.Allowed {
		ans.Verdict = disallowed
	}
	if v.Rule != nil {
		ans.Rule, ans.Line = secret.RedactText(v.Rule.String()), v.Rule.Line
	}
	return ans
}

func (c *check) write(ans answer, a agent) error {
	if c.quiet {
		return nil
	}
	if c.format == cli.JSON {
		return c.PrintJSON(ans)
	}
	text := ans.text(c.Painter())
	if ans.Explain != nil {
		text += ans.Explain.text(c.Painter(), ans, a)
	}
	return c.Print(text)
}

// text returns the answer as a line of text.
func (a answer) text(paint cli.Painter) string {
	tint := map[string]cli.Color{allowed: cli.Green, disallowed: cli.Red, later: cli.Yellow}[a.Verdict]
	verdict := a.Verdict
	if a.blocked() {
		verdict = "blocked"
	}
	return fmt.Sprintf("%s %s  %s: %s\n", paint(tint, fmt.Sprintf("%-10s", verdict)), cli.Escape(a.URL), a.Agent, cli.Escape(a.why()))
}

// blocked reports whether the address of robots.txt is blocked.
func (a answer) blocked() bool { return a.Verdict == later && a.RetryAt.IsZero() }

// why returns the reason of the verdict.
func (a answer) why() string {
	from := cli.InputName(a.RobotsURL)
	switch {
	case a.blocked():
		return fmt.Sprintf("%s is blocked: %s", from, a.Error)
	case a.Verdict == later:
		return fmt.Sprintf("%s is unreachable (%s); retry after %s", from, a.Error, humanize.Time(a.RetryAt))
	case a.Rule != "" && a.Group != "":
		return fmt.Sprintf("line %d of %s, %q in the group %s", a.Line, from, a.Rule, a.Group)
	case a.Group != "":
		return fmt.Sprintf("no rule applies in the group %s, %s", a.Group, from)
	case a.Error != "":
		return fmt.Sprintf("%s: %s (status %d), treated as no robots.txt", from, a.Error, a.Status)
	case a.Status >= 300:
		return fmt.Sprintf("there is no %s (status %d)", from, a.Status)
	default:
		return "no group applies in " + from
	}
}

// An agent is a crawler as --agent names it: product tokens in the order in which it looks
// for its group (ROB-UA-04). An agent without tokens obeys only the group *.
type agent []string

// names returns the names for robotstxt.File.Group.
func (a agent) names() []string {
	if len(a) == 0 {
		return []string{"*"}
	}
	return a
}

func (a agent) String() string { return strings.Join(a.names(), "+") }
