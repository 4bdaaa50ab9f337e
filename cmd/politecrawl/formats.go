package main

import (
	"log/slog"
	"runtime/debug"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// formats are what --write may name. Nil log: nobody is told of what they had to mend.
func formats(cfg *crawler.Config, log *slog.Logger) []output.Format {
	software := "politecrawl/" + buildOf(debug.ReadBuildInfo()).Version
	archive := func(edition warc.Edition) output.Format {
		return warc.Format(&warc.Options{
			Edition:   edition,
			Software:  software,
			UserAgent: cfg.UserAgent,
			Logger:    log,
		})
	}
	return []output.Format{
		csvout.Format(&csvout.Options{Logger: log}),
		sqlite.Format(&sqlite.Options{Software: software, Logger: log}),
		archive(warc.Edition10), archive(warc.Edition11),
	}
}
