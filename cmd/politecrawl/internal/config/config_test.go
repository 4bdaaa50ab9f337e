package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/settings"
	"github.com/politecrawl/politecrawl/crawler"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// notice matches a line about a file that can be read: a renamed key, or a start URL with
// a user and a password.
var notice = regexp.MustCompile(`^(?:the key \S+ in .* is deprecated; use \S+|note: the user and password in a start URL are sent to \S+ only, .*)\n$`)

// FuzzConfigFile holds that a file which somebody was handed is either read or refused
// in words: each line of an error or a notice is one of the program, with nothing in it
// that moves a cursor. What is shown of a file that can be read is one that means the same.
func FuzzConfigFile(f *testing.F) {
	for _, text := range []string{
		"urls: [http://h/]\nworkers: 3\nproxy: http://user:word@h:1\n", "user-agent: \"a\\u0007b\"\n", "\"a\\eb\": 1\n",
		"a: &a [*a]\n", "a: &a [1,1]\nb: &b [*a,*a]\nurls: [*b,*b]\n", "concurrency: 0x10\ndelay: 1e3s\n", "worker: 0\n", "- 1\n", "since: 2026-01-31\n", "max-body: 99999999999999999999\n",
		"allow-addr: 127.0.0.0/8 ::1/128\nextract: \"title2=h1\\nimg=img@src[]\"\n", "delay:\n  min: 3s\n", "\ufeffscope: any\r\n", "? - a\n: b\n", "<<: {concurrency: 3}\n",
	} {
		f.Add(0, text)
	}
	f.Add(1, "urls: [http://alice:word@h/]\n")
	f.Add(2, "workers = 3\ndelay = \"2s\"\n[crawl]\nscope = 1\nsince = 2026-01-31T10:00:00Z\n")
	f.Add(2, "urls = ['http://h/', \"\"\"http://i/\"\"\"]\nproxy = [1, [2], {a = 1}]\n")
	f.Add(3, `{"max-body": 1e7, "urls": ["http://h/"], "Delay": "1m", "obey-noindex": false, "drop-params": ["\u0000"]}`)
	f.Add(3, `{"concurrency": {"a.b": null}}`)
	dir, kinds := f.TempDir(), []string{"yaml", "yml", "toml", "json"}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		file := filepath.Join(dir, "c."+kinds[uint(kind)%uint(len(kinds))])
		clitest.OK(t, os.WriteFile(file, []byte(text), 0o600))
		got := run(t, "config", "show", "--config", file)
		if got.Code != cli.ExitDone && (got.Code != cli.ExitMisuse || got.Stderr == "") {
			t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
		}
		for line := range strings.Lines(got.Stderr) {
			known := strings.HasPrefix(line, "politecrawl: ") && got.Code == cli.ExitMisuse || notice.MatchString(line)
			if !known || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl) {
				t.Errorf("exit code %d, line %q", got.Code, line)
			}
		}
		if got.Out == "" || strings.Contains(got.Out, "are omitted") {
			return // nothing is shown, or not all
		}
		shown := clitest.WriteFile(t, "shown.yaml", got.Out)
		if diff := cmp.Diff(loadedConfig(t, "--config", file), loadedConfig(t, "--config", shown), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("what is shown means something else (-want +got):\n%s\n%s", diff, got.Out)
		}
	})
}

// loadedConfig is the configuration that this command line results in.
func loadedConfig(t *testing.T, args ...string) crawler.Config {
	t.Helper()
	s, cmd := settings.New(), &cobra.Command{}
	s.AddFlags(cmd, 0)
	clitest.OK(t, cmd.ParseFlags(args))
	clitest.OK(t, s.Load(cmd.Flags().Args(), strings.NewReader("")))
	return s.Config
}

// TestConfigShow holds that its text is a configuration file that means the same.
func TestConfigShow(t *testing.T) {
	args := []string{"http://h/?a=1&b=#x: y", "--user-agent", `odd: "bot" # 1`, "--delay", "1m30s", "--scope", "any"}
	got := run(t, append([]string{"config", "show"}, args...)...)
	if got.Code != cli.ExitDone || got.Stderr != "" {
		t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
	}
	if !strings.Contains(got.Out, `delay: "1m30s"  # flag --delay`+"\n") || !strings.Contains(got.Out, "concurrency: 16  # default\n") ||
		!strings.Contains(got.Out, "obey-noindex: true  # default\n") {
		t.Errorf("text:\n%s", got.Out)
	}
	again := loadedConfig(t, "--config", clitest.WriteFile(t, "c.yaml", got.Out))
	clitest.WantEqual(t, "the text read back", loadedConfig(t, args...), again, cmpopts.EquateEmpty())

	keys := clitest.JSON[[]keyOutput](t, run(t, "config", "show", "--format", "json", "http://h/").Out)
	want := []keyOutput{
		{Key: "urls", Value: []any{"http://h/"}, Source: "command line"},
		{Key: "concurrency", Value: 16.0, Source: "default"},
		{Key: "max-bytes", Value: 0.0, Source: "default"},
		{Key: "delay", Value: "1s", Source: "default"},
	}
	keys = slices.DeleteFunc(keys, func(k keyOutput) bool {
		return !slices.ContainsFunc(want, func(w keyOutput) bool { return w.Key == k.Key })
	})
	if diff := cmp.Diff(want, keys, cmp.Transformer("byKey", func(list []keyOutput) map[string]keyOutput {
		m := map[string]keyOutput{}
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
		for _, source := range []string{"true", "false"} {
			got := run(t, "config", "show", "--proxy", "http://open:1", "--proxy", proxy, "--source="+source)
			if strings.Contains(got.Out+got.Stderr, "hunter2") || strings.Contains(got.Out, "alice") ||
				!strings.Contains(got.Out, `***@h:3128"]`) || !strings.Contains(got.Out, "secrets are omitted\n") || !strings.Contains(got.Out, `["http://open:1"`) {
				t.Errorf("%s: %+v", proxy, got)
			}
		}
		got := run(t, "config", "show", "--proxy", proxy, "--format", "json")
		if strings.Contains(got.Out+got.Stderr, "hunter2") || !strings.Contains(got.Out, `***@h:3128"],"source":"flag --proxy","withheld":true}`) {
			t.Errorf("%s: %+v", proxy, got)
		}
	}
	if got := run(t, "config", "show", "--proxy", "http://open:1"); strings.Contains(got.Out, "are omitted") || strings.Contains(run(t, "config", "show", "--format", "json").Out, "withheld") {
		t.Errorf("%+v", got)
	}
	got := run(t, "config", "show", "http://me:hunter2@h/", "--header", "X-Key: hunter2", "--header-for", "http://i X-Key: hunter2", "--source")
	if clitest.WantParts(t, got.Out, "http://***@h", "X-Key: ***", "http://i X-Key: ***"); got.Code != cli.ExitDone || strings.Contains(got.Out+got.Stderr, "hunter2") {
		t.Errorf("%+v", got)
	}
}
