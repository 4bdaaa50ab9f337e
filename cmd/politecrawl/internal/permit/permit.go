// Package permit has the command permit, which says what pages may be used for.
package permit

import (
	"context"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// A permit is one run of "permit".
type permit struct {
	*cli.Streams
	names  []string // --purpose
	robots string   // --robots
	agent  string   // --agent
	verify string   // --verify
	site   site.Flags
	format cli.Format

	purposes []usage.Purpose // to print
	token    string          // of --agent, or of the user agent
	given    []byte          // the file of --robots
	online   *client
	code     int
}

// Command returns the command "permit".
func Command(streams *cli.Streams) *cobra.Command {
	p := &permit{Streams: streams}
	cmd := &cobra.Command{
		Use:   "permit URL…",
		Short: "Show what pages may be used for, and by which statements",
		Long: `Show what each page may be used for: search, ai-input (results of an AI assistant), train-ai
(training of AI models), tdm (text and data mining) and archive. Any statement that disallows a
purpose wins over those that allow it. Without a statement, the value is unknown.

The command requests robots.txt, the page and tdmrep.json, and the first license file (RSL) that
one of them names. It reads Content-Usage, Content-Signal and License in robots.txt, the headers
Content-Usage, X-Robots-Tag, Robots-Tag, TDM-Reservation and Link, and the meta elements of the
page. It follows redirects. It requests only what robots.txt allows, and waits for --delay or
Crawl-delay between two requests to a host. --robots reads a file instead and requests nothing;
paths such as /private/ can then replace URLs.

--agent names another crawler by its product token, and shows what it may use the pages for. The
command still requests only what robots.txt allows to its own user agent.

--verify checks the record of a crawl, without requests: it computes every line of
permissions.jsonl again from the kept files in robots/versions and from the texts of headers and
meta elements. It reports every difference, and kept files that were changed or are missing. The
record has no copy of a file that the site forbade to keep (no-store); its statements cannot be
verified, nor can texts that were cut at 1,000 bytes. The command counts both. It also reports
pages without a line, lines without a page, and robots.txt files that did not apply by
robots.jsonl (unless the crawl is shared). It does not find a statement of a header or meta
element that was removed, or whose text and values were changed together.

--format json writes an object for each page on a line of its own:

    url             as given
    page            URL of the page after redirects, if it differs
    verdict         allowed, disallowed or later: whether robots.txt allows the page
    group, rule, line
                    of robots.txt, as in "robots check --help"
    status          HTTP status of the page
    purposes        list of objects: purpose; value: allowed, disallowed or unknown; statement:
                    number of the deciding statement, from 1; 0 if none
    statements      list of objects, as in permissions.jsonl: kind, source, raw, url, values,
                    labels
    errors          what could not be read, and is therefore missing

With --verify it writes an object for each difference: line (of permissions.jsonl, if it has
one), url, file, problem. The last object counts lines, statements, files, differences, not_kept and cut.

Exit code: 0 all pages and purposes are allowed or unknown, and the record agrees; 1 robots.txt
disallows a page, or a page one of the purposes of --purpose, or the record has differences; 2
usage error; 3 a page could not be read, or its address is blocked; 4 some robots.txt
unreachable, or with --purpose tdm some tdmrep.json unreachable, invalid or too large.`,
		Example: `  politecrawl permit https://example.com/article
  politecrawl permit https://example.com/article --purpose train-ai --purpose tdm
  politecrawl permit https://example.com/article --agent GPTBot
  politecrawl permit --robots robots.txt /articles/
  politecrawl permit --verify example`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("verify") {
				return cli.Args(0, 0, "")(cmd, args)
			}
			return cli.Args(1, -1, "URLs, or --verify and the directory of a crawl")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("verify") {
				return p.runVerify(cmd)
			}
			return p.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	p.format.AddFlag(cmd)
	flags.StringSliceVar(&p.names, "purpose", nil, "show only `PURPOSE`: search, ai-input, train-ai, tdm or archive; repeatable")
	flags.StringVar(&p.robots, "robots", "", "read `FILE` instead of requesting anything; -: standard input")
	flags.StringVar(&p.agent, "agent", "", "show what the crawler with the product token `A` may do (default politecrawl)")
	flags.StringVar(&p.verify, "verify", "", "verify the permissions that the crawl in `DIR` has recorded")
	p.site.AddWithDelay(flags, "stop a request after `DURATION`")
	_ = cmd.RegisterFlagCompletionFunc("purpose", cobra.FixedCompletions(cli.Words(usage.Purposes[:]...), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *permit) run(ctx context.Context, args []string) error {
	if err := p.prepare(); err != nil {
		return err
	}
	for _, raw := range args {
		if err := p.ask(ctx, raw); err != nil {
			return err
		}
	}
	return cli.ExitWith(p.code)
}

// prepare checks the command line before any request.
func (p *permit) prepare() error {
	if err := p.site.Check("permit"); err != nil {
		return err
	}
	p.purposes = usage.Purposes[:]
	if len(p.names) > 0 {
		p.purposes = nil
	}
	for _, name := range p.names {
		purpose, err := usage.ParsePurpose(name)
		if err != nil {
			return cli.Misuse("permit: --purpose: %w", err)
		}
		p.purposes = append(p.purposes, purpose)
	}
	var err error
	if p.token, err = robotstxt.ProductToken(p.site.UserAgent); err != nil {
		return cli.Misuse("permit: --user-agent: %w", err)
	}
	if p.agent != "" {
		tokens, err := site.ParseAgent(p.agent)
		if err != nil {
			return cli.Misuse("permit: --agent: %w", err)
		}
		if len(tokens) != 1 {
			return cli.Misuse("permit: --agent: %q is not one product token; name one crawler, such as GPTBot", p.agent)
		}
		p.token = tokens[0]
	}
	if p.robots != "" {
		if p.given, err = cli.ReadInput(p.robots, p.In); err != nil {
			return fmt.Errorf("permit: --robots: %w", err)
		}
		return nil
	}
	p.online, err = p.newClient()
	return err
}

// ask prints the result for one URL. It reports an invalid URL, and the command continues.
func (p *permit) ask(ctx context.Context, raw string) error {
	target, u, err := p.target(raw)
	if err != nil {
		p.Complain(fmt.Errorf("permit: %w", err))
		p.code = cli.Worse(p.code, cli.ExitMisuse)
		return nil
	}
	a := &result{URL: secret.RedactURL(raw), Page: target, Verdict: allowed, Purposes: []purposeOutput{}}
	if p.online == nil {
		p.readRobots(a, robotstxt.Parse(p.given, nil), usage.Hash(p.given), u)
	} else if err := p.readSite(ctx, a, u); err != nil {
		return err
	}
	verdicts := usage.Merge(a.Statements)
	for _, purpose := range p.purposes {
		v := verdicts[purpose]
		a.Purposes = append(a.Purposes, purposeOutput{purpose, v.Value, v.Statement})
		if len(p.names) > 0 && v.Value == usage.Disallowed {
			p.code = cli.Worse(p.code, cli.ExitFindings)
		}
	}
	if a.Verdict == disallowed {
		p.code = cli.Worse(p.code, cli.ExitFindings)
	}
	a.redact(target)
	return p.PrintAs(p.format, a, a.text(p.Painter()))
}

// target returns the URL as a crawl sends it.
func (p *permit) target(raw string) (target string, u *url.URL, err error) {
	if target, _, err = site.Target(raw, p.robots != ""); err != nil {
		return "", nil, err
	}
	if u, err = url.Parse(target); err != nil {
		return "", nil, fmt.Errorf("%q is not a URL", secret.RedactInvalidURL(raw))
	}
	u, err = robotsext.CleanURL(u)
	return target, u, err
}
