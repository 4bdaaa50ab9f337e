package flags

import (
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// Formats returns the formats that --also-write may name.
func Formats(cfg *crawler.Config) []output.Format {
	software := "politecrawl/" + cli.ReadBuild().Version
	return []output.Format{
		csvout.Format(nil),
		sqlite.Format(&sqlite.Options{Software: software}),
		warc.Format(&warc.Options{Software: software, UserAgent: cfg.Fetch.UserAgent}),
	}
}

// formatNames returns the names of the formats.
func formatNames() string {
	var names []string
	for _, f := range Formats(new(crawler.Config)) {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
