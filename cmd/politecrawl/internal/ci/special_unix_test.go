//go:build unix

package ci

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// What is not a regular file is not opened: a named pipe would block for ever.
func TestSpecialFilesAreNotOpened(t *testing.T) {
	dir := build{"index.html": "<title>Home</title>\n<a href=pipe.html>p</a><a href=link.html>l</a><a href=docs/>d</a>", "404.html/x": ""}.write(t)
	pipe := filepath.Join(dir, "pipe.html")
	clitest.OK(t, os.Mkdir(filepath.Join(dir, "docs"), 0o755))
	for _, name := range []string{pipe, filepath.Join(dir, "docs", indexFile)} {
		clitest.OK(t, syscall.Mkfifo(name, 0o600))
	}
	clitest.OK(t, os.Symlink("pipe.html", filepath.Join(dir, "link.html")))
	outside := t.TempDir()
	t.Chdir(filepath.Dir(dir))
	got := run(t, "ci", "public", "--output", filepath.Join(outside, "o"))
	for _, want := range []string{"failed: 3 errors", "/pipe.html (status 404: public/pipe.html is a named pipe)", "/link.html (status 404: public/link.html is a named pipe)", "/docs/ (status 404: public/docs/index.html is a named pipe)"} {
		if got.Code != cli.ExitFindings || !strings.Contains(got.Out, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	cases := []clitest.Misuse{
		{Args: []string{pipe}, Words: []string{"is a named pipe", "name the folder"}},
		{Args: []string{os.DevNull}, Words: []string{"is a device"}},
		{Args: []string{dir, "--robots", pipe}, Words: []string{"--robots", "is a named pipe", "standard input"}},
		{Args: []string{dir, "--baseline", pipe}, Words: []string{"--baseline", "is a named pipe"}},
		{Args: []string{dir, "--baseline", dir}, Words: []string{"--baseline", "is a named pipe"}},
	}
	for _, name := range []string{robotsFile, indexFile, sitemapFile} {
		other := build{"a.html": ""}.write(t)
		clitest.OK(t, os.Symlink(pipe, filepath.Join(other, name)))
		cases = append(cases, clitest.Misuse{Args: []string{other}, Words: []string{name, "is a named pipe"}})
	}
	program.WantMisuse(t, []string{"ci"}, cases)
}
