package robots

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A fileOutput is a parsed robots.txt and how it was fetched.
type fileOutput struct {
	From      string              `json:"from"` // URL, file name or -
	Fetch     *fetchOutput        `json:"fetch,omitempty"`
	Groups    []groupOutput       `json:"groups"`
	Sitemaps  []robotstxt.Sitemap `json:"sitemaps"`
	Findings  []robotstxt.Finding `json:"findings"`
	Other     []fieldOutput       `json:"other_fields"` // those outside of groups
	Truncated bool                `json:"truncated,omitempty"`
}

type fetchOutput struct {
	Outcome      string    `json:"outcome"`
	Status       int       `json:"status,omitempty"`
	Error        string    `json:"error,omitempty"`
	Chain        []string  `json:"chain"`
	Bytes        int       `json:"bytes"`
	FetchedAt    time.Time `json:"fetched_at"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	FailingSince time.Time `json:"failing_since,omitzero"`
	RetryAt      time.Time `json:"retry_at,omitzero"`
}

// A groupOutput has the rules for some agents, merged from all groups that name them.
type groupOutput struct {
	Agents       []string      `json:"agents"`
	Rules        []ruleOutput  `json:"rules"`
	CrawlDelayMS int64         `json:"crawl_delay_ms,omitempty"`
	Fields       []fieldOutput `json:"fields,omitempty"`
	Omitted      int           `json:"omitted,omitempty"` // number of rules and fields that are not listed, see maxListed
}

type ruleOutput struct {
	Line int    `json:"line"`
	Rule string `json:"rule"`
}

type fieldOutput struct {
	Line  int    `json:"line"`
	Field string `json:"field"`
	Value string `json:"value"`
}

func robotsShowCommand(streams *cli.Streams) *cobra.Command {
	var format cli.Format
	in := newInput(streams, "robots show")
	cmd := &cobra.Command{
		Use:   "show URL|FILE|-",
		Short: "Show how a robots.txt is parsed",
		Long: `Show how a robots.txt is parsed: the groups with the line of each rule, delays, sitemaps,
other fields, and findings. For a URL, the command fetches the robots.txt of its origin, and
also shows the status, the redirects and the times of the request. A FILE of - means
standard input. At most 100,000 rules and fields are listed. "politecrawl robots lint" finds
more mistakes.

--format json writes one object:

    from            URL or name of the file
    fetch           object, if the file was fetched:
      outcome       rules (they apply), allow-all (no robots.txt) or unreachable
      status, error, bytes
                    of the response
      chain         list of the requested URL and the redirect targets
      fetched_at, expires_at, failing_since, retry_at
                    times of the fetch, of its expiry, of the first failure and of the retry
    groups          list of objects, one for each group: agents, rules (line, rule),
                    crawl_delay_ms, fields (line, field, value), and omitted, the number of
                    rules and fields that are not listed
    sitemaps        list of objects: line, url
    findings        list of objects: line (0 for the whole file), kind, text
    other_fields    list of fields outside groups: line, field, value
    truncated       true if the file was cut off at the size limit

Exit code: 0 done, 2 usage error, 3 failed or blocked address, 4 robots.txt unreachable.`,
		Args: cli.Args(1, 1, "one URL, file name or -"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(cmd.Context(), &in, args[0], format)
		},
	}
	format.AddFlag(cmd)
	in.site.Add(cmd.Flags(), site.RobotsTimeout)
	return cmd
}

func show(ctx context.Context, in *robotsInput, name string, format cli.Format) error {
	if err := in.site.Check(in.command); err != nil {
		return err
	}
	r, err := in.open(ctx, name)
	if err != nil {
		return err
	}
	if why := r.blocked(); why != "" {
		return cli.Failed("robots show: %s is blocked: %s", r.from, why)
	}
	shown := r.shown()
	err = in.PrintAs(format, shown, shown.text(in.Painter()))
	if err == nil && r.later() {
		return cli.ExitWith(cli.ExitLater)
	}
	return err
}

// shown returns the output of "robots show".
func (r ruling) shown() fileOutput {
	s := fileOutput{
		From: r.from, Fetch: fetchOf(r.record),
		Groups: []groupOutput{}, Sitemaps: sitemapsOutput(nil), Findings: []robotstxt.Finding{}, Other: []fieldOutput{},
	}
	if r.file == nil {
		return s
	}
	s.Truncated = r.cut()
	s.Groups = groupsOutput(r.file)
	s.Sitemaps = sitemapsOutput(r.file.Sitemaps)
	for _, f := range r.file.Findings {
		f.Text = secret.RedactField(fieldOf(f.Kind), f.Text)
		s.Findings = append(s.Findings, f)
	}
	slices.SortStableFunc(s.Findings, func(a, b robotstxt.Finding) int { return cmp.Compare(a.Line, b.Line) })
	for _, e := range r.file.Extensions {
		if len(e.Agents) == 0 {
			s.Other = append(s.Other, fieldOutput{e.Line, e.Field, secret.RedactField(e.Field, e.Value)})
		}
	}
	return s
}

// sitemapsOutput returns sitemaps without passwords, as a list that is not nil.
func sitemapsOutput(list []robotstxt.Sitemap) []robotstxt.Sitemap {
	shown := []robotstxt.Sitemap{}
	for _, m := range list {
		m.URL = secret.RedactField("Sitemap", m.URL)
		shown = append(shown, m)
	}
	return shown
}

// fieldOf returns the field of the text of a finding, if the text may contain a URL.
func fieldOf(kind robotstxt.Kind) string {
	switch kind {
	case robotstxt.KindSitemapRelative, robotstxt.KindSitemapScheme, robotstxt.KindSitemapTwice:
		return "Sitemap"
	case robotstxt.KindNoSlash:
		return "Disallow"
	}
	return ""
}

// fetchOf returns how a robots.txt was fetched, or nil if the user gave the file.
func fetchOf(rec *robotsext.Record) *fetchOutput {
	if rec == nil {
		return nil
	}
	f := &fetchOutput{
		Outcome: rec.Outcome.String(), Status: rec.Status, Chain: rec.RedirectChain, Bytes: len(rec.Body),
		FetchedAt: rec.FetchedAt, ExpiresAt: rec.ExpiresAt, FailingSince: rec.FailingSince, RetryAt: rec.RetryAt,
	}
	if err := cmp.Or(rec.Err, rec.RedirectError()); err != nil {
		f.Error = cli.ErrorText(err)
	}
	return f
}

// maxListed limits the rules and fields that are listed for all groups together. Only files
// with many overlapping groups reach it.
const maxListed = 100_000

// groupsOutput lists the groups in file order. It merges agents that have the same lines.
func groupsOutput(file *robotstxt.File) []groupOutput {
	groups := []groupOutput{}
	shown := map[string]int{} // by the numbers of the lines
	left := maxListed
	for _, agents := range file.AgentSets() {
		own := file.Group(agents[0]) // for "*", which is no token, the global group
		rules, fields := own.Count()
		if rules+fields > left {
			groups = append(groups, groupOutput{Agents: agents, Rules: []ruleOutput{}, Omitted: rules + fields})
			continue
		}
		left -= rules + fields
		g := groupOutput{Agents: agents, Rules: []ruleOutput{}, CrawlDelayMS: own.CrawlDelay().Milliseconds()}
		var lines []byte
		for _, rule := range own.Rules() {
			g.Rules = append(g.Rules, ruleOutput{rule.Line, secret.RedactText(rule.String())})
			lines = binary.AppendUvarint(lines, uint64(rule.Line))
		}
		for _, e := range own.Extensions() {
			g.Fields = append(g.Fields, fieldOutput{e.Line, e.Field, secret.RedactField(e.Field, e.Value)})
			lines = binary.AppendUvarint(lines, uint64(e.Line))
		}
		if i, ok := shown[string(lines)]; ok && len(lines) > 0 {
			groups[i].Agents = append(groups[i].Agents, agents...)
			continue
		}
		shown[string(lines)] = len(groups)
		groups = append(groups, g)
	}
	return groups
}
