package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
)

func TestBadConfig(t *testing.T) {
	tests := []struct {
		name, file, text string // file is the name, text what is in it
		words            []string
	}{
		{"unknown key", "c.yaml", "max_pages: 3\n", []string{"c.yaml", `unknown key "max_pages"`, "did you mean max-pages?"}},
		{"unknown key, nothing near", "c.yaml", "zzz: 3\n", []string{`unknown key "zzz"; "politecrawl help settings" lists the keys`}},
		{"flag that is no key", "c.yaml", "audit: true\n", []string{`unknown key "audit" (--audit is only a flag: set obey-nofollow and obey-noindex to false instead)`}},
		{"keys below a key", "c.yaml", "crawl:\n  concurrency: 3\n", []string{`unknown key "crawl.concurrency"`}},
		{"keys below a known key", "c.yaml", "delay:\n  min: 3s\n", []string{`unknown key "delay.min"`}},
		{"not YAML", "c.yaml", "concurrency: [1\n", []string{"c.yaml", "line 1"}},
		{"no mapping", "c.yaml", "- a\n- b\n", []string{"c.yaml", "has no keys", "configs/crawl.yaml", "max-pages: 100"}},
		{"no mapping, JSON", "c.json", "[1]", []string{"c.json", "has no keys", `{"max-pages": 100}`}},
		{"a word", "c.yaml", "workers\n", []string{"has no keys"}},
		{"no value", "c.yaml", "concurrency:\n", []string{`c.yaml:1": key "concurrency" has no value`}},
		{"a key twice", "c.yaml", "concurrency: 1\nconcurrency: 2\n", []string{"already defined"}},
		{"wrong kind", "c.yaml", "delay: 1s\nconcurrency: many\n", []string{"concurrency in file", "c.yaml:2: ", `"many" is not a whole number`}},
		{"no unit", "c.yaml", "delay: 1\n", []string{"delay in file", `"1" is not a duration`, "500ms"}},
		{"list for a value", "c.yaml", "concurrency: [1, 2]\n", []string{"concurrency in file", "not a list"}},
		{"unknown kind of file", "c.conf", "concurrency: 1\n", []string{`c.conf"`, ".yaml, .toml or .json"}},
		{"a kind that viper knows", "c.ini", "workers=1\n", []string{`c.ini"`, ".yaml, .toml or .json"}},
		{"no kind", "c", "concurrency: 1\n", []string{".yaml, .toml or .json"}},
		{"out of range", "c.yaml", "concurrency: 0\n", []string{"concurrency"}},
		{"bad scope", "c.yaml", "scope: galaxy\n", []string{"scope", `"galaxy"`, "host, path, domain, any"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refusedCrawl(t, []string{"http://127.0.0.1:1/", "--config", clitest.WriteFile(t, tt.file, tt.text)}, tt.words...)
		})
	}
	t.Run("no file", func(t *testing.T) {
		run(t, "config", "show", "--config", "").WantRefusal(t, cli.ExitMisuse, "--config names no file")
		run(t, "crawl", "--url-file", "", "http://h/").WantRefusal(t, cli.ExitMisuse, "--url-file names no file")
	})
	t.Run("missing file", func(t *testing.T) {
		run(t, "config", "show", "--config", "absent.yaml").WantRefusal(t, cli.ExitMisuse, "--config", "absent.yaml", "no such file")
	})
	t.Run("directory", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "d.yaml")
		clitest.OK(t, os.Mkdir(dir, 0o700))
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
		file := clitest.WriteFile(t, "c.yaml", "concurency: 1\ndelays: 2s\n")
		got := run(t, "crawl", "http://h/", "--config", file)
		var want string
		for line, unknown := range []string{`"concurency" (did you mean concurrency?)`, `"delays" (did you mean delay?)`} {
			want += fmt.Sprintf("politecrawl: --config \"%s:%d\": unknown key %s; \"politecrawl help settings\" lists the keys\n", file, line+1, unknown)
		}
		clitest.WantEqual(t, "the result", clitest.Result{Code: cli.ExitMisuse, Stderr: want}, got)
	})
}

func TestUnknownVariables(t *testing.T) {
	t.Setenv("POLITECRAWL_DELY", "2s")
	const says = "POLITECRAWL_DELY is unknown (did you mean POLITECRAWL_DELAY?)"
	for _, args := range [][]string{{"config", "show"}, {"crawl", "--resume", t.TempDir()}} {
		run(t, args...).WantRefusal(t, cli.ExitMisuse, says)
	}
	refusedCrawl(t, []string{"http://127.0.0.1:1/"}, says)
}

// TestRefusedValueHasAPlace holds that what the crawler refuses is told with its place.
func TestRefusedValueHasAPlace(t *testing.T) {
	file := clitest.WriteFile(t, "c.yaml", "# mine\nconcurrency: 0\n\nscope: galaxy\n")
	t.Setenv("POLITECRAWL_DELAY", "-1s")
	want := fmt.Sprintf("politecrawl: bad configuration: concurrency: 0 is less than 1 (file %[1]s:2)\n"+
		"politecrawl: bad configuration: delay: -1s is negative (environment POLITECRAWL_DELAY)\n"+
		"politecrawl: bad configuration: scope: \"galaxy\" is not one of host, path, domain, any (file %[1]s:4)\n"+
		"politecrawl: bad configuration: timeout: 0s is not positive (flag --timeout)\n", file)
	for _, args := range [][]string{{"config", "show"}, {"crawl", "http://h/", "--output", filepath.Join(t.TempDir(), "out")}} {
		got := run(t, append(args, "--config", file, "--timeout", "0s")...)
		if got.Code != cli.ExitMisuse || got.Stderr != want {
			t.Errorf("%s: exit code %d, standard error\n%swant\n%s", args[0], got.Code, got.Stderr, want)
		}
		if shown := strings.Contains(got.Out, "concurrency: 0  # file "+file+":2\n"); shown != (args[0] == "config") {
			t.Errorf("%s: shown %v:\n%s", args[0], shown, got.Out)
		}
	}
}

// TestNumberOutOfRangeIsMisuse holds that a number or time that a crawl could not reckon with
// is refused wherever it comes from, and that "config show" still shows it.
func TestNumberOutOfRangeIsMisuse(t *testing.T) {
	durations := map[string]string{"8760h0m1s": "8760h0m1s is longer than 8760h0m0s", "2562047h": "is longer than 8760h0m0s", "-1s": "-1s is", "Inf": `"Inf" is not a duration such as`}
	refused := func(t *testing.T, key, says string, args ...string) {
		t.Helper()
		if got := run(t, append([]string{"config", "show"}, args...)...); got.Code != cli.ExitMisuse || !strings.Contains(got.Stderr, key) || !strings.Contains(got.Stderr, says) {
			t.Errorf("%s: %+v", key, got)
		}
	}
	everywhere := func(t *testing.T, key, value, says string) {
		t.Helper()
		refused(t, key, says, "--"+key+"="+value)
		refusedCrawl(t, []string{"http://127.0.0.1:1/", "--" + key + "=" + value}, key, says)
		refused(t, key, says, "--config", clitest.WriteFile(t, "c.yaml", key+": "+value+"\n"))
		t.Setenv(settings.Variable(key), value)
		refused(t, key, says)
	}
	for _, value := range []string{"1000", "Inf", "+Inf", "-Inf", "NaN", "-1", "1e300"} {
		t.Run("response-factor/"+value, func(t *testing.T) { everywhere(t, "response-factor", value, "is not a number from 0 to 100") })
	}
	for value, says := range durations {
		t.Run("delay/"+value, func(t *testing.T) { everywhere(t, "delay", value, says) })
	}
	settings.New().Visit(func(f *pflag.Flag, _ string) {
		switch f.Value.Type() {
		case "duration":
			for value, says := range durations {
				refused(t, f.Name, says, "--"+f.Name+"="+value)
			}
		case "float64":
			refused(t, f.Name, "is not a number from 0 to 100", "--"+f.Name+"=1000")
		}
	})
	for file, text := range map[string]string{"c.yaml": "response-factor: .inf\n", "c.toml": "response-factor = nan\n"} {
		refused(t, "response-factor", "is not a number from 0 to 100", "--config", clitest.WriteFile(t, file, text))
	}
}
