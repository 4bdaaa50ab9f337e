package settings

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// completeFormats completes a list of formats, each once.
func completeFormats(_ *cobra.Command, _ []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	typed := toComplete[:strings.LastIndex(toComplete, ",")+1]
	var lists []cobra.Completion
	for _, format := range Formats(new(crawler.Config)) {
		if !slices.Contains(strings.Split(typed, ","), format.Name) {
			lists = append(lists, typed+format.Name)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}

// completePurposes completes --purpose.
func completePurposes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := make([]cobra.Completion, len(usage.Purposes))
	for i, p := range usage.Purposes {
		names[i] = string(p)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
