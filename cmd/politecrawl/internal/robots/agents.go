package robots

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A matrix is one run of "robots agents".
type matrix struct {
	*cli.Streams
	input  robotsInput
	agents []string // --agent
	table  string   // --table
	format cli.Format
}

func robotsAgentsCommand(streams *cli.Streams) *cobra.Command {
	m := &matrix{Streams: streams, input: newInput(streams, "robots agents")}
	cmd := &cobra.Command{
		Use:   "agents FILE|URL|- [PATH…]",
		Short: "Show what well-known crawlers may fetch",
		Long: `Show which paths a robots.txt allows for the well-known crawlers of search engines and AI
companies. For a URL, the command fetches the robots.txt of its origin. A FILE of - means
standard input. Without PATH, the command derives example paths from the rules. It shows / and one
path for each combination of verdicts.

The command chooses the group of each crawler as the documentation of its operator says. For
example, Applebot obeys the group of Googlebot if no group names Applebot, and AdsBot-Google
obeys only its own group. --agent names other crawlers, as in "robots check".

--table reads the crawlers from another file, such as a newer robots.json of
https://github.com/ai-robots-txt/ai.robots.txt. It is a JSON object with an entry for each name:
operator; function, one of the purposes below or a description, whose words then decide; general
(optional), the token that the crawler uses if no group names it; own_only (optional), true if it
ignores the group of *.

--format json writes one object:

    from            URL or name of the file
    fetch           how it was fetched, as in "robots show --help"
    paths           list of objects: path; similar_paths, the number of other example paths with
                    the same verdicts
    agents          list of objects: agent, operator, purpose, tokens, group, and verdicts, one for
                    each path: verdict, rule, line. The purpose is search (search engines),
                    training (of AI models), answers (search index of an AI assistant),
                    user (pages that a user asks an AI assistant for), ai (any other or
                    unknown use by AI) or other
    truncated       true if the file was cut off at the size limit
    rules_omitted   number of rules without an example path, because matching all their
                    wildcards would take too long

Exit code: 0 done, 2 usage error, 3 failed or blocked address, 4 robots.txt unreachable.`,
		Example: `  politecrawl robots agents https://example.com/
  politecrawl robots agents robots.txt / /private/ --agent GPTBot,CCBot,'*'`,
		Args: cli.Args(1, -1, "a file name, a URL or -, and optional paths"),
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(cmd.Context(), args[0], args[1:]) },
	}
	cmd.Flags().SortFlags = false
	m.format.AddFlag(cmd)
	cmd.Flags().StringSliceVar(&m.agents, "agent", nil, "show the crawlers with product tokens `A,B` (default: the well-known crawlers)")
	cmd.Flags().StringVar(&m.table, "table", "", "read the well-known crawlers from `FILE`; -: standard input")
	m.input.site.Add(cmd.Flags(), site.RobotsTimeout)
	return cmd
}

func (m *matrix) run(ctx context.Context, name string, paths []string) error {
	table, err := m.readTable(name)
	if err != nil {
		return err
	}
	asked := table
	if len(m.agents) > 0 {
		asked = nil
	}
	for _, text := range m.agents {
		a, err := site.ParseAgent(text)
		if err != nil {
			return cli.Misuse("robots agents: --agent: %w", err)
		}
		asked = append(asked, known(table, a))
	}
	for _, path := range paths {
		if !strings.HasPrefix(path, "/") {
			return cli.Misuse("robots agents: %q is not a path; write it as /private/, after the site or file", path)
		}
	}
	if err := m.input.site.Check(m.input.command); err != nil {
		return err
	}
	r, err := m.input.read(ctx, name)
	if err != nil {
		return err
	}
	s := matrixOutput{From: r.from, Fetch: fetchOf(r.record), Paths: []pathOutput{}, Agents: []agentOutput{}, Truncated: r.cut(), sections: len(m.agents) == 0}
	s.ask(r.file, asked, paths)
	return m.PrintAs(m.format, s, s.text(m.Painter(), m.Width()))
}

// readTable returns the well-known crawlers. Name is the robots.txt.
func (m *matrix) readTable(name string) ([]knownAgent, error) {
	text := agentTable
	switch {
	case m.table == cli.Stdin && name == cli.Stdin:
		return nil, cli.Misuse("robots agents: standard input cannot be both robots.txt and the table; give one of them as a file")
	case m.table != "":
		var err error
		if text, err = cli.ReadInput(m.table, m.In); err != nil {
			return nil, fmt.Errorf("robots agents: --table: %w", err)
		}
	}
	table, err := parseAgents(text)
	if err != nil {
		return nil, cli.Misuse("robots agents: --table: %q is not a table of crawlers: %w", cli.InputName(m.table), err)
	}
	return table, nil
}

// A matrixOutput is the JSON output of "robots agents".
type matrixOutput struct {
	From   string        `json:"from"` // URL, file name or -
	Fetch  *fetchOutput  `json:"fetch,omitempty"`
	Paths  []pathOutput  `json:"paths"`
	Agents []agentOutput `json:"agents"`

	RulesOmitted int  `json:"rules_omitted,omitempty"` // rules without an example path, because matching would take too long
	Truncated    bool `json:"truncated,omitempty"`     // the file was cut off at the size limit

	sections bool // agents are grouped by purpose
}

type pathOutput struct {
	Path         string `json:"path"`
	SimilarPaths int    `json:"similar_paths"` // number of other example paths with the same verdicts
}

type agentOutput struct {
	Agent    string          `json:"agent"`
	Operator string          `json:"operator,omitempty"`
	Purpose  purpose         `json:"purpose,omitempty"`
	Tokens   []string        `json:"tokens"` // in the order in which it looks for its group
	Group    string          `json:"group"`  // empty if none
	Verdicts []verdictOutput `json:"verdicts"`
}

type verdictOutput struct {
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"` // empty if no rule matches
	Line    int    `json:"line"`
}

// ask fills in the matrix.
func (s *matrixOutput) ask(file *robotstxt.File, asked []knownAgent, paths []string) {
	groups := make([]*robotstxt.Group, len(asked))
	for i, k := range asked {
		groups[i] = file.Group(k.tokens.names()...)
		if k.ownOnly {
			groups[i] = file.NamedGroup(k.tokens.names()...)
		}
		s.Agents = append(s.Agents, agentOutput{
			Agent: k.name, Operator: k.operator, Purpose: k.purpose, Tokens: append([]string{}, k.tokens...), Group: groups[i].Name(),
		})
	}
	for _, path := range paths {
		s.Paths = append(s.Paths, pathOutput{Path: path})
	}
	if len(paths) == 0 {
		s.Paths, s.RulesOmitted = tellingPaths(groups)
	}
	for i, g := range groups {
		for _, p := range s.Paths {
			s.Agents[i].Verdicts = append(s.Agents[i].Verdicts, verdictOutputOf(g.Match(p.Path)))
		}
	}
	if len(paths) == 0 { // they are of the file
		for i := range s.Paths {
			s.Paths[i].Path = secret.RedactText(s.Paths[i].Path)
		}
	}
}

func verdictOutputOf(v robotstxt.Verdict) verdictOutput {
	s := verdictOutput{Verdict: disallowed}
	if v.Allowed {
		s.Verdict = allowed
	}
	if v.Rule != nil {
		s.Rule, s.Line = secret.RedactText(v.Rule.String()), v.Rule.Line
	}
	return s
}

// mostAsked limits the work of choosing example paths, in units of robotstxt.Group.Cost.
// Ordinary files with thousands of rules need one percent of it.
const mostAsked = 1_000_000_000

// tellingPaths returns / and example paths of the rules, one for each combination of
// verdicts. If this exceeds mostAsked, it omits rules and returns their number.
func tellingPaths(groups []*robotstxt.Group) (paths []pathOutput, left int) {
	groups = distinct(groups)
	kinds := map[string]int{} // by the agents that may fetch them
	asked := map[string]bool{}
	steps := mostAsked
	add := func(path string) {
		if asked[path] {
			return
		}
		asked[path] = true
		kind := make([]byte, len(groups))
		for i, g := range groups {
			steps -= g.Cost(path)
			if g.Match(path).Allowed {
				kind[i] = 1
			}
		}
		if i, ok := kinds[string(kind)]; ok {
			paths[i].SimilarPaths++
			return
		}
		kinds[string(kind)] = len(paths)
		paths = append(paths, pathOutput{Path: path})
	}
	add("/")
	looked := map[*robotstxt.Rule]bool{}
	for _, g := range groups {
		rules := g.Rules()
		if len(rules) == 0 || looked[&rules[0]] { // agents of one group share their rules
			continue
		}
		looked[&rules[0]] = true
		for i := range rules {
			if steps < 0 {
				left += len(rules) - i
				break
			}
			add(samplePath(rules[i].Pattern))
		}
	}
	return paths, left
}

// distinct returns each group once. Most agents share the group of "*".
func distinct(groups []*robotstxt.Group) []*robotstxt.Group {
	var list []*robotstxt.Group
	for _, g := range groups {
		if !slices.Contains(list, g) {
			list = append(list, g)
		}
	}
	return list
}

// samplePath returns a path that the pattern of a rule matches.
func samplePath(pattern string) string {
	path := strings.TrimSuffix(pattern, "$")
	path = strings.ReplaceAll(strings.TrimRight(path, "*"), "*", "x")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

// text returns the matrix as text for a terminal of that width, with a row for each crawler
// and a column for each path.
func (s matrixOutput) text(paint cli.Painter, width int) string {
	p := newShowPage(paint)
	p.head(s.From, s.Fetch, s.Truncated)
	name, group := len("agent"), len("group")
	for _, a := range s.Agents {
		name, group = max(name, len(a.Agent)), max(group, min(len(a.Group), 16))
	}
	const column = 5
	fit := max((width-name-group-4)/column, 1)
	for first := 0; first < len(s.Paths); first += fit {
		last := min(first+fit, len(s.Paths))
		var head strings.Builder
		fmt.Fprintf(&head, "  %-*s  %-*s", name, "agent", group, "group")
		for i := first; i < last; i++ {
			fmt.Fprintf(&head, "%*d", column, i+1)
		}
		p.Printf("\n%s\n", paint(cli.Faint, head.String()))
		for i, a := range s.Agents {
			if s.sections && (i == 0 || a.Purpose != s.Agents[i-1].Purpose) {
				p.Printf("%s\n", headings[a.Purpose])
			}
			p.Printf("  %-*s  %-*s", name, a.Agent, group, cli.Clip(cmp.Or(a.Group, "none"), group))
			for _, v := range a.Verdicts[first:last] {
				p.Printf("%s", v.mark(paint, column))
			}
			p.Printf("\n")
		}
	}
	p.Printf("\n")
	for i, path := range s.Paths {
		p.Printf("%3d  %s", i+1, cli.Escape(path.Path))
		if path.SimilarPaths > 0 {
			p.Printf("  and %d more like it", path.SimilarPaths)
		}
		p.Printf("\n")
	}
	if s.RulesOmitted > 0 {
		p.Printf("%s\n", paint(cli.Yellow, fmt.Sprintf("%d rules were not checked: there are too many wildcards", s.RulesOmitted)))
	}
	return p.String()
}

// mark returns the verdict, padded to the width.
func (v verdictOutput) mark(paint cli.Painter, width int) string {
	text, tint := "no", cli.Red
	if v.Verdict == allowed {
		text, tint = "yes", cli.Green
	}
	return strings.Repeat(" ", width-len(text)) + paint(tint, text)
}
