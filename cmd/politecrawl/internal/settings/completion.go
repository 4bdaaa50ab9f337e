package settings

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler"
)

// completeFormats completes a list of formats, each once.
func completeFormats(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := toComplete[:strings.LastIndex(toComplete, ",")+1]
	var lists []cobra.Completion
	for _, format := range flags.Formats(new(crawler.Config)) {
		if !slices.Contains(strings.Split(typed, ","), format.Name) {
			lists = append(lists, typed+format.Name)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}
