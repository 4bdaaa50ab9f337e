package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// FuzzConfigFile holds that a file which somebody was handed is either read or refused
// in words: each line of an error is one of the program, with nothing in it that moves a
// cursor. What is shown of a file that can be read is one that means the same.
func FuzzConfigFile(f *testing.F) {
	for _, text := range []string{
		"urls: [http://h/]\nworkers: 3\nproxy: http://user:word@h:1\n", "user-agent: \"a\\u0007b\"\n", "\"a\\eb\": 1\n",
		"a: &a [*a]\n", "a: &a [1,1]\nb: &b [*a,*a]\nurls: [*b,*b]\n", "workers: 0x10\ndelay: 1e3s\n", "- 1\n", "since: 2026-01-31\n", "max-body: 99999999999999999999\n",
		"allow-addr: 127.0.0.0/8 ::1/128\nextract: \"title2=h1\\nimg=img@src[]\"\n", "delay:\n  min: 3s\n", "\ufeffscope: any\r\n", "? - a\n: b\n", "<<: {workers: 3}\n",
	} {
		f.Add(0, text)
	}
	f.Add(2, "workers = 3\ndelay = \"2s\"\n[crawl]\nscope = 1\nsince = 2026-01-31T10:00:00Z\n")
	f.Add(2, "urls = ['http://h/', \"\"\"http://i/\"\"\"]\nproxy = [1, [2], {a = 1}]\n")
	f.Add(3, `{"max-body": 1e7, "urls": ["http://h/"], "Delay": "1m", "obey-noindex": false, "drop-params": ["\u0000"]}`)
	f.Add(3, `{"workers": {"a.b": null}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, kind int, text string) {
		file := filepath.Join(dir, "c."+configKinds[uint(kind)%uint(len(configKinds))])
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, "config", "show", "--config", file)
		if (got.Code == cli.ExitDone) != (got.Stderr == "") || got.Code != cli.ExitDone && got.Code != cli.ExitMisuse {
			t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
		}
		for line := range strings.Lines(got.Stderr) {
			if !strings.HasPrefix(line, "politecrawl: ") || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), unicode.IsControl) {
				t.Errorf("a line of the error: %q", line)
			}
		}
		if got.Out == "" || strings.Contains(got.Out, "left out") {
			return // nothing is shown, or not all
		}
		shown := clitest.WriteFile(t, "shown.yaml", got.Out)
		if diff := cmp.Diff(loaded(t, "--config", file).config, loaded(t, "--config", shown).config, emptyIsNil); diff != "" {
			t.Errorf("what is shown means something else (-want +got):\n%s\n%s", diff, got.Out)
		}
	})
}
