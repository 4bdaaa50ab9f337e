package settings

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/identity"
)

func TestMain(m *testing.M) { clitest.Main(m, nil) }

// loaded is the configuration that this command line results in.
func loaded(t *testing.T, args ...string) *Settings {
	t.Helper()
	s := New()
	cmd := &cobra.Command{}
	s.AddFlags(cmd, 0)
	clitest.OK(t, cmd.ParseFlags(args))
	clitest.OK(t, s.Load(cmd.Flags().Args(), strings.NewReader("")))
	return s
}

// TestEveryFieldHasAKey holds that what the crawler can be told, the program can
// be told.
func TestEveryFieldHasAKey(t *testing.T) {
	s := New()
	text := clitest.Must(json.Marshal(s.Config))(t)
	var fields map[string]any
	clitest.OK(t, json.Unmarshal(text, &fields))
	for name := range fields {
		r := s.row(name)
		if r == nil {
			t.Errorf("a field has the name %q, which is no key", name)
			continue
		}
		if r.Usage == "" {
			t.Errorf("key %s has no usage", name)
		}
	}
	for _, r := range s.keys() {
		if _, ok := fields[r.Name]; !ok && !r.Has(flags.ThisRun) {
			t.Errorf("key %s has no field", r.Name)
		}
	}
}

func TestDefaultsAreTheCrawlers(t *testing.T) {
	clitest.WantEqual(t, "the result", crawler.Default(), loaded(t).Config)
}

// TestShippedConfig holds that configs/crawl.yaml can be read, and has the defaults. Package flags
// tests that it has every key.
func TestShippedConfig(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "configs", "crawl.yaml")
	clitest.WantEqual(t, "configs/crawl.yaml differs from the defaults", crawler.Default(), loaded(t, "--config", path).Config, cmpopts.EquateEmpty())
}

func TestGentleConfigIsSlower(t *testing.T) {
	gentle := loaded(t, "--config", filepath.Join("..", "..", "..", "..", "configs", "gentle.yaml"), "http://h/").Config
	if err := gentle.Validate(); err != nil {
		t.Error(err)
	}
	if gentle.Politeness.Delay <= crawler.Default().Politeness.Delay || gentle.Limits.MaxPages == 0 {
		t.Errorf("it is not: %+v", gentle)
	}
}

func TestPrecedence(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "concurrency: 2\nper-host: 2\nmax-pages: 2\nurls: [http://file/]\nmax-time: 2s\n")
	t.Setenv("POLITECRAWL_PER_HOST", "3")
	t.Setenv("POLITECRAWL_MAX_PAGES", "3")
	t.Setenv("POLITECRAWL_DELAY", "") // empty is not set
	s := loaded(t, "--config", file, "--max-pages", "4")

	want := crawler.Default()
	want.Limits.Concurrency, want.Politeness.PerHost, want.Limits.MaxPages, want.Limits.MaxTime = 2, 3, 4, 2*time.Second
	want.URLs = []string{"http://file/"}
	clitest.WantEqual(t, "configuration", want, s.Config)
	for key, from := range map[string]string{
		"concurrency": "file " + file + ":1", "per-host": "environment POLITECRAWL_PER_HOST",
		"max-pages": "flag --max-pages", "delay": "default", "urls": "file " + file + ":4",
	} {
		if s.from[key] != from {
			t.Errorf("%s is said to be from %q, want %q", key, s.from[key], from)
		}
	}
}

// TestOldNamesStillWork holds that flags, keys and variables with an old name set the new one,
// with a note, and that the new name wins.
func TestOldNamesStillWork(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "# mine\nwrite: [csv]\njoin: file\ncrawl-name: new\n")
	list := clitest.WriteFile(t, "urls.txt", "http://h/\n")
	t.Setenv("POLITECRAWL_WORKER", "w1")
	var notes bytes.Buffer
	s, cmd := New(), &cobra.Command{}
	cmd.SetErr(&notes)
	s.AddFlags(cmd, 0)
	clitest.OK(t, cmd.ParseFlags([]string{"--seeds", list, "-c", file}))
	clitest.OK(t, s.Load(nil, nil))
	want := crawler.Default()
	want.URLs, want.Output.AlsoWrite, want.Sharing.CrawlName, want.Sharing.WorkerName = []string{"http://h/"}, []string{"csv"}, "new", "w1"
	clitest.WantEqual(t, "the result", want, s.Config)
	wantNotes := "--seeds is deprecated; use --url-file\n" +
		"the key write in " + file + ":2 is deprecated; use also-write\n" +
		"the key join in " + file + ":3 is deprecated; use crawl-name\n" +
		"the environment variable POLITECRAWL_WORKER is deprecated; use POLITECRAWL_WORKER_NAME\n"
	if notes.String() != wantNotes {
		t.Errorf("notes\n%swant\n%s", &notes, wantNotes)
	}
	if cmd.Flags().Lookup("join").Hidden != true || strings.Contains(cmd.UsageString(), "--join") {
		t.Error("--join is shown")
	}
	if got := loaded(t, "--write", "csv,warc", "--write=sqlite").Config.Output.AlsoWrite; !slices.Equal(got, []string{"csv", "warc", "sqlite"}) {
		t.Errorf("--write sets %q", got)
	}
}

func TestStartURLs(t *testing.T) {
	seeds := clitest.WriteFile(t, "seeds.txt", "# mine\nhttp://seed/1\n\n http://seed/2 \n")
	file := clitest.WriteFile(t, "c.json", `{"urls": ["http://file/"]}`)
	tests := []struct {
		name, env string
		args      []string
		want      []string
		from      string
	}{
		{"none", "", nil, nil, "default"},
		{"arguments", "", []string{"http://a/", "http://b/"}, []string{"http://a/", "http://b/"}, "command line"},
		{"arguments and a list", "", []string{"http://a/", "--url-file", seeds}, []string{"http://a/", "http://seed/1", "http://seed/2"}, "command line"},
		{"file", "", []string{"--config", file}, []string{"http://file/"}, "file " + file + ":1"},
		{"environment", "http://e/1 http://e/2", []string{"--config", file}, []string{"http://e/1", "http://e/2"}, "environment POLITECRAWL_URLS"},
		{"arguments before all", "http://e/1", []string{"http://a/", "--config", file}, []string{"http://a/"}, "command line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("POLITECRAWL_URLS", tt.env)
			s := loaded(t, tt.args...)
			if diff := cmp.Diff(tt.want, s.Config.URLs); diff != "" || s.from["urls"] != tt.from {
				t.Errorf("from %q (-want +got):\n%s", s.from["urls"], diff)
			}
		})
	}
}

// In the environment, lists of values with spaces have one value a line, and the help names their
// keys.
func TestListsInTheEnvironment(t *testing.T) {
	for _, key := range []string{"INCLUDE", "EXCLUDE"} {
		t.Setenv("POLITECRAWL_"+key, "/a b/\n\n /c|d e \n")
	}
	t.Setenv("POLITECRAWL_DROP_PARAMS", "sid utm_*")
	got, want := loaded(t).Config.Scope, []string{"/a b/", "/c|d e"}
	if !slices.Equal(got.Include, want) || !slices.Equal(got.Exclude, want) || !slices.Equal(got.DropParams, []string{"sid", "utm_*"}) {
		t.Errorf("%+v", got)
	}
	text := strings.Join(strings.Fields(Topic().Long), " ")
	for _, r := range New().keys() {
		if _, list, _ := strings.Cut(text, "separate the items of a list by spaces, and those of"); r.Has(flags.Lines) && !strings.Contains(strings.Split(list, "by line breaks")[0], r.Name) {
			t.Errorf("the help does not say that line breaks separate the items of %s", r.Name)
		}
	}
}

// TestNumbersOfJSON holds that those of a JSON file are taken as they are written.
func TestNumbersOfJSON(t *testing.T) {
	file := clitest.WriteFile(t, "c.json", `{"max-body": 10485760, "response-factor": 0.25, "max-depth": -1, "obey-noindex": false, "urls": ["http://h/"]}`)
	want := crawler.Default()
	want.Fetch.MaxBody, want.Politeness.ResponseFactor, want.Robots.ObeyNoindex, want.URLs = 10485760, 0.25, false, []string{"http://h/"}
	clitest.WantEqual(t, "the result", want, loaded(t, "--config", file).Config)
}

func TestCheckEnvironment(t *testing.T) {
	environ := []string{
		"POLITECRAWL_MAX_PAGE=100", "POLITECRAWL_MAX_PAGES=100", "politecrawl_concurrency=1", "POLITECRAWL_MAX-BODY=1",
		"POLITECRAWL_ZZZ=1", "POLITECRAWL_EMPTY=", "POLITECRAWL_ACTIVE_HELP=0", "POLITECRAWLER=1", "PATH=/bin", "odd",
		"POLITECRAWL_LOG_LEVEL=info", "POLITECRAWL_AUDIT=true",
		// what Kubernetes gives to those beside a service of this name
		"POLITECRAWL_SERVICE_HOST=10.0.0.1", "POLITECRAWL_SERVICE_PORT=80", "POLITECRAWL_SERVICE_PORT_HTTP=80", "POLITECRAWL_PORT=tcp://10.0.0.1:80",
		"POLITECRAWL_PORT_80_TCP=tcp://10.0.0.1:80", "POLITECRAWL_PORT_80_TCP_ADDR=10.0.0.1",
	}
	const rest = `; unset it; "politecrawl help settings" lists the keys; the variable of a key is POLITECRAWL_ and its upper-case name, with _ for -`
	want := strings.Join([]string{
		"the environment variable POLITECRAWL_AUDIT is unknown (--audit is only a flag: set obey-nofollow and obey-noindex to false instead)" + rest,
		"the environment variable POLITECRAWL_MAX-BODY is unknown (did you mean POLITECRAWL_MAX_BODY?)" + rest,
		"the environment variable POLITECRAWL_MAX_PAGE is unknown (did you mean POLITECRAWL_MAX_PAGES?)" + rest,
		"the environment variable POLITECRAWL_ZZZ is unknown" + rest,
	}, "\n")
	if err := New().checkEnvironment(environ); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestGlobalViperIsUnused holds that no setting leaks into the process.
func TestGlobalViperIsUnused(t *testing.T) {
	loaded(t, "--config", clitest.WriteFile(t, "c.yaml", "concurrency: 2\n"))
	if keys := viper.AllKeys(); len(keys) > 0 {
		t.Errorf("the global viper holds %v", keys)
	}
}

// --audit is a preset: what the flags, the environment and the file say wins.
func TestAudit(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "obey-noindex: true\n")
	for _, tt := range []struct {
		args              []string
		nofollow, noindex bool // obeyed
	}{
		{nil, true, true},
		{[]string{"--audit"}, false, false},
		{[]string{"--audit", "--obey-nofollow"}, true, false},
		{[]string{"--audit", "--config", file}, false, true},
	} {
		got := loaded(t, tt.args...).Config.Robots
		if got.ObeyNofollow != tt.nofollow || got.ObeyNoindex != tt.noindex {
			t.Errorf("%v: nofollow %v, noindex %v", tt.args, got.ObeyNofollow, got.ObeyNoindex)
		}
	}
}

func TestIdentityGivesUserAgentAndContact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "identity")
	its := identity.Settings{Agent: "https://bot.example.com", Name: "examplebot", Contact: "crawler@example.com"}
	if _, err := identity.Create(dir, its, identity.FileSource, nil); err != nil {
		t.Fatal(err)
	}
	const agent = "examplebot/1.0 (+https://bot.example.com/)"
	for _, tt := range []struct {
		name           string
		args           []string
		agent, contact string
	}{
		{"no identity", nil, crawler.DefaultUserAgent, ""},
		{"identity", []string{"--identity", dir}, agent, "crawler@example.com"},
		{"both set", []string{"--identity", dir, "--user-agent", "examplebot/2.0", "--contact", "me@example.com"}, "examplebot/2.0", "me@example.com"},
		{"no contact", []string{"--identity", dir, "--contact", ""}, agent, ""},
		{"another user agent, which the crawl refuses", []string{"--identity", dir, "--user-agent", "other/1.0"}, "other/1.0", "crawler@example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := loaded(t, append([]string{"https://example.com/"}, tt.args...)...)
			if got := s.Config.Fetch; got.UserAgent != tt.agent || got.Contact != tt.contact {
				t.Errorf("user agent %q, contact %q", got.UserAgent, got.Contact)
			}
		})
	}
}
