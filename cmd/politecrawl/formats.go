package main

import (
	"runtime/debug"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// formats are what --write may name.
func formats(cfg *crawler.Config) []output.Format {
	return []output.Format{
		csvout.Format(nil),
		sqlite.Format(nil),
		warc.Format(&warc.Options{
			Software:  "politecrawl/" + buildOf(debug.ReadBuildInfo()).Version,
			UserAgent: cfg.UserAgent,
		}),
	}
}
