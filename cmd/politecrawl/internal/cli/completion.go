package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completable adds completion to each flag and command below cmd, from the help. A
// flag's value is one of some words, a DIR, a FILE, or something that cannot be
// guessed. The usage line of a command names its arguments. Where a URL belongs,
// offering nothing is better than offering the names of files.
func completable(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, has := cmd.GetFlagCompletionFunc(f.Name); !has && f.NoOptDefVal == "" {
			// The flag exists and has no completion yet, so this cannot fail.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, completionOf(f))
		}
	})
	if cmd.ValidArgsFunction == nil && !IsGroup(cmd) {
		cmd.ValidArgsFunction = argumentCompletion(cmd.Use)
	}
	for _, sub := range cmd.Commands() {
		completable(sub)
	}
}

// completionOf completes the value of a flag.
func completionOf(f *pflag.Flag) cobra.CompletionFunc {
	value, _ := pflag.UnquoteUsage(f)
	if strings.Contains(value, "|") {
		return cobra.FixedCompletions(strings.Split(value, "|"), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
	}
	return placeCompletion(value)
}

// argumentCompletion completes the arguments of a command with this usage line: as many as it
// names, or any number if the last one ends in "...".
func argumentCompletion(use string) cobra.CompletionFunc {
	places := strings.Fields(use)[1:]
	return func(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if n := len(places); n > 0 && at >= n && strings.Contains(places[n-1], "…") {
			at = n - 1
		}
		if at >= len(places) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return placeCompletion(places[at])(cmd, args, toComplete)
	}
}

// placeCompletion completes what the help calls place.
func placeCompletion(place string) cobra.CompletionFunc {
	words := strings.FieldsFunc(place, func(r rune) bool { return strings.ContainsRune("|[]…", r) })
	switch {
	case slices.Contains(words, "DIR"):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case slices.ContainsFunc(words, func(w string) bool { return w == "FILE" || w == "OLD" || w == "NEW" }):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.NoFileCompletions
}

// completeTopic completes the arguments of "help": the names of commands and topics.
func completeTopic(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []cobra.Completion
	for _, sub := range topic.Commands() {
		if !sub.Hidden && strings.HasPrefix(sub.Name(), toComplete) {
			found = append(found, cobra.CompletionWithDesc(sub.Name(), sub.Short))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
