package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/doctest"
)

// otherFiles are the entries of the directory that are not files of lines of the table, each with
// what it has and when it is written.
var otherFiles = [][3]string{
	{RobotsDir + "/", "the latest version of each robots.txt; in robots/versions/, each version of a robots.txt and tdmrep.json that applied", "always"},
	{StateFile, "the settings, and how the crawl ended", "always"},
	{"report.html", "what the crawl found, for people", "when it ends"},
	{"report.json", "the same for programs", "when it ends"},
	{"frontier/", "the URLs to fetch, for --resume", "always"},
	{JournalFile, "skipped URLs and other state, for --resume", "always"},
}

// TestFilesAreDocumented holds that SCHEMA.md, the user guide and the help list the files of a crawl.
func TestFilesAreDocumented(t *testing.T) {
	var markdown, help strings.Builder
	markdown.WriteString("\n| file | one line for each, or contents | written |\n|---|---|---|\n")
	list := func(name, what, written string) {
		_, _ = fmt.Fprintf(&markdown, "| `%s` | %s | %s |\n", name, what, written)
		if written != "always" {
			what += " (" + strings.ReplaceAll(written, "`", "") + ")"
		}
		indent := "    " + fmt.Sprintf("%-17s ", name)
		for len(what) > 70 {
			at := strings.LastIndex(what[:70], " ")
			help.WriteString(indent + what[:at] + "\n")
			indent, what = strings.Repeat(" ", 22), what[at+1:]
		}
		help.WriteString(indent + what + "\n")
	}
	for _, r := range rows {
		if r.line != "" {
			list(r.name, r.line, r.written)
		}
	}
	for _, f := range otherFiles {
		list(f[0], f[1], f[2])
	}
	root := filepath.Join("..", "..", "..")
	for _, name := range []string{"crawler/output/SCHEMA.md", "cmd/politecrawl/README.md"} {
		doctest.Section(t, filepath.Join(root, filepath.FromSlash(name)), "<!-- files -->", "<!-- end -->", markdown.String())
	}
	doctest.Section(t, filepath.Join(root, "cmd", "politecrawl", "internal", "crawl", "topics.go"), "Those with lines have one for each:\n\n", "\nA URL is skipped", help.String())
}
