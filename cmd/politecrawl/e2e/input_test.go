package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// TestFileThatCannotBeOpenedIsMisuse holds that every command says and returns the same
// about a file that it was given and that cannot be opened.
func TestFileThatCannotBeOpenedIsMisuse(t *testing.T) {
	for command, args := range map[string][]string{
		"robots check":  {"/a", "--robots"},
		"robots show":   {},
		"robots lint":   {},
		"robots agents": {},
		"robots diff":   {filepath.Join("..", "internal", "robots", "testdata", "robots", "old.txt")},
		"permit":        {"/a", "--robots"},
		"sitemap":       {},
		"crawl":         {"--url-file"},
		"plan":          {"--url-file"},
		"config show":   {"--url-file"},
	} {
		t.Run(command, func(t *testing.T) {
			args = append(strings.Fields(command), args...)
			run(t, append(args, "absent.txt")...).WantRefusal(t, cli.ExitMisuse, `"absent.txt"`, "no such file", "name a file that you can read")
			run(t, append(args, t.TempDir())...).WantRefusal(t, cli.ExitMisuse, "is a directory", "name a file that you can read")
			if strings.HasPrefix(command, "robots") {
				run(t, append(args, "absent.example/x")...).WantRefusal(t, cli.ExitMisuse, command+": ", "for the robots.txt of a site, write https://absent.example/x")
			}
		})
	}
	for name, args := range map[string][]string{
		"password":    {"redis://127.0.0.1:1", "--frontier-password-file", "absent.txt"},
		"authority":   {"rediss://127.0.0.1:1?ca=absent.txt"},
		"certificate": {"rediss://127.0.0.1:1?cert=absent.txt&key=absent.txt"},
	} {
		t.Run("frontier/"+name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			for _, command := range [][]string{{"crawl", "http://127.0.0.1:1/", "--output", out}, {"crawl", "status", "news"}, {"crawl", "delete", "news"}} {
				run(t, append(append(command, "--frontier"), args...)...).WantRefusal(t, cli.ExitMisuse, name, "absent.txt", "no such file", "name a file that you can read")
			}
			if clitest.Exists(out) {
				t.Error("the output directory was made")
			}
		})
	}
}
