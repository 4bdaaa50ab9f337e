package main

import (
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
)

// goOnCommand is how to go on with a crawl; empty: there is nothing to go on with. One that
// failed with no URL left still has to be written down.
func goOnCommand(s *crawler.Summary) string {
	if s.Left == 0 && s.End != crawler.EndFailed {
		return ""
	}
	command := "politecrawl crawl --resume " + cli.ShellWord(s.Output)
	switch s.End {
	case crawler.EndMaxPages:
		return command + " --max-pages N"
	case crawler.EndMaxBytes:
		return command + " --max-bytes N"
	}
	return command
}

// goOnText is the last line for a person; empty: nothing is left.
func goOnText(s *crawler.Summary) string {
	if command := goOnCommand(s); command != "" {
		return "to go on: " + command + "\n"
	}
	return ""
}
