package main

import (
	"errors"
	"fmt"
	"slices"
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
			return misuseOf(cmd, "say which: %s", strings.Join(commandNames(cmd), ", "))
		}
		return cmd.Help()
	}
	return cmd
}

// isGroup tells whether a command is nothing without one of its own commands: it has no
// place for arguments.
func isGroup(cmd *cobra.Command) bool { return cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ") }

// helpCommand is cobra's help command, except that a topic which does not exist
// is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about a command or topic",

		ValidArgsFunction: completeTopic,

		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return misuse("help: %w", err)
			case len(rest) > 0:
				return unknownCommand(topic, rest[0])
			}
			return topic.Help()
		},
	}
}

// apart has cobra's list of help topics leave two spaces after the names, as its
// list of commands does.
func apart(template string) string {
	return strings.ReplaceAll(template, ".CommandPathPadding}} {{", ".CommandPathPadding}}  {{")
}

func unknownCommand(parent *cobra.Command, word string) error {
	return misuse("unknown command %q%s; %q lists what there is", word,
		didYouMean(word, commandNames(parent)), strings.TrimSpace("politecrawl help "+name(parent)))
}

// name is how cmd is called, without the program's own name.
func name(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

// misuseOf is the error for a command that was called in a wrong way.
func misuseOf(cmd *cobra.Command, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if name(cmd) != "" {
		err = fmt.Errorf("%s: %w", name(cmd), err)
	}
	return &exit{exitMisuse, fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
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

// arguments wants a number of arguments in these bounds (no upper one: -1); what
// says what they are.
func arguments(atLeast, atMost int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < atLeast:
			return misuseOf(cmd, "give %s", what)
		case atMost == 0 && len(args) > 0:
			return misuseOf(cmd, "takes no argument, got %q", args[0])
		case atMost >= 0 && len(args) > atMost:
			return misuseOf(cmd, "give %s, not also %q", what, args[atMost])
		}
		return nil
	}
}

// explainFlagError says in our words what is wrong with a flag.
func explainFlagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if unknown.GetSpecifiedShortnames() != "" {
			return misuseOf(cmd, "unknown flag -%s", unknown.GetSpecifiedName())
		}
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		flag, hint := unknown.GetSpecifiedName(), ""
		if best := nearest(flag, flags); best != "" { // without the dashes, which all have
			hint = fmt.Sprintf(" (did you mean --%s?)", best)
		}
		return misuseOf(cmd, "unknown flag --%s%s", flag, hint)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return misuseOf(cmd, "--%s needs a value", missing.GetSpecifiedName())
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return misuseOf(cmd, "--%s: %w", bad.GetFlag().Name, badValue(bad.GetFlag(), bad.GetValue()))
	}
	return misuseOf(cmd, "%w", err)
}

// badValue says what a value that flag refused should have been.
func badValue(flag *pflag.Flag, value string) error {
	switch kind := flag.Value.Type(); kind {
	case "int", "int64":
		return fmt.Errorf("%q is not a whole number", value)
	case "float64":
		return fmt.Errorf("%q is not a number", value)
	case "duration":
		return fmt.Errorf("%q is not a time such as 500ms, 2s or 1h30m", value)
	case "bool":
		return fmt.Errorf("%q is neither true nor false", value)
	default:
		return fmt.Errorf("%q is none of %s", value, strings.ReplaceAll(kind, "|", ", "))
	}
}

// didYouMean returns ` (did you mean x?)` for the candidate nearest to word, or
// nothing when none is near.
func didYouMean(word string, candidates []string) string {
	best := nearest(word, candidates)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", best)
}

// nearest returns the candidate that word may be a misspelling of, or nothing. A
// slip of the finger changes one letter or, when it swaps two, two; who writes a
// long word may slip more than once.
func nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	edits := 1 + len(word)/4
	best, most := "", 0.49 // two letters of four swapped are 0.5
	for _, c := range candidates {
		if letters(c) == letters(word) {
			return c // all that happened is that some were swapped
		}
		if s := levenshtein.Match(word, c, nil); s > most && levenshtein.Distance(word, c, nil) <= edits {
			best, most = c, s
		}
	}
	return best
}

// letters returns the letters of a word in the order of the alphabet.
func letters(word string) string {
	all := []byte(word)
	slices.Sort(all)
	return string(all)
}
