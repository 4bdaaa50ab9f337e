package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

// loaded is the configuration that this command line results in.
func loaded(t *testing.T, args ...string) *settings {
	t.Helper()
	s := newSettings()
	cmd := &cobra.Command{}
	s.flags(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if err := s.load(cmd.Flags().Args(), strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestEveryFieldHasAKey holds that what the crawler can be told, the program can
// be told.
func TestEveryFieldHasAKey(t *testing.T) {
	s := newSettings()
	bound := map[any]string{}
	config := reflect.ValueOf(&s.config).Elem()
	for i := range config.NumField() {
		field := config.Type().Field(i)
		name := field.Tag.Get("json")
		f := s.keys.Lookup(name)
		if f == nil {
			t.Errorf("field %s has no key %q", field.Name, name)
			continue
		}
		if f.Usage == "" {
			t.Errorf("key %s has no usage", name)
		}
		bound[name] = field.Name
	}
	s.keys.VisitAll(func(f *pflag.Flag) {
		if bound[f.Name] == "" && !strings.HasPrefix(f.Name, logKey) {
			t.Errorf("key %s has no field", f.Name)
		}
	})
}

func TestDefaultsAreTheCrawlers(t *testing.T) {
	if diff := cmp.Diff(crawler.Default(), loaded(t).config); diff != "" {
		t.Error(diff)
	}
}

// TestShippedConfig holds that configs/crawl.yaml has every key, explained, with
// its default.
func TestShippedConfig(t *testing.T) {
	path := filepath.Join("..", "..", "configs", "crawl.yaml")
	if diff := cmp.Diff(crawler.Default(), loaded(t, "--config", path).config, emptyIsNil); diff != "" {
		t.Errorf("configs/crawl.yaml differs from the defaults:\n%s", diff)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(text), "\n")
	newSettings().keys.VisitAll(func(f *pflag.Flag) {
		i := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, f.Name+":") })
		if i < 0 {
			t.Errorf("key %s is missing", f.Name)
		} else if i == 0 || !strings.HasPrefix(all[i-1], "# ") {
			t.Errorf("key %s has no comment above it", f.Name)
		}
	})
}

// emptyIsNil takes a list that is written as empty for one that is not there.
var emptyIsNil = cmp.Transformer("emptyIsNil", func(list []string) []string { return append([]string(nil), list...) })

func TestGentleConfigIsSlower(t *testing.T) {
	gentle := loaded(t, "--config", filepath.Join("..", "..", "configs", "gentle.yaml"), "http://h/").config
	if err := gentle.Validate(); err != nil {
		t.Error(err)
	}
	if gentle.Delay <= crawler.Default().Delay || gentle.MaxPages == 0 {
		t.Errorf("it is not: %+v", gentle)
	}
}

func TestPrecedence(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "workers: 2\nper-host: 2\nmax-pages: 2\nurls: [http://file/]\nmax-time: 2s\n")
	t.Setenv("POLITECRAWL_PER_HOST", "3")
	t.Setenv("POLITECRAWL_MAX_PAGES", "3")
	t.Setenv("POLITECRAWL_DELAY", "") // empty is not set
	s := loaded(t, "--config", file, "--max-pages", "4")

	want := crawler.Default()
	want.Workers, want.PerHost, want.MaxPages, want.MaxTime = 2, 3, 4, 2*time.Second
	want.URLs = []string{"http://file/"}
	if diff := cmp.Diff(want, s.config); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	for key, from := range map[string]string{
		"workers": "file " + file + ":1", "per-host": "environment POLITECRAWL_PER_HOST",
		"max-pages": "flag --max-pages", "delay": "default", "urls": "file " + file + ":4",
	} {
		if s.from[key] != from {
			t.Errorf("%s is said to be from %q, want %q", key, s.from[key], from)
		}
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
		{"arguments and seeds", "", []string{"http://a/", "--seeds", seeds}, []string{"http://a/", "http://seed/1", "http://seed/2"}, "command line"},
		{"file", "", []string{"--config", file}, []string{"http://file/"}, "file " + file + ":1"},
		{"environment", "http://e/1 http://e/2", []string{"--config", file}, []string{"http://e/1", "http://e/2"}, "environment POLITECRAWL_URLS"},
		{"arguments before all", "http://e/1", []string{"http://a/", "--config", file}, []string{"http://a/"}, "command line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("POLITECRAWL_URLS", tt.env)
			s := loaded(t, tt.args...)
			if diff := cmp.Diff(tt.want, s.config.URLs); diff != "" || s.from["urls"] != tt.from {
				t.Errorf("from %q (-want +got):\n%s", s.from["urls"], diff)
			}
		})
	}
}

// TestConfigShow holds that its text is a configuration file that means the same.
func TestConfigShow(t *testing.T) {
	args := []string{"http://h/?a=1&b=#x: y", "--user-agent", `odd: "bot" # 1`, "--delay", "1m30s", "--scope", "any"}
	got := run(t, append([]string{"config", "show"}, args...)...)
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	if !strings.Contains(got.Out, `delay: "1m30s"  # flag --delay`+"\n") || !strings.Contains(got.Out, "workers: 16  # default\n") ||
		!strings.Contains(got.Out, "obey-noindex: true  # default\n") {
		t.Errorf("text:\n%s", got.Out)
	}
	again := loaded(t, "--config", clitest.WriteFile(t, "c.yaml", got.Out)).config
	if diff := cmp.Diff(loaded(t, args...).config, again, emptyIsNil); diff != "" {
		t.Errorf("the text read back (-want +got):\n%s", diff)
	}

	var keys []shownKey
	if err := json.Unmarshal([]byte(run(t, "config", "show", "--format", "json", "http://h/").Out), &keys); err != nil {
		t.Fatal(err)
	}
	want := []shownKey{
		{Key: "urls", Value: []any{"http://h/"}, From: "command line"},
		{Key: "workers", Value: 16.0, From: "default"},
		{Key: "max-bytes", Value: 0.0, From: "default"},
		{Key: "delay", Value: "1s", From: "default"},
	}
	keys = slices.DeleteFunc(keys, func(k shownKey) bool {
		return !slices.ContainsFunc(want, func(w shownKey) bool { return w.Key == k.Key })
	})
	if diff := cmp.Diff(want, keys, cmp.Transformer("byKey", func(list []shownKey) map[string]shownKey {
		m := map[string]shownKey{}
		for _, k := range list {
			m[k.Key] = k
		}
		return m
	})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestConfigShowPassword holds that what is shown has nothing of what a proxy is told,
// whether that is a URL or not, and says so.
func TestConfigShowPassword(t *testing.T) {
	for _, proxy := range []string{"http://alice:hunter2@h:3128", "http://alice:hunter2/2@h:3128", "alice:hunter2@h:3128"} {
		for _, origin := range []string{"true", "false"} {
			got := run(t, "config", "show", "--proxy", "http://open:1", "--proxy", proxy, "--origin="+origin)
			if strings.Contains(got.Out+got.Stderr, "hunter2") || strings.Contains(got.Out, "alice") ||
				!strings.Contains(got.Out, `***@h:3128"]`) || !strings.Contains(got.Out, "user and password are left out\n") || !strings.Contains(got.Out, `["http://open:1"`) {
				t.Errorf("%s: %+v", proxy, got)
			}
		}
		got := run(t, "config", "show", "--proxy", proxy, "--format", "json")
		if strings.Contains(got.Out+got.Stderr, "hunter2") || !strings.Contains(got.Out, `***@h:3128"],"from":"flag --proxy","withheld":true}`) {
			t.Errorf("%s: %+v", proxy, got)
		}
	}
	if got := run(t, "config", "show", "--proxy", "http://open:1"); strings.Contains(got.Out, "left out") || strings.Contains(run(t, "config", "show", "--format", "json").Out, "withheld") {
		t.Errorf("%+v", got)
	}
}

func TestBadConfig(t *testing.T) {
	tests := []struct {
		name, file, text string // file is the name, text what is in it
		words            []string
	}{
		{"unknown key", "c.yaml", "max_pages: 3\n", []string{"c.yaml", `unknown key "max_pages"`, "did you mean max-pages?"}},
		{"unknown key, nothing near", "c.yaml", "zzz: 3\n", []string{`unknown key "zzz"; "politecrawl help settings" lists the keys`}},
		{"keys below a key", "c.yaml", "crawl:\n  workers: 3\n", []string{`unknown key "crawl.workers"`}},
		{"keys below a known key", "c.yaml", "delay:\n  min: 3s\n", []string{`unknown key "delay.min"`}},
		{"not YAML", "c.yaml", "workers: [1\n", []string{"c.yaml", "line 1"}},
		{"no mapping", "c.yaml", "- a\n- b\n", []string{"c.yaml", "holds no keys", "configs/crawl.yaml", "max-pages: 100"}},
		{"no mapping, JSON", "c.json", "[1]", []string{"c.json", "holds no keys", `{"max-pages": 100}`}},
		{"a word", "c.yaml", "workers\n", []string{"holds no keys"}},
		{"no value", "c.yaml", "workers:\n", []string{`c.yaml:1": key "workers" has no value`}},
		{"a key twice", "c.yaml", "workers: 1\nworkers: 2\n", []string{"already defined"}},
		{"wrong kind", "c.yaml", "delay: 1s\nworkers: many\n", []string{"workers in file", "c.yaml:2: ", `"many" is not a whole number`}},
		{"no unit", "c.yaml", "delay: 1\n", []string{"delay in file", `"1" is not a time`, "500ms"}},
		{"list for a value", "c.yaml", "workers: [1, 2]\n", []string{"workers in file", "not a list"}},
		{"unknown kind of file", "c.conf", "workers: 1\n", []string{`c.conf"`, ".yaml, .toml or .json"}},
		{"a kind that viper knows", "c.ini", "workers=1\n", []string{`c.ini"`, ".yaml, .toml or .json"}},
		{"no kind", "c", "workers: 1\n", []string{".yaml, .toml or .json"}},
		{"out of range", "c.yaml", "workers: 0\n", []string{"workers"}},
		{"bad scope", "c.yaml", "scope: galaxy\n", []string{"scope", `"galaxy"`, "host, domain, any"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--config", clitest.WriteFile(t, tt.file, tt.text)).
				WantRefusal(t, cli.ExitMisuse, tt.words...)
			if _, err := os.Stat(out); err == nil {
				t.Error("the output directory was made")
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		run(t, "config", "show", "--config", "").WantRefusal(t, cli.ExitMisuse, "--config names no file")
		run(t, "crawl", "--seeds", "", "http://h/").WantRefusal(t, cli.ExitMisuse, "--seeds names no file")
	})
	t.Run("missing file", func(t *testing.T) {
		run(t, "config", "show", "--config", "absent.yaml").WantRefusal(t, cli.ExitMisuse, "--config", "absent.yaml", "no such file")
	})
	t.Run("directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "d.yaml")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, "config", "show", "--config", dir).WantRefusal(t, cli.ExitMisuse, "--config", "is a directory")
	})
	t.Run("environment", func(t *testing.T) {
		t.Setenv("POLITECRAWL_MAX_PAGES", "lots")
		run(t, "config", "show").WantRefusal(t, cli.ExitMisuse, "max-pages in environment POLITECRAWL_MAX_PAGES", `"lots" is not a whole number`)
	})
	t.Run("start URLs", func(t *testing.T) {
		file := clitest.WriteFile(t, "c.yaml", "urls: [example.com]\n")
		run(t, "config", "show", "--config", file).WantRefusal(t, cli.ExitMisuse, "urls in file "+file+":1", `"example.com" has no scheme`)
		t.Setenv("POLITECRAWL_URLS", "gopher://h/")
		run(t, "config", "show").WantRefusal(t, cli.ExitMisuse, "urls in environment POLITECRAWL_URLS", `scheme "gopher"`)
		run(t, "config", "show", "extra").WantRefusal(t, cli.ExitMisuse, `politecrawl: "extra" has no scheme`)
	})
	t.Run("several, a line each", func(t *testing.T) {
		file := clitest.WriteFile(t, "c.yaml", "workes: 1\ndelays: 2s\n")
		got := run(t, "crawl", "http://h/", "--config", file)
		var want string
		for line, unknown := range []string{`"workes" (did you mean workers?)`, `"delays" (did you mean delay?)`} {
			want += fmt.Sprintf("politecrawl: --config \"%s:%d\": unknown key %s; \"politecrawl help settings\" lists the keys\n", file, line+1, unknown)
		}
		if diff := cmp.Diff(clitest.Result{Code: cli.ExitMisuse, Stderr: want}, got, cmp.AllowUnexported(clitest.Result{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestNumbersOfJSON holds that those of a JSON file are taken as they are written.
func TestNumbersOfJSON(t *testing.T) {
	file := clitest.WriteFile(t, "c.json", `{"max-body": 10485760, "response-factor": 0.25, "max-depth": -1, "obey-noindex": false, "urls": ["http://h/"]}`)
	want := crawler.Default()
	want.MaxBody, want.ResponseFactor, want.ObeyNoindex, want.URLs = 10485760, 0.25, false, []string{"http://h/"}
	if diff := cmp.Diff(want, loaded(t, "--config", file).config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnknownVariables(t *testing.T) {
	environ := []string{
		"POLITECRAWL_MAX_PAGE=100", "POLITECRAWL_MAX_PAGES=100", "politecrawl_workers=1", "POLITECRAWL_MAX-BODY=1",
		"POLITECRAWL_ZZZ=1", "POLITECRAWL_EMPTY=", "POLITECRAWL_ACTIVE_HELP=0", "POLITECRAWLER=1", "PATH=/bin", "odd",
		"POLITECRAWL_LOG_LEVEL=info",
		// what Kubernetes gives to those beside a service of this name
		"POLITECRAWL_SERVICE_HOST=10.0.0.1", "POLITECRAWL_SERVICE_PORT=80", "POLITECRAWL_SERVICE_PORT_HTTP=80", "POLITECRAWL_PORT=tcp://10.0.0.1:80",
		"POLITECRAWL_PORT_80_TCP=tcp://10.0.0.1:80", "POLITECRAWL_PORT_80_TCP_ADDR=10.0.0.1",
	}
	const rest = `; unset it, "politecrawl help settings" lists those that do`
	want := strings.Join([]string{
		"the environment variable POLITECRAWL_MAX-BODY sets nothing (did you mean POLITECRAWL_MAX_BODY?)" + rest,
		"the environment variable POLITECRAWL_MAX_PAGE sets nothing (did you mean POLITECRAWL_MAX_PAGES?)" + rest,
		"the environment variable POLITECRAWL_ZZZ sets nothing" + rest,
	}, "\n")
	if err := newSettings().checkEnvironment(environ); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}

	t.Setenv("POLITECRAWL_DELY", "2s")
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"config", "show"}, {"crawl", "http://127.0.0.1:1/", "--output", out}, {"crawl", "--resume", out},
	} {
		run(t, args...).WantRefusal(t, cli.ExitMisuse, "POLITECRAWL_DELY sets nothing (did you mean POLITECRAWL_DELAY?)")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the output directory was made")
	}
}

// TestRefusedValueHasAPlace holds that what the crawler refuses is told with its place.
func TestRefusedValueHasAPlace(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "# mine\nworkers: 0\n\nscope: galaxy\n")
	t.Setenv("POLITECRAWL_DELAY", "-1s")
	want := fmt.Sprintf("politecrawl: bad configuration: workers: 0 is less than 1 (file %[1]s:2)\n"+
		"politecrawl: bad configuration: delay: -1s is negative (environment POLITECRAWL_DELAY)\n"+
		"politecrawl: bad configuration: scope: \"galaxy\" is none of host, domain, any (file %[1]s:4)\n"+
		"politecrawl: bad configuration: timeout: 0s is not a time to wait (flag --timeout)\n", file)
	for _, args := range [][]string{{"config", "show"}, {"crawl", "http://h/", "--output", filepath.Join(t.TempDir(), "out")}} {
		got := run(t, append(args, "--config", file, "--timeout", "0s")...)
		if got.Code != cli.ExitMisuse || got.Stderr != want {
			t.Errorf("%s: exit code %d, standard error\n%swant\n%s", args[0], got.Code, got.Stderr, want)
		}
		if shown := strings.Contains(got.Out, "workers: 0  # file "+file+":2\n"); shown != (args[0] == "config") {
			t.Errorf("%s: shown %v:\n%s", args[0], shown, got.Out)
		}
	}
}

// TestNumberOutOfRangeIsMisuse holds that a number or time that a crawl could not reckon with
// is refused wherever it comes from, and that "config show" still shows it.
func TestNumberOutOfRangeIsMisuse(t *testing.T) {
	type setting struct{ key, value, says string }
	settings := []setting{{"response-factor", "1000", "1000 is not a number from 0 to 100"}}
	for _, value := range []string{"Inf", "+Inf", "-Inf", "NaN", "-1", "1e300"} {
		settings = append(settings, setting{"response-factor", value, "is not a number from 0 to 100"})
	}
	for _, key := range []string{
		"delay", "max-crawl-delay", "max-time", "max-wait", "timeout", "first-byte-timeout", "stall-timeout", "robots-timeout", "robots-retry",
	} {
		settings = append(settings, setting{key, "8760h0m1s", "8760h0m1s is longer than 8760h0m0s"}, setting{key, "2562047h", "is longer than 8760h0m0s"},
			setting{key, "-1s", "-1s is"}, setting{key, "Inf", `"Inf" is not a time such as`})
	}
	newSettings().keys.VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); (kind == "duration" || kind == "float64") && !slices.ContainsFunc(settings, func(s setting) bool { return s.key == f.Name }) {
			t.Errorf("%s is not tested", f.Name)
		}
	})
	refused := func(t *testing.T, s setting, args ...string) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		run(t, append([]string{"crawl", "http://127.0.0.1:1/", "--output", out}, args...)...).WantRefusal(t, cli.ExitMisuse, s.key, s.says)
		if exists(out) {
			t.Error("the output directory was made")
		}
		if got := run(t, append([]string{"config", "show"}, args...)...); got.Code != cli.ExitMisuse || !strings.Contains(got.Stderr, s.says) {
			t.Errorf("config show: %+v", got)
		}
	}
	for _, s := range settings {
		t.Run(s.key+"/"+s.value, func(t *testing.T) {
			refused(t, s, "--"+s.key+"="+s.value)
			t.Run("file", func(t *testing.T) {
				refused(t, s, "--config", clitest.WriteFile(t, "c.yaml", s.key+": "+s.value+"\n"))
			})
			t.Run("environment", func(t *testing.T) {
				t.Setenv(variable(s.key), s.value)
				refused(t, s)
			})
		})
	}
	for file, text := range map[string]string{"c.yaml": "response-factor: .inf\n", "c.toml": "response-factor = nan\n"} {
		t.Run(file, func(t *testing.T) {
			refused(t, setting{"response-factor", text, "is not a number from 0 to 100"}, "--config", clitest.WriteFile(t, file, text))
		})
	}
}

// TestGlobalViperIsUnused holds that no setting leaks into the process.
func TestGlobalViperIsUnused(t *testing.T) {
	loaded(t, "--config", clitest.WriteFile(t, "c.yaml", "workers: 2\n"))
	if keys := viper.AllKeys(); len(keys) > 0 {
		t.Errorf("the global viper holds %v", keys)
	}
}
