package robots

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
)

const agentsFile = "testdata/robots/agents_in.txt"

// matrixOf decodes the output of a run of "robots agents".
func matrixOf(t *testing.T, r clitest.Result) matrixOutput {
	t.Helper()
	return clitest.JSONLines[matrixOutput](t, r.Out)[0]
}

func TestAgentsOutputs(t *testing.T) {
	for _, tt := range []struct {
		golden string
		args   []string
	}{
		{"agents.txt", nil},
		{"agents.json", []string{"--format", "json", "--agent", "GPTBot,applebot,*,Foo+Bar"}},
		{"agents_chosen.txt", []string{"/", "/cart/x", "/old/a.html", "/search/help", "--agent", "Googlebot,AdsBot-Google,Foo+Bar"}},
	} {
		got := run(t, append([]string{"robots", "agents", agentsFile}, tt.args...)...)
		if got.Code != cli.ExitDone || got.Stderr != "" {
			t.Errorf("%v: exit code %d, standard error %q", tt.args, got.Code, got.Stderr)
		}
		clitest.Golden(t, "robots/"+tt.golden, got.Out)
	}
}

// TestAgentsAsCheck holds that the matrix says what "robots check" does.
func TestAgentsAsCheck(t *testing.T) {
	s := matrixOf(t, run(t, "robots", "agents", agentsFile, "--format", "json"))
	if len(s.Agents) != len(table(t)) || len(s.Paths) < 4 {
		t.Fatalf("%d agents, paths %v", len(s.Agents), s.Paths)
	}
	args := []string{"robots", "check", "--robots", agentsFile, "--format", "json"}
	var want []answer // of all agents for each path
	for i, p := range s.Paths {
		args = append(args, p.Path)
		for _, a := range s.Agents {
			name := "*"
			if len(a.Tokens) > 0 {
				name = strings.Join(a.Tokens, "+")
			}
			if i == 0 {
				args = append(args, "--agent", name)
			}
			want = append(want, answer{URL: p.Path, Agent: name, Verdict: a.Verdicts[i].Verdict, Group: a.Group, Rule: a.Verdicts[i].Rule, Line: a.Verdicts[i].Line, RobotsURL: agentsFile})
		}
	}
	ignoresAll := func(a answer) bool { return strings.HasPrefix(a.Agent, "AdsBot-Google") } // that is, the group of *
	got := slices.DeleteFunc(answers(t, run(t, args...)), ignoresAll)
	clitest.WantEqual(t, "the matrix against what check says", slices.DeleteFunc(want, ignoresAll), got)
}

// TestAgentsIdentities holds how the well-known crawlers look for their group.
func TestAgentsIdentities(t *testing.T) {
	for _, tt := range []struct {
		name, agent, file string
		want              string // group, and yes or no for /x
	}{
		{"ROB-UA-04/Applebot by its own name", "Applebot", "User-agent: Applebot\nAllow: /\nUser-agent: Googlebot\nDisallow: /\n", "Applebot yes"},
		{"ROB-UA-04/Applebot as Googlebot", "Applebot", "User-agent: *\nAllow: /\nUser-agent: Googlebot\nDisallow: /\n", "Googlebot no"},
		{"ROB-UA-04/YandexBot as Yandex", "yandexbot", "User-agent: Yandex\nDisallow: /\n", "Yandex no"},
		{"ROB-UA-05/Applebot-Extended is not Applebot", "Applebot-Extended", "User-agent: Applebot\nDisallow: /\n", " yes"},
		{"ROB-UA-05/Google-Extended is not Googlebot", "Google-Extended", "User-agent: Googlebot\nDisallow: /\nUser-agent: *\nAllow: /\n", "* yes"},
		{"ROB-UA-09/AdsBot-Google ignores *", "AdsBot-Google", "User-agent: *\nDisallow: /\n", " yes"},
		{"ROB-UA-09/AdsBot-Google when named", "AdsBot-Google", "User-agent: AdsBot-Google\nDisallow: /\n", "AdsBot-Google no"},
		{"ROB-UA-06/anybody", "*", "User-agent: *\nDisallow: /\n", "* no"},
		{"ROB-UA-11/one with digits", "MJ12bot", "User-agent: MJ12bot\nDisallow: /\n", "MJ12bot no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := matrixOf(t, runWith(t, tt.file, "robots", "agents", "-", "/x", "--agent", tt.agent, "--format", "json"))
			a := s.Agents[0]
			mark := map[string]string{allowed: "yes", disallowed: "no"}[a.Verdicts[0].Verdict]
			if got := a.Group + " " + mark; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// table is the embedded table.
func table(t *testing.T) []knownAgent {
	t.Helper()
	agents := clitest.Must(parseAgents(agentTable))(t)
	return agents
}

// The embedded table is complete: it has no name twice, and at least the names of 2026.
func TestKnownAgents(t *testing.T) {
	var entries map[string]struct{ Operator, Function string }
	clitest.OK(t, json.Unmarshal(agentTable, &entries))
	agents := table(t)
	if len(agents) != len(entries) || len(agents) < 166 {
		t.Errorf("%d agents of %d entries: tokens are there twice, or names are missing", len(agents), len(entries))
	}
	for name, e := range entries {
		if headings[purpose(e.Function)] == "" || e.Operator == "" {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// A table of another file replaces the embedded one. It may be the table of ai.robots.txt, with links
// as operators and sentences as functions.
func TestAgentsTable(t *testing.T) {
	file := clitest.WriteFile(t, "robots.json", `{
    "Foo Bot": {"operator": "[Foo](https://foo.example)", "respect": "Yes", "function": "AI Assistants", "frequency": "x", "description": "y"},
    "FOO/2.0": {"operator": "Foo", "function": "AI Assistants"},
    "bar.ai": {"operator": "Unclear at this time.", "function": "Undocumented AI Agents"},
    "BazBot": {"function": "Scrapes data to train models."},
    "QuxBot": {"function": "Search result generation.", "general": "Qux", "own_only": true},
    "LinkBot": {"function": "search"},
    "Quux": {"function": "AI Data Providers", "has_name_and_version": true}
}`)
	type row struct {
		Name, Operator string
		Purpose        purpose
		Tokens         []string
		Allowed        bool
	}
	rows := func(args ...string) (got []row) {
		s := matrixOf(t, runWith(t, "User-agent: Foo Bot\nUser-agent: Qux\nDisallow: /\n\nUser-agent: bar.ai\nUser-agent: *\nDisallow: /x\n",
			append([]string{"robots", "agents", "-", "/", "--format", "json", "--table", file}, args...)...))
		for _, a := range s.Agents {
			got = append(got, row{a.Agent, a.Operator, a.Purpose, a.Tokens, a.Verdicts[0].Verdict == allowed})
		}
		return got
	}
	want := []row{
		{"LinkBot", "unknown", forSearch, []string{"LinkBot"}, true},
		{"BazBot", "unknown", forTraining, []string{"BazBot"}, true},
		{"QuxBot", "unknown", forAnswers, []string{"QuxBot", "Qux"}, false},
		{"Foo Bot", "Foo", forUser, []string{"Foo"}, false},
		{"bar.ai", "unknown", forAI, []string{"bar.ai"}, true},
		{"Quux", "unknown", forAI, []string{"Quux"}, true},
	}
	clitest.WantEqual(t, "the result", want, rows())
	clitest.WantEqual(t, "the result", []row{want[3], {"GPTBot", "", "", []string{"GPTBot"}, true}}, rows("--agent", "foo,GPTBot"))
	for _, bad := range []string{"", "[]", "{", `{"a": 1}`, `{"a": {}`, "{}", `{"ツ": {}}`} {
		file := clitest.WriteFile(t, "table.json", bad)
		run(t, "robots", "agents", agentsFile, "--table", file).WantRefusal(t, cli.ExitMisuse, "--table", "is not a table of crawlers")
	}
	run(t, "robots", "agents", agentsFile, "--table", "absent.json").WantRefusal(t, cli.ExitMisuse, "absent.json")
	run(t, "robots", "agents", "-", "--table", "-").WantRefusal(t, cli.ExitMisuse, "cannot be both")
}

func FuzzParseAgents(f *testing.F) {
	f.Add(agentTable)
	f.Add([]byte(`{"Foo Bot": {"operator": "[Foo](x)", "function": "AI Agents"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		agents, err := parseAgents(text)
		if err == nil && len(agents) == 0 {
			t.Error("no agent and no error")
		}
		for _, k := range agents {
			if a, err := site.ParseAgent(k.tokens.String()); err != nil || agent(a).String() != k.tokens.String() {
				t.Errorf("%q: %v", k.name, err)
			}
		}
	})
}

// TestAgentsManyPaths holds that paths which do not fit beside each other come
// below.
func TestAgentsManyPaths(t *testing.T) {
	args := []string{"robots", "agents", agentsFile, "--agent", "a,b"}
	for i := range 30 {
		args = append(args, fmt.Sprintf("/%d", i))
	}
	got := run(t, args...)
	heads := 0
	for line := range strings.Lines(got.Out) {
		if len(line) > 81 {
			t.Errorf("a line of %d characters: %q", len(line), line)
		}
		if strings.HasPrefix(line, "  agent") {
			heads++
		}
	}
	if heads != 3 || strings.Count(got.Out, "yes") != 60 || !strings.Contains(got.Out, "\n 30  /29\n") {
		t.Errorf("%d blocks:\n%s", heads, got.Out)
	}
}

func TestAgentsMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"robots", "agents"}, []clitest.Misuse{
		{"nothing", nil, []string{"give a file name, a URL or -"}},
		{"a path that is none", []string{agentsFile, "private"}, []string{`"private" is not a path`}},
		{"a URL for a path", []string{agentsFile, "https://h/x"}, []string{"is not a path"}},
		{"no token", []string{agentsFile, "--agent", "Foo Bar"}, []string{"--agent", "Foo"}},
		{"no host", []string{"https:///"}, []string{"no host"}},
		{"bad timeout", []string{"https://h/", "--timeout", "0s"}, []string{"--timeout"}},
	})
}
