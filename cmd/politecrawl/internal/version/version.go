// Package version has the command version.
package version

import (
	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

// Command returns the command "version".
func Command(streams *cli.Streams) *cobra.Command {
	var format cli.Format
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the revision and the Go version",
		Args:  cli.Args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ReadBuild()
			return streams.PrintAs(format, b, b.String()+"\n")
		},
	}
	format.AddFlag(cmd)
	return cmd
}
