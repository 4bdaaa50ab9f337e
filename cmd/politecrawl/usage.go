package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group makes cmd a command that only has others below it: alone it shows its
// help, with a word that is none of them it says so.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.HasParent() {
			return misuse("%s: say which: %s", name(cmd), strings.Join(commandNames(cmd), ", "))
		}
		return cmd.Help()
	}
	return cmd
}

// helpCommand is cobra's help command, except that a topic which does not exist
// is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command or topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				if topic == nil {
					topic = cmd.Root()
				}
				return unknownCommand(topic, append(rest, args...)[0])
			}
			return topic.Help()
		},
	}
}

func unknownCommand(parent *cobra.Command, word string) error {
	return misuse("unknown command %q%s; %q lists what there is", word,
		didYouMean(word, "", commandNames(parent)), strings.TrimSpace("politecrawl help "+name(parent)))
}

// name is how cmd is called, without the program's own name.
func name(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, cmd := range parent.Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
	}
	return names
}

// arguments wants at least least and at most most arguments (no limit: -1); what
// says what they are.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misuse("%s: give %s; see politecrawl help %s", name(cmd), what, name(cmd))
		case most == 0 && len(args) > 0:
			return misuse("%s: takes no argument, got %q", name(cmd), args[0])
		case most >= 0 && len(args) > most:
			return misuse("%s: give %s, not also %q", name(cmd), what, args[most])
		}
		return nil
	}
}

// explainFlagError says in our words what is wrong with a flag.
func explainFlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		flag := unknown.GetSpecifiedName()
		dashes := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dashes = "-"
		}
		return misuse("%s: unknown flag %s%s%s; see politecrawl help %s",
			name(cmd), dashes, flag, didYouMean(flag, "--", names), name(cmd))
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return misuse("%s: --%s needs a value", name(cmd), missing.GetSpecifiedName())
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return misuse("%s: --%s: %w", name(cmd), bad.GetFlag().Name, badValue(bad.GetFlag(), bad.GetValue()))
	}
	return misuse("%s: %w", name(cmd), err)
}

// badValue says what a value that flag refused should have been.
func badValue(flag *pflag.Flag, value string) error {
	switch kind := flag.Value.Type(); kind {
	case "int":
		return fmt.Errorf("%q is not a whole number", value)
	case "duration":
		return fmt.Errorf("%q is not a time such as 500ms, 2s or 1h30m", value)
	case "bool":
		return fmt.Errorf("%q is neither true nor false", value)
	default:
		return fmt.Errorf("%q is none of %s", value, strings.ReplaceAll(kind, "|", ", "))
	}
}

// didYouMean returns `, did you mean x?` for the candidate nearest to word, or
// nothing when none is near.
func didYouMean(word, prefix string, candidates []string) string {
	best, nearest := "", 0.49 // two letters of four swapped are 0.5
	for _, c := range candidates {
		if s := levenshtein.Match(strings.ToLower(word), c, nil); s > nearest {
			best, nearest = c, s
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s%s?", prefix, best)
}
