// Package man has the command man, which writes the manual pages.
package man

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
)

// Command returns the command "man".
func Command(streams *cli.Streams) *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write a manual page for each command into DIR/man1, and for each help topic into
DIR/man7. The pages depend only on the version of the program and on SOURCE_DATE_EPOCH,
their date in seconds since 1970. Without it the pages have no date.`,
		Example: `  politecrawl man ~/.local/share/man && man politecrawl-crawl
  politecrawl man man && man -l man/man1/politecrawl.1`,
		Args: cli.Args(1, 1, "the directory to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := sourceDate(os.Getenv("SOURCE_DATE_EPOCH"))
			if err != nil {
				return err
			}
			pages, err := writePages(cmd.Root(), args[0], date)
			if err != nil {
				return cli.Misuse("man: %w; choose a directory that you can write to", cli.QuotePath(err))
			}
			if quiet {
				return nil
			}
			return streams.Print(fmt.Sprintf("%s in %s\n", humanize.Count(pages, "manual page"), cli.Escape(args[0])))
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print errors only")
	return cmd
}

// writePages writes the pages of a command and of all below it to where man looks for them
// below dir, and returns how many there are.
func writePages(cmd *cobra.Command, dir, date string) (pages int, err error) {
	if cmd.Hidden || cmd.Name() == "help" {
		return 0, nil
	}
	cmd.InitDefaultHelpFlag()
	section := pageSection(cmd)
	folder := filepath.Join(dir, fmt.Sprintf("man%d", section))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	text := manualText(cmd, date, "politecrawl "+cli.ReadBuild().Version)
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s.%d", pageName(cmd), section)), []byte(text), 0o644); err != nil {
		return 0, err
	}
	pages = 1
	for _, sub := range cmd.Commands() {
		n, err := writePages(sub, dir, date)
		if err != nil {
			return 0, err
		}
		pages += n
	}
	return pages, nil
}

// sourceDate returns the date of SOURCE_DATE_EPOCH, for reproducible builds, or "" if it is not set.
func sourceDate(epoch string) (string, error) {
	if epoch == "" {
		return "", nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return "", cli.Misuse("man: SOURCE_DATE_EPOCH is %q; set it to seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
}

// pageName is the name of the page of a command: politecrawl-robots-check.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// pageSection is 1 for commands and 7 for topics.
func pageSection(cmd *cobra.Command) int {
	if cmd.IsAdditionalHelpTopicCommand() {
		return 7
	}
	return 1
}
